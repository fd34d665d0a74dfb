"""How far away something is: "three weeks ago", "in two days", "a year ago today", "last month", "this weekend"."""

import re
from calendar import monthrange
from datetime import UTC, date, timedelta

from mosshead.kinds import Granularity
from pipeline.models import Occurrence
from pipeline.times.clocks import on_day, stretch
from pipeline.times.spans import (
    Frame,
    Reader,
    latest,
    month_of,
    months_on,
    number_of,
    week_of,
    weekday_number,
    weekend_of,
    year_of,
)
from pipeline.times.words import (
    DAY_WORD,
    DAY_WORDS,
    NUMBER,
    UNIT,
    VAGUE_FROM,
    VAGUE_NUMBERS,
    VAGUE_TO,
    WEEKDAY,
    WEEKDAYS,
)

_DAYS_IN = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_MONTHS_IN = {"month": 1, "year": 12}


def _counted(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "three weeks ago", "in two days": the unit of the calendar that the distance ends in."""
    backward = (match.groupdict().get("ago") or "").lower() in {"ago", "back", "earlier"}
    sign = -1 if backward else 1
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS:
        return _vague(sign, unit, frame)
    return _shifted(frame, sign * number_of(word), unit)


def _counted_day(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "A year ago today", "two weeks from tomorrow": a day, by its distance from another."""
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS or unit not in _DAYS_IN | _MONTHS_IN:
        return None
    number = number_of(word) * (-1 if match.groupdict().get("ago") else 1)
    day = frame.today + timedelta(days=DAY_WORDS[match["word"].lower()])
    if unit in _DAYS_IN:
        return on_day(match, frame, day + timedelta(days=number * _DAYS_IN[unit]))
    year, month = months_on(day.year, day.month, number * _MONTHS_IN[unit])
    return on_day(match, frame, date(year, month, min(day.day, monthrange(year, month)[1])))


def _before_last(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "The week before last", "the Friday before last"."""
    if match["weekday"]:
        return on_day(match, frame, latest(frame, weekday_number(match["weekday"])) - timedelta(weeks=1))
    return _shifted(frame, -2, match["unit"].lower())


def _weekdays_ago(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "Two Fridays ago" is the one before the last."""
    word = match["number"].lower()
    if word in VAGUE_NUMBERS:
        return None
    since = timedelta(weeks=number_of(word) - 1)
    return on_day(match, frame, latest(frame, weekday_number(match["weekday"])) - since)


def _half_hour(match: re.Match[str], frame: Frame) -> Occurrence:
    distance = timedelta(minutes=30)
    return _moment(frame, distance if match["ahead"] else -distance, Granularity.MINUTE)


def _half_year(match: re.Match[str], frame: Frame) -> Occurrence | None:
    return _shifted(frame, 6 if match["ahead"] else -6, "month")


def _relative_unit(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "last week", "this month", "next year", "this past weekend"."""
    which, unit = match["which"].lower(), match["unit"].lower()
    if unit == "weekend":
        return _relative_weekend(which, frame)
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}[which.split()[-1]]
    return _shifted(frame, step, unit)


def _relative_weekend(which: str, frame: Frame) -> Occurrence:
    """Looking back from a Sunday, "last weekend" is not the one that still lasts."""
    day = frame.today
    if "last" in which or "past" in which or "previous" in which:
        return weekend_of(frame, day - timedelta(weeks=1))
    if which == "next":
        return weekend_of(frame, day + timedelta(weeks=1))
    before_saturday = day.weekday() < WEEKDAYS.index("saturday")
    return weekend_of(frame, day - timedelta(weeks=1) if before_saturday and frame.past and which != "this" else day)


def _shifted(frame: Frame, number: int, unit: str) -> Occurrence | None:
    today = frame.today
    if unit in {"minute", "hour"}:
        return _moment(frame, timedelta(**{unit + "s": number}), Granularity(unit))
    if unit in {"day", "night"}:
        day = today + timedelta(days=number)
        return frame.days(day, day + timedelta(days=1), Granularity.DAY)
    if unit in {"week", "fortnight"}:
        return week_of(frame, today + timedelta(weeks=number * (2 if unit == "fortnight" else 1)))
    if unit == "weekend":
        return weekend_of(frame, today + timedelta(weeks=number))
    if unit == "month":
        return month_of(frame, *months_on(today.year, today.month, number))
    return year_of(frame, today.year + number)


def _moment(frame: Frame, distance: timedelta, granularity: Granularity) -> Occurrence:
    """So far from now by the clock that never stops, whatever the one on the wall does in between."""
    there = (frame.said_at.astimezone(UTC) + distance).astimezone(frame.said_at.tzinfo)
    if granularity is Granularity.MINUTE:
        return stretch(there.replace(second=0, microsecond=0), timedelta(minutes=1), granularity)
    return stretch(there.replace(minute=0, second=0, microsecond=0), timedelta(hours=1), granularity)


def _vague(sign: int, unit: str, frame: Frame) -> Occurrence | None:
    """ "a few days ago": the stretch from two to five units away, known one step less precisely than the unit."""
    far, near = _shifted(frame, sign * VAGUE_FROM, unit), _shifted(frame, sign * VAGUE_TO, unit)
    if far is None or near is None or unit in {"minute", "hour"}:
        return None
    first, last = (far, near) if sign < 0 else (near, far)
    coarser = {"day": Granularity.WEEK, "week": Granularity.MONTH, "month": Granularity.SEASON}
    return Occurrence(start=first.start, end=last.end, granularity=coarser.get(unit, Granularity.YEAR))


_COUNT = rf"(?<![\d.,/½¼¾])(?<!half )\b{NUMBER}"

COUNTED_DAYS: tuple[tuple[str, Reader], ...] = (
    (r"\b(?:in (?P<ahead>half an hour)|half an hour ago)\b", _half_hour),
    (r"\b(?:in (?P<ahead>half a year)|half a year ago)\b", _half_year),
    (rf"{_COUNT} {UNIT} (?P<ago>ago) {DAY_WORD}\b", _counted_day),
    (rf"\b{DAY_WORD},? {NUMBER} {UNIT} (?P<ago>ago)\b", _counted_day),
    (rf"{_COUNT} {UNIT} from {DAY_WORD}\b", _counted_day),
    (rf"{_COUNT} {WEEKDAY} ago\b", _weekdays_ago),
    (rf"\bthe (?:{WEEKDAY}|(?P<unit>week|weekend|month|year)) before last\b", _before_last),
)
COUNTED_UNITS: tuple[tuple[str, Reader], ...] = (
    (rf"{_COUNT} {UNIT} (?P<ago>ago|back|earlier)\b", _counted),
    (rf"\bin {NUMBER} {UNIT}\b(?! (?:of|long)\b)(?!')", _counted),
    (rf"{_COUNT} {UNIT} from now\b", _counted),
)
NEAR_UNITS: tuple[tuple[str, Reader], ...] = (
    (
        (
            r"\b(?P<which>last|next|this past|the past|this coming|previous|this) (?P<unit>week|weekend|"
            r"month|year)\b(?!-)"
        ),
        _relative_unit,
    ),
    (r"\b(?:(?:on|over) )?(?P<which>the) (?P<unit>weekend)\b", _relative_unit),
)
