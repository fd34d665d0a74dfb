"""When a message says that something happens: "last Friday", "in May", "three weeks ago", as an interval of zoned times.

Every phrase is read against the time and the zone of the message that holds it, never against the clock of this machine.
Weeks begin on Monday; seasons are the meteorological ones of the northern hemisphere.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from pipeline.facts import Occurrence
from pipeline.time_clocks import Clock, at_clock, on_day, stretch
from pipeline.time_foreign import FOREIGN
from pipeline.time_ranges import RANGES
from pipeline.time_spans import (
    Frame,
    coming,
    day_number,
    latest,
    month_number,
    month_of,
    months_on,
    nearest_year,
    week_of,
    weekday_number,
    weekend_of,
    year_of,
)
from pipeline.time_words import (
    DAY_WORD,
    DAY_WORDS,
    HOLIDAYS,
    LEADS,
    MONTH,
    NUMBER,
    NUMBERS,
    ORDINAL,
    PART,
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
from pipeline.time_years import is_a_year, joins, leaves_its_year_open
from recollect.kinds import Granularity
from recollect.patterns import AS_ASCII

_Reader = Callable[[re.Match[str], Frame], Occurrence | None]


_AROUND = 40
"""Characters beside a phrase in which its time of day may stand."""


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase: where it stands in its text, and when that is."""

    start: int
    end: int
    occurred: Occurrence


def resolve_time(text: str, said_at: datetime, *, past: bool = True) -> Occurrence | None:
    """When the clearest time phrase of the text lies, as the half-open interval that it spans in the zone of ``said_at``.

    said_at: when the text was said, aware; raises ValueError when naive.
    past: whether a phrase without a direction ("on Friday", "in May") looks back; otherwise it looks forward.
    None where the text names no time, or one outside the calendar.
    """
    if said_at.tzinfo is None:
        raise ValueError("said_at: has no zone; give an aware datetime")
    clearest = next(_phrases(text, Frame(said_at, past)), None)
    if clearest is None:
        return None
    found = times_in(text, said_at, past=past)
    return next(phrase.occurred for phrase in found if phrase.start <= clearest.start < phrase.end)


def times_in(text: str, said_at: datetime, *, past: bool = True) -> list[TimePhrase]:
    """Every time phrase of a text in its place, each read as ``resolve_time`` reads it; the clearer one where two overlap."""
    found: list[TimePhrase] = []
    for phrase in _phrases(text, Frame(said_at, past)):
        if all(phrase.end <= other.start or phrase.start >= other.end for other in found):
            found.append(phrase)
    return _of_their_years(text, sorted(found, key=lambda phrase: phrase.start))


def _of_their_years(text: str, found: Iterable[TimePhrase]) -> list[TimePhrase]:
    """ "In May last year" is one phrase, and so is "two years ago at Christmas": the year beside a day or a month is its year."""
    together: list[TimePhrase] = []
    for phrase in found:
        both = _together(text, together[-1], phrase) if together else None
        together[-1:] = [both] if both else [*together[-1:], phrase]
    return together


def _together(text: str, first: TimePhrase, second: TimePhrase) -> TimePhrase | None:
    if not joins(text, first.end, second.start):
        return None
    for phrase, year in ((first, second), (second, first)):
        if is_a_year(year.occurred) and leaves_its_year_open(text[phrase.start : phrase.end]):
            read = _in_year(text, phrase, year.occurred)
            return TimePhrase(first.start, second.end, read) if read else None
    return None


def _in_year(text: str, phrase: TimePhrase, year: Occurrence) -> Occurrence | None:
    """The same words as they read on the last day of a year; None where it has no such day."""
    left = max(phrase.start - _AROUND, 0)  # of a long text with many such phrases all would be read for each
    found = _phrases(text[left : phrase.end + _AROUND], Frame(year.end - timedelta(days=1), past=True))
    same = (one for one in found if (one.start, one.end) == (phrase.start - left, phrase.end - left))
    return next((one.occurred for one in same if one.occurred.start >= year.start), None)


def _phrases(text: str, frame: Frame) -> Iterator[TimePhrase]:
    """The clearer kinds of phrases first. A day that the zone of the message left out, or that no calendar has, is none."""
    text = text.translate(AS_ASCII)
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            try:
                found = read(match, frame)
                holds = found is not None and found.start.astimezone(UTC) < found.end.astimezone(UTC)
            except (ValueError, OverflowError):
                continue
            if found is not None and holds:
                yield TimePhrase(match.start(), match.end(), found)


def _numbered_date(match: re.Match[str], frame: Frame) -> Occurrence:
    return on_day(match, frame, date(int(match["year"]), int(match["month"]), int(match["day"])))


def _at_minute(match: re.Match[str], frame: Frame) -> Occurrence:
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return at_clock(frame, day, Clock(int(match["hour"]), int(match["minute"])))


def _calendar_date(match: re.Match[str], frame: Frame) -> Occurrence:
    month, day = month_number(match["month"]), day_number(match["day"])
    if match["year"]:
        return on_day(match, frame, date(int(match["year"]), month, day))
    if match["weekday"]:
        return on_day(match, frame, _that_is_a(weekday_number(match["weekday"]), month, day, frame))
    return on_day(match, frame, nearest_year(frame, month, day))


def _that_is_a(weekday: int, month: int, day: int, frame: Frame) -> date:
    """ "Saturday 29 March" says by its weekday which year is meant, whatever the direction."""
    near = (date(frame.today.year + step, month, day) for step in ((0, -1) if frame.past else (0, 1)))
    found = (one for one in near if one.weekday() == weekday)
    return next(found, None) or nearest_year(frame, month, day)


def _near_day(match: re.Match[str], frame: Frame) -> Occurrence:
    return on_day(match, frame, frame.today + timedelta(days=DAY_WORDS[match["word"].lower()]))


def _counted(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "three weeks ago", "in two days": the unit of the calendar that the distance ends in."""
    backward = (match.groupdict().get("ago") or "").lower() in {"ago", "back", "earlier"}
    sign = -1 if backward else 1
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS:
        return _vague(sign, unit, frame)
    number = NUMBERS[word] if word in NUMBERS else int(word)
    return _shifted(frame, sign * number, unit)


def _counted_day(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """ "A year ago today", "two weeks from tomorrow": a day, by its distance from another."""
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in VAGUE_NUMBERS or unit not in _DAYS_IN | _MONTHS_IN:
        return None
    number = (NUMBERS[word] if word in NUMBERS else int(word)) * (-1 if match.groupdict().get("ago") else 1)
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
    number = NUMBERS[word] if word in NUMBERS else int(word)
    return on_day(match, frame, latest(frame, weekday_number(match["weekday"])) - timedelta(weeks=number - 1))


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


def _half_hour(match: re.Match[str], frame: Frame) -> Occurrence:
    distance = timedelta(minutes=30)
    return _moment(frame, distance if match["ahead"] else -distance, Granularity.MINUTE)


def _half_year(match: re.Match[str], frame: Frame) -> Occurrence | None:
    return _shifted(frame, 6 if match["ahead"] else -6, "month")


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
    target = weekday_number(match["weekday"])
    which = (match["which"] or "").lower().split()[-1:]
    today = frame.today
    if which == ["next"]:
        return on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=7 + target))
    if which == ["this"]:
        return on_day(match, frame, today - timedelta(days=today.weekday()) + timedelta(days=target))
    if which in (["last"], ["past"]) or (not which and frame.past):
        return on_day(match, frame, latest(frame, target))
    return on_day(match, frame, coming(frame, target))


def _month(match: re.Match[str], frame: Frame) -> Occurrence:
    month, groups = month_number(match["month"]), match.groupdict()
    if groups.get("year"):
        return month_of(frame, int(match["year"]), month)
    which, today = (groups.get("which") or "").lower(), frame.today
    if which == "last":
        return month_of(frame, today.year - (month >= today.month), month)
    if which == "next":
        return month_of(frame, today.year + (month <= today.month), month)
    if which == "this":
        return month_of(frame, today.year, month)
    return month_of(frame, nearest_year(frame, month, 1 if frame.past else 28).year, month)


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
    month, day = _HOLIDAY_DATES[match["holiday"].lower().replace("'", "").replace("’", "")]
    if match["year"]:
        return on_day(match, frame, date(int(match["year"]), month, day))
    which = (match["which"] or "").lower()
    back = frame.past if not which else which == "last"
    nearest = nearest_year(Frame(frame.said_at, back), month, day)
    return frame.days(nearest, nearest + timedelta(days=1), Granularity.DAY)


_HOLIDAYS = "|".join(sorted(HOLIDAYS, key=len, reverse=True)).replace("'", "['’]?")
_HOLIDAY_DATES = {name.replace("'", ""): date for name, date in HOLIDAYS.items()}
_NAMED = rf"(?:{WEEKDAY},? (?:the )?)?"
_COUNT = rf"(?<![\d.,/½¼¾])(?<!half )\b{NUMBER}"
_DAYS_IN = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_MONTHS_IN = {"month": 1, "year": 12}

_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (rf"\b{YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)[T ](?P<hour>[0-2]\d):(?P<minute>[0-5]\d)", _at_minute),
        (rf"\b{YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b", _numbered_date),
        (rf"\b(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{YEAR}\b", _numbered_date),
        *RANGES,
        (r"\b(?:in (?P<ahead>half an hour)|half an hour ago)\b", _half_hour),
        (r"\b(?:in (?P<ahead>half a year)|half a year ago)\b", _half_year),
        (rf"{_COUNT} {UNIT} (?P<ago>ago) {DAY_WORD}\b", _counted_day),
        (rf"\b{DAY_WORD},? {NUMBER} {UNIT} (?P<ago>ago)\b", _counted_day),
        (rf"{_COUNT} {UNIT} from {DAY_WORD}\b", _counted_day),
        (rf"{_COUNT} {WEEKDAY} ago\b", _weekdays_ago),
        (rf"\bthe (?:{WEEKDAY}|(?P<unit>week|weekend|month|year)) before last\b", _before_last),
        (rf"\b{_NAMED}{ORDINAL} (?:of )?{MONTH}(?! (?:be|have|not)\b)(?:,? {YEAR})?", _calendar_date),
        (rf"\b{_NAMED}{MONTH} (?:the )?{ORDINAL}\b(?:,? {YEAR})?", _calendar_date),
        (rf"\b(?P<word>(?:the )?day (?:before yesterday|after tomorrow)|yesterday|tomorrow){PART}", _near_day),
        (r"\b(?P<word>today)", _near_day),
        (r"\b(?P<word>last|this) (?P<part>night|morning|afternoon|evening)\b", _near_day),
        (r"\b(?P<word>to)(?P<part>night)\b", _near_day),
        (rf"\b{MONTH},? (?:of )?{YEAR}\b", _month),
        (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season),
        (rf"{_COUNT} {UNIT} (?P<ago>ago|back|earlier)\b", _counted),
        (rf"\bin {NUMBER} {UNIT}\b(?! (?:of|long)\b)(?!')", _counted),
        (rf"{_COUNT} {UNIT} from now\b", _counted),
        *FOREIGN,
        (rf"\b(?<!\ba )(?:(?P<which>last|next|this past|this coming|this|past) )?{WEEKDAY}\b{PART}", _weekday),
        (
            (
                r"\b(?P<which>last|next|this past|the past|this coming|previous|this) (?P<unit>week|weekend|"
                r"month|year)\b(?!-)"
            ),
            _relative_unit,
        ),
        (r"\b(?:(?:on|over) )?(?P<which>the) (?P<unit>weekend)\b", _relative_unit),
        (rf"\b(?P<which>last|next|this) {MONTH}\b", _month),
        (rf"\b{LEADS}[ -](?:early |late |mid-? ?)?(?P<which>){MONTH}(?! (?:be|have|not|well|or may)\b)", _month),
        (r"\b(?P<which>last|this past|next|this) (?P<season>spring|summer|autumn|fall|winter)\b", _season),
        (r"\b(?:in|over|during) (?:the )?(?P<season>spring|summer|autumn|winter)\b", _season),
        (
            rf"\b(?:(?P<which>last|next|this) )?(?P<holiday>{_HOLIDAYS})\b(?:,? {YEAR})?",
            _holiday,
        ),
        (rf"\b(?:in|of|during|since|around|by|back in|year) {YEAR}\b(?!-)", _year),
        (rf"\b(?:(?P<which>last|next|this) )?{PLAIN_MONTH}{MONTH}(?= (?:is|was|will)\b)", _month),
    )
)
