"""When a message says that something happens: "last Friday", "in May", "three weeks ago", as an interval of zoned times.

Every phrase is read against the time and the zone of the message that holds it, never against the clock of this machine.
Weeks begin on Monday; seasons are the meteorological ones of the northern hemisphere.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from pipeline.facts import Occurrence
from pipeline.time_spans import Frame, month_of, months_on, week_of, weekend_of, year_of
from pipeline.time_words import (
    CLOCK,
    DAY_WORDS,
    HOLIDAYS,
    LEADS,
    MONTH,
    MONTHS,
    NUMBER,
    NUMBERS,
    ORDINAL,
    PART,
    PARTS_OF_DAY,
    PLAIN_MONTH,
    SEASON_STARTS,
    UNIT,
    VAGUE_FROM,
    VAGUE_NUMBERS,
    VAGUE_TO,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
)
from recollect.kinds import Granularity

_Reader = Callable[[re.Match[str], Frame], Occurrence | None]


def resolve_time(text: str, said_at: datetime, *, past: bool = True) -> Occurrence | None:
    """When the first time phrase of the text lies, as the half-open interval that it spans in the zone of ``said_at``.

    said_at: when the text was said, aware; raises ValueError when naive.
    past: whether a phrase without a direction ("on Friday", "in May") looks back; otherwise it looks forward.
    None where the text names no time, or one outside the calendar.
    """
    if said_at.tzinfo is None:
        raise ValueError("said_at: has no zone; give an aware datetime")
    frame = Frame(said_at, past)
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            try:
                found = read(match, frame)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                return found
    return None


def _on_day(match: re.Match[str], frame: Frame, day: date) -> Occurrence:
    """The day itself, or the part or the hour of it that the phrase names."""
    groups = match.groupdict()
    hour = groups.get("hour") or groups.get("hour2")
    if hour is not None:
        minute = groups.get("minute") or groups.get("minute2")
        return _at_clock(frame.midnight(day), int(hour), minute, groups.get("half") or "")
    part = groups.get("part")
    if part is None:
        return frame.days(day, day + timedelta(days=1), Granularity.DAY)
    first, last = PARTS_OF_DAY[part.lower()]
    midnight = frame.midnight(day)
    end = midnight + timedelta(hours=last)
    return Occurrence(start=midnight + timedelta(hours=first), end=end, granularity=Granularity.PART_OF_DAY)


def _at_clock(midnight: datetime, hour: int, minute: str | None, half: str) -> Occurrence:
    if half.lower().startswith("p") and hour < 12:
        hour += 12
    if half.lower().startswith("a") and hour == 12:
        hour = 0
    start = midnight.replace(hour=hour, minute=int(minute or 0))
    if minute:
        return Occurrence(start=start, end=start + timedelta(minutes=1), granularity=Granularity.MINUTE)
    return Occurrence(start=start, end=start + timedelta(hours=1), granularity=Granularity.HOUR)


def _iso(match: re.Match[str], frame: Frame) -> Occurrence:
    return _on_day(match, frame, date(int(match["year"]), int(match["month"]), int(match["day"])))


def _month_number(word: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(word.lower().rstrip(".")[:3]))


def _calendar_date(match: re.Match[str], frame: Frame) -> Occurrence:
    month, day = _month_number(match["month"]), int(match["day"])
    if match["year"]:
        return _on_day(match, frame, date(int(match["year"]), month, day))
    return _on_day(match, frame, _nearest_year(frame, month, day))


def _nearest_year(frame: Frame, month: int, day: int) -> date:
    """The month and day of this year, or of the year beside it that lies in the direction of the phrase."""
    here = date(frame.today.year, month, day)
    if frame.past and here > frame.today:
        return here.replace(year=here.year - 1)
    if not frame.past and here < frame.today:
        return here.replace(year=here.year + 1)
    return here


def _near_day(match: re.Match[str], frame: Frame) -> Occurrence:
    return _on_day(match, frame, frame.today + timedelta(days=DAY_WORDS[match["word"].lower()]))


def _counted(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "three weeks ago", "in two days": the unit of the calendar that the distance ends in."""
    backward = (match.groupdict().get("ago") or "").lower() in {"ago", "back", "earlier"}
    sign = -1 if backward else 1
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS:
        return _vague(sign, unit, frame)
    number = NUMBERS[word] if word in NUMBERS else int(word)
    return _shifted(frame, sign * number, unit)


def _shifted(frame: Frame, number: int, unit: str) -> Occurrence | None:
    today = frame.today
    if unit in {"minute", "hour"}:
        start = (frame.said_at + timedelta(**{unit + "s": number})).replace(second=0, microsecond=0)
        size = timedelta(minutes=1) if unit == "minute" else timedelta(hours=1)
        start = start if unit == "minute" else start.replace(minute=0)
        return Occurrence(start=start, end=start + size, granularity=Granularity(unit))
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


def _vague(sign: int, unit: str, frame: Frame) -> Occurrence | None:
    """ "a few days ago": the stretch from two to five units away, known one step less precisely than the unit."""
    far, near = _shifted(frame, sign * VAGUE_FROM, unit), _shifted(frame, sign * VAGUE_TO, unit)
    if far is None or near is None or unit in {"minute", "hour"}:
        return None
    first, last = (far, near) if sign < 0 else (near, far)
    coarser = {"day": Granularity.WEEK, "week": Granularity.MONTH, "month": Granularity.SEASON}
    return Occurrence(start=first.start, end=last.end, granularity=coarser.get(unit, Granularity.YEAR))


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


def _weekday(match: re.Match[str], frame: Frame) -> Occurrence:
    """ "last Friday" is the latest before today, "next Friday" that of the coming week, a bare one the nearest."""
    target = next(i for i, name in enumerate(WEEKDAYS) if name.startswith(match["weekday"].lower()))
    which = (match["which"] or "").lower().split()[-1:]
    today = frame.today
    if which == ["next"]:
        return _on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=7 + target))
    if which == ["this"]:
        return _on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=target))
    if which in (["last"], ["past"]) or (not which and frame.past):
        return _on_day(match, frame, today - timedelta(days=(today.weekday() - target - 1) % 7 + 1))
    return _on_day(match, frame, today + timedelta(days=(target - today.weekday() - 1) % 7 + 1))


def _month(match: re.Match[str], frame: Frame) -> Occurrence:
    month, groups = _month_number(match["month"]), match.groupdict()
    if groups.get("year"):
        return month_of(frame, int(match["year"]), month)
    which, today = (groups.get("which") or "").lower(), frame.today
    if which == "last":
        return month_of(frame, today.year - (month >= today.month), month)
    if which == "next":
        return month_of(frame, today.year + (month <= today.month), month)
    if which == "this":
        return month_of(frame, today.year, month)
    return month_of(frame, _nearest_year(frame, month, 1 if frame.past else 28).year, month)


def _season(match: re.Match[str], frame: Frame) -> Occurrence:
    start, groups = SEASON_STARTS[match["season"].lower()], match.groupdict()
    if groups.get("year"):
        return month_of(frame, int(match["year"]), start, 3)
    which, today = (groups.get("which") or "").lower(), frame.today
    year = today.year - 1
    current_or_next = next(y for y in range(year, year + 3) if _season_end(y, start) > today)
    running = date(current_or_next, start, 1) <= today
    if "last" in which or "past" in which:
        return month_of(frame, current_or_next - 1, start, 3)
    if which == "next":
        return month_of(frame, current_or_next + running, start, 3)
    return month_of(frame, current_or_next - (frame.past and not running and which != "this"), start, 3)


def _season_end(year: int, start: int) -> date:
    end_year, month = months_on(year, start, 3)
    return date(end_year, month, 1)


def _year(match: re.Match[str], frame: Frame) -> Occurrence:
    return year_of(frame, int(match["year"]))


def _holiday(match: re.Match[str], frame: Frame) -> Occurrence:
    month, day = HOLIDAYS[match["holiday"].lower()]
    which = (match["which"] or "").lower()
    back = frame.past if not which else which == "last"
    nearest = _nearest_year(Frame(frame.said_at, back), month, day)
    return frame.days(nearest, nearest + timedelta(days=1), Granularity.DAY)


_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (rf"\b{YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?:[T ](?P<hour>[0-2]\d):(?P<minute>[0-5]\d))?", _iso),
        (rf"\b{ORDINAL} (?:of )?{MONTH}(?! (?:be|have|not)\b),?(?: {YEAR})?{CLOCK}", _calendar_date),
        (rf"\b{MONTH} {ORDINAL}(?!\d),?(?: {YEAR})?{CLOCK}", _calendar_date),
        (rf"\b(?P<word>(?:the )?day (?:before yesterday|after tomorrow)|yesterday|tomorrow){PART}{CLOCK}", _near_day),
        (rf"\b(?P<word>today){CLOCK}", _near_day),
        (r"\b(?P<word>last|this) (?P<part>night|morning|afternoon|evening)\b", _near_day),
        (r"\b(?P<word>to)(?P<part>night)\b", _near_day),
        (rf"\b{NUMBER} {UNIT} (?P<ago>ago|back|earlier)\b", _counted),
        (rf"\bin {NUMBER} {UNIT}\b(?! (?:of|long)\b)(?!')", _counted),
        (rf"\b{NUMBER} {UNIT} from (?:now|today)\b", _counted),
        (rf"\b(?:(?P<which>last|next|this past|this coming|this|past) )?{WEEKDAY}\b{PART}{CLOCK}", _weekday),
        (
            (
                r"\b(?P<which>last|next|this past|the past|this coming|previous|this) (?P<unit>week|weekend|"
                r"month|year)\b(?!-)"
            ),
            _relative_unit,
        ),
        (r"\b(?:(?:on|over) )?(?P<which>the) (?P<unit>weekend)\b", _relative_unit),
        (rf"\b(?P<which>last|next|this) {MONTH}\b", _month),
        (rf"\b{MONTH},? (?:of )?{YEAR}\b", _month),
        (rf"\b{LEADS} (?:early |late |mid-? ?)?(?P<which>){MONTH}(?! (?:be|have|not|well|or may)\b)", _month),
        (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season),
        (r"\b(?P<which>last|this past|next|this) (?P<season>spring|summer|autumn|fall|winter)\b", _season),
        (r"\b(?:in|over|during) (?:the )?(?P<season>spring|summer|autumn|winter)\b", _season),
        (
            r"\b(?:(?P<which>last|next|this) )?(?P<holiday>christmas eve|christmas|halloween|valentine's day)\b",
            _holiday,
        ),
        (rf"\b(?:in|of|during|since|around|by|back in|year) {YEAR}\b(?!-)", _year),
        (rf"\b(?:(?P<which>last|next|this) )?{PLAIN_MONTH}{MONTH}(?= (?:is|was|will)\b)", _month),
    )
)
