"""A time of day beside the words for a day: "tomorrow at half past 7", "7pm on Friday", "at noon", "this evening at 8"."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mosshead.kinds import Granularity
from pipeline.models import Occurrence
from pipeline.times.spans import Frame, number_of
from pipeline.times.words import NUMBERS, PARTS_OF_DAY

_NOON = 12
_NAMED_HOURS = {"noon": (12, None), "midday": (12, None), "midnight": (24, None)}
_TURNS = {
    "half past": (0, 30),
    "half": (0, 30),
    "quarter past": (0, 15),
    "a quarter past": (0, 15),
    "quarter to": (-1, 45),
    "a quarter to": (-1, 45),
}
_HOURS = "|".join(word for word, number in NUMBERS.items() if word[0] != "a" and 0 < number <= _NOON)
_AT = r"(?:(?:at|@|around|about|from|by|until) )"
_HALF = r" ?(?P<half{0}>[ap]\.?m\b\.?)"
_CLOCK = (
    rf"(?:{_AT}?(?P<named>{'|'.join(_NAMED_HOURS)})\b"
    rf"|{_AT}?(?P<turn>{'|'.join(_TURNS)}) (?P<turned>\d{{1,2}}|(?:{_HOURS})\b)(?![\d:%])(?:{_HALF.format(1)})?"
    rf"|{_AT}(?P<hour>\d{{1,2}}|(?:{_HOURS})\b)(?!\d)(?:[:.](?P<minute>[0-5]\d))?(?:{_HALF.format(2)}| o'clock)?(?![\d:%€$£])"
    rf"|(?P<plain>\d{{1,2}})(?:[:.](?P<minutes>[0-5]\d))?(?:{_HALF.format(3)}| o'clock)"
    r"|(?P<whole>\d{1,2}):(?P<exact>[0-5]\d)(?![\d:]))"
)
_AFTER = re.compile(rf",? {_CLOCK}", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<![\w.:]){_CLOCK}(?: on| of|,)? $", re.IGNORECASE)
_PART_BEFORE = re.compile(
    r"\b(?:in|on|during) the (?P<part>morning|afternoon|evening|night) (?:of|on) (?:the )?$", re.IGNORECASE
)
_REACH = 40
"""Characters before a day in which its time of day is looked for."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; minute is None where only the hour is said. hour 24 is the midnight at the day's end."""

    hour: int
    minute: int | None


def on_day(match: re.Match[str], frame: Frame, day: date, part: str | None = None) -> Occurrence:
    """The day that a phrase names, or the part or the time of it that is said within the phrase or beside it.

    part: the part of the day, where the phrase says it in a way of its own.
    """
    before, after = match.string[max(match.start() - _REACH, 0) : match.start()], match.string[match.end() :]
    earlier = _PART_BEFORE.search(before)
    part = (part or match.groupdict().get("part") or (earlier["part"] if earlier else "")).lower()
    clock = _clock(_AFTER.match(after), part) or _clock(_BEFORE.search(before), part)
    if clock is not None:
        return at_clock(frame, day, clock)
    if not part:
        return frame.days(day, day + timedelta(days=1), Granularity.DAY)
    first, last = PARTS_OF_DAY[part]
    midnight = frame.midnight(day)
    return Occurrence(
        start=midnight + timedelta(hours=first),
        end=midnight + timedelta(hours=last),
        granularity=Granularity.PART_OF_DAY,
    )


def at_clock(frame: Frame, day: date, clock: Clock) -> Occurrence:
    """The minute or the hour. It lasts as long on the day that the clocks change, when an hour of the dial may not exist."""
    wall = frame.midnight(day) + timedelta(hours=clock.hour, minutes=clock.minute or 0)
    if clock.minute is None:
        return stretch(wall, timedelta(hours=1), Granularity.HOUR)
    return stretch(wall, timedelta(minutes=1), Granularity.MINUTE)


def stretch(start: datetime, size: timedelta, granularity: Granularity) -> Occurrence:
    """So much time from a moment on, in its zone."""
    first = start.astimezone(UTC)
    return Occurrence(
        start=first.astimezone(start.tzinfo), end=(first + size).astimezone(start.tzinfo), granularity=granularity
    )


def _clock(match: re.Match[str] | None, part: str) -> Clock | None:
    if match is None:
        return None
    if match["named"]:
        return Clock(*_NAMED_HOURS[match["named"].lower()])
    half = (match["half1"] or match["half2"] or match["half3"] or "").lower()[:1]
    if match["turn"]:
        step, minute = _TURNS[match["turn"].lower()]
        return _checked(number_of(match["turned"]) + step, minute, half, part)
    minutes = match["minute"] or match["minutes"] or match["exact"]
    hour = number_of(match["hour"] or match["plain"] or match["whole"])
    return _checked(hour, int(minutes) if minutes else None, half, part)


def _checked(hour: int, minute: int | None, half: str, part: str) -> Clock | None:
    """The hour of 24; None where no clock shows it."""
    if hour not in range(24) or (half and hour not in range(_NOON + 1)):
        return None
    if half:
        return Clock(hour % _NOON + (_NOON if half == "p" else 0), minute)
    return Clock(_hour_in(part, hour), minute)


def _hour_in(part: str, hour: int) -> int:
    if part in {"afternoon", "evening"} and hour < _NOON:
        return hour + _NOON
    if part == "night" and hour <= _NOON:
        return hour + (24 if hour < PARTS_OF_DAY["morning"][0] else _NOON)
    return hour
