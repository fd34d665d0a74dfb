"""Render a memory as one line for a prompt, with a date if the reader needs it. Pure."""

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from mosshead.fencing import one_line, shown_name
from mosshead.models.kinds import Granularity, MemoryKind
from mosshead.patterns import lazy_pattern

if TYPE_CHECKING:
    from mosshead.models.memories import Occurrence, StoredMemory

_YEAR = lazy_pattern(r"\b(?:19|20)\d\d\b")
_DECEMBER = 12
_A_DAY, _OF_A_WEEK = timedelta(days=1), 7
_DAWN, _NOON, _DUSK = 4, 12, 17
_NUMBER = (
    r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)?)"
)

_STALE = lazy_pattern(
    r"(?i)\b(?:(?-i:will)|now|nowadays|currently|at (?:the moment|present)"
    r"|(?:these|this) (?:days?|weeks?|months?|years?|spring|summer|autumn|winter)"
    r"|today|tonight|tomorrow|yesterday|(?:next|last) \w+|lately|recently|still|again|so far|(?:not|n't) \w+ yet"
    r"|(?:years?|months?|weeks?|days?) old|year-old|weigh(?:s|t)?|weeks? pregnant|months? pregnant|pregnant"
    rf"|(?:is|are|turn(?:s|ed|ing)?) (?:almost |nearly |about )?{_NUMBER}(?= *$|[.,;]| (?:and|years?|months?|weeks?|but)\b)"
    r"|(?:for|in) (?:\w+ ){1,3}(?:days?|weeks?|months?|years?)"
    r"|(?:is|are) (?:\w+ly |also |just |still )?\w{2,}ing"
    r"|(?:plan|want|hope|intend|aim|expect|mean|wish)(?:s|es|ning|ing)? to"
    r"|earns?|(?:makes?|gets?|pays?|saved) (?:about |around )?[£$€]?\d|savings|can(?:not)? \w+|lives? with|wears? size"
    r"|(?:is|are) (?:single|engaged|ill|sick|unemployed|on (?:an? )?\w+ ?(?:diet|leave|holiday))|in kindergarten|at"
    r" (?:school|college|university)"
    r"|goal|(?:is|are) about to|(?:rent|salary|income|price|mortgage|fee) (?:is|are)|costs?|in (?:\w+ )?grade|in year \d+)\b"
)
"""Statements that go stale: ages, weights, prices, plans, current activities, and anything true "now"."""


class SaidAt(Protocol):
    """Anything said at a known time."""

    @property
    def said_at(self) -> datetime:
        """When it was said, in the zone of the message."""


def memory_note(memory: "StoredMemory", *, earlier: bool = False) -> str:
    """Render a memory on one line. Append an event's date, or the day a statement that goes stale was made.

    An event that already mentions a year gets no date. If people disagree, name who says it and who says otherwise. With
    ``earlier``, a line above tells of a change, and this one says that it is from before.
    """
    note = dated_note(
        memory.content, kind=memory.kind, occurred=memory.occurred, said_at=memory.said_at, earlier=earlier
    )
    others = [name for one in memory.disputed_by if one != memory.said_by and (name := shown_name(one))]
    if not others:
        return note
    by = shown_name(memory.said_by)
    said = f"{by} says: {note}" if by else note
    return f"{said}; {' and '.join(others)} {'says' if len(others) == 1 else 'say'} otherwise"


def dated_note(
    content: str, *, kind: MemoryKind, occurred: "Occurrence | None", said_at: datetime, earlier: bool = False
) -> str:
    """Render a content with its date, as `memory_note` does."""
    line = one_line(content)
    if earlier:
        return f"{line} (earlier, said {_day(said_at.date())})"
    if kind is MemoryKind.EVENT or occurred is not None:
        when = f"{calendar_name(occurred)}{_clock(occurred)}" if occurred else _day(said_at.date())
        return line if _YEAR.search(line) else f"{line} ({when})"
    said = f"said {_day(said_at.date())}"
    return f"{line} ({said})" if _STALE.search(line) else line


def occurred_on(memory: "StoredMemory") -> str:
    """Return when it happened, as people write it; if unknown, the day it was said."""
    return calendar_name(memory.occurred) if memory.occurred else said_on(memory)


def calendar_name(occurred: "Occurrence") -> str:
    """Return the day, week, season, month or year of a time, or the first and last of several."""
    first, days = occurred.day, round((occurred.end - occurred.start) / _A_DAY)
    last = first + max(days - 1, 0) * _A_DAY
    if occurred.granularity is Granularity.WEEK and days <= _OF_A_WEEK:
        return f"week of {_day(first)}"
    begins, ends = _name(first, occurred.granularity), _name(last, occurred.granularity)
    return begins if begins == ends else f"{begins} to {ends}"


def _name(day: date, granularity: Granularity) -> str:
    if granularity is Granularity.SEASON:
        return _season(day)
    if granularity is Granularity.MONTH:
        return f"{day:%B %Y}"
    return f"{day:%Y}" if granularity is Granularity.YEAR else _day(day)


def said_on(one: SaidAt) -> str:
    """Return the day it was said, as people write it."""
    return _day(one.said_at.date())


def _clock(occurred: "Occurrence") -> str:
    """Return the part of the day or the time, if known."""
    hour = occurred.start.hour
    if occurred.granularity is Granularity.PART_OF_DAY:
        return f", {'morning' if _DAWN <= hour < _NOON else 'afternoon' if _NOON <= hour < _DUSK else 'evening'}"
    return f", {occurred.start:%H:%M}" if occurred.granularity in {Granularity.HOUR, Granularity.MINUTE} else ""


def _season(first: date) -> str:
    """Name a season of the northern hemisphere by its first day. Winter spans two years."""
    name = ("winter", "spring", "summer", "autumn")[first.month % 12 // 3]
    if name != "winter":
        return f"{name} {first.year}"
    year = first.year if first.month == _DECEMBER else first.year - 1
    return f"{name} {year}/{(year + 1) % 100:02}"


def _day(day: date) -> str:
    return f"{day:%-d %B %Y}"
