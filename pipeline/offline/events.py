"""When something is held, and how much it comes to: "The team meeting is on Monday", "the budget is 4,200"."""

from mosshead.kinds import MemoryKind
from pipeline.offline.discourse import Sort
from pipeline.offline.rule import THINGS, Rule, rule

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WHEN = (
    r"(?:on |at |every |in |for |from )?(?:the )?(?P<value>(?:(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)days?\b|\d{1,2}(?::\d\d)? ?"
    r"(?:am|pm|o'clock)\b|\d{1,2}:\d\d|noon\b|midnight\b|tomorrow\b|tonight\b|today\b|next \w+|\d{1,2}(?:st|nd|rd|th)\b"
    rf"|{_MONTH} \d|\d{{1,2}} {_MONTH}\b|\d{{4}}-\d\d).*)"
)
_IS = (
    r"(?:is|are|was|were|starts?|begins?|takes? place|happens?|falls?|ends?|runs?|has been|got|"
    r"opens?|closes?|leaves?|departs?)"
    r"(?: now| usually| always)?(?: been)?"
)
_SET = (
    r"(?: (?:moved|scheduled|set|booked|planned|postponed|rescheduled|due|held|changed|"
    r"pushed))?(?: back)?(?: to| for| until)?"
)

EVENT_RULES: tuple[Rule, ...] = (
    rule(
        rf"(?i:{_IS}{_SET} {_WHEN})",
        MemoryKind.EVENT,
        noun=r"(?P<event>[\w ' -]+)",
        subjects=THINGS | {Sort.NAMED},
        attribute="{event} {unit}",
    ),
    rule(
        r"(?:is|are|was|were|got|has been|have been)(?: now)? (?:off|cancell?ed|called off|postponed|delayed"
        r"|scrapped|axed|put off|on hold|back on)"
        r"(?= for|$|,| because| due| this| until| after| since| now| again| anyway| by)",
        MemoryKind.EVENT,
        noun=r"(?!all|bets|day)[\w ' -]{3,}",
        subjects=THINGS | {Sort.NAMED},
    ),
    rule(
        r"(?:will (?:happen|take place|go ahead)|is (?:happening|going ahead))\b",
        MemoryKind.EVENT,
        noun=r"[\w ' -]{3,}",
        subjects=THINGS | {Sort.NAMED},
    ),
    rule(
        r"(?:is|are|was|goes? (?:up|down) to|went (?:up|down) to|rises? to|rose to|costs?|stands? at)(?: now| still"
        r"| up| down| at| to| about| around| roughly)*"
        r" (?P<value>[£$€]?\d[\d,.]*\d|[£$€]?\d+)(?= (?:euros?|pounds|dollars|a month|a week|a year|now|per|from"
        r"|percent|people|kg|kilos)\b|%|$|,(?!\d))",
        MemoryKind.FACT,
        noun=r"(?P<thing>(?!.*\b(?:birthday|age|name|one|thing)\b)[a-z][\w -]{1,40})",
        subjects=THINGS,
        attribute="{thing}",
    ),
)
