"""Times that a question names, and how well a day fits them: "in May 2023", "on 8 June", "last week".

What happened is often told some days later, so that a week after a time still counts as of it.
"""

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from mosshead.language.dates.parse import TimePhrase, leaves_its_year_open, times_in
from mosshead.language.dates.spans import WEEK, YEAR
from mosshead.models.kinds import Granularity

_YEAR = re.compile(YEAR)
_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A time as a question names it, from its first day to its last.

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
    return times_in(message, datetime.combine(today, time(12), UTC))


def period_of(message: str, phrase: TimePhrase) -> Period:
    """A time phrase of a message by its days."""
    words, occurred = message[phrase.start : phrase.end], phrase.occurred
    each_year = leaves_its_year_open(words)
    return Period(
        first=occurred.start.date(),
        last=(occurred.end - _INSTANT).date(),
        granularity=occurred.granularity,
        each_year=each_year,
        dated=occurred.granularity is Granularity.DAY and (each_year or _YEAR.search(words) is not None),
    )
