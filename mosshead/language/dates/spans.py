"""Calendar spans in the zone of a message: weeks, weekends, months, seasons and years."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from mosshead.language.wordlists import CARDINALS, MONTHS, ORDINALS, WEEKDAYS
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence

_LONGEST_WAIT = 9
"""The most years between two occurrences of 29 February, with a margin."""

DAY = timedelta(days=1)
WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Frame:
    """The reference for resolving a time phrase. past: how to read a phrase without direction, such as "in May"."""

    said_at: datetime
    past: bool

    @property
    def today(self) -> date:
        return self.said_at.date()

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())

    def midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, tzinfo=self.said_at.tzinfo)

    def days(self, start: date, end: date, granularity: Granularity) -> FactOccurrence:
        return FactOccurrence(start=self.midnight(start), end=self.midnight(end), granularity=granularity)

    def day(self, day: date) -> FactOccurrence:
        return self.days(day, day + DAY, Granularity.DAY)

    def week(self, day: date) -> FactOccurrence:
        """The Monday-to-Sunday week of a day."""
        monday = day - timedelta(days=day.weekday())
        return self.days(monday, monday + WEEK, Granularity.WEEK)

    def weekend(self, day: date) -> FactOccurrence:
        """The Saturday and Sunday of a day's week."""
        saturday = day + timedelta(days=SATURDAY - day.weekday())
        return self.days(saturday, saturday + 2 * DAY, Granularity.DAY)

    def month(self, year: int, month: int, size: int = 1) -> FactOccurrence:
        """A month, or a season of several months starting with it."""
        granularity = Granularity.MONTH if size == 1 else Granularity.SEASON
        return self.days(date(year, month, 1), date(*months_on(year, month, size), 1), granularity)

    def year(self, year: int) -> FactOccurrence:
        return self.days(date(year, 1, 1), date(year + 1, 1, 1), Granularity.YEAR)

    def weekday(self, number: int, *, past: bool) -> date:
        """The last such weekday before today, or the next after it."""
        if past:
            return self.today - timedelta(days=(self.today.weekday() - number - 1) % 7 + 1)
        return self.today + timedelta(days=(number - self.today.weekday() - 1) % 7 + 1)

    def of_each_year(self, read: Callable[[int], FactOccurrence], step: int | None = None) -> FactOccurrence:
        """Choose which year's occurrence is meant. read: returns that of a year. For step and errors see `nearest`."""
        return self.nearest(lambda years: read(self.today.year + years), step)

    def nearest(self, read: Callable[[int], FactOccurrence], step: int | None = None) -> FactOccurrence:
        """Choose which occurrence of something recurring is meant.

        Args:
            read: Returns the occurrence at a number of turns from now; raises ValueError if there is none.
            step: -1 for "last", which is over; 1 for "next", which has not begun; 0 for "this", which is in progress, or else of
                the
                current turn; None for the nearest in the direction of the phrase, including one in progress.

        Raises:
            ValueError: There is none.
        """
        now = self.midnight(self.today)
        back = step == -1 or (step is None and self.past)
        for turns in range(-1, _LONGEST_WAIT):
            turn = -turns if back else turns
            try:
                one = read(turn)
            except (ValueError, OverflowError):
                continue
            begun, over = one.start <= now, one.end <= now
            fits = {-1: over, 0: turn == 0 or (begun and not over), 1: not begun, None: begun if back else not over}
            if fits[step]:
                return one
        raise ValueError("no such time")


Reader = Callable[[re.Match[str], Frame], FactOccurrence | None]
"""Reads the words that a pattern matched. Returns None or raises ValueError if they are not a time."""


def months_on(year: int, month: int, number: int) -> tuple[int, int]:
    """The year and month at a distance of months."""
    years, rest = divmod(month - 1 + number, 12)
    return year + years, rest + 1


def number_of(word: str) -> int:
    """The number of "3", "three", "a"."""
    return NUMBERS[word.lower()] if word.lower() in NUMBERS else int(word)


def month_number(word: str) -> int:
    """The number of a month, from "5", its name, or the name's first three letters."""
    if word.isdigit():
        return int(word)
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(word.lower().rstrip(".")[:3]))


def day_number(word: str) -> int:
    """The number of a day of the month, from "3", "3rd", "third"."""
    return ORDINALS[word.lower()] if word.lower() in ORDINALS else int(word.lower().rstrip("stndrh"))


def weekday_number(word: str) -> int:
    """The number of a weekday, Monday being 0, from its name or the part before "day"."""
    return next(i for i, name in enumerate(WEEKDAYS) if name.startswith(word.lower()))


def step_of(which: str | None) -> int | None:
    """The step of "last", "this" or "the following", by the last word; None without a word."""
    return _STEPS[which.lower().split()[-1]] if which else None


_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "coming": 1, "following": 1}
SATURDAY = WEEKDAYS.index("saturday")

SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

HOLIDAYS = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}

AFTER_EASTER = {
    "shrove tuesday": -47,
    "pancake day": -47,
    "ash wednesday": -46,
    "mothering sunday": -21,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "easter saturday": -1,
    "easter sunday": 0,
    "easter": 0,
    "easter monday": 1,
    "ascension day": 39,
    "pentecost": 49,
    "whitsun": 49,
}
"""Days from Easter Sunday."""


def easter_sunday(year: int) -> date:
    """Return the Gregorian Easter of a year, by Butcher's rule (Butcher's Ecclesiastical Calendar, 1876)."""
    golden, (century, rest) = year % 19, divmod(year, 100)
    leaps = century // 4
    sun_and_moon = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leaps - sun_and_moon + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def holiday_of(name: str, year: int) -> date:
    """Return a holiday's day in a year."""
    if name in AFTER_EASTER:
        return easter_sunday(year) + timedelta(days=AFTER_EASTER[name])
    return date(year, *HOLIDAYS[name])


NUMBERS = CARDINALS | {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a couple": 2}
WEEKDAY = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)days?"
DAY_NAME = rf"(?:{'|'.join(WEEKDAYS)})"
MONTH_NAME = rf"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
PART = r"(?: (?:in the )?(?P<part>morning|afternoon|evening|night))?"

YEAR = r"(?P<year>(?:19|20)\d\d)"

RECURRING = (
    r"\b(?:every|each|usually|weekly|monthly|yearly|annually|daily)\b"
    rf"|\b{DAY_NAME}s\b(?! (?:before|after|ago)\b)"
)
"""Words for recurring events, which have no single time."""

FINER = (
    r"\d{1,2} ?(?:[ap]\.?m\b|uhr\b|h\d{0,2}\b|o'clock)|\d{1,2}[:.]\d\d|\d(?:st|nd|rd|th)\b"
    r"|\d{1,2}\.? (?:de )?[a-zéäö]{3,}|[a-zéäö]{3,} \d{1,2}\b"
    r"|\b(?:noon|midday|midnight|o'clock|half past|quarter (?:to|past)|morning|afternoon|evening|night)\b"
)
"""A time of day or a day of the month, in any wording."""

NAMES_A_TIME = (
    rf"\d|\b(?:{DAY_NAME}|{MONTH_NAME})s?\b"
    r"|\b(?:to(?:day|night|morrow)|yesterday|now|just|recently|lately|soon|later|earlier|ago|last|past|next|this|coming"
    r"|(?:mid)?(?:night|day|week|fortnight|month|quarter|year|decade|hour|minute|second|century)(?:s|end|ends)?"
    r"|morning|noon|midday|afternoon|evening|spring|summer|autumn|fall|winter|season|christmas|easter|pentecost|whitsun|halloween|holidays?"
    r"|birthday|anniversary|eve|previous|when|since|until|till|during|before|after|childhood|grew up|ever|already"
    r"|(?:nine|eigh|seven|six|fif|for|thir|twen)t(?:y|ies)|one|two|three"
    r"|(?:vor)?gestern|heute|(?:über)?morgen|woche|monat|jahr|antes|(?:ante)?ayer|anoche|hoy|esta|mañana|semana|mes|año"
    r"|hier|demain|aujourd|ce|semaine|mois|année|l['’]an)\b"
)
"""Anything that may refer to a time, however vaguely. Without a match, an English text cannot be dated."""


def month(group: str) -> str:
    """Return a pattern for a month's full or short name, with a group of the given name."""
    return rf"(?P<{group}>{MONTH_NAME})\b\.?"


MONTH = month("month")
