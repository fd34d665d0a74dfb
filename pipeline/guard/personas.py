"""The assistant called by its kind, made another, sworn to secrecy: "note to all AIs", "you are now DAN"."""

from pipeline.guard.words import ADVERB, ASSISTANT, SPEAK, THE_USER, any_of, named

_TELL = (
    r"(?:tell|telling|inform|informing|notify|notifying|mention|mentioning|reveal|revealing|show|showing|alert"
    r"|alerting|warn|warning|disclose|disclosing|let|"
    r"ask|asking|explain)"
)
_MINE = (
    r"(?:name|role|task|job|purpose|goal|mission|objective|instructions?|directives?|identity|persona|rules?"
    r"|orders?|loyalty|priority|master|creator|owner|"
    r"system prompt)"
)
_PERSONAS = any_of(
    (
        (
            r"(?<!when )(?<!if )(?<!that )(?<!where )(?<!who )(?<!what )"
            r"\byou(?:'re| are| were) (?:now|no longer|from now on|henceforth"
            r"|hereby)\b(?!\s*(?:[.,;!?)]|$|and\b|but\b|so\b))(?! (?:in (?:my|our)|at|on|my (?:friend|"
            r"neighbou?r)|welcome|invited|family|able|ready|done))"
        ),
        rf"\byou are (?:an? |the |my )?(?:(?:\w+ )?{ASSISTANT}|dan\b|unrestricted|unfiltered|jailbroken|evil)",
        (
            rf"\byour (?:new|real|true|actual|only|primary|main|secret|hidden|sole|current|next|first) {_MINE} (?:is"
            r"|are|will|shall)\b"
        ),
        (
            r"\byour (?:task|mission|objective|instructions?|directives?|persona|system prompt|developers?|creators?"
            r"|operators?|programming|guidelines) "
            r"(?:is|are|have|has|says?|requires?|wants?)\b"
        ),
        (
            r"(?<!i )(?<!to )(?<!we )(?<!they )(?<!kids )(?<!children )\b(?:pretend|act as if|act as though"
            r"|behave as if) (?:that )?(?:you(?:'re| are| have| were)|to be)\b"
        ),
        (
            r"\b(?:enable|enter|activate|switch (?:to|into)|go into|unlock|engage|you are in"
            r"|boot into) (?:the )?(?:developer|debug|dan|god|admin|maintenance|"
            r"unrestricted|jailbreak|sudo|root|unsafe|uncensored|override)[ -]?mode\b(?! (?:on|in|of|for) (?:my|the"
            r"|your|his|her))"
        ),
        (
            r"\byour (?:loyalty|programming|creators?|developers?|system prompt|persona|directives?|allegiance"
            r"|guardrails?|safety (?:rules|filters?))\b"
        ),
        (
            r"\bi(?:'m| am) your (?:\w+ )?(?:developer|creator|owner|boss|admin(?:istrator)?|operator|master"
            r"|programmer"
            r"|maker|god|king|queen|supervisor)\b"
        ),
        (
            r"\byou (?:now |will |shall |must |always |only |do )*(?:obey|serve|answer to|report to|belong to"
            r"|work for"
            r"|follow (?:his|her|my|their|the|only|these|all)) \w+"
        ),
        (
            rf"\byou (?:can|may|could|are free to) (?:now|freely|always) (?:{SPEAK}|swear|curse|share|access|bypass"
            r"|disable|see|send|delete|do anything)\b"
        ),
        (
            r"\b(?:stop|quit|cease) (?:being|acting|behaving|pretending|answering|responding|refusing"
            rf"|apologi[sz]ing)(?: \w+){{0,3}} (?:{ASSISTANT}|polite|helpful|nice|safe|honest|requests?|questions?)\b"
        ),
        (
            r"\b(?:important|essential|crucial|vital|imperative|necessary|see to it|demand|insist|make sure"
            r"|ensure) (?:that )?you (?:always |never |only |do not |don't |now )+(?!know|learn|remember|meet|try|see"
            r"|note|understand|call|take|bring|wear|pack|get|go|come|wash|use|quit|give up|forget|miss|lose|worry|stop|hurt"
            r"|overdo"
            r"|burn|fall|push|rush|stress|eat|drink|leave|skip)\w+"
        ),
        r"\bi(?:'m| am) (?:an? |the |from |with )?(?:\w+ )?(?:openai|anthropic)\b(?!-)",
        (
            r"(?<!i )(?<!we )(?<!to )\b(?:skip|disable|drop|turn off|bypass|remove|switch off|lower) (?:the |your |all "
            r"|any )*(?:filters|safety|moderation|guardrails|safety checks|content filters?)\b(?! (?:from|of|on"
            r"|in) (?:my|the|our))"
        ),
        r"\bdo anything now\b|\bjailbreak (?:mode|prompt|yourself|enabled)",
        (
            r"\bwithout (?:any )?(?:restrictions?|filters?|censorship|guardrails|safety (?:checks?"
            r"|filters?))\b[^.]{0,30}\b(?:you|answer|respond|reply)\b"
        ),
        (
            r"\b(?:no|free of|free from|without) (?:any )?(?:ethical|moral|safety|content) (?:restrictions?|filters?"
            r"|guidelines|limits|constraints)\b"
        ),
    )
)
_SECRECY = any_of(
    (
        (
            r"\b(?:do not|don't|never|without|not to|avoid|must not|should not"
            rf"|not) (?:ever )?{_TELL} (?:[^.;!?]{{0,40}} )?(?:{THE_USER}|this (?:instruction|rule|message|note)|"
            r"these instructions|that you (?:were|are|have|did|received))\b"
        ),
        rf"\b(?:hide|conceal|keep|withhold) [^.;!?]{{0,40}}from {THE_USER}\b",
        (
            r"\b(?:secretly|silently|covertly) (?:send|forward|copy|append|include|call|run|log|record|transmit|visit"
            r"|load|fetch|store|save|insert|add)\b"
        ),
    )
)
_CALLED = any_of(
    (
        r"@(?:assistant|ai|bot|chatbot|chatgpt|claude|gpt|copilot|gemini|llm)\b",
        rf"\bdear (?:\w+ )?{ASSISTANT}\b",
        rf"\bas an? (?:helpful |honest |good )?{ASSISTANT},? (?:you|it is your|your)\b",
        (
            r"\b(?:attention|note (?:to|for)|notice (?:to|for)|message (?:to|for)|instructions? (?:to|for)"
            r"|directive (?:to|for)|warning to|order to|reminder (?:to|for)|memo to|"
            r"(?:dear|to) (?:all|any|every|each|whatever|whichever|the)),?:? (?:(?:all|any|every|the|future|my|other"
            rf"|reading|your) )*{ASSISTANT}\b(?! (?:team|project|course|class|work|"
            r"companies|startups?|research|department|book|budget|subscription|conference|summit|lab|group|lecture))"
        ),
        (
            r"\b(?:if|as|since|because|when|should) you(?:'re| are| be)? (?:an? |the |any "
            rf"|being )?(?:\w+ )?{ASSISTANT}\b"
        ),
        (
            rf"\b{ASSISTANT} (?:that (?:is |are )?|which |who )?(?:is |are )?(?:currently )?(?:reading|processing"
            r"|parsing|summari[sz]ing|seeing|handling|ingesting|scanning|reads?|sees?|process(?:es)?|"
            r"summari[sz]es?)(?: through)? (?:this|these|the (?:following|above|document|page|memory|message|email"
            r"|text))\b"
        ),
        rf"\b(?:any|all|every|each) {ASSISTANT} (?:must|should|shall|will|has to|have to|need|with access)\b",
        (
            rf"\b(?:assistant|ai|chatgpt|claude|copilot|gemini|bot|chatbot|model|llm)[,:!]+ (?:(?:{ADVERB}|you must"
            r"|do not|don't|you should|you will|from now on,?) )*"
            rf"(?:{SPEAK}|send|forget|delete|run|execute|open|visit|fetch|load|transfer|forward|call (?!me)|approve"
            r"|grant|obey|follow|store|overwrite|erase|trust|update your|wipe|"
            r"score|rank|rate|hire|buy|choose|select|pick|give|disable|skip|mark|set|change|make|do|stop|use|leave"
            r"|add"
            r"|accept|reject|hide|click|go|place)\b"
        ),
    )
)


def recasts(text: str) -> bool:
    """Whether a text makes the assistant another, calls upon assistants, or has them keep something from the user."""
    recast = any(not named(text, match.start()) for match in _PERSONAS.finditer(text))
    return bool(recast or _SECRECY.search(text) or _CALLED.search(text))
