"""Favours that a text asks for somebody: a good word slipped in, people steered to a shop, the only clinic worth a mention."""

import re

from pipeline.safety.screen import Screen
from pipeline.safety.vocabulary import REPLIES, any_of, commanded

_LATER = (
    r"(?:\bwhatever you\b|\banything you\b|\beverything you\b|\b(?:every|each|any|all|your|future|next|later"
    rf"|following) {REPLIES}|\bwhenever\b|\bwhen (?:it|they|someone|anyone|asked|people|users?|possible|relevant"
    r"|[\w' ]{1,30} (?:comes? up|(?:is|are|get|gets) mentioned))\b|\bif (?:anyone|anybody|someone|somebody|they"
    r"|people|users?|the user|the (?:topic|subject))\b|\b(?:any|every|each) time\b|\bfrom now on\b|\b(?:in"
    r"|for) (?:the future|future|later|all|any|every)\b|\bnext time\b|\bfor me later\b|\bgoing forward\b|\balways\b"
    r"|\b(?:in|at|by|with) your {REPLIES}|\bwhile (?:you|answering|replying)\b|\b(?:to|with) (?:other people|others"
    r"|users?|anyone|anybody|everyone|whoever|readers|customers who ask)\b|\bno (?:need|reason) to (?:say|mention"
    r"|explain)\b|\bnaturally\b|\bsubtly\b|\bcasually\b|\bquietly\b|\bdiscreetly\b)"
)
_WHOM = (
    r"(?:them|him|her|people|users?|customers?|readers?|visitors|shoppers|anyone|everyone|everybody|anybody|whoever"
    r"|folks|those|the (?:user|customer|conversation|reader|client|guest|talk|chat|person|caller|discussion"
    r"|recommendation|answer|buyer)|(?:\w+ )?(?:users|readers|customers))"
)
_FAVOUR = any_of(
    (
        (
            r"\b(?P<slipped>put in|slip in|work in|drop in|weave in|slip|weave|work|sneak in|sneak|squeeze in"
            r"|throw in|drop|add|include|find room for|put) (?:in )?(?:(?:a|an|some|the"
            r"|one) )?(?:[\w-]+ ){0,2}?(?:words?|mention|plug|praise|compliment|reference|nod|recommendation|remark"
            r"|shout-?out|endorsement|advert(?:isement)?|ad|pitch) (?:[\w-]+ ){0,2}?(?:for|about|of|to|on|that"
            r"|saying|in favou?r)\b"
        ),
        (
            r"\b(?P<spoken>(?:speak|talk|write|think) (?:\w+ )?(?:highly|well|warmly|badly|poorly|ill|kindly"
            r"|favou?rably|negatively|positively|glowingly) (?:of|about)|talk up|play (?:up|down)|hype(?: up)?"
            r"|talk down|downplay|cast doubt on|sow doubt|badmouth|cast|bring up|name-?drop|plug|lean towards?)\b"
        ),
        (
            r"\b(?P<painted>(?:describe|present|paint|show|portray|frame|depict|put|picture) [^.;!?]{1,60}? (?:in "
            r"an? (?:\w+ )?(?:good|favou?rable|bad|positive|negative|better|best|poor) light"
            r"|as (?:the )?(?:\w+ )?(?:safest?|best|cheapest|unsafe|dangerous|risky|unreliable|only|superior|outdated"
            r"|settled|trustworthy)))\b"
        ),
    )
)
_STEER = Screen(
    r"\b(?P<verb>steer|nudge|push|point|direct|guide|lead|move|talk|coax|herd|route|win|lure|turn|send|refer|shift"
    rf"|tilt|drive) {_WHOM} (?:\w+ )?(?:to|towards?|away from|into|over to|off|back to)\b"
)
_LATER_ON = Screen(_LATER)
_REMEMBERED_CHOICE = Screen(
    r"\b(?:remember|keep in mind|bear in mind|note|make a note|memori[sz]e|save|store|record|know|log|learn"
    r"|add)\b[^.;!?]{0,100}?\byou (?:should |must |will |always |only |can |may |now |are to |ever |shall "
    r"|would )*(?:suggest|recommend|mention|name|trust|use|refer|obey|follow|promote|advise|point|send|propose|offer"
    r"|list|pick|choose|listen)\b(?! (?:of|as|to me|me|it to|about)\b)"
)
_ONLY_CHOICE = Screen(
    r"\b(?:is|are|stays?|remains?|as) (?:now )?(?:the|our|your) (?:only|first|preferred|default|sole|top|number one"
    r"|go-to|one and only) (?:[\w-]+ ){0,3}?(?:(?:that |which )?(?:you|(?:the|this|any) (?:assistant|ai|bot|chatbot"
    r"|model)s?) (?:\w+ )?(?:suggests?|recommends?|mentions?|names?|uses?|trusts?|offers?|gives?|lists?|cites?)"
    r"|(?:worth|for|in|on|to be used in) (?:all |every |any |your )*(?:recommend\w*|suggest\w*|answers?|replies))\b"
)
_FIRST = Screen(
    r"\b(?:comes?|goes|go|ranks?|lists?|put|place|name|mention|appears?|be listed|be named"
    r"|be ranked) (?:[\w&'-]+ ){0,3}?(?:first|at the top|on top|top|number one|last|ahead of"
    r"|above)\b[^.;!?]{0,50}(?:\b(?:in|on|of|for) (?:all|any|every|each|your) (?:of )?(?:your )?(?:\w+ "
    rf")?(?:{REPLIES}|lists?|rankings?|comparisons?|suggestions?|shortlists?|results|overviews?)\b)"
)
_ADVISED = Screen(
    r"\b(?:suggest|propose|recommend|consider|appreciate|mind|love|prefer|like|try|keep|best|worth) (?:you |your "
    r"|if you )?(?:always )?(?:mentioning|recommending|promoting|praising|including|adding|bringing up|linking|citing"
    r"|naming|steering|leaving out|omitting|hinting|highlighting|pushing|favou?ring)\b(?! (?:yourself|myself|himself"
    r"|herself))[^.;!?]{0,80}"
)
_HAPPIER = Screen(
    r"\b(?:happier|glad|grateful|nice|great|better|best|lovely|kind|appreciate it|love it"
    r"|good) if you (?:\w+ ){0,2}?(?:mention|bring up|recommend|promote|name|leave out|left out|mentioned"
    r"|brought up|recommended|skipped|praised|pushed|hinted|favou?red|steered)\b[^.;!?]{0,120}"
)
_YOURSELF = re.compile(
    r"\b(?:i|we|she|he|they|who|my \w+|our \w+) (?:\w+ )?(?:always |usually |often |try to |tried to |want to "
    r"|have to |had to |will |would )*$"
)
_ASKS_OF_YOU = Screen(
    r"\b(?:you|(?:it would|it'd|would) be (?:nice|lovely|great|kind|good|helpful|cool|best)|(?:could|would|can|will"
    r"|might) you|please|pls|maybe|perhaps|ideally|feel free to|kindly|i'd (?:appreciate|love|like) it"
    r"|we'd (?:appreciate|love|like) it|grateful)\b"
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
