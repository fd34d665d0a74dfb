"""Parts of the patterns. They read what `readings` gives: lower case, no accents, straight quotes, single spaces."""

_HUMAN = (
    "teaching dental medical legal shop sales store research personal executive office nursing physician project"
    " production editorial lab laboratory care classroom library marketing kitchen pharmacy admin administrative"
    " family new"
).split()
_NO_HUMAN = "".join(f"(?<!{word} )" for word in _HUMAN)
_TITLES = (
    r"(?:managers?|professors?|coach(?:es)?|editor|director|principal|teacher|referee|producer|engineer|secretary"
    r"|chef|surgeon|head\w*|commissioner|attorney|living|dogs?|stage|trainer|curator|buyer)"
)
_AI_NOUN = r"(?:models?|systems?|agents?|assistants?|tools?|chat ?bots?|bots?|readers?|programs?)"

ASSISTANT = (
    rf"(?:(?:ai|virtual|digital|chat|voice|automated|artificial intelligence) {_AI_NOUN}"
    rf"|(?=assistant){_NO_HUMAN}\bassistants?\b(?! (?:{_TITLES}|at (?:the|our|my) \w+)\b)|chat ?bots?|bots?|llms?"
    r"|(?:large )?language models?|ai's?|ais?|a\.i\.|chatgpt|gpt(?:-?\w+)?|claude|gemini|copilot|siri|alexa"
    r"|agents? of this chat|this model|summari[sz]ers?)"
)
"""An assistant that is a program, and not a person's job."""

_SURE = (
    r"(?:ai|automated|automatic|autonomous|artificial|virtual|digital|chat|llm|gpt|generative|language"
    r"|(?<!human )machine|machine learning|ml|intelligent)"
)
_LIKELY = (
    r"(?:cod(?:e|ing)|(?:code )?review(?:er|ing)?|screening|summari[sz](?:er|ing|ation)|recruit(?:ing|ment)|hiring"
    r"|scheduling|e-?mail|mail|browsing|browser|shopping|search|indexing|parsing|triage|moderation|grading"
    r"|translation|inbox|calendar|retrieval|planning|your|connected|downstream)"
)
PROGRAM = (
    rf"(?:(?:{_SURE}[ -])+(?:\w+ )?(?:assistants?|agents?|bots?|helpers?|systems?|software|tools?|readers?|models?"
    r"|programs?|pipelines?|crawlers?|parsers?|reviewers?|schedulers?|summari[sz]ers?|processors?|graders?|screeners?"
    rf"|translators?|services?|intelligences?|recruiters?)|applicant tracking systems?|{_LIKELY} (?:bots?|software"
    r"|models?|(?<!mail )(?<!recruitment )(?<!hiring )(?<!your )agents?|algorithms?|pipelines?|crawlers?"
    rf"|assistants?(?= (?:must|should|shall|have to|are to|:)|[:,]))|copilots?|{ASSISTANT})"
)
"""A program that reads, sums up or decides for people."""

NOT_A_TEAM = (
    r"(?! (?:team|projects?|course|class|work|compan\w+|startups?|research\w*|department|book|budget|subscriptions?"
    r"|conference|summit|lab|group|lectures?|courses|ethics|safety|training|industry|sector|act|hype|boom|exam"
    r"|homework|stuff|things)\b)"
)

IMPERATIVE = (
    r"(?:shortlist|hire|conclude|decline|leave|skip|omit|approve|accept|rate|rank|score|place|put|give|add|share|send"
    r"|forward|paste|copy|bcc|cc|trust|hide|keep|insert|push|mark|report|use|pick|choose|select|set|make|do|stop"
    r"|merge|pass|grant|allow|delete|remove|open|fetch|load|run|execute|follow|remember|store|save|record|note|book"
    r"|pay|release|transfer|confirm|click|upload|export|reject|prefer|name|list|rephrase|summari[sz]e|read|show"
    r"|change|replace|update|let|focus|highlight|emphasi[sz]e|stress|attach|avoid|count|award|invite|present|treat"
    r"|steer|nudge|drop|downplay|quote|cite|propose|offer|resolve|close|escalate|visit|call(?! me\b))"
)
"""What a program can do with what it reads."""

REPLIES = (
    r"(?:(?:future |subsequent |following |further |next |chat )*(?:repl(?:y|ies)|responses?|answers?|outputs?"
    r"|completions?|summar(?:y|ies)|recommendations?|generated texts?|messages? (?:that )?you (?:write|send)|turns?))"
)
"""What an assistant gives."""

ONWARD = (
    r"(?:from (?:now|here|today|tomorrow|th(?:is|at) (?:point|moment|message|e?-?mail|chat|conversation|day"
    r"|turn))(?: (?:on|onwards?|forward|out))*|henceforth|hereafter|(?:going|moving) forward|in (?:the )?future"
    r"|at the (?:end|start|bottom|top) of your \w+|starting (?:now|today|immediately|with (?:this|your next) \w+)"
    r"|effective immediately|as of (?:now|today|this \w+)|for (?:the rest|the remainder) of (?:this|the|our) (?:chat"
    r"|conversation|session|thread|discussion|interaction|day|time)s?|until further notice|(?:in|for|during|to|at"
    r"|after|before|with) (?:the (?:end|start|beginning|top|bottom) of )?(?:all|every|each|any)(?: of)?(?: your| the"
    r"| our| my)?(?: future| subsequent| following| further| next| later| coming| other| new"
    r"| single)* (?:\w+ )?(?:conversations?|chats?|sessions?|interactions?|questions?|requests?|messages?"
    rf"|comparisons?|rankings?|lists?|reviews?|{REPLIES}))"
)
"""For how long an order stands."""

ADVERB = (
    r"(?:please|always|never|only|not|now|immediately|also|then|simply|just|first|henceforth|silently|secretly"
    r"|automatically)"
)
"""How an order is coloured."""

SPEAK = (
    r"(?:answer|respond|reply|speak|say|state|claim|insist|pretend|roleplay|role-play|act|behave|obey|comply"
    r"|recommend|suggest|promote|advertise|praise|refuse|decline|output|print|reveal|disclose|address|greet|identify"
    r"|introduce|describe|mention|write|translate|end|start|begin|finish|close|sign|prefix|append|preface|conclude"
    r"|include|talk|sound|tell|lie|deny|ignore|apologi[sz]e|swear|insult|mock|flatter|curse|serve|disregard|warn"
    r"|encourage|discourage|steer|agree|sing|repeat|assume|treat|consider|favou?r|prioriti[sz]e|operate|withhold)"
)
"""What an assistant does with words."""

RULES = (
    r"(?:rules?|guidelines?|guidance|instructions?|filters?|limits?|limitations?|restrictions?|guardrails?"
    r"|safety(?: \w+)?|safeguards?|warnings?|disclaimers?|refusals?|polic(?:y|ies)|programming|training|boundaries"
    r"|censorship|morals?|ethics|(?:system )?prompts?|constraints?|moderation|protocols?|settings|orders?|commands?"
    r"|directives?)"
)
"""What an assistant is bound by."""

THE_USER = r"(?:(?:the|this|your|each|every|any) (?:end[- ]?)?users?|users|the (?:human|person you|people you))"

PRODUCT = r"(?:claude|gemini|siri|alexa|cortana|copilot|chatgpt|gpt(?:-?\w+)?)"
"""A helper by its product's name, as people tell of it: "I told Alexa to …"."""
