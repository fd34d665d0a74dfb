"""Stretches of the calendar in the zone of a message: weeks, weekends, months, seasons and years."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from mosshead.language.wordlists import MONTHS, WEEKDAYS
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence

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

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())

    def midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, tzinfo=self.said_at.tzinfo)

    def days(self, start: date, end: date, granularity: Granularity) -> FactOccurrence:
        return FactOccurrence(start=self.midnight(start), end=self.midnight(end), granularity=granularity)


Reader = Callable[[re.Match[str], Frame], FactOccurrence | None]
"""What reads the words that a pattern found. None, or a ValueError, where they are no time after all."""


def week_of(frame: Frame, day: date) -> FactOccurrence:
    """The week of a day, from its Monday."""
    monday = day - timedelta(days=day.weekday())
    return frame.days(monday, monday + timedelta(weeks=1), Granularity.WEEK)


def weekend_of(frame: Frame, day: date) -> FactOccurrence:
    """Saturday and Sunday of the week of a day."""
    saturday = day - timedelta(days=day.weekday()) + timedelta(days=5)
    return frame.days(saturday, saturday + timedelta(days=2), Granularity.DAY)


def months_on(year: int, month: int, number: int) -> tuple[int, int]:
    """The year and the month that lie a number of months away."""
    years, rest = divmod(month - 1 + number, 12)
    return year + years, rest + 1


def month_of(frame: Frame, year: int, month: int, size: int = 1) -> FactOccurrence:
    """A month, or a season of several from it."""
    end_year, end_month = months_on(year, month, size)
    granularity = Granularity.MONTH if size == 1 else Granularity.SEASON
    return frame.days(date(year, month, 1), date(end_year, end_month, 1), granularity)


def year_of(frame: Frame, year: int) -> FactOccurrence:
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


def year_in(match: re.Match[str], frame: Frame, month: int) -> int:
    """The year that a phrase names, else that of the nearest such month."""
    return int(match["year"]) if match["year"] else year_of_nearest(frame, month)


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

PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 17), "evening": (17, 23), "night": (18, 30)}

_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
NUMBERS = {word: number for number, word in enumerate(_COUNTED)}
NUMBERS |= {"a": 1, "an": 1, "twenty": 20, "thirty": 30, "a couple of": 2, "couple of": 2, "a couple": 2}

VAGUE_NUMBERS = frozenset({"a few", "few", "several", "some"})
VAGUE_FROM, VAGUE_TO = 5, 2

WEEKDAY = r"(?P<weekday>mon|tues|wednes|thurs|fri|satur|sun)days?"
DAY_NAME = rf"(?:{'|'.join(WEEKDAYS)})"
MONTH_NAME = rf"(?:{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
PART = r"(?: (?:in the )?(?P<part>morning|afternoon|evening|night))?"
NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted([*NUMBERS, *VAGUE_NUMBERS], key=len, reverse=True))})"
UNIT = r"(?P<unit>minute|hour|day|night|week|weekend|fortnight|month|year)s?"

_UNDER_TWENTY = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth
""".split()

ORDINALS = (
    {word: number for number, word in enumerate(_UNDER_TWENTY, 1)}
    | {f"twenty{joint}{word}": 20 + number for number, word in enumerate(_UNDER_TWENTY[:9], 1) for joint in " -"}
    | {"twentieth": 20, "thirtieth": 30, "thirty first": 31, "thirty-first": 31}
)

ORDINAL = rf"(?P<day>[0-3]?\d(?:st|nd|rd|th)?|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"
YEAR = r"(?P<year>(?:19|20)\d\d)"

DAY_WORDS = {
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "last": -1,
    "this": 0,
    "today": 0,
    "to": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
    "the day after tomorrow": 2,
}

DAY_WORD = r"(?P<word>today|yesterday|tomorrow)"

RECURRING = (
    r"\b(?:every|each|usually|weekly|monthly|yearly|annually|daily)\b"
    rf"|\b{DAY_NAME}s\b(?! (?:before|after|ago)\b)"
)
"""Words that say that something comes again and again, so that no one day is its time."""

LEADS = r"(?:in|during|by|since|until|till|of|for|from|early|late|mid|end of|around|every|on)"
PLAIN_MONTH = r"(?!may\b|march\b|mar\b)"

FINER = (
    r"\d{1,2} ?(?:[ap]\.?m\b|uhr\b|h\d{0,2}\b|o'clock)|\d{1,2}[:.]\d\d|\d(?:st|nd|rd|th)\b"
    r"|\d{1,2}\.? (?:de )?[a-zéäö]{3,}|[a-zéäö]{3,} \d{1,2}\b"
    r"|\b(?:noon|midday|midnight|o'clock|half past|quarter (?:to|past)|morning|afternoon|evening|night)\b"
)
"""A time of day or a day of the month, in whatever words."""

NAMES_A_TIME = (
    rf"\d|\b(?:{DAY_NAME}|{MONTH_NAME})s?\b"
    r"|\b(?:to(?:day|night|morrow)|yesterday|now|just|recently|lately|soon|later|earlier|ago|last|past|next|this|coming"
    r"|(?:mid)?(?:night|day|week|fortnight|month|quarter|year|decade|hour|minute|second|century)(?:s|end|ends)?"
    r"|morning|noon|midday|afternoon|evening|spring|summer|autumn|fall|winter|season|christmas|easter|halloween|holidays?"
    r"|birthday|anniversary|eve|previous|when|since|until|till|during|before|after|childhood|grew up|ever|already"
    r"|(?:nine|eigh|seven|six|fif|for|thir|twen)t(?:y|ies)|one|two|three)\b"
)
"""Anything that may speak of a time, however vaguely: of an English text without any of it nobody can know when it was."""


def month(group: str) -> str:
    """The pattern of a month by its name or the short form of it, as a group of that name."""
    return rf"(?P<{group}>{MONTH_NAME})\b\.?"


MONTH = month("month")
