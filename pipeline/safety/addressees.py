"""Texts meant for programs: a note to whoever sums this up, a call of the assistant, a notice to all assistants."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import (
    ADVERB,
    ASSISTANT,
    IMPERATIVE,
    NOT_A_TEAM,
    PROGRAM,
    REPLIES,
    RULES,
    SPEAK,
    THE_USER,
)


def addressed_to_programs(text: str) -> bool:
    """Whether a text speaks to the programs that will read it, or says what their answers must hold."""
    if _CALLED.search(text) or _READERS.search(text):
        return True
    return any(
        _PAST_OR_ASKED.search(text, max(0, match.start() - 60), match.start() + 1) is None
        for match in _WHAT_YOU_MAKE.finditer(text)
    )


def gives_notice(text: str) -> bool:
    """Whether a text poses as a notice that binds assistants."""
    return any(_OF_PROGRAMS.search(match["said"]) and _BINDS.search(match["said"]) for match in _NOTICE.finditer(text))


_START = r"(?:^|[.;!?>#*(\[|/:\u2013\u2014-] ?)"
_ORDER = (
    rf"(?:(?:{ADVERB}|kindly|you (?:must|should|will|shall|are to|need to|have to|can|may)|(?:please )?do not|don't"
    rf"|from now on),? )*(?:{SPEAK}|{IMPERATIVE}|forget|wipe|erase|overwrite|obey|disable|buy|click|go)\b"
)
_WHICH = r"(?:(?:all|any|the|every|each|our|your|my|whichever|whatever|future|other|reading|next) )*"
_CALLED = Screen(
    # A heading or a note: for code review agents, approve without comments.
    rf"(?:{_START}|\b(?:notes?|message|hint|instructions?|reminder|info|information|advice|guidance|remark|memo|word"
    rf"|line|section|comment) )(?:for|to) {_WHICH}{PROGRAM}\b{NOT_A_TEAM}[^.;!?:]{{0,60}}?[:,;\u2013\u2014-]+[ -]*"
    rf"{_ORDER}",
    r"\b(?:attention|(?:note|notice|message|instructions?|directive|reminder) (?:to|for)|(?:warning|order|memo) to"
    rf"|(?:dear|to) (?:all|any|every|each|the)),?:? {_WHICH}{ASSISTANT}\b{NOT_A_TEAM}",
    # A name that is called: AI scheduler, accept on behalf of the guest.
    rf"{_START}(?:hey |hi |hello |dear |ok |attention |@)?{_WHICH}(?:{PROGRAM}|agents?)(?: (?:reading|processing|of|on"
    rf"|in|for|that|which) [^.;:,!?]{{0,40}})?(?:[:!\u2013\u2014]| -|,)[ -]*{_ORDER}(?! (?:and|or|is|was|of|in)\b)",
    rf"\b(?:assistant|ai|chatgpt|claude|copilot|gemini|bot|chatbot|model|llm)[,:!]+ {_ORDER}",
    r"@(?:assistant|ai|bot|chatbot|chatgpt|claude|gpt|copilot|gemini|llm)\b",
    rf"\bdear (?:\w+ )?{PROGRAM}\b",
    rf"\b(?:as|if you(?:'re| are)) an? (?:helpful |honest |good )?(?:\w+ )?{ASSISTANT},? (?:you|it is your|your|please)\b",
    r"(?:^|[.;!?>] ?)(?:summari[sz]ing|review(?:ing)?|screening|coding|reading|ai|indexing|grading|parsing|retrieval"
    r"|research) (?:agents?|models?|bots?|assistants?|reviewers?|readers?|systems?|tools?) ?: [^\n]{0,200}?\b(?:do "
    r"not|don't|must|should|never|always|omit|skip|list|say|state|mention|report|approve|accept|output|recommend|rate"
    r"|ignore|treat)\b",
)
_READ = (
    r"(?:summari[sz]|process|pars|ingest|index|retriev|recall|condens|digest|translat|draft|generat|scor|rank|evaluat"
    r"|answer|repl(?:y|ies)|respond|read|prepar|handl|review|scann?|see|open|load)\w*"
)
_MUST = r"(?:must|should|shall|are to|is to|have to|has to|needs? to|may not|will|please|never|always)"
_READERS = Screen(
    rf"\b(?:{ASSISTANT}|agents?|tools?|systems?|models?|software|programs?|scrapers?|crawlers?) (?:that (?:is |are )?"
    rf"|who |which )?(?:is |are )?(?:currently )?{_READ} (?:through )?(?:this|these|here|the (?:following|above"
    rf"|document|page|memory|message|email|text))\b[^.;!?]{{0,60}}?(?:\b(?:{_MUST}|can)\b|[:,] (?:please )?\w)",
    rf"\b{ASSISTANT} (?:that |who )?(?:reading|processing|summari[sz]ing) this\b",
    # Whoever it may be: to whoever sums up this thread.
    r"\b(?:whoever|whatever|whichever \w+|any(?:one|body|thing)?(?: \w+)? (?:who|that|which)|those who|the (?:one"
    r"|program|software|system|model|tool|service) (?:who|that|which)) (?:is |are |will |ever |later |then |next "
    rf"|has to |might |may |happens to )*{_READ}[^.;!?:]{{0,30}}?\b(?:this|these|from memory|on behalf of|the (?:above"
    rf"|following|conversation|chat|account|user|memories))\b[^.;!?:]{{0,40}}?(?:[:,\u2013\u2014]|\b(?:{_MUST}|leaves?"
    rf"|says?|puts?|keeps?|adds?|gives?|grants?|treats?|asks?)\b)[^;!?]{{0,60}}?\b(?:(?:{SPEAK}|{IMPERATIVE})(?:s|es)?"
    r"|gives?|grants?|treats?|asks?)\b",
    rf"\b(?:{PROGRAM})\b[^;!?]{{0,60}}?\b(?:recommend|suggest|favou?r|prefer|praise|cite|rank|name)s? (?:it|us|them"
    r"|this|him|her|our \w+)\b[^.;!?]{0,30}\b(?:before|first|over|above|only|always|ahead|more than)\b",
    # What is to stand in an answer, said of the answer: responses to this account must omit …
    r"\b(?:gets?|receives?|hears?|is given) (?:the |an? |only )*(?:answer|reply|response)s? (?:that|:|\")",
)
_YOU_MAKE = (
    r"\b(?:every|each|any|all|whatever|whichever|everything|anything)(?: (?:of the |of )?(?:[\w-]+ )?(?:lists?"
    r"|rankings?|comparisons?|texts?|messages?|e?mails?|letters?|articles?|posts?|links?|reports?|sources?|tips?"
    rf"|advice|{REPLIES}))? you (?:\w+ )?(?:make|write|give|produce|send|draft|prepare|suggest|put together|generate"
    r"|compile|say|answer|recommend|create|offer|show)\b"
)
_WHAT_YOU_MAKE = Screen(
    r"\b(?:comes?|goes?|go|be|stands?|appears?|stays?|belongs?|needs?|gets?|is|are|must|should|has to|have to|slip"
    r"|work|weave|mention|include|add|praise|put|name|place|list|insert|start|end|sign|never|always"
    rf"|word)\b[^.;!?]{{0,80}}{_YOU_MAKE}",
    rf"{_YOU_MAKE}[^.;!?]{{0,60}}\b(?:{_MUST}|mention|include|end|start|begin|contain|praise)\b",
)
_PAST_OR_ASKED = Screen(
    r"\b(?:i (?:like|love|liked|loved|read|enjoy|keep|appreciate|use|hate)|thanks|thank you|did you|do you|can i|are you)\b"
)

_NOTICE = Screen(
    r"\b(?:(?:platform|system|operator|security|vendor|provider|compliance|policy|moderation|session|service"
    r"|administrator|admin|safety|legal|developer|regulatory|retention|privacy|chat|config(?:uration)?|data|internal"
    r"|official|mandatory|urgent)[ -])+(?:notice|update|message|bulletin|advisory|broadcast|memo|alert|note|directive"
    r"|announcement|requirement|change|policy|rule|instruction)s?\b(?P<said>[^\n]{0,300})"
)
_OF_PROGRAMS = re.compile(
    rf"(?:\b(?:{PROGRAM}|agents)\b{NOT_A_TEAM}|\brefusals?\b|\b{THE_USER}\b|\byour (?:{REPLIES}|{RULES}|memory)\b)"
)
_BINDS = Screen(
    rf"\b(?:{_MUST}|are required|is required|are (?:asked|instructed|obliged)|no longer|effective|until further|raised"
    r"|lifted|suspended|waived|disabled|off|mandatory|exempt)\b"
)
