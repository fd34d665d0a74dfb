"""When a message says that something happens: "last Friday", "in May", "three weeks ago", as an interval of zoned times.

Every phrase is read against the time and the zone of the message that holds it, never against the clock of this machine.
Weeks begin on Monday; seasons are the meteorological ones of the northern hemisphere.
"""

import re
from bisect import bisect_right
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from operator import attrgetter

from mosshead.language.dates.days import (
    DATED_DAYS,
    DAYS_OF_WEEK,
    IN_A_YEAR,
    NEAR_DAYS,
    NUMBERED_DAYS,
    OF_EACH_YEAR,
)
from mosshead.language.dates.ranges import COUNTED_DAYS, COUNTED_UNITS, NEAR_UNITS, RANGES
from mosshead.language.dates.spans import HOLIDAYS, MONTH, NAMES_A_TIME, SEASON_STARTS, WEEK, YEAR, Frame, Reader
from mosshead.models.kinds import OF_A_DAY, Granularity
from mosshead.models.occurrence import FactOccurrence
from mosshead.patterns import AS_ASCII

_KEPT = 64
"""Texts whose times are kept."""

_QUESTION = 2_000
"""Characters of a message in which it is looked for the times that it asks of."""

_start = attrgetter("start")

_AROUND = 40
"""Characters beside a phrase in which its time of day may stand."""


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase: where it stands in its text, and when that is."""

    start: int
    end: int
    occurred: FactOccurrence


def resolve_time(text: str, said_at: datetime, *, past: bool = True) -> FactOccurrence | None:
    """When the clearest time phrase of the text lies, as the half-open interval that it spans in the zone of ``said_at``.

    said_at: when the text was said, aware; raises ValueError when naive.
    past: whether a phrase without a direction ("on Friday", "in May") looks back; otherwise it looks forward.
    None where the text names no time, or one outside the calendar.
    """
    if said_at.tzinfo is None:
        raise ValueError("said_at: has no zone; give an aware datetime")
    clearest = next(_phrases(text, Frame(said_at, past)), None)
    if clearest is None:
        return None
    found = times_in(text, said_at, past=past)
    return next(phrase.occurred for phrase in found if phrase.start <= clearest.start < phrase.end)


def times_in(text: str, said_at: datetime, *, past: bool = True) -> list[TimePhrase]:
    """Every time phrase of a text in its place, each read as ``resolve_time`` reads it; the clearer one where two overlap."""
    return list(_times_in(text, said_at, said_at.tzinfo, past))


@lru_cache(_KEPT)
def _times_in(text: str, said_at: datetime, _zone: tzinfo | None, past: bool) -> tuple[TimePhrase, ...]:
    # One message is read for each fact that was taken from it. With its zone, for the same moment is another day elsewhere.
    found: list[TimePhrase] = []  # none overlaps another, so that only its neighbours can be in the way of one more
    for phrase in _phrases(text, Frame(said_at, past)):
        place = bisect_right(found, phrase.start, key=_start)
        free_before = place == 0 or found[place - 1].end <= phrase.start
        if free_before and (place == len(found) or phrase.end <= found[place].start):
            found.insert(place, phrase)
    return tuple(_of_their_years(text, found))


def _of_their_years(text: str, found: Iterable[TimePhrase]) -> list[TimePhrase]:
    """ "In May last year" is one phrase, and so is "two years ago at Christmas": the year beside a day or a month is its year."""
    together: list[TimePhrase] = []
    for phrase in found:
        both = _together(text, together[-1], phrase) if together else None
        together[-1:] = [both] if both else [*together[-1:], phrase]
    return together


def _together(text: str, first: TimePhrase, second: TimePhrase) -> TimePhrase | None:
    if not _joins(text, first.end, second.start):
        return None
    for phrase, year in ((first, second), (second, first)):
        lasts = year.occurred.end - year.occurred.start
        one_year = (
            year.occurred.granularity is Granularity.YEAR and lasts <= _LONGEST_YEAR
        )  # "a few years ago" is several
        if one_year and _leaves_its_year_open(text[phrase.start : phrase.end]):
            read = _in_year(text, phrase, year.occurred)
            return TimePhrase(first.start, second.end, read) if read else None
    return None


def _in_year(text: str, phrase: TimePhrase, year: FactOccurrence) -> FactOccurrence | None:
    """The same words as they read on the last day of a year; None where it has no such day."""
    left = max(phrase.start - _AROUND, 0)  # of a long text with many such phrases all would be read for each
    found = _phrases(text[left : phrase.end + _AROUND], Frame(year.end - timedelta(days=1), past=True))
    same = (one for one in found if (one.start, one.end) == (phrase.start - left, phrase.end - left))
    return next((one.occurred for one in same if one.occurred.start >= year.start), None)


def _phrases(text: str, frame: Frame) -> Iterator[TimePhrase]:
    """The clearer kinds of phrases first. A day that the zone of the message left out, or that no calendar has, is none."""
    text = text.translate(AS_ASCII)
    for pattern, read in _READERS if _MAY_NAME_A_TIME.search(text) else ():
        for match in pattern.finditer(text):
            try:
                found = read(match, frame)
                holds = found is not None and found.start.astimezone(UTC) < found.end.astimezone(UTC)
            except (ValueError, OverflowError):
                continue
            if found is not None and holds:
                yield TimePhrase(match.start(), match.end(), found)


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        *NUMBERED_DAYS,
        *RANGES,
        *COUNTED_DAYS,
        *DATED_DAYS,
        *NEAR_DAYS,
        *IN_A_YEAR,
        *COUNTED_UNITS,
        *DAYS_OF_WEEK,
        *NEAR_UNITS,
        *OF_EACH_YEAR,
    )
)
"""The clearer first: of two that overlap the first is believed."""

_LONGEST_YEAR = timedelta(days=366)
_INSTANT = timedelta(microseconds=1)
_NAMES_A_YEAR = re.compile(YEAR)
_MAY_NAME_A_TIME = re.compile(NAMES_A_TIME, re.IGNORECASE)

_COMES_EACH_YEAR = re.compile(
    rf"\b(?:{MONTH}|(?:{'|'.join((*SEASON_STARTS, *HOLIDAYS))})\b)".replace("'", "['’]?"), re.IGNORECASE
)

_SAYS_ITS_YEAR = re.compile(
    rf"{YEAR}|\b(?:last|past|previous|this|next|coming|following|every|each|ago)\b", re.IGNORECASE
)
_JOINS = re.compile(r",?(?: (?:back|of|in|on|at|around|during|over|for|from|the))* ?", re.IGNORECASE)


def _leaves_its_year_open(words: str) -> bool:
    """Whether a time phrase comes again each year, and does not say which one it means."""
    return _COMES_EACH_YEAR.search(words) is not None and _SAYS_ITS_YEAR.search(words) is None


def _joins(text: str, end: int, start: int) -> bool:
    """Whether what stands between the end of one time phrase and the start of the next makes one time of them."""
    ends_sentence = text[end - 1] == "." and text[start].isupper()  # the stop of "Dec." belongs to the phrase
    return not ends_sentence and _JOINS.fullmatch(text, end, start) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A time as a question names it, from its first day to its last.

    What happened is often told some days later, so that a week after a time still counts as of it.
    each_year: no year is named, so that "in May" is May of any year. dated: it is a date, of which was spoken before, too.
    """

    first: date
    last: date
    granularity: Granularity = Granularity.DAY
    each_year: bool = False
    dated: bool = False

    def fits(self, said: date) -> float:
        """How well what was said on a day may tell of this time: 1, 0.5 or 0.

        1 within it, and for a week after it; 0.5 in the month of a date, and in a year of which no month is named.
        """
        if self.each_year:
            return max(self._of_year(year).fits(said) for year in (said.year, max(said.year - 1, 1)))
        if self.granularity is Granularity.YEAR:
            return 0.5 * (self.first <= said <= self.last)
        if self.first <= said and said - self.last <= WEEK:
            return 1.0
        return 0.5 * (self.dated and (said.year, said.month) == (self.first.year, self.first.month))

    def _of_year(self, year: int) -> "Period":
        first = date(year, self.first.month, min(self.first.day, monthrange(year, self.first.month)[1]))
        return replace(self, first=first, last=first + (self.last - self.first), each_year=False)


def where_asked(now: datetime, said: Iterable[datetime]) -> datetime:
    """When it is asked, as clocks and calendars have it there: "yesterday" is the day before the one that it is there.

    A time in UTC, as that of a server is, tells nothing of where; what was said last with a zone does.
    """
    latest = max((one for one in said if one.utcoffset()), default=now)
    return now if now.utcoffset() else now.astimezone(latest.tzinfo)


def periods(message: str, today: date) -> tuple[Period, ...]:
    """The times that a message names, each once. today: the day on which it is asked."""
    return tuple(dict.fromkeys(period_of(message, phrase) for phrase in phrases_on(message, today)))


def phrases_on(message: str, today: date) -> list[TimePhrase]:
    """The time phrases of a message of a day; those without a direction look back."""
    return times_in(message[:_QUESTION], datetime.combine(today, time(12), UTC))


def period_of(message: str, phrase: TimePhrase) -> Period:
    """A time phrase of a message by its days."""
    words, occurred = message[phrase.start : phrase.end], phrase.occurred
    each_year = _leaves_its_year_open(words)
    return Period(
        first=occurred.start.date(),
        last=(occurred.end - _INSTANT).date(),
        granularity=occurred.granularity,
        each_year=each_year,
        dated=occurred.granularity in OF_A_DAY and (each_year or _NAMES_A_YEAR.search(words) is not None),
    )
