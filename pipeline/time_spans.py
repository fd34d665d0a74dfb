"""Stretches of the calendar in the zone of a message: weeks, weekends, months, seasons and years."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from pipeline.facts import Occurrence
from recollect.kinds import Granularity


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
