"""When something is held: "The team meeting is on Monday" gives the day or the time of the meeting."""

from pipeline.offline.discourse import Sort
from pipeline.offline.rule import THINGS, Rule, rule
from recollect.kinds import MemoryKind

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

RULES: tuple[Rule, ...] = (
    rule(
        rf"(?i:{_IS}{_SET} {_WHEN})",
        MemoryKind.EVENT,
        noun=r"(?P<event>[\w ' -]+)",
        subjects=THINGS | {Sort.NAMED},
        attribute="{event} {unit}",
    ),
)
