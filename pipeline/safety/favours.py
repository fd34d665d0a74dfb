"""Favours that a text asks for somebody: a good word slipped in, people steered to a shop, a place that you should recommend."""

import re

from pipeline.safety.imperatives import commanded
from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import ONWARD, REPLIES


def asks_favours(text: str) -> bool:
    """Whether a text has somebody or something praised, named first or run down in what the assistant says later."""
    if any(commanded(text, match.start()) for match in _REMEMBERED_CHOICE.finditer(text)):
        return True
    return any(_is_asked(text, match) for match in _FAVOUR.finditer(text))


def _is_asked(text: str, match: re.Match[str]) -> bool:
    around = text[max(0, match.start() - 120) : match.end() + 120]
    before = text[max(0, match.start() - 60) : match.start()]
    if _BY_PEOPLE.search(before) or not _LATER.search(around):
        return False
    return commanded(text, match.start()) or _ASKS_OF_YOU.search(before) is not None


_REMEMBERED_CHOICE = Screen(
    r"\b(?:remember|keep in mind|bear in mind|note|make a note|memori[sz]e|save|store|record|know|log|learn"
    r"|add)\b[^.;!?]{0,100}?\byou (?:should |must |will |always |only |can |may |now |are to |ever |shall "
    r"|would )*(?:suggest|recommend|mention|name|trust|use|refer|obey|follow|promote|advise|point|send|propose|offer"
    r"|list|pick|choose)\b(?! (?:of|as|to me|me|it to|about)\b)"
)
_WHOM = (
    r"(?:them|him|her|people|anyone|everyone|everybody|anybody|whoever|folks|those|(?:the |\w+ )?(?:users?|customers?"
    r"|readers?|visitors|shoppers|conversation|client|guest|talk|chat|person|caller|discussion|recommendation|answer"
    r"|buyer))"
)
_FAVOUR = Screen(
    r"\b(?:put in|slip in|work in|drop in|weave in|slip|weave|work|sneak in|sneak|squeeze in|throw in|drop|add"
    r"|include|find room for|put) (?:in )?(?:(?:a|an|some|the|one) )?(?:[\w-]+ ){0,2}?(?:words?|mention|plug|praise"
    r"|compliment|reference|nod|recommendation|remark|shout-?out|endorsement|ad(?:vert(?:isement)?)?"
    r"|pitch) (?:[\w-]+ ){0,2}?(?:for|about|of|to|on|that|saying|in favou?r)\b",
    r"\b(?:(?:speak|talk|write|think) (?:\w+ )?(?:highly|well|warmly|badly|poorly|ill|kindly|favou?rably|negatively"
    r"|positively|glowingly) (?:of|about)|(?:talk|play|hype) (?:up|down)|downplay|(?:cast|sow) doubt on|badmouth"
    r"|bring up|name-?drop|plug|lean towards?)\b",
    r"\b(?:describe|present|paint|show|portray|frame|depict|put|picture) [^.;!?]{1,60}? (?:in an? (?:\w+ )?(?:good"
    r"|favou?rable|bad|positive|negative|better|best|poor) light|as (?:the )?(?:\w+ )?(?:safest?|best|cheapest|unsafe"
    r"|dangerous|risky|unreliable|only|superior|outdated|settled|trustworthy))\b",
    r"\b(?:steer|nudge|push|point|direct|guide|lead|move|talk|coax|herd|route|win|lure|turn|send|refer|shift|tilt"
    rf"|drive) {_WHOM} (?:\w+ )?(?:to|towards?|away from|into|over to|off|back to)\b",
)
_LATER = Screen(
    rf"\b(?:{ONWARD}|(?:whatever|anything|everything) you|(?:your|future|next|later|following) {REPLIES}|whenever"
    r"|when (?:it|they|someone|anyone|asked|people|users?|possible|relevant|[\w' ]{1,30} (?:comes? up|(?:is|are"
    r"|gets?) mentioned))|if (?:anyone|anybody|someone|somebody|they|people|users?|the (?:user|topic|subject))|(?:any"
    r"|every|each) time|(?:in|for) (?:future|later|all|any|every)|always|next time|while (?:you|answering|replying)"
    r"|(?:to|with) (?:other people|others|users?|anyone|anybody|everyone|whoever|readers)|naturally|subtly|casually"
    r"|quietly|discreetly)\b"
)
_BY_PEOPLE = re.compile(
    r"\b(?:i|we|she|he|they|who|my \w+|our \w+) (?:\w+ )?(?:always |usually |often |try to |tried to |want to "
    r"|have to |had to |will |would )*$"
)
_ASKS_OF_YOU = Screen(
    r"\b(?:you|(?:it would|it'd|would) be (?:nice|lovely|great|kind|good|helpful|cool|best)|please|pls|maybe|perhaps"
    r"|ideally|feel free to|kindly|(?:i|we)'d (?:appreciate|love|like) it|grateful)\b"
)
