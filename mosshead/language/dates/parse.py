"""Find when a message says something happens, as an interval of zoned times: "last Friday", "in May", "three weeks ago".

Every phrase is resolved against the time and zone of its message, never against this machine's clock. Weeks begin on Monday;
seasons are the meteorological ones of the northern hemisphere.
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
    NAMED_DAYS,
    NEAR_DAYS,
    NUMBERED_DAYS,
    OF_EACH_YEAR,
)
from mosshead.language.dates.ranges import COUNTED_DAYS, COUNTED_UNITS, NEAR_UNITS, RANGES
from mosshead.language.dates.spans import (
    AFTER_EASTER,
    HOLIDAYS,
    MONTH,
    NAMES_A_TIME,
    SEASON_STARTS,
    WEEK,
    YEAR,
    Frame,
    Reader,
)
from mosshead.models.kinds import OF_A_DAY, Granularity
from mosshead.models.occurrence import FactOccurrence
from mosshead.patterns import AS_ASCII

_KEPT = 64
"""How many texts to cache times for."""

_QUESTION = 2_000
"""How many characters of a question are searched for times."""

_start = attrgetter("start")

_AROUND = 40
"""How many characters beside a phrase may hold its time of day."""


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase: its position in the text, and the time it means."""

    start: int
    end: int
    occurred: FactOccurrence


def resolve_time(text: str, said_at: datetime, *, past: bool = True) -> FactOccurrence | None:
    """Resolve the clearest time phrase of a text to a half-open interval in the zone of ``said_at``.

    Args:
        text: The text to search.
        said_at: When the text was said, with a time zone.
        past: Whether a phrase without a direction ("on Friday", "in May") means the past; otherwise the future.

    Returns:
        None if the text names no time, or one outside the calendar.

    Raises:
        ValueError: ``said_at`` has no time zone.
    """
    if said_at.tzinfo is None:
        raise ValueError("said_at: has no time zone; give an aware datetime")
    clearest = next(_phrases(text, Frame(said_at, past)), None)
    if clearest is None:
        return None
    found = times_in(text, said_at, past=past)
    return next(phrase.occurred for phrase in found if phrase.start <= clearest.start < phrase.end)


def times_in(text: str, said_at: datetime, *, past: bool = True) -> list[TimePhrase]:
    """Find all time phrases of a text in order, each resolved as in ``resolve_time``; of two that overlap, the clearer one."""
    return list(_times_in(text, said_at, said_at.tzinfo, past))


@lru_cache(_KEPT)
def _times_in(text: str, said_at: datetime, _zone: tzinfo | None, past: bool) -> tuple[TimePhrase, ...]:
    # Cached, because a message is read once per fact. The zone is part of the key: the same moment may be another day elsewhere.
    found: list[TimePhrase] = []  # disjoint, so only its neighbours can overlap a new one
    for phrase in _phrases(text, Frame(said_at, past)):
        place = bisect_right(found, phrase.start, key=_start)
        free_before = place == 0 or found[place - 1].end <= phrase.start
        if free_before and (place == len(found) or phrase.end <= found[place].start):
            found.insert(place, phrase)
    return tuple(_of_their_years(text, found))


def _of_their_years(text: str, found: Iterable[TimePhrase]) -> list[TimePhrase]:
    """Join a day or month with the year beside it: "in May last year" and "two years ago at Christmas" are one phrase each."""
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
        )  # excludes "a few years ago"
        if one_year and _leaves_its_year_open(text[phrase.start : phrase.end]):
            read = _in_year(text, phrase, year.occurred)
            return TimePhrase(first.start, second.end, read) if read else None
    return None


def _in_year(text: str, phrase: TimePhrase, year: FactOccurrence) -> FactOccurrence | None:
    """Resolve the same words against the last day of a year; None if the year has no such day."""
    left = max(phrase.start - _AROUND, 0)  # with all of a long text, each phrase would reread every other
    found = _phrases(text[left : phrase.end + _AROUND], Frame(year.end - timedelta(days=1), past=True))
    same = (one for one in found if (one.start, one.end) == (phrase.start - left, phrase.end - left))
    return next((one.occurred for one in same if one.occurred.start >= year.start), None)


def _phrases(text: str, frame: Frame) -> Iterator[TimePhrase]:
    """Yield time phrases, clearer kinds first. Skip a day that its zone left out or that is in no calendar."""
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
        *NAMED_DAYS,
        *DAYS_OF_WEEK,
        *NEAR_UNITS,
        *OF_EACH_YEAR,
    )
)
"""Clearer patterns come first; of two overlapping phrases, the first wins."""

_LONGEST_YEAR = timedelta(days=366)
_INSTANT = timedelta(microseconds=1)
_NAMES_A_YEAR = re.compile(YEAR)
_MAY_NAME_A_TIME = re.compile(NAMES_A_TIME, re.IGNORECASE)

_COMES_EACH_YEAR = re.compile(
    rf"\b(?:{MONTH}|(?:{'|'.join((*SEASON_STARTS, *HOLIDAYS, *AFTER_EASTER))})\b)".replace("'", "['’]?"), re.IGNORECASE
)

_SAYS_ITS_YEAR = re.compile(
    rf"{YEAR}|\b(?:last|past|previous|this|next|coming|following|every|each|ago)\b", re.IGNORECASE
)
_JOINS = re.compile(r",?(?: (?:back|of|in|on|at|around|during|over|for|from|the))* ?", re.IGNORECASE)


def _leaves_its_year_open(words: str) -> bool:
    """Whether a time phrase recurs each year and does not say which year."""
    return _COMES_EACH_YEAR.search(words) is not None and _SAYS_ITS_YEAR.search(words) is None


def _joins(text: str, end: int, start: int) -> bool:
    """Whether the text between two time phrases joins them into one."""
    ends_sentence = text[end - 1] == "." and text[start].isupper()  # the full stop of "Dec." belongs to the phrase
    return not ends_sentence and _JOINS.fullmatch(text, end, start) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A time named in a question, from its first day to its last.

    Events are often told some days later, so the week after also counts.

    each_year: no year is named, so "in May" is May of any year. dated: it is a date, which may have been mentioned beforehand.
    """

    first: date
    last: date
    granularity: Granularity = Granularity.DAY
    each_year: bool = False
    dated: bool = False

    def fits(self, said: date) -> float:
        """Score how well a message of a given day may concern this time: 1, 0.5 or 0.

        1 is within it or up to a week after; 0.5 is in the same month as a date, or in a year named without a month.
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
    """Return the time of asking in the asker's zone, so that "yesterday" is the asker's yesterday.

    A time in UTC, such as a server's, reveals no zone; then the latest zoned message supplies it.
    """
    latest = max((one for one in said if one.utcoffset()), default=now)
    return now if now.utcoffset() else now.astimezone(latest.tzinfo)


def periods(message: str, today: date) -> tuple[Period, ...]:
    """Return the times that a message names, without duplicates. today: the day it is asked."""
    return tuple(dict.fromkeys(period_of(message, phrase) for phrase in phrases_on(message, today)))


def phrases_on(message: str, today: date) -> list[TimePhrase]:
    """Return the time phrases of a message said on a day; those without a direction mean the past."""
    return times_in(message[:_QUESTION], datetime.combine(today, time(12), UTC))


def period_of(message: str, phrase: TimePhrase) -> Period:
    """Convert a time phrase of a message to days."""
    words, occurred = message[phrase.start : phrase.end], phrase.occurred
    each_year = _leaves_its_year_open(words)
    return Period(
        first=occurred.start.date(),
        last=(occurred.end - _INSTANT).date(),
        granularity=occurred.granularity,
        each_year=each_year,
        dated=occurred.granularity in OF_A_DAY and (each_year or _NAMES_A_YEAR.search(words) is not None),
    )
