"""Time phrases of several words for one stretch: "from 3 to 7 May", "the week of the 10th", "Tuesday week", "on the 14th"."""

import re
from calendar import monthrange
from datetime import date, timedelta

from mosshead.language.dates.days import moment, on_day, shifted
from mosshead.language.dates.spans import (
    DAY_NAME,
    DAY_WORD,
    DAY_WORDS,
    MONTH,
    NUMBER,
    NUMBERS,
    PART,
    UNIT,
    VAGUE_FROM,
    VAGUE_NUMBERS,
    VAGUE_TO,
    WEEKDAY,
    YEAR,
    Frame,
    Reader,
    coming,
    latest,
    month,
    month_number,
    months_on,
    nearest_month,
    nearest_year,
    number_of,
    week_of,
    weekday_number,
    weekend_of,
    year_in,
)
from mosshead.language.wordlists import WEEKDAYS
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence

_WEEK = timedelta(weeks=1)
_DAY = timedelta(days=1)
_COUNTS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": -1}
_STEPS = {"last": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "the following": 1, "the coming": 1}
_TO = r"(?: ?[-–] ?| (?:to|until|till|through) (?:the )?)"
_AND = r"(?: ?[-–] ?| (?:to|until|till|through|and) (?:the )?)"
_NTH = r"(?:st|nd|rd|th)"

_AFTER_A_DAY = (
    r"(?= *(?:$|[.,;:!?)\n–-]|(?:at|in the|and|but|or|for|with|to|we|i|he|she|they|it|from|because|so|after|before|as|when|if)"
    r"\b))"
)
"""What follows "the 14th" where it is a day; "the 14th floor" is none."""


def _day(name: str = "day") -> str:
    return rf"(?P<{name}>[0-3]?\d){_NTH}?"


def _days(frame: Frame, first: date, last: date) -> FactOccurrence | None:
    return frame.days(first, last + _DAY, Granularity.DAY) if first < last else None


def _from_day_to_day(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    groups = match.groupdict()
    month = month_number(match["month"])
    until = month_number(groups["month2"]) if groups.get("month2") else month
    day, last = int(match["day"]), int(match["last"])
    if groups["year"]:
        first = date(int(groups["year"]), month, day)
    else:
        first = nearest_year(frame, month, day)
        if not frame.past and first.replace(year=first.year - 1) <= frame.today <= date(first.year - 1, until, last):
            first = first.replace(year=first.year - 1)  # under way
    return _days(frame, first, date(first.year + (until < month), until, last))


def _from_weekday_to_weekday(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    start, end = weekday_number(match["weekday"]), weekday_number(match["until"])
    which = (match["which"] or "").lower()
    if which in {"next", "this"}:
        first = frame.monday + timedelta(days=start) + _WEEK * (which == "next")
    else:
        first = latest(frame, start) if frame.past or which == "last" else coming(frame, start)
    return _days(frame, first, first + timedelta(days=(end - start) % 7))


def _from_month_to_month(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    first, last = month_number(match["month"]), month_number(match["month2"])
    year = year_in(match, frame, first)
    size = (last - first) % 12 + 1
    if match["year"] and last < first:
        year -= 1
    end_year, end_month = months_on(year, first, size)
    return frame.days(date(year, first, 1), date(end_year, end_month, 1), Granularity.MONTH)


def _week_of_day(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return week_of(frame, _dated(match, frame))


def _day_of_month(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return on_day(match, frame, _dated(match, frame))


def _dated(match: re.Match[str], frame: Frame) -> date:
    """The day of a month that is named, said by its distance, or the nearest."""
    groups, day = match.groupdict(), match["day"].lower()
    number = _COUNTS[day] if day in _COUNTS else int(day)
    if groups.get("month"):
        month = month_number(match["month"])
        return date(int(match["year"]), month, number) if groups.get("year") else nearest_year(frame, month, number)
    if groups.get("which"):
        year, month = months_on(frame.today.year, frame.today.month, _STEPS[match["which"].lower()])
        return date(year, month, number)
    return nearest_month(frame, number)


def _weekday_of_week(match: re.Match[str], frame: Frame) -> FactOccurrence:
    monday = frame.monday + _STEPS[match["which"].lower()] * _WEEK
    return on_day(match, frame, monday + timedelta(days=weekday_number(match["weekday"])))


def _weekday_weeks_on(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "Tuesday week", "a week from Friday", "two weeks on Monday"."""
    weeks = number_of(match.groupdict().get("number") or "a")
    return on_day(match, frame, coming(frame, weekday_number(match["weekday"])) + weeks * _WEEK)


def _weekday_in_weeks(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "Friday in two weeks": the Friday of the week that lies so far ahead."""
    monday = frame.monday + number_of(match["number"]) * _WEEK
    return on_day(match, frame, monday + timedelta(days=weekday_number(match["weekday"])))


def _nth_weekday(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """ "The second Monday in June", "the last Friday of the month"."""
    if match["month"]:
        month = month_number(match["month"])
        year = year_in(match, frame, month)
    else:
        year, month = months_on(frame.today.year, frame.today.month, _STEPS[match["which"].lower()])
    day = _nth_of(year, month, weekday_number(match["weekday"]), _COUNTS[match["count"].lower()])
    return on_day(match, frame, day) if day.month == month else None


def _nth_weekend(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """ "The first weekend of September": by its Saturday."""
    month = month_number(match["month"])
    day = _nth_of(year_in(match, frame, month), month, WEEKDAYS.index("saturday"), _COUNTS[match["count"].lower()])
    return weekend_of(frame, day) if day.month == month else None


def _nth_of(year: int, month: int, weekday: int, count: int) -> date:
    first = date(year, month, 1)
    if count > 0:
        return first + timedelta(days=(weekday - first.weekday()) % 7) + (count - 1) * _WEEK
    end_year, end_month = months_on(year, month, 1)
    before = date(end_year, end_month, 1) - _DAY
    return before - timedelta(days=(before.weekday() - weekday) % 7)


def _stretch_around(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "The end of the month" says which part of it; the month itself is what is known."""
    return shifted(frame, 0, (match["unit"] or match["today"]).lower())


_NUMBER = rf"(?P<number>\d{{1,2}}|{'|'.join(word for word in NUMBERS if ' ' not in word)})"
_WHICH = r"(?P<which>last|previous|this|next|the following)"
_UNTIL = r"(?P<until>mon|tues|wednes|thurs|fri|satur|sun)day"

_JOINED = ((r"\b(?:from )?(?:the )?", _TO), (r"\bbetween (?:the )?", _AND))
"""How a range begins, and how its ends are joined: "3 and 7 May" are two days, "between 3 and 7 May" is one stretch."""

RANGES: tuple[tuple[str, Reader], ...] = (
    *(
        (pattern, read)
        for lead, to in _JOINED
        for pattern, read in (
            (
                rf"{lead}{_day()} (?:of )?{MONTH}{to}{_day('last')} (?:of )?{month('month2')},?(?: {YEAR})?",
                _from_day_to_day,
            ),
            (rf"{lead}{MONTH} {_day()}{to}{month('month2')} {_day('last')}(?!\d),?(?: {YEAR})?", _from_day_to_day),
            (rf"{lead}{_day()}{to}{_day('last')} (?:of )?{MONTH},?(?: {YEAR})?", _from_day_to_day),
            (rf"{lead}{MONTH} {_day()}{to}{_day('last')}(?![\d:]),?(?: {YEAR})?", _from_day_to_day),
        )
    ),
    (
        rf"\b(?:(?P<which>last|next|this) )?{WEEKDAY}(?: ?[-–] ?| (?:to|through|until|till) ){_UNTIL}\b",
        _from_weekday_to_weekday,
    ),
    (rf"\bbetween (?:(?P<which>last|next|this) )?{WEEKDAY} and {_UNTIL}\b", _from_weekday_to_weekday),
    (rf"\bfrom {MONTH} (?:to|until|till|through) {month('month2')},?(?: (?:of )?{YEAR})?", _from_month_to_month),
    (rf"\bbetween {MONTH} and {month('month2')},?(?: (?:of )?{YEAR})?", _from_month_to_month),
    (rf"\bweek of (?:the )?(?P<day>[0-3]?\d){_NTH}?(?: (?:of )?{MONTH},?(?: {YEAR})?)?\b", _week_of_day),
    (rf"\bweek of {MONTH} {_day()}(?!\d),?(?: {YEAR})?", _week_of_day),
    (rf"\b(?:the )?(?P<day>[0-3]?\d|first){_NTH}? of (?P<which>last|this|next|the following) month\b", _day_of_month),
    (rf"\b(?P<which>last|this|next) month,? on the (?P<day>[0-3]?\d|first)(?:{_NTH})?\b", _day_of_month),
    (
        (
            rf"\b(?:the )?(?P<count>{'|'.join(_COUNTS)}) {WEEKDAY} (?:in|of) (?:{MONTH},?(?: {YEAR})?"
            r"|(?P<which>last|this|next|the following|the) month\b)"
        ),
        _nth_weekday,
    ),
    (rf"\b(?:the )?(?P<count>{'|'.join(_COUNTS)}) weekend (?:in|of) {MONTH},?(?: {YEAR})?", _nth_weekend),
    (rf"\b{_WHICH} week(?:,| on|,? on)? {WEEKDAY}\b{PART}", _weekday_of_week),
    (rf"\b{WEEKDAY}{PART}(?: of| in|,)? {_WHICH} week\b", _weekday_of_week),
    (rf"\b{_NUMBER} weeks? (?:from|on) {WEEKDAY}\b{PART}", _weekday_weeks_on),
    (rf"\b{WEEKDAY} week\b(?! (?:of|in|long)\b)", _weekday_weeks_on),
    (rf"\b{WEEKDAY}{PART} in {_NUMBER} weeks?\b", _weekday_in_weeks),
    (rf"\b(?:on |until |by |since |before |after |for )the (?P<day>[0-3]?\d){_NTH}\b{_AFTER_A_DAY}", _day_of_month),
    (
        rf"\b{DAY_NAME},? the (?P<day>[0-3]?\d){_NTH}\b(?! (?:of )?{MONTH})",
        _day_of_month,
    ),
    (
        (
            r"\b(?:(?:the )?(?:very )?(?:end|start|beginning|middle) of (?:the|this) (?P<unit>week|month|year)"
            r"|(?:by|before|until) the end of (?:the|this) (?P<today>day))\b"
        ),
        _stretch_around,
    ),
)

_DAYS_IN = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_MONTHS_IN = {"month": 1, "year": 12}


def _counted(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """ "three weeks ago", "in two days": the unit of the calendar that the distance ends in."""
    backward = (match.groupdict().get("ago") or "").lower() in {"ago", "back", "earlier"}
    sign = -1 if backward else 1
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS:
        return _vague(sign, unit, frame)
    return shifted(frame, sign * number_of(word), unit)


def _counted_day(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
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


def _before_last(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "The week before last", "the Friday before last"."""
    if match["weekday"]:
        return on_day(match, frame, latest(frame, weekday_number(match["weekday"])) - timedelta(weeks=1))
    return shifted(frame, -2, match["unit"].lower())


def _weekdays_ago(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """ "Two Fridays ago" is the one before the last."""
    word = match["number"].lower()
    if word in VAGUE_NUMBERS:
        return None
    since = timedelta(weeks=number_of(word) - 1)
    return on_day(match, frame, latest(frame, weekday_number(match["weekday"])) - since)


def _half_hour(match: re.Match[str], frame: Frame) -> FactOccurrence:
    distance = timedelta(minutes=30)
    return moment(frame, distance if match["ahead"] else -distance, Granularity.MINUTE)


def _half_year(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return shifted(frame, 6 if match["ahead"] else -6, "month")


def _relative_unit(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "last week", "this month", "next year", "this past weekend"."""
    which, unit = match["which"].lower(), match["unit"].lower()
    if unit == "weekend":
        return _relative_weekend(which, frame)
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}[which.split()[-1]]
    return shifted(frame, step, unit)


def _relative_weekend(which: str, frame: Frame) -> FactOccurrence:
    """Looking back from a Sunday, "last weekend" is not the one that still lasts."""
    day = frame.today
    if "last" in which or "past" in which or "previous" in which:
        return weekend_of(frame, day - timedelta(weeks=1))
    if which == "next":
        return weekend_of(frame, day + timedelta(weeks=1))
    before_saturday = day.weekday() < WEEKDAYS.index("saturday")
    return weekend_of(frame, day - timedelta(weeks=1) if before_saturday and frame.past and which != "this" else day)


def _vague(sign: int, unit: str, frame: Frame) -> FactOccurrence | None:
    """ "a few days ago": the stretch from two to five units away, known one step less precisely than the unit."""
    far, near = shifted(frame, sign * VAGUE_FROM, unit), shifted(frame, sign * VAGUE_TO, unit)
    if unit in {"minute", "hour"}:
        return None
    first, last = (far, near) if sign < 0 else (near, far)
    coarser = {"day": Granularity.WEEK, "week": Granularity.MONTH, "month": Granularity.SEASON}
    return FactOccurrence(start=first.start, end=last.end, granularity=coarser.get(unit, Granularity.YEAR))


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
