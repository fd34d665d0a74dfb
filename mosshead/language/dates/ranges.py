"""Stretches of time in several words: "from 3 to 7 May", "the week of the 10th", "Tuesday week", "last month"."""

import re
from calendar import monthrange
from datetime import date, timedelta

from mosshead.language.dates.days import moment, nearest_day, on_day, shifted
from mosshead.language.dates.spans import (
    DAY,
    DAY_NAME,
    MONTH,
    NUMBERS,
    PART,
    SATURDAY,
    WEEK,
    WEEKDAY,
    YEAR,
    Frame,
    Reader,
    day_number,
    month,
    month_number,
    months_on,
    number_of,
    step_of,
    weekday_number,
)
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence

_COUNT_OF = r"(?P<count>first|second|third|fourth|[1-4](?:st|nd|rd|th)|last)"
_TO = r"(?: ?[-–] ?| (?:to|until|till|through) (?:the )?)"
_AND = r"(?: ?[-–] ?| (?:to|until|till|through|and) (?:the )?)"
_NTH = r"(?:st|nd|rd|th)"

_AFTER_A_DAY = (
    r"(?= *(?:$|[.,;:!?)\n–-]|(?:at|in the|and|but|or|for|with|to|we|i|he|she|they|it|from|because|so|after|before|as|when|if)"
    r"\b))"
)
"""What may follow "the 14th" if it is a day; "the 14th floor" is not."""


def _day(name: str = "day") -> str:
    return rf"(?P<{name}>[0-3]?\d){_NTH}?"


def _from_one_to_another(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """Resolve "from 3 to 7 May" or "between November and March 2024". The end lies in the year named, or the nearest.

    Looking back, days may have just begun; months must be over.
    """
    groups = match.groupdict()
    first_month = month_number(groups["month"])
    last_month = month_number(groups.get("month2") or groups["month"])
    over_new_year = first_month > last_month

    def ending(year: int) -> FactOccurrence:
        if "last" in groups:
            return frame.day(date(year, last_month, int(groups["last"])))
        return frame.month(year, last_month)

    if groups["year"]:
        last = ending(int(groups["year"]))
    elif "last" in groups and frame.past:
        last = ending(nearest_day(frame, first_month, int(groups["day"])).year + over_new_year)
    else:
        last = frame.of_each_year(ending)
    first = date(last.start.year - over_new_year, first_month, int(groups.get("day", 1)))
    return _stretch(frame, first, last)


def _stretch(frame: Frame, first: date, last: FactOccurrence) -> FactOccurrence | None:
    """Return the stretch from a day to the end of a later time."""
    start = frame.midnight(first)
    return last.model_copy(update={"start": start}) if start < last.start else None


def _from_weekday_to_weekday(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    start, end = weekday_number(match["weekday"]), weekday_number(match["until"])
    step = step_of(match["which"])
    if step is not None and step >= 0:
        first = frame.monday + start * DAY + step * WEEK
    else:
        first = frame.weekday(start, past=frame.past or step == -1)
    return _stretch(frame, first, frame.day(first + timedelta(days=(end - start) % 7)))


def _from_year_to_year(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    return _stretch(frame, date(int(match["first"]), 1, 1), frame.year(int(match["year"])))


def _week_of_day(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return frame.week(_dated(match, frame))


def _day_of_month(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return on_day(match, frame, _dated(match, frame))


def _dated(match: re.Match[str], frame: Frame) -> date:
    """Return a day of the month named, of the month at a stated distance, or of the nearest."""
    groups, number = match.groupdict(), day_number(match["day"])
    if groups.get("month"):
        month = month_number(match["month"])
        return date(int(match["year"]), month, number) if groups.get("year") else nearest_day(frame, month, number)

    def of_month(step: int) -> FactOccurrence:
        return frame.day(date(*months_on(frame.today.year, frame.today.month, step), number))

    step = step_of(groups.get("which"))
    return (frame.nearest(of_month) if step is None else of_month(step)).start.date()


def _weekday_of_week(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "Tuesday of last week" and "Friday in two weeks", by the week."""
    groups = match.groupdict()
    weeks = number_of(groups["number"]) if groups.get("number") else step_of(groups["which"]) or 0
    return on_day(match, frame, frame.monday + weekday_number(match["weekday"]) * DAY + weeks * WEEK)


def _weekday_weeks_on(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "Tuesday week", "a week from Friday", "two weeks on Monday"."""
    weeks = number_of(match.groupdict().get("number") or "a")
    return on_day(match, frame, frame.weekday(weekday_number(match["weekday"]), past=False) + weeks * WEEK)


def _nth_weekday(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "the second Monday in June", "the last Friday of the month", "the first weekend of September"."""
    groups, count = match.groupdict(), match["count"].lower()
    weekday = weekday_number(groups["weekday"]) if groups.get("weekday") else SATURDAY

    def of_month(year: int, month: int) -> FactOccurrence:
        if count == "last":
            end = date(*months_on(year, month, 1), 1)
            return frame.day(end - timedelta(days=(end.weekday() - weekday - 1) % 7 + 1))
        first = date(year, month, 1)
        return frame.day(first + timedelta(days=(weekday - first.weekday()) % 7, weeks=day_number(count) - 1))

    if not groups.get("month"):
        found = of_month(*months_on(frame.today.year, frame.today.month, step_of(match["which"]) or 0))
    elif groups["year"]:
        found = of_month(int(groups["year"]), month_number(groups["month"]))
    else:
        found = frame.of_each_year(lambda year: of_month(year, month_number(groups["month"])))
    day = found.start.date()
    return on_day(match, frame, day) if groups.get("weekday") else frame.weekend(day)


def _stretch_around(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "the end of the month" to the whole month: which part it means is too vague."""
    return shifted(frame, 0, match["unit"].lower())


_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
_WHICH = r"(?P<which>last|previous|this|next|the following)"
_UNTIL = r"(?P<until>mon|tues|wednes|thurs|fri|satur|sun)day"

_JOINED = ((r"\b(?:from )?(?:the )?", _TO), (r"\bbetween (?:the )?", _AND))
"""How a range begins and joins its ends: "3 and 7 May" is two days, "between 3 and 7 May" is a range."""

_APART = (("from", "(?:to|until|till|through)"), ("between", "and"))

_NO_RATE = r"(?<!\bonce )(?<!\btwice )(?<!\btimes )"
"""What makes "a week" a rate: "once a week on Friday"."""

RANGES: tuple[tuple[str, Reader], ...] = (
    *(
        (pattern, _from_one_to_another)
        for lead, to in _JOINED
        for pattern in (
            rf"{lead}{_day()} (?:of )?{MONTH}{to}{_day('last')} (?:of )?{month('month2')},?(?: {YEAR})?",
            rf"{lead}{MONTH} {_day()}{to}{month('month2')} {_day('last')}(?!\d),?(?: {YEAR})?",
            rf"{lead}{_day()}{to}{_day('last')} (?:of )?{MONTH},?(?: {YEAR})?",
            rf"{lead}{MONTH} {_day()}{to}{_day('last')}(?![\d:]),?(?: {YEAR})?",
        )
    ),
    *((rf"\b{lead} {MONTH} {to} {month('month2')},?(?: (?:of )?{YEAR})?", _from_one_to_another) for lead, to in _APART),
    *((rf"\b{lead} (?P<first>(?:19|20)\d\d) {to} {YEAR}\b", _from_year_to_year) for lead, to in _APART),
    (
        rf"\b(?:(?P<which>last|next|this) )?{WEEKDAY}(?: ?[-–] ?| (?:to|through|until|till) ){_UNTIL}\b",
        _from_weekday_to_weekday,
    ),
    (rf"\bbetween (?:(?P<which>last|next|this) )?{WEEKDAY} and {_UNTIL}\b", _from_weekday_to_weekday),
    (rf"\bweek of (?:the )?(?P<day>[0-3]?\d){_NTH}?(?: (?:of )?{MONTH},?(?: {YEAR})?)?\b", _week_of_day),
    (rf"\bweek of {MONTH} {_day()}(?!\d),?(?: {YEAR})?", _week_of_day),
    (rf"\b(?:the )?(?P<day>[0-3]?\d|first){_NTH}? of (?P<which>last|this|next|the following) month\b", _day_of_month),
    (rf"\b(?P<which>last|this|next) month,? on the (?P<day>[0-3]?\d|first)(?:{_NTH})?\b", _day_of_month),
    (rf"\b(?:the )?{_COUNT_OF} {WEEKDAY} (?:in|of) {MONTH},?(?: {YEAR})?", _nth_weekday),
    (rf"\b(?:the )?{_COUNT_OF} {WEEKDAY} (?:in|of) (?P<which>last|this|next|the following|the) month\b", _nth_weekday),
    (rf"\b(?:the )?{_COUNT_OF} weekend (?:in|of) {MONTH},?(?: {YEAR})?", _nth_weekday),
    (rf"\b{_WHICH} week(?:,| on|,? on)? {WEEKDAY}\b{PART}", _weekday_of_week),
    (rf"\b{WEEKDAY}{PART}(?: of| in|,)? {_WHICH} week\b", _weekday_of_week),
    (rf"{_NO_RATE}\b{_NUMBER} weeks? (?:from|on) {WEEKDAY}\b{PART}", _weekday_weeks_on),
    (rf"\b{WEEKDAY} week\b(?! (?:of|in|long)\b)", _weekday_weeks_on),
    (rf"\b{WEEKDAY}{PART} in {_NUMBER} weeks?\b", _weekday_of_week),
    (rf"\b(?:on |until |by |since |before |after |for )the (?P<day>[0-3]?\d){_NTH}\b{_AFTER_A_DAY}", _day_of_month),
    (rf"\b{DAY_NAME},? the (?P<day>[0-3]?\d){_NTH}\b(?! (?:of )?{MONTH})", _day_of_month),
    (
        r"\b(?:the )?(?:very )?(?:end|start|beginning|middle) of (?:the|this) (?P<unit>week|month|year)\b",
        _stretch_around,
    ),
    (r"\b(?:by|before|until) the end of (?:the|this) (?P<unit>day)\b", _stretch_around),
)

_VAGUE_NUMBERS = frozenset({"a few", "few", "several", "some"})
_VAGUE_FROM, _VAGUE_TO = 5, 2


def _counted(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """Resolve "three weeks ago" or "in two days" to the calendar unit at that distance."""
    sign = -1 if match.groupdict().get("ago") else 1
    word, unit = match["number"].lower(), match["unit"].lower()
    if word in _VAGUE_NUMBERS:
        return _vague(sign, unit, frame)
    return shifted(frame, sign * number_of(word), unit)


def _counted_day(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve a day by its distance from another: "a year ago today", "two weeks from tomorrow"."""
    number = number_of(match["number"]) * (-1 if match.groupdict().get("ago") else 1)
    day = frame.today + _NEAR_DAYS[match["word"].lower()] * DAY
    return on_day(match, frame, _day_on(day, number, match["unit"].lower()))


def _up_to_now(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "the last three weeks" or "the past year" as a period up to today, not as calendar units."""
    word, unit = (match.groupdict().get("number") or "a").lower(), match["unit"].lower()
    number = _VAGUE_FROM if word in _VAGUE_NUMBERS else number_of(word)
    return frame.days(_day_on(frame.today, -number, unit), frame.today + DAY, _UNITS[unit][2])


def _day_on(day: date, number: int, unit: str) -> date:
    """Return the day at a distance of days, weeks, months or years; in a shorter month, its last day."""
    days, months, _ = _UNITS[unit]
    year, month = months_on(day.year, day.month, number * months)
    return date(year, month, min(day.day, monthrange(year, month)[1])) + timedelta(days=number * days)


def _before_last(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "the week before last"."""
    return shifted(frame, -2, match["unit"].lower())


def _weekdays_ago(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "two Fridays ago" and "the Friday before last"."""
    last, number = frame.weekday(weekday_number(match["weekday"]), past=True), match.groupdict().get("number") or "two"
    return on_day(match, frame, last - (number_of(number) - 1) * WEEK)


def _coming_day(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """Resolve "a week today" and "two weeks tomorrow", unless the sentence looks back: "it's been a week today"."""
    start = max((end.end() for end in _STOP.finditer(match.string, 0, match.start())), default=0)
    stop = _STOP.search(match.string, match.end())
    sentence = match.string[start : stop.start() if stop else None]
    return None if _LOOKS_BACK.search(sentence) else _counted_day(match, frame)


def _half(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "half an hour ago" and "in half a year"."""
    sign = 1 if match["ahead"] else -1
    if match["unit"].lower() == "year":
        return shifted(frame, 6 * sign, "month")
    return moment(frame, timedelta(minutes=30 * sign), Granularity.MINUTE)


def _relative_unit(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "last week" and "this month". Before Saturday, "the weekend" may be the previous one, or this week's."""
    step, unit, which = step_of(match["which"]) or 0, match["unit"].lower(), match["which"].lower()
    if unit == "weekend" and frame.today.weekday() < SATURDAY:
        step = -1 if which == "the" and frame.past else 0 if which == "this coming" else step
    return shifted(frame, step, unit)


def _vague(sign: int, unit: str, frame: Frame) -> FactOccurrence | None:
    """Resolve "a few days ago" to the stretch from two to five units away, one granularity coarser than the unit."""
    far, near = shifted(frame, sign * _VAGUE_FROM, unit), shifted(frame, sign * _VAGUE_TO, unit)
    if unit in {"minute", "hour"}:
        return None
    first, last = (far, near) if sign < 0 else (near, far)
    coarser = {"day": Granularity.WEEK, "week": Granularity.MONTH, "month": Granularity.SEASON}
    return FactOccurrence(start=first.start, end=last.end, granularity=coarser.get(unit, Granularity.YEAR))


_UNITS = {
    "day": (1, 0, Granularity.DAY),
    "night": (1, 0, Granularity.DAY),
    "week": (7, 0, Granularity.WEEK),
    "fortnight": (14, 0, Granularity.WEEK),
    "month": (0, 1, Granularity.MONTH),
    "year": (0, 12, Granularity.YEAR),
}
"""The days and months in each unit."""

_NEAR_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_DAY_WORD = rf"(?P<word>{'|'.join(_NEAR_DAYS)})"
_WHOLE_DAYS = rf"(?P<unit>{'|'.join(_UNITS)})s?"
_UNIT = rf"(?P<unit>minute|hour|weekend|{'|'.join(_UNITS)})s?"
_NUMBER_OR_SOME = _NUMBER.replace("(?P<number>", rf"(?P<number>{'|'.join(sorted(_VAGUE_NUMBERS))}|")
_ALONE = r"(?<![\d.,/½¼¾])(?<!half )\b"

_STOP = re.compile(r"[.!?\n]")
_LOOKS_BACK = re.compile(
    r"\b(?:been|was|were|had|since|ago|gave|broke|met|went|came|got|began|lost|died|moved|started|stopped|quit|\w+ed)\b"
    r"|['’]s \w+ weeks? today",
    re.IGNORECASE,
)

COUNTED_DAYS: tuple[tuple[str, Reader], ...] = (
    (r"\b(?P<ahead>in )?half an? (?P<unit>hour|year)(?(ahead)| ago)\b", _half),
    (rf"{_ALONE}{_NUMBER} {_WHOLE_DAYS} (?P<ago>ago) {_DAY_WORD}\b", _counted_day),
    (rf"\b{_DAY_WORD},? {_NUMBER} {_WHOLE_DAYS} (?P<ago>ago)\b", _counted_day),
    (rf"{_ALONE}{_NUMBER} {_WHOLE_DAYS} from {_DAY_WORD}\b", _counted_day),
    (rf"{_ALONE}{_NO_RATE}{_NUMBER} (?P<unit>week|fortnight)s? (?P<word>today|tomorrow)\b", _coming_day),
    (rf"{_ALONE}{_NUMBER} {WEEKDAY} ago\b", _weekdays_ago),
    (rf"\bthe {WEEKDAY} before last\b", _weekdays_ago),
    (r"\bthe (?P<unit>week|weekend|month|year) before last\b", _before_last),
)

COUNTED_UNITS: tuple[tuple[str, Reader], ...] = (
    (rf"{_ALONE}{_NUMBER_OR_SOME} {_UNIT} (?P<ago>ago|back|earlier)\b", _counted),
    (rf"\bin {_NUMBER_OR_SOME} {_UNIT}\b(?! (?:of|long)\b)(?!')", _counted),
    (rf"{_ALONE}{_NUMBER_OR_SOME} {_UNIT} from now\b", _counted),
)

_FOREIGN: tuple[tuple[str, str, int], ...] = (
    (r"\b(?:letzte|vorige)r? woche\b|\bla semana pasada\b|\bla semaine (?:dernière|passée)\b", "week", -1),
    (r"\bnächste[rn]? woche\b|\bla (?:próxima semana|semana que viene)\b|\bla semaine prochaine\b", "week", 1),
    (r"\b(?:letzt|vorig)e[nr] monat\b|\bel mes pasado\b|\ble mois (?:dernier|passé)\b", "month", -1),
    (r"\bnächste[nr] monat\b|\bel (?:próximo mes|mes que viene)\b|\ble mois prochain\b", "month", 1),
    (r"\b(?:letzt|vorig)es jahr\b|\bel año pasado\b|\bl['’](?:année dernière|an dernier)\b", "year", -1),
    (r"\bnächstes jahr\b|\bel (?:próximo año|año que viene)\b|\bl['’](?:année prochaine|an prochain)\b", "year", 1),
)


def _of_the_calendar(unit: str, step: int) -> Reader:
    return lambda _match, frame: shifted(frame, step, unit)


NEAR_UNITS: tuple[tuple[str, Reader], ...] = (
    (rf"(?<!\bfor )(?<!\bfor the )\b(?:the )?(?:last|past) {_NUMBER_OR_SOME} {_WHOLE_DAYS}\b", _up_to_now),
    (r"(?<!\bfor )\b(?:the|this) past (?P<unit>week|month|year)\b(?!-)", _up_to_now),
    (r"\b(?P<which>last|next|this coming|previous|this) (?P<unit>week|weekend|month|year)\b(?!-)", _relative_unit),
    (r"\b(?:(?:on|over) )?(?P<which>the|the past|this past) (?P<unit>weekend)\b", _relative_unit),
    *((pattern, _of_the_calendar(unit, step)) for pattern, unit, step in _FOREIGN),
)
