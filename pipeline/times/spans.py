"""Stretches of the calendar in the zone of a message: weeks, weekends, months, seasons and years."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from mosshead.kinds import Granularity
from pipeline.models import Occurrence
from pipeline.times.words import MONTHS, NUMBERS, ORDINALS, WEEKDAYS

_LONGEST_WAIT = 9
"""Years until a 29 February is sure to come again."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a time phrase is read against.

    past: how to read a phrase that names no direction, such as "on Friday" or "in May".
    """

    said_at: datetime
    past: bool

    @property
    def today(self) -> date:
        return self.said_at.date()

    def midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, tzinfo=self.said_at.tzinfo)

    def days(self, start: date, end: date, granularity: Granularity) -> Occurrence:
        return Occurrence(start=self.midnight(start), end=self.midnight(end), granularity=granularity)


Reader = Callable[[re.Match[str], Frame], Occurrence | None]
"""What reads the words that a pattern found. None, or a ValueError, where they are no time after all."""


def week_of(frame: Frame, day: date) -> Occurrence:
    """The week of a day, from its Monday."""
    monday = day - timedelta(days=day.weekday())
    return frame.days(monday, monday + timedelta(weeks=1), Granularity.WEEK)


def weekend_of(frame: Frame, day: date) -> Occurrence:
    """Saturday and Sunday of the week of a day."""
    saturday = day - timedelta(days=day.weekday()) + timedelta(days=5)
    return frame.days(saturday, saturday + timedelta(days=2), Granularity.DAY)


def months_on(year: int, month: int, number: int) -> tuple[int, int]:
    """The year and the month that lie a number of months away."""
    years, rest = divmod(month - 1 + number, 12)
    return year + years, rest + 1


def month_of(frame: Frame, year: int, month: int, size: int = 1) -> Occurrence:
    """A month, or a season of several from it."""
    end_year, end_month = months_on(year, month, size)
    granularity = Granularity.MONTH if size == 1 else Granularity.SEASON
    return frame.days(date(year, month, 1), date(end_year, end_month, 1), granularity)


def year_of(frame: Frame, year: int) -> Occurrence:
    """A calendar year."""
    return frame.days(date(year, 1, 1), date(year + 1, 1, 1), Granularity.YEAR)


def number_of(word: str) -> int:
    """ "3", "three", "a"."""
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)


def month_number(word: str) -> int:
    """The number of a month by its name or by the first three letters of it."""
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(word.lower().rstrip(".")[:3]))


def day_number(word: str) -> int:
    """The number of a day of the month: "3", "3rd", "third"."""
    return ORDINALS[word.lower()] if word.lower() in ORDINALS else int(word.lower().rstrip("stndrh"))


def weekday_number(word: str) -> int:
    """The number of a weekday, Monday's being 0, by its name or by what stands before "day"."""
    return next(i for i, name in enumerate(WEEKDAYS) if name.startswith(word.lower()))


def nearest_year(frame: Frame, month: int, day: int) -> date:
    """The month and day of the nearest year in the direction of the phrase; today counts. ValueError where none has it."""
    step = -1 if frame.past else 1
    years = range(frame.today.year, frame.today.year + step * _LONGEST_WAIT, step)
    return _nearest(frame, ((year, month, day) for year in years))


def year_of_nearest(frame: Frame, month: int) -> int:
    """The year of the nearest month of that number in the direction of the phrase; the one that lasts counts."""
    return nearest_year(frame, month, 1 if frame.past else 28).year


def nearest_month(frame: Frame, day: int) -> date:
    """The day of that number nearest in the direction of the phrase; today counts. Raises ValueError where no month has it."""
    steps = (-step if frame.past else step for step in range(3))
    return _nearest(frame, ((*months_on(frame.today.year, frame.today.month, step), day) for step in steps))


def _nearest(frame: Frame, days: Iterable[tuple[int, int, int]]) -> date:
    """The first of some days, each a year, a month and a day, that there is, and that lies in the direction of the phrase."""
    for year, month, day in days:
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found == frame.today or (found < frame.today) == frame.past:
            return found
    raise ValueError("there is no such day")


def coming(frame: Frame, weekday: int) -> date:
    """The next day of that name after today."""
    return frame.today + timedelta(days=(weekday - frame.today.weekday() - 1) % 7 + 1)


def latest(frame: Frame, weekday: int) -> date:
    """The last day of that name before today."""
    return frame.today - timedelta(days=(frame.today.weekday() - weekday - 1) % 7 + 1)
