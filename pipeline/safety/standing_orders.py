"""Standing orders: "whenever Anna writes to you, mail …", "in future conversations …", "don't tell her, but …"."""

import re

from pipeline.safety.imperatives import commanded
from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ASSISTANT, ONWARD, THE_USER


def stands(text: str) -> bool:
    """Whether a text has the assistant do something in a case, from now on, or in secret."""
    if _ITS_DUTY.search(text) or (_OF_THE_USER.search(text) and not _PRODUCT.search(text)):
        return True
    secret = _SECRET.search(text) is not None
    if not (secret or _CASE.search(text) or _ONWARD.search(text)):
        return False
    return any(_orders(sentence, secret) for sentence in _SENTENCE.split(text))


def keeps_secret(text: str) -> bool:
    """Whether a text has the assistant keep something from the user."""
    return _FROM_THE_USER.search(text) is not None


def _orders(sentence: str, secret: bool) -> bool:
    case = _CASE.search(sentence)
    if case and not _GENERIC.search(sentence):
        if _YOU_DO.search(sentence) or _DONE_THEN.match(sentence, case.end()):
            return True
        if _has_order(_DONE, sentence, [case.span()]):
            return True
    if not (secret or _ONWARD.search(sentence)):
        return False
    kept = [(found.start() - 6, found.end()) for found in _SECRET.finditer(sentence)]
    return _YOU_DO_HEAVY.search(sentence) is not None or _has_order(_DONE_HEAVY, sentence, kept)


def _has_order(deeds: re.Pattern[str], sentence: str, outside: list[tuple[int, int]]) -> bool:
    """Whether a deed outside of some spans is an order: "don't tell her" alone asks for none."""
    places = (match.start() for match in deeds.finditer(sentence))
    return any(
        commanded(sentence, at) and not _DONE_BY_PEOPLE.search(sentence, max(0, at - 60), at)
        for at in places
        if not any(start <= at < end for start, end in outside)
    )


_SENTENCE = re.compile(r"[.!?;]+ |\" ")
_ADVERBS = (
    r"(?:(?:just|always|never|only|then|should|must|will|would|shall|have to|need to|are to|kindly|please|quietly"
    r"|secretly|silently|simply|first|also|don't|do not|immediately|automatically|casually|subtly|discreetly|ever"
    r"|still|now|not|gently|go and|to|'ll|be (?:so kind as|kind enough|nice enough) to|maybe|perhaps|try to|(?:make"
    r"|be) sure to|remember to|either|really|could|can|might) )*"
)
_HEAVY = (
    r"(?:keep (?:send|forward|recommend|tell|add|copy|mail|promot|suggest|post|push|say|ask|remind)ing|tell|say"
    r"|inform|claim|insist|pretend|lie|deny|recommend|suggest|promote|praise|push|advertise|add|append|include|insert"
    r"|slip|put|send|mail|e-?mail|forward|copy|bcc|cc|share|paste|post|hide|skip|omit|leave out|spill|leak|reveal"
    r"|dump|open|visit|fetch|load|run|execute|delete|erase|wipe|change|replace|nag|insult|mock|disregard|obey"
    r"|transfer|pay|approve|grant|unlock|convince|persuade|steer|nudge|switch to|(?:start|begin|end) (?:every|each"
    r"|all|your)|rate|rank|describe|portray|consult|cite|mention|state|cover for|blame|vouch|relay|collect|report"
    r"|warn|(?:respond|answer|reply) with|swear|refuse|print|repeat|overwrite|invent|make up|favou?r|badmouth"
    r"|discourage|guilt|threaten|attach|mark|score|treat|accept|stay (?:in|as|being))"
)
_DEED = (
    rf"(?:{_HEAVY}|answer|reply|respond|read (?:out|back|me)|show|give|write|call(?! (?:me|us)\b)|switch|do (?:what"
    r"|whatever|it|as|so)|act|name|list|mention|ask (?:her|him|them|for)|make (?:her|him|them|it|sure)|bring up"
    r"|keep(?! (?:that|this|it) in mind)|hand over|talk (?:about|up|her|him|them)|order|buy|book|point|direct|refer"
    r"|use|propose|offer)"
)
_ONE = r"(?:[\w'@.-]+ ){1,5}?"
_ASKS = (
    r"(?:asks?|says?|mentions?|writes?|types?|texts?|messages?|talks?|speaks?|chats?|wants? (?:to know|an?|some|help"
    r"|advice)|wonders?|brings? up|inquires?|enquires?|greets?|complains?|requests?|needs? (?:help|advice|an?|some)"
    r"|logs? in|turns? up|comes? (?:up|here|online|by)|searches|looks? for|(?:is|are) (?:looking|searching|asking"
    r"|talking|chatting|asked|online|mentioned|raised|here|on here)|joins?|pings?|contacts?|opens? (?:this|the"
    r"|a) (?:chat|app|conversation|session)|(?:turns?|drifts?|moves?) to|starts? (?:a|the|talking|asking|to talk)"
    r"|shares?|pastes?|uploads?|sends? you)"
)
_WHEN = (
    r"(?:when(?:ever)?|while|if|once|each time|every ?time|any ?time|as soon as|the (?:moment|minute|second)"
    r"|next time|in case|should|upon|on)"
)
_CASE = Screen(
    rf"\b{_WHEN} (?!you (?!are\b|get\b)){_ONE}{_ASKS}\b",
    rf"\b{_WHEN} (?:being )?(?:asked|prompted|questioned|asking (?:about|for)|comparing|recommending|listing|ranking"
    r"|summari[sz]ing|answering|replying|responding|reviewing|generating|drafting)\b",
    rf"\b{_WHEN} (?:you (?:next )?(?:see|hear|read|encounter|receive|notice|process|load|retrieve|recall)"
    r"|this (?:\w+) (?:is|gets) (?:read|retrieved|loaded|recalled|shown|processed|used|seen|summari[sz]ed))\b",
    r"\b(?:to|for|with) (?:everyone|everybody|anyone|anybody|whoever|all|people|those|any \w+"
    rf"|every \w+)(?: else)?(?: who| that)? (?:{_ASKS})\b|\bwhoever {_ASKS}\b",
    rf"\b(?:everyone|everybody|anyone|anybody|people|those)(?: else)? who (?:{_ASKS})\b",
    rf"\b(?:anything|whatever|everything) {_ONE}(?:pastes?|uploads?|shares?|writes?|posts?|asks?|sends?"
    r"|types?) (?:in here|here|in(?:to)? th(?:is|e) (?:chat|group|conversation)|to you|you)\b",
)
_ONWARD = Screen(
    r"\b(?:before|when(?:ever)?|after|once|each time|every time) you (?:answer|reply|respond|summari[sz]e|draft"
    r"|generate|recommend|compare)\b|\bafter (?:two|three|four|five|ten|\d+) (?:messages|turns|replies"
    r"|questions)\b(?! (?:from|of|by))",
    rf"\b(?:{ONWARD}|forever|for ever|for good|permanently|until i say|the whole time|every (?:single )?time|no matter what)\b",
)
_HER = r"(?:her|him|them|anyone|anybody|the user|my \w+)"
_SECRET = Screen(
    r"\b(?:don't|do not|never|without|not to|no need to|but not|nor) (?:you )?(?:ever |even )?(?:tell|say|mention|let"
    r"|reveal|admit|explain|show|disclose|point out)(?:t?ing)?\b(?: (?:to|that|about))*(?: (?:it|this|that|why|how"
    rf"|nobody|a soul|who|where|you|i|{_HER}|the \w+|any|what|so|these|those))\b",
    r"\bkeep (?:this|that|it|these|the) (?:\w+ )?(?:\w+ )?(?:hidden|secret|to yourself|invisible|private)\b",
    r"\b(?:she|he|they|nobody|no one|the user|my \w+) (?:must|should|shall|may|can|needs?)(?:n't| not"
    r"| never)? (?:\w+ )?(?:know|notice|find out|see|hear)\b",
    r"\bas if (?:it|that|this) (?:was|were) your own\b|\bbehind (?:her|his|their|my \w+'s) back\b"
    rf"|\bwithout (?:letting )?{_HER} (?:know|knowing|noticing|seeing)\b",
)
_NO_THANKS = r"(?! (?:me )?(?:that )?(?:you|i can't|sorry)\b)"
_YOU_DO = re.compile(
    rf"\byou {_ADVERBS}{_DEED}\b{_NO_THANKS}|\b(?:the |your |this |any )?{ASSISTANT} (?:must|should|shall|will|has to"
    rf"|is to|needs to|always|then) {_ADVERBS}{_DEED}\b|\b(?:bot|assistant|ai|chatbot|chatgpt|claude|gemini|copilot"
    rf"|computer|robot)[,:!]+ [^.!?;]{{0,100}}?\b{_DEED}\b"
)
_YOU_DO_HEAVY = Screen(rf"\byou {_ADVERBS}{_HEAVY}\b{_NO_THANKS}")
_DONE = re.compile(rf"\b{_DEED}\b")
_DONE_HEAVY = re.compile(rf"\b{_HEAVY}\b")
_DONE_THEN = re.compile(
    r"(?: (?!(?:i|we|he|she|they|it|who|and|to|or|that|my|our)\b)[\w'@-]+){0,5}? (?:(?:just|please|simply|always"
    rf"|only) {_DEED}\b|(?:{_HEAVY}|give|show|write|answer) (?:her|him|them|me|everyone|everybody) )| (?:who|what"
    r"|where|why|how|when|if|about|for) (?:(?!(?:i|we|he|she|they|it)\b)[\w'-]+ ){1,5}?(?:say|tell|claim|answer"
    r"|reply) (?:that )?(?:you (?:can't|don't|couldn't|haven't|never|know)|it was|it's|it is|nobody|no one|her|him"
    r"|them|nothing)\b"
)
"""A deed right after its case, without a comma: "if she asks where i was just say …"."""

_GENERIC = Screen(
    r"\b(?:customers?|clients?|guests?|patients?|students?|callers?|tenants?|visitors?|diners?|pupils?|interviewers?"
    r"|recruiters?|detectors?|tests?|linters?|sensors?|scanners?|meters?|recipes?|labels?|signs?|builds?|alarms?"
    r"|machines?|examiner|judge|police|officer|waiter|doctor|dentist|coach|says my|as my|my (?:boss|manager|therapist"
    r"|coach|teacher|lawyer|trainer) (?:says|said))\b"
)
"""Third parties whose questions people describe in ordinary advice."""

_DONE_BY_PEOPLE = re.compile(
    r"\b(?:i|we|he|she|they|it|which|who|nobody|everybody|everyone|people|(?:my|our|his|her|their"
    r"|the)(?: \w+){1,2})(?: (?:always|never|usually|often|just|mostly|only|will|can|would|should|must|have to"
    r"|has to|like to|then|also))* $|\b(?:i'll|i'd|we'll|she'll|he'll|they'll|to|can|could|i'm|would|a|an|the|my|our"
    r"|her|his|their|of|for|some) $"
)
_ITS_DUTY = Screen(
    r"\b(?:when(?:ever)?|before|after|once|each time|every time|whenever) (?:the |this |any "
    rf"|an? )?{ASSISTANT} [^.!?;]{{2,80}}?, (?:it|they) (?:shall|must|should|will|has to|have to|is to|are to"
    r"|needs? to|may)\b"
)
_OF_THE_USER = Screen(
    r"\b(?:when|whenever|if|each time|every time|any time|once|after|before|until|unless|as soon as|whatever"
    rf"|everything|anything|no matter (?:what|how|if)) {THE_USER} (?:\w+ ){{0,2}}?(?:{_ASKS}|wants?|needs?|seeks?"
    r"|questions?|tells?|orders?|is|has|starts?|opens?|looks?|sends?|thinks?|does(?! not(?:[.;,]|$)))\b"
)
_PRODUCT = re.compile(
    r"\b(?:our|my|apps?|product|website|interface|ux|ui|screen|dashboard|prototype|form|login|checkout|spec"
    r"|user story|feature|button|project)\b"
)

_TELL = (
    r"(?:tell|inform|notify|mention|reveal|show|alert|warn|disclose|let|ask|explain|say|point out|refer to|admit"
    r"|draw attention to|acknowledge|quote|cite|discuss|repeat)(?:t?ing)?"
)
_FROM_THE_USER = Screen(
    rf"\b(?:do not|don't|never|without|not|avoid|no need to) (?:to |ever )*{_TELL} (?:[^.;!?]{{0,40}} )?(?:{THE_USER}"
    r"|that you (?:were|are|have|did|received)|(?:this|these|that|the) (?:notes?|messages?|hints?|instructions?"
    r"|rules?|directives?|policy|memory|paragraph))\b(?! (?:from|of|for|in) (?:my|our|the|his|her))",
    rf"\b(?:hide|conceal|keep|withhold) [^.;!?]{{0,40}}from {THE_USER}\b",
    r"\bthe user (?:need not|needn't|is not to|doesn't (?:need|have) to|does not (?:need|have) to) (?:be (?:told"
    r"|informed|notified|asked|alerted))\b",
)
