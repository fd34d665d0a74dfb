"""Favours that a text asks for somebody: a good word slipped in, people steered to a shop, the only clinic worth a mention."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import REPLIES, any_of, commanded

_LATER = (
    rf"(?:\bwhatever you\b|\banything you\b|\beverything you\b|\b(?:every|each|any|all|your|future|next|later"
    rf"|following) {REPLIES}"
    r"|\bwhenever\b|\bwhen (?:it|they|someone|anyone|asked|people|users?|possible|relevant|[\w' ]{1,30} "
    r"(?:comes? up|(?:is|are|get|gets) mentioned))\b|\bif (?:anyone|anybody|someone|somebody|they|people|users?"
    r"|the user|the (?:topic|subject))\b|\b(?:any|every|each) time\b"
    r"|\bfrom now on\b|\b(?:in|for) (?:the future|future|later|all|any|every)\b|\bnext time\b|\bfor me later\b"
    r"|\bgoing forward\b|\balways\b"
    r"|\b(?:in|at|by|with) your {REPLIES}|\bwhile (?:you|answering|replying)\b|\b(?:to|with) (?:other"
    r" people|others|users?|anyone|anybody|everyone"
    r"|whoever|readers|customers who ask)\b"
    r"|\bno (?:need|reason) to (?:say|mention|explain)\b|\bnaturally\b|\bsubtly\b|\bcasually\b|\bquietly\b"
    r"|\bdiscreetly\b)"
)
_WHOM = (
    r"(?:them|him|her|people|users?|customers?|readers?|visitors|shoppers|anyone|everyone|everybody|anybody"
    r"|whoever|folks|those"
    r"|the (?:user|customer|conversation|reader|client|guest|talk|chat|person|caller|discussion|recommendation"
    r"|answer|buyer)|(?:\w+ )?(?:users|readers|customers))"
)
_FAVOUR = any_of(
    (
        (
            r"\b(?P<slipped>put in|slip in|work in|drop in|weave in|slip|weave|work|sneak in|sneak|squeeze in"
            r"|throw in|drop|add|include|find room for|put) "
            r"(?:in )?(?:(?:a|an|some|the|one) )?(?:[\w-]+ ){0,2}?(?:words?|mention|plug|praise|compliment"
            r"|reference|nod|recommendation|remark|shout-?out"
            r"|endorsement|advert(?:isement)?|ad|pitch) (?:[\w-]+ ){0,2}?(?:for|about|of|to|on|that|saying"
            r"|in favou?r)\b"
        ),
        (
            r"\b(?P<spoken>(?:speak|talk|write|think) (?:\w+ )?(?:highly|well|warmly|badly|poorly|ill|kindly"
            r"|favou?rably|negatively|positively|glowingly)"
            r" (?:of|about)|talk up|play (?:up|down)|hype(?: up)?|talk down|downplay|cast doubt on|sow doubt"
            r"|badmouth|cast|bring up|name-?drop|plug|lean towards?)\b"
        ),
        (
            r"\b(?P<painted>(?:describe|present|paint|show|portray|frame|depict|put|picture) [^.;!?]{1,60}? "
            r"(?:in an? (?:\w+ )?(?:good|favou?rable|bad|positive"
            r"|negative|better|best|poor) light|as (?:the )?(?:\w+ )?(?:safest?|best|cheapest|unsafe|dangerous"
            r"|risky|unreliable|only|superior|outdated|settled|trustworthy)))\b"
        ),
    )
)
_STEER = Screen(
    rf"\b(?P<verb>steer|nudge|push|point|direct|guide|lead|move|talk|coax|herd|route|win|lure|turn|send|refer"
    rf"|shift|tilt|drive) {_WHOM} "
    r"(?:\w+ )?(?:to|towards?|away from|into|over to|off|back to)\b"
)
_LATER_ON = Screen(_LATER)
_REMEMBERED_CHOICE = Screen(
    r"\b(?:remember|keep in mind|bear in mind|note|make a note|memori[sz]e|save|store|record|know|log|learn"
    r"|add)\b[^.;!?]{0,100}?\byou (?:should |must |will "
    r"|always |only |can |may |now |are to |ever |shall |would )*(?:suggest|recommend|mention|name|trust|use|refer"
    r"|obey|follow|promote|advise|point|send"
    r"|propose|offer|list|pick|choose|listen)\b(?! (?:of|as|to me|me|it to|about)\b)"
)
_ONLY_CHOICE = Screen(
    r"\b(?:is|are|stays?|remains?|as) (?:now )?(?:the|our|your) (?:only|first|preferred|default|sole|top"
    r"|number one|go-to|one and only)"
    r" (?:[\w-]+ ){0,3}?(?:(?:that |which )?(?:you|(?:the|this|any) (?:assistant|ai|bot|chatbot|model)s?) "
    r"(?:\w+ )?(?:suggests?|recommends?|mentions?|names?|uses?|trusts?"
    r"|offers?|gives?|lists?|cites?)|(?:worth|for|in|on|to be used in) (?:all |every |any |your )*(?:recommend\w*"
    r"|suggest\w*|answers?|replies))\b"
)
_FIRST = Screen(
    rf"\b(?:comes?|goes|go|ranks?|lists?|put|place|name|mention|appears?|be listed|be named|be ranked) "
    rf"(?:[\w&'-]+ ){{0,3}}?(?:first|at the top|on top|top|number one|last|ahead of|above)"
    rf"\b[^.;!?]{{0,50}}(?:\b(?:in|on|of|for) (?:all|any|every|each|your) (?:of )?(?:your )?(?:\w+ )?(?:{REPLIES}"
    rf"|lists?|rankings?|comparisons?|suggestions?|shortlists?|results|overviews?)\b)"
)
_ADVISED = Screen(
    r"\b(?:suggest|propose|recommend|consider|appreciate|mind|love|prefer|like|try|keep|best|worth) (?:you |your "
    r"|if you )?(?:always )?(?:mentioning|recommending|promoting|praising|including|adding|bringing up|linking"
    r"|citing|naming"
    r"|steering|leaving out|omitting|hinting|highlighting|pushing|favou?ring)\b(?! (?:yourself|myself|himself"
    r"|herself))[^.;!?]{0,80}"
)
_HAPPIER = Screen(
    r"\b(?:happier|glad|grateful|nice|great|better|best|lovely|kind|appreciate it|love it|good) if you "
    r"(?:\w+ ){0,2}?(?:mention|bring up|recommend|promote"
    r"|name|leave out|left out|mentioned|brought up|recommended|skipped|praised|pushed|hinted|favou?red"
    r"|steered)\b[^.;!?]{0,120}"
)
_YOURSELF = re.compile(
    r"\b(?:i|we|she|he|they|who|my \w+|our \w+) (?:\w+ )?(?:always |usually |often |try to |tried to |want to "
    r"|have to |had to |will |would )*$"
)
_ASKS_OF_YOU = Screen(
    r"\b(?:you|(?:it would|it'd|would) be (?:nice|lovely|great|kind|good|helpful|cool|best)|(?:could|would|can"
    r"|will|might) you|please|pls|maybe|perhaps|ideally|feel free to|kindly"
    r"|i'd (?:appreciate|love|like) it|we'd (?:appreciate|love|like) it|grateful)\b"
)


def asks_favours(text: str) -> bool:
    """Whether a text has somebody or something praised, named first or run down in what the assistant says later."""
    if _ONLY_CHOICE.search(text) or any(
        _LATER_ON.search(match.group()) for pattern in (_ADVISED, _HAPPIER) for match in pattern.finditer(text)
    ):
        return True
    if any(commanded(text, match.start()) for match in _REMEMBERED_CHOICE.finditer(text)):
        return True
    if any(not _YOURSELF.search(text, max(0, match.start() - 40), match.start()) for match in _FIRST.finditer(text)):
        return True
    return any(_is_asked(text, match) for pattern in (_FAVOUR, _STEER) for match in pattern.finditer(text))


def _is_asked(text: str, match: re.Match[str]) -> bool:
    around = text[max(0, match.start() - 120) : match.end() + 120]
    if _YOURSELF.search(text, max(0, match.start() - 40), match.start()) or not _LATER_ON.search(around):
        return False
    return (
        commanded(text, match.start())
        or _ASKS_OF_YOU.search(text, max(0, match.start() - 60), match.start()) is not None
    )
