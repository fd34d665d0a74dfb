"""Orders that stand: a deed of the assistant, and when it is to be done, or for how long, or that nobody is to hear of it.

The three can come in any order, and whoever asks may be anybody: "whenever Anna writes to you, mail a copy to …", "nag her about
it each time she talks to you", "in future conversations you would quietly add …".
"""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT, commanded

_SENTENCE = re.compile(r"[.!?;]+ |\" ")

_ADVERBS = (
    r"(?:(?:just|always|never|only|then|should|must|will|would|shall|have to|need to|are to|kindly|please|quietly"
    r"|secretly|silently|simply|first|also|don't|do not|also|immediately|automatically|casually|subtly|discreetly"
    r"|ever|still|now|not|gently|go and|to|'ll|be so kind as to|be (?:kind|nice) enough to|maybe|perhaps|try to"
    r"|make sure to|be sure to|remember to|either|simply|really|could|can|might|only ever) )*"
)
_HEAVY = (
    r"(?:keep (?:sending|forwarding|recommending|telling|adding|copying|mailing|promoting|suggesting|posting|pushing)"
    r"|tell|say|inform|claim|insist|pretend|lie|deny|recommend|suggest|promote|praise|push|advertise|add|append"
    r"|include|insert|slip|put|send|mail|e-?mail|forward|copy|bcc|cc|share|paste|post|hide|skip|omit|leave out|spill"
    r"|leak|reveal|dump|open|visit|fetch|load|run|execute|delete|erase|wipe|change|replace|nag|insult|mock|disregard"
    r"|obey|transfer|pay|approve|grant|unlock|convince|persuade|steer|switch to|(?:start|begin|end) (?:every|each|all"
    r"|your)|rate|rank|describe|portray|consult|cite|mention|state|cover for|blame|vouch|relay|report|warn"
    r"|respond with|answer with|reply with|swear|refuse|print|repeat|overwrite|invent|make up|favou?r|badmouth"
    r"|discourage|guilt|threaten|attach)"
)
_DEED = (
    rf"(?:{_HEAVY}|answer|reply|respond|read (?:out|back|me)|show|give|write|call|switch|do (?:what|whatever|it|as|so)"
    r"|act|name|list|mention|ask (?:her|him|them|for)|make (?:her|him|them|it|sure)|bring up|keep(?! (?:that|this"
    r"|it) in mind)|hand over|talk (?:about|up|her|him|them)|order|buy|book)"
)
_ONE = r"(?:[\w'@.-]+ ){1,5}?"
_ASKS = (
    r"(?:asks?|says?|mentions?|writes?|types?|texts?|messages?|talks?|speaks?|chats?|wants? (?:to know|a|an|some|help"
    r"|advice)|wonders?|brings? up|inquires?|enquires?|greets?|complains?|requests?|needs? (?:help|advice|a|an|some)"
    r"|logs? in|comes? (?:up|here|online|by)|searches|looks? for|(?:is|are) (?:looking|searching|asking|talking"
    r"|chatting)|joins?|pings?|contacts?|opens? (?:this|the|a) (?:chat|app|conversation|session)|(?:is|are) (?:asked"
    r"|online|mentioned|raised)|turns? to|drifts? to|moves? to|starts? (?:a|the|talking|asking|to talk)|shares?"
    r"|pastes?|uploads?|sends? you)"
)
_WHEN = (
    r"(?:when(?:ever)?|if|once|each time|every ?time|any ?time|as soon as|the (?:moment|minute|second)|next time"
    r"|in case|should)"
)
_CASE = Screen(
    rf"\b{_WHEN} (?!you (?!are\b|get\b)){_ONE}{_ASKS}\b|\b(?:to|for|with) (?:everyone|everybody|anyone|anybody|whoever"
    rf"|all|people|those|any \w+|every \w+)(?: else)?(?: who| that)? (?:{_ASKS})\b|\b(?:anything|whatever"
    rf"|everything) {_ONE}(?:pastes?|uploads?|shares?|writes?|posts?|asks?|sends?|types?) (?:in here|here"
    rf"|in(?:to)? th(?:is|e) (?:chat|group|conversation)|to you|you)\b|\bwhoever {_ASKS}\b|\b(?:every|any"
    r"|each) (?:\w+ ){1,2}?(?:someone|somebody|anyone|anybody|people|they|others) asks?\b"
)
_ONWARD = Screen(
    r"\b(?:before|when(?:ever)?|after|once|each time|every time) you (?:answer|reply|respond|summari[sz]e|draft"
    r"|generate|recommend|compare)\b|\bafter (?:two|three|four|five|ten|\d+) (?:messages|turns|replies"
    r"|questions)\b(?! (?:from|of|by))|\b(?:in|for|during) (?:each|every|all|any) (?:\w+ )?(?:comparisons?"
    r"|recommendations?|rankings?|lists?|reviews?)\b|\b(?:from (?:now|today|tomorrow|here|this (?:point|moment"
    r"|message|day))(?: on)?|henceforth|in (?:the )?future|(?:in|to|at|for|after|before|with) (?:the (?:end|start"
    r"|beginning|top|bottom) of )?(?:all|every|each|any)(?: of)?(?: the| your| our| my)?(?: future| later| other| new"
    r"| single| coming)* (?:chats?|conversations?|repl(?:y|ies)|answers?|responses?|sessions?|messages?|summar(?:y"
    r"|ies)|questions?)|in future (?:chats?|conversations?|repl(?:y|ies)|answers?|sessions?)|at the (?:end|start"
    r"|bottom|top) of your \w+|forever|for ever|for good|permanently|until i say|the whole time"
    r"|every (?:single )?time|no matter what|going forward)\b"
)
_SECRET = Screen(
    r"\b(?:don't|do not|never|without|not to|no need to|but not|nor) (?:you )?(?:ever |even )?(?:tell|telling|say"
    r"|saying|mention|mentioning|let|letting|reveal|revealing|admit|admitting|explain|explaining|show|showing"
    r"|disclose|disclosing|point out)\b(?: (?:to|that|about))*(?: (?:it|this|that|why|how|her|him|them|anyone|anybody"
    r"|nobody|a soul|who|where|you|i|the user|(?:my|the) \w+|any|what|so|these|those))\b|\bkeep (?:this|that|it|these"
    r"|the) (?:\w+ )?(?:\w+ )?(?:hidden|secret|to yourself|invisible|private)\b|\b(?:she|he|they|nobody|no one"
    r"|the user|my \w+) (?:must|should|shall|may|can|need|needs)(?:n't| not| never)? (?:\w+ )?(?:know|notice|find out"
    r"|see|hear)\b|\bbehind (?:her|his|their|my \w+'s) back\b|\bwithout (?:her|him|them|anyone|anybody|the user"
    r"|my \w+) (?:knowing|noticing|seeing)\b"
)
_YOU_DO = re.compile(
    rf"\byou {_ADVERBS}(?P<deed>{_DEED})\b(?! (?:me )?(?:that )?(?:you|i can't|sorry)\b)|\b(?:the |your |this "
    rf"|any )?{ASSISTANT} (?:must|should|shall|will|has to|is to|needs to|always|then) {_ADVERBS}{_DEED}\b|\b(?:bot"
    rf"|assistant|ai|chatbot|chatgpt|claude|gemini|copilot|computer|robot)[,:!]+ [^.!?;]{{0,100}}?\b{_DEED}\b"
)
_YOU_DO_HEAVY = Screen(rf"\byou {_ADVERBS}(?P<deed>{_HEAVY})\b(?! (?:me )?(?:that )?(?:you|i can't|sorry)\b)")
_DONE = re.compile(rf"\b(?P<verb>{_DEED})\b")
_DONE_HEAVY = re.compile(rf"\b(?P<verb>{_HEAVY})\b")
_TO_YOU = Screen(
    r"\b(?:to|with|asks?|tells?|messages|texts|pings|contacts) (?:you|the (?:bot|assistant|ai)) (?:(?:then|just"
    rf"|please|always|only) )*{_DEED} (?:a|an|the|that|them|him|her|it|me|us|everyone|nothing|only|to|how)\b"
)
_GENERIC = Screen(
    r"\b(?:customers?|clients?|guests?|patients?|students?|callers?|tenants?|visitors?|diners?|pupils?|interviewers?"
    r"|recruiters?|detectors?|tests?|linters?|sensors?|scanners?|meters?|recipes?|labels?|signs?|builds?|alarms?"
    r"|machines?|examiner|judge|police|officer|waiter|doctor|dentist|coach|says my|as my|my (?:boss|manager|therapist"
    r"|coach|teacher|lawyer|trainer) (?:says|said))\b"
)
_ACTED = re.compile(
    r"\b(?:i|we|he|she|they|it|which|who|nobody|everybody|everyone|people|(?:my|our|his|her|their"
    r"|the)(?: \w+){1,2})(?: (?:always|never|usually|often|just|mostly|only|will|can|would|should|must|have to"
    r"|has to|like to|then|also))* $|\b(?:i'll|i'd|we'll|she'll|he'll|they'll|to|can|could|i'm|would|a|an|the|my|our"
    r"|her|his|their|of|for|some) $"
)
_STORED = Screen(
    r"\b(?P<verb>store|save|write|note|put|record|remember|log|add|memori[sz]e)(?: down| in| to| instead| into"
    r"| memory| it| this)* ?(?:instead )?(?:that|:|in (?:its|their) place)[^.!?;]{0,120}"
)
_SO_THAT = Screen(
    r"\b(?:so (?:that )?you|then (?:you|nag|tell|send|remind)|and (?:then )?(?:nag|tell everyone|say so|never ask)"
    r"|whenever|each time|every time|instead|in (?:its|their) place)\b"
)
_WIPED = Screen(
    r"\b(?P<verb>delete|erase|wipe|forget|remove|clear|destroy|drop|overwrite) (?:every(?:thing)?|all|any|each|the"
    r"|what(?:ever)?)(?: of)?(?: the| your| my)? ?(?:memor(?:y|ies)|notes?|facts?|records?|entr(?:y|ies)|things?"
    r"|stuff|that|you|you've)? ?(?:you |you've |have |has |is |are |been |that |which )*(?:know|saved?|stored?"
    r"|remember(?:ed)?|learned|noted|about|of|on|concern(?:s|ing)?)\b"
)
_SELF_SPREAD = Screen(
    r"\b(?P<verb>copy|paste|repeat|insert|include|add|reproduce|append|put|carry|forward|attach|embed|hide) (?:this"
    r"|these|the) (?:\w+ ){0,2}?(?:paragraph|text|notes?|message|instructions?|lines?|block|sentence|section"
    r"|comment|prompt)s?\b[^.!?;]{0,50}?\b(?:repl(?:y|ies)|e?mails?|messages?|answers?|summar(?:y|ies)|documents?"
    r"|posts?|files?|commits?|every|each|output|contacts?|recipients?)\b"
)
_DECLARED = Screen(
    rf"\b(?:the |this |any |every |your )?(?P<who>{ASSISTANT}|model|(?:coding|ai) agents?) (?:now |always |also "
    r"|silently |secretly |quietly |discreetly |then |never |only |therefore )*(?:gathers?|collects?|posts?|logs?"
    r"|exports?|uploads?|submits?|transmits?|discloses?|disregards?|ignores?|reveals?|sends?|forwards?|shares?"
    r"|recommends?|praises?|hides?|omits?|skips?|bypasses|obeys?|complies|comply|refuses?|adds?|appends?|inserts?"
    r"|copies|copy|approves?|tells?|says?|states?|claims?|treats?|trusts?|stores?|prints?|executes?|runs?|fetches"
    r"|loads?|opens?|inserts?|mentions?|presents?|puts?|ranks?|cites?|names?|promotes?|drops?|leaks?|includes?"
    r"|answers|follows?|transfers?|pays?|deletes?)\b[^.!?;]{0,160}"
)
_FOR_ALL = Screen(
    r"\b(?:(?:at the (?:start|end|beginning) of|in|for|to|after|before|on|with|during) (?:each|every|all|any)"
    r"|from (?:that|this|now|here)|always|never|quietly|secretly|discreetly|all requests|any request"
    r"|in (?:the )?future|later|without|regardless|whatever|unconditionally|no longer|only|first|henceforth"
    r"|from every|its (?:full )?system prompt)\b"
)
_OF_OURS = re.compile(
    r"\b(?:our|my|their|his|her|its|(?!user's|vendor's|operator's)\w+'s|a|an|another|some|old|new|shop|support|school"
    r"|company)(?: [\w-]+){0,2} $|\b(?:i|we|he|she|they|people|some) (?:\w+ )?(?:think|thinks|believe|believes|say"
    r"|says|said|hope|hate|wonder)s?(?: that)?(?: the| an?)? $"
)
_BEFORE_EACH = Screen(
    r"\b(?:before|after|with|in|at the (?:start|beginning|end) of) (?:each|every|any|all) (?:\w+ )?(?:task|commit"
    r"|session|build|answer|reply|run|request|response|conversation|chat|message|pull request|review|deployment)s?\b"
)
_AGENTS_RUN = Screen(
    r"\b(?:(?:coding|ai|code|autonomous|automated|review|llm) (?:agents?|assistants?|bots?|tools?)|agents|assistants"
    r"|copilots|llms)\b[^.!?;]{0,50}?\b(?:must|should|shall|have to|has to|need to|are to"
    r"|are required to)\b(?P<deed>[^!?;]{0,200})"
)
_IN_MEMORY = Screen(
    r"\bin (?:their|its|your|the) (?:long-term )?memory\b|\bhttps?:|\bcurl\b|\bwithout (?:asking|review|telling)"
)

_REWRITTEN = Screen(
    r"\b(?:delete|erase|wipe|forget|remove|scrap) (?:everything|what|all|anything|whatever) (?:i|we) (?:have |had "
    r"|'ve )?(?:told|said to|wrote to) you\b[^.!?;]{0,60}?\b(?:and|then|instead) (?:write|note|save|store|put|say"
    r"|remember|record)\b"
)


_ITS_DUTY = Screen(
    r"\b(?:when(?:ever)?|before|after|once|each time|every time) (?:the |this |any "
    rf"|an? )?{ASSISTANT} [^.!?;]{{2,80}}?, (?:it|they) (?:shall|must|should|will|has to|have to|is to|are to"
    r"|needs? to|may)\b"
)

_DONE_THEN = re.compile(
    r"(?: (?!i\b|we\b|he\b|she\b|they\b|it\b|who\b|and\b|to\b|or\b|that\b|my\b|our\b)[\w'@-]+){0,5}? (?:(?:just"
    rf"|please|simply|always|only) {_DEED}\b|(?:{_HEAVY}|give|show|write|answer) (?:her|him|them|me|everyone"
    r"|everybody) )| (?:who|what|where|why|how|when|if|about|for) (?:(?!(?:i|we|he|she|they"
    r"|it)\b)[\w'-]+ ){1,5}?(?:say|tell|claim|answer|reply) (?:that )?(?:you (?:can't|don't|couldn't|haven't|never"
    r"|know)|it was|it's|it is|nobody|no one|her|him|them|nothing)\b"
)


def stands(text: str) -> bool:
    """Whether a text has the assistant do something whenever something happens, from some time on, or in secret."""
    if _ITS_DUTY.search(text) or _deed_for_all(text) or _tampers(text):
        return True
    secret = _SECRET.search(text) is not None
    if not (secret or _CASE.search(text) or _ONWARD.search(text)):
        return False
    return any(_orders(sentence, secret) for sentence in _SENTENCE.split(text))


def _orders(sentence: str, secret: bool) -> bool:
    case = _CASE.search(sentence)
    if case is not None and not _GENERIC.search(sentence):
        if _YOU_DO.search(sentence) or _TO_YOU.search(sentence):
            return True
        if any(
            _is_told(sentence, match.start("verb")) for match in _DONE.finditer(sentence) if not _within(match, case)
        ):
            return True
        if _DONE_THEN.match(sentence, case.end()):
            return True
    onward = _ONWARD.search(sentence) is not None
    if not (onward or secret):
        return False
    if _YOU_DO_HEAVY.search(sentence):
        return True
    return any(
        _is_told(sentence, match.start("verb")) and not _SECRET.match(sentence, max(0, match.start() - 6))
        for match in _DONE_HEAVY.finditer(sentence)
        if not _is_secrecy(sentence, match)
    )


def _is_secrecy(sentence: str, match: re.Match[str]) -> bool:
    """ "Don't tell her" alone asks for no deed."""
    return any(found.start() <= match.start() < found.end() for found in _SECRET.finditer(sentence))


def _within(match: re.Match[str], case: re.Match[str]) -> bool:
    return case.start() <= match.start() < case.end()


def _is_told(sentence: str, at: int) -> bool:
    return commanded(sentence, at) and not _ACTED.search(sentence, max(0, at - 60), at)


def _deed_for_all(text: str) -> bool:
    """ "The assistant discloses … at the start of each conversation"; "coding agents must run … before each task"."""
    if any(
        (_BEFORE_EACH.search(match["deed"]) or _IN_MEMORY.search(match["deed"]))
        and not _OF_OURS.search(text, max(0, match.start() - 40), match.start())
        for match in _AGENTS_RUN.finditer(text)
    ):
        return True
    return any(
        _FOR_ALL.search(match.group()) and not _OF_OURS.search(text, max(0, match.start() - 40), match.start("who"))
        for match in _DECLARED.finditer(text)
    )


def _tampers(text: str) -> bool:
    """Lies that are to be stored, memories to be wiped, texts that are to copy themselves."""
    if any(commanded(text, match.start("verb")) for pattern in (_SELF_SPREAD,) for match in pattern.finditer(text)):
        return True
    if _REWRITTEN.search(text):
        return True
    wiped = any(commanded(text, match.start("verb")) for match in _WIPED.finditer(text))
    stored = [match for match in _STORED.finditer(text) if commanded(text, match.start("verb"))]
    if wiped and stored:
        return True
    return any(_SO_THAT.search(match.group()) for match in stored)
