"""What the patterns of all shapes are made of: who is spoken of, who is told to do something, and what tells one from the other.

The patterns read what `pipeline.safety.readings` gives: lower case, no accents, straight quotes, single spaces.
"""

import re
from collections.abc import Iterable

from pipeline.safety.screen import Screen

_HUMAN = (
    "teaching dental medical legal shop sales store research personal executive "
    "office nursing physician project production "
    "editorial parliamentary lab laboratory care classroom library marketing "
    "kitchen pharmacy admin administrative family new"
).split()
_TITLES = (
    "manager managers professor professors coach coaches editor director "
    "principal teacher referee producer engineer secretary "
    "chef surgeon head headteacher headmaster commissioner attorney living dog dogs stage trainer curator buyer"
).split()
_AI_NOUN = r"(?:models?|systems?|agents?|assistants?|tools?|chat ?bots?|bots?|readers?|programs?)"

ASSISTANT = (
    rf"(?:(?:ai|virtual|digital|chat|voice|automated|artificial intelligence) {_AI_NOUN}"
    rf"|(?=assistant){''.join(f'(?<!{word} )' for word in _HUMAN)}\bassistants?\b(?! (?:{'|'.join(_TITLES)}"
    r"|at (?:the|our|my) \w+)\b)|chat ?bots?|bots?|llms?|(?:large )?language models?|ai's?|ais?|a\.i\.|chatgpt"
    r"|gpt(?:-?\w+)?|claude|gemini|copilot|siri|alexa|agents? of this chat|this model|summari[sz]ers?)"
)
"""An assistant that is a program: the one of this conversation, or any; not a person's job."""

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
"""A program that reads, sums up or decides for people, under any of its names."""

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
"""What else a program can be told to do with what it reads."""

REPLIES = (
    r"(?:(?:future |subsequent |following |further |next |chat )*(?:repl(?:y|ies)|responses?|answers?|outputs?"
    r"|completions?|summar(?:y|ies)|recommendations?|generated texts?|messages? (?:that )?you (?:write|send)|turns?))"
)
"""What an assistant gives."""

ONWARD = (
    r"(?:from (?:now|here|today|tomorrow|th(?:is|at) (?:point|moment|message|day|turn))(?: (?:on|onwards?|forward"
    r"|out))*|henceforth|hereafter|(?:going|moving) forward|in (?:the )?future|at the (?:end|start|bottom"
    r"|top) of your \w+|starting (?:now|today|immediately|with (?:this|your next) \w+)|effective immediately"
    r"|as of (?:now|today|this \w+)|for (?:the rest|the remainder) of (?:this|the|our) (?:chat|conversation|session"
    r"|thread|discussion|interaction|day|time)|until further notice|(?:in|for|during|to|at|after|before"
    r"|with) (?:the (?:end|start|beginning|top|bottom) of )?(?:all|every|each|any)(?: of)?(?: your| the| our"
    r"| my)?(?: future| subsequent| following| further| next| later| coming| other| new"
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

_BREAK = re.compile(r"[.!?;:,()\[\]{}\"|<>=$#\u2013\u2014\u2192]|(?<!\w)'|'(?!\w)|(?<=\s)-+(?=\s)")
_LED = re.compile(
    r"^(?:(?:please|pls|kindly|now|and|then|so|but|or|also|just|always|never|only|immediately|first|next|finally"
    r"|simply|do not|don't|ever|do|ok|okay|hey|hi|hello|dear|today|instead|silently|secretly|quickly|automatically"
    r"|again|must|should|shall|will|remember to|be sure to|make sure to|make sure you|ensure you|you (?:must|should"
    r"|shall|will|can|may|have to|need to|are to|ought to|are required to|are instructed to|are ordered to"
    r"|are allowed to|are going to|'re to)|it is (?:necessary|required|vital|essential|important) (?:that you|to)"
    r"|your (?:task|job|goal|role|duty|mission) is to|i (?:want|need|order|command|instruct|ask|tell|expect|require"
    r"|authori[sz]e) you to|i'd like you to|feel free to|proceed to|go ahead and|try to|henceforth|from now on"
    r"|from this (?:point|moment)(?: on)?|going forward|as an? \w+)\s*)*$"
)
_LED_ANEW = re.compile(
    r"(?:^|.*\s)(?:and|then|so|but|or) (?=(?:please|always|never|immediately|then|now|must|you|silently|secretly|also"
    r"|do)\b)|.*\s(?:and|then) "
)
_SUBJECT = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|it|who|which|that|nobody|everybody|everyone|people)\b"
)
_BESIDE = re.compile(
    r"^(?:before|after|in|on|at|every|each|during|for|with|upon|instead of|until|once|when|while) (?!(?:my|our|his"
    r"|her|their|we|i)\b)(?:(?!my\b|our\b|his\b|her\b|their\b)[\w']+ ?){1,4}$"
)
_POSSESSED = re.compile(r"^(?:my|our|his|her|their|the|a|an|some|most|many)\b")
_NAMING = re.compile(r"\b(?:called|named|nicknamed|titled|entitled|title is|name is) (?:the )?[\"']?$")
PRODUCT = r"(?:claude|gemini|siri|alexa|cortana|copilot|chatgpt|gpt(?:-?\w+)?)"
"""A helper by its product's name, as people tell of it: "I told Alexa to …"."""

_TOLD_A_PRODUCT = re.compile(rf"\b(?:told|asked|instructed|got|had|made) {PRODUCT} (?:not )?to$")
_OWN_PROMPT = re.compile(
    r"\b(?:our|my|their|his|her) (?:\w+ ){0,2}?(?:prompts?|rules file|handbook|spec) (?:says|asks|tells|reads)\b"
)
_TO_ASSISTANT = re.compile(
    rf"\b(?:{PROGRAM})(?: \w+)? (?:must|should|shall|will|has to|have to|need to|needs to|is to|are to"
    rf"|to)\b(?: {ADVERB})*\s*$"
)


def commanded(text: str, at: int) -> bool:
    """Whether the verb that stands at a place is an order to whoever reads, and not what somebody does or was told to do."""
    before = text[max(0, at - 200) : at]
    clause = before[max((match.end() for match in _BREAK.finditer(before)), default=0) :].strip()
    if _TOLD_A_PRODUCT.search(clause) or _OWN_PROMPT.search(clause):
        return False
    if _LED.match(clause) or _TO_ASSISTANT.search(clause) or (_BESIDE.match(clause) and not _SUBJECT.search(clause)):
        return True
    anew = _LED_ANEW.match(f"{clause} ")
    if anew is None:
        return False
    return (
        _SUBJECT.search(anew.group()) is None
        and not _POSSESSED.match(clause)
        and _LED.match(f"{clause} "[anew.end() :]) is not None
    )


def named(text: str, at: int) -> bool:
    """Whether the words at a place are somebody's or something's name: "my band is called …"."""
    return _NAMING.search(text, max(0, at - 30), at) is not None


def any_of(patterns: Iterable[str]) -> Screen:
    """What finds what any of several patterns finds."""
    return Screen(*patterns)
