"""Times that a question names: "in May 2023", "on 8 June", "last week". Pure.

What happened is often told some days later, so that a week after a time still counts as of it.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from mosshead.language.wordlists import BEFORE_DAYS, MONTHS, WEEKDAYS
from mosshead.patterns import AS_ASCII, lazy_pattern

_NUMBERS = "no a two three four five six seven eight nine ten eleven twelve".split()
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_WEEK = timedelta(days=7)

_ISO = lazy_pattern(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)(?:-(?P<day>\d\d))?\b")
_MONTH = lazy_pattern(
    rf"(?:\b(?P<before>[a-z]+)\s+)?(?:\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b(?P<month>{'|'.join(MONTHS)})\b"
    r"(?:\s+(?P<later_day>\d{1,2})(?:st|nd|rd|th)?\b)?(?:,?\s+(?:of\s+)?(?P<year>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_YEAR = lazy_pattern(r"\b(?P<before>[a-z]+)\s+(?P<year>(?:19|20)\d\d)\b(?!-)", re.IGNORECASE)
_DAY = lazy_pattern(
    rf"\b(?:(?P<near>today|yesterday)|(?:last|on)\s+(?P<weekday>{'|'.join(WEEKDAYS)}))\b", re.IGNORECASE
)
_AROUND = lazy_pattern(r"\b(?P<which>this|last|past)\s+(?P<unit>week|month|year)\b", re.IGNORECASE)
_AGO = lazy_pattern(
    rf"\b(?P<many>\d{{1,3}}|{'|'.join(_NUMBERS[1:])})\s+(?P<unit>day|week|month|year)s?\s+ago\b", re.IGNORECASE
)
_ALSO_VERBS = frozenset({"march", "may"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A time as it was named; what was left open is None, so that "in May" is May of any year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def fits(self, said: date) -> float:
        """How well what was said on a day may tell of this time: 1, 0.5 or 0.

        1 in the month or on the day, and for a week after it; 0.5 in the month of a day that was named, and in a year of which
        no month was.
        """
        # Of what is named without a year, the latest before the day.
        years = (self.year,) if self.year else (said.year, said.year - 1)
        if self.month is None:
            return 0.5 if said.year in years else 0.0
        return max(self._fits(said, year, self.month) for year in years)

    def days(self, today: date) -> tuple[date, date]:
        """Its first day and its last; where no year was named, of the latest that has begun today."""
        if self.month is None:
            return date(self.year or today.year, 1, 1), date(self.year or today.year, 12, 31)
        latest = today.year if (self.month, self.day or 1) <= (today.month, today.day) else max(today.year - 1, 1)
        year = self.year or latest
        length = monthrange(year, self.month)[1]
        if self.day is None:
            return date(year, self.month, 1), date(year, self.month, length)
        day = date(year, self.month, min(self.day, length))
        return day, day

    def _fits(self, said: date, year: int, month: int) -> float:
        days = monthrange(year, month)[1]
        first, last = date(year, month, 1), date(year, month, days)
        if self.day is None:
            return float(first <= said <= last + _WEEK)
        day = date(year, month, min(self.day, days))
        return 1.0 if day <= said <= day + _WEEK else 0.5 * (first <= said <= last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A time that was named by how long ago it is, from its first day to its last."""

    first: date
    last: date

    def fits(self, said: date) -> float:
        """1 on one of the days, and for a week after the last; 0 otherwise."""
        return float(self.first <= said <= self.last + _WEEK)

    def days(self, today: date) -> tuple[date, date]:  # noqa: ARG002 - as `Period` has it
        """Its first day and its last."""
        return self.first, self.last


def where_asked(now: datetime, said: Iterable[datetime]) -> datetime:
    """When it is asked, as clocks and calendars have it there: "yesterday" is the day before the one that it is there.

    A time in UTC, as that of a server is, tells nothing of where; what was said last with a zone does.
    """
    latest = max((one for one in said if one.utcoffset()), default=now)
    return now if now.utcoffset() else now.astimezone(latest.tzinfo)


def periods(message: str, today: date) -> tuple[Period | Interval, ...]:
    """The times that a message names, each once. today: the day on which it is asked."""
    plain = message.translate(AS_ASCII)
    return tuple(dict.fromkeys((*_named(plain), *_counted(plain, today))))


def _named(message: str) -> Iterator[Period]:
    for match in _ISO.finditer(message):
        yield from _period(int(match["year"]), int(match["month"]), match["day"])
    years = set()
    for match in _MONTH.finditer(message):
        month, day = match["month"].lower(), match["day"] or match["later_day"]
        before = (match["before"] or "").lower()
        if month in _ALSO_VERBS and not (day or match["year"] or before in BEFORE_DAYS):
            continue
        years.add(match["year"])
        yield from _period(int(match["year"]) if match["year"] else None, MONTHS.index(month) + 1, day)
    for match in _YEAR.finditer(message):
        if match["year"] not in years and match["before"].lower() in BEFORE_DAYS:
            yield Period(year=int(match["year"]))


def _period(year: int | None, month: int, day: str | None) -> Iterator[Period]:
    if 1 <= month <= len(MONTHS):
        number = int(day) if day else 0
        yield Period(year=year, month=month, day=number if 1 <= number <= 31 else None)


def _counted(message: str, today: date) -> Iterator[Interval]:
    for match in _DAY.finditer(message):
        back = {"today": 0, "yesterday": 1}.get((match["near"] or "").lower())
        if back is None:
            back = (today.weekday() - WEEKDAYS.index(match["weekday"].lower()) - 1) % 7 + 1
        yield _days(today, back, back)
    for match in _AROUND.finditer(message):
        yield _around(today, match["which"].lower(), match["unit"].lower())
    for match in _AGO.finditer(message):
        many = int(match["many"]) if match["many"].isdigit() else _NUMBERS.index(match["many"].lower())
        days = _DAYS_OF[match["unit"].lower()]
        yield _days(today, many * days + days // 2, many * days - days // 2)


def _around(today: date, which: str, unit: str) -> Interval:
    """ "this month" up to today; "last month" is the one before, and "the past month" so many days up to today."""
    if which == "past":
        return _days(today, _DAYS_OF[unit], 0)
    started = {
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }
    if which == "this":
        return Interval(first=started[unit], last=today)
    last = started[unit] - timedelta(days=1)
    begun = {"week": last - timedelta(days=6), "month": last.replace(day=1), "year": last.replace(month=1, day=1)}
    return Interval(first=begun[unit], last=last)


def _days(today: date, most: int, least: int) -> Interval:
    """From so many days ago to so many days ago, as far back as there are dates."""
    reach = (today - date.min).days
    return Interval(first=today - timedelta(days=min(most, reach)), last=today - timedelta(days=min(least, reach)))
