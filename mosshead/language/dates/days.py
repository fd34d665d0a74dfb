"""Single days, months, seasons and years, by date or name: "3 May 2019", "yesterday evening", "on Friday", "last summer"."""

import re
from datetime import UTC, date, datetime, timedelta

from mosshead.language.dates.spans import (
    AFTER_EASTER,
    DAY,
    HOLIDAYS,
    MONTH,
    NUMBERS,
    PART,
    SEASON_STARTS,
    WEEKDAY,
    YEAR,
    Frame,
    Reader,
    day_number,
    holiday_of,
    month_number,
    months_on,
    number_of,
    step_of,
    weekday_number,
)
from mosshead.language.wordlists import ORDINALS, TURNS
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence


def _calendar_date(match: re.Match[str], frame: Frame) -> FactOccurrence:
    month, day, groups = month_number(match["month"]), day_number(match["day"]), match.groupdict()
    if groups["year"]:
        return on_day(match, frame, date(int(groups["year"]), month, day))
    if groups["weekday"]:
        return on_day(match, frame, _that_is_a(weekday_number(groups["weekday"]), month, day, frame))
    return on_day(match, frame, nearest_day(frame, month, day))


def _that_is_a(weekday: int, month: int, day: int, frame: Frame) -> date:
    """Choose the year of a phrase like "Saturday 29 March" by its weekday, whatever the direction."""
    near = (date(frame.today.year + step, month, day) for step in ((0, -1) if frame.past else (0, 1)))
    found = (one for one in near if one.weekday() == weekday)
    return next(found, None) or nearest_day(frame, month, day)


def nearest_day(frame: Frame, month: int, day: int, step: int | None = None) -> date:
    """Return the annual day in the year meant. For step and errors see `Frame.nearest`."""
    return frame.of_each_year(lambda year: frame.day(date(year, month, day)), step).start.date()


def _weekday(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """Resolve "last Friday" to the latest before today, "next Friday" to next week's, and a bare one to the nearest."""
    target, which = weekday_number(match["weekday"]), (match["which"] or "").lower()
    if which in {"next", "this"}:
        return on_day(match, frame, frame.monday + timedelta(days=target + 7 * (which == "next")))
    past = step_of(which) == -1 if which else frame.past
    return on_day(match, frame, frame.weekday(target, past=past))


def _days_away(distance: int) -> Reader:
    return lambda match, frame: on_day(match, frame, frame.today + distance * DAY)


def _hier(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """Accept "hier" only among French words: in German it means "here"."""
    around = match.string[max(match.start() - _MOST_CHARACTERS, 0) : match.end() + _MOST_CHARACTERS]
    return on_day(match, frame, frame.today - DAY) if _FRENCH.search(around) else None


_NAMED = rf"(?:{WEEKDAY},? (?:the )?)?"
_ORDINAL = rf"(?P<day>[0-3]?\d(?:st|nd|rd|th)?|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})"

NUMBERED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)(?:\b|(?=T))", _calendar_date),
    (rf"\b(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{YEAR}\b", _calendar_date),
)

DATED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{_NAMED}{_ORDINAL} (?:of )?{MONTH}(?! (?:be|have|not)\b)(?:,? {YEAR})?", _calendar_date),
    (rf"\b{_NAMED}{MONTH} (?:the )?{_ORDINAL}\b(?:,? {YEAR})?", _calendar_date),
)

DAYS_OF_WEEK: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?<!\ba )(?:(?P<which>last|next|this past|this coming|this|past) )?{WEEKDAY}\b{PART}", _weekday),
)

_NOON = 12
_PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 17), "evening": (17, 23), "night": (18, 30)}
_NAMED_HOURS = {"noon": 12, "midday": 12, "midnight": 24}
_TURNS = TURNS | {"half": (0, 30)}
_HOURS = "|".join(word for word, number in NUMBERS.items() if word[0] != "a" and 0 < number <= _NOON)

_CLOCK = (
    rf"(?P<at>(?:at|@|around|about|from|by|until) )?(?:(?P<named>{'|'.join(_NAMED_HOURS)})\b"
    rf"|(?:(?:a )?(?P<turn>{'|'.join(_TURNS)}) )?(?P<hour>\d{{1,2}}|(?:{_HOURS})\b)"
    r"(?:(?P<minute>[:.][0-5]\d)(?::[0-5]\d)?)?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?|(?P<sharp> o'clock))?(?![\d:%€$£]))"
)

_AFTER = re.compile(rf"(?:,? |T){_CLOCK}", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<![\w.:]){_CLOCK}(?: on| of|,)? $", re.IGNORECASE)

_PART_BEFORE = re.compile(
    r"\b(?:in|on|during) the (?P<part>morning|afternoon|evening|night) (?:of|on) (?:the )?$", re.IGNORECASE
)

_REACH = 40
"""Characters before a day to search for a time of day."""


def on_day(match: re.Match[str], frame: Frame, day: date) -> FactOccurrence:
    """Return the day of a phrase, or the part or time of day stated within or beside the phrase."""
    before, after = match.string[max(match.start() - _REACH, 0) : match.start()], match.string[match.end() :]
    groups, earlier = match.groupdict(), _PART_BEFORE.search(before)
    named = next((part for part in _PARTS_OF_DAY if groups.get(part)), None)
    part = (named or groups.get("part") or (earlier["part"] if earlier else "")).lower()
    clock = _clock(_AFTER.match(after), part) or _clock(_BEFORE.search(before), part)
    midnight = frame.midnight(day)
    if clock is not None:
        hour, minute = clock
        moment = midnight + timedelta(hours=hour, minutes=minute or 0)
        return _from_moment(moment, Granularity.HOUR if minute is None else Granularity.MINUTE)
    if not part:
        return frame.day(day)
    first, last = (midnight + timedelta(hours=hour) for hour in _PARTS_OF_DAY[part])
    return FactOccurrence(start=first, end=last, granularity=Granularity.PART_OF_DAY)


def _from_moment(start: datetime, granularity: Granularity) -> FactOccurrence:
    """Return an hour or a minute, computed in UTC, so that its length is right when clocks change and a local hour is missing."""
    first = start.astimezone(UTC)
    last = first + (timedelta(hours=1) if granularity is Granularity.HOUR else timedelta(minutes=1))
    return FactOccurrence(
        start=first.astimezone(start.tzinfo), end=last.astimezone(start.tzinfo), granularity=granularity
    )


def shifted(frame: Frame, number: int, unit: str) -> FactOccurrence:
    """Return the calendar unit at a given distance: minute, day, week and so on."""
    today = frame.today
    if unit in {"minute", "hour"}:
        return moment(frame, timedelta(**{unit + "s": number}), Granularity(unit))
    if unit in {"day", "night"}:
        return frame.day(today + number * DAY)
    if unit in {"week", "fortnight"}:
        return frame.week(today + timedelta(weeks=number * (2 if unit == "fortnight" else 1)))
    if unit == "weekend":
        return frame.weekend(today + timedelta(weeks=number))
    if unit == "month":
        return frame.month(*months_on(today.year, today.month, number))
    return frame.year(today.year + number)


def moment(frame: Frame, distance: timedelta, granularity: Granularity) -> FactOccurrence:
    """Return the time at a distance in elapsed time, unaffected by clock changes."""
    there = (frame.said_at.astimezone(UTC) + distance).astimezone(frame.said_at.tzinfo).replace(second=0, microsecond=0)
    return _from_moment(there.replace(minute=0) if granularity is Granularity.HOUR else there, granularity)


def _clock(match: re.Match[str] | None, part: str) -> tuple[int, int | None] | None:
    """Return the hour and, if stated, the minute; hour 24 is the midnight at the end of the day. None if it is no clock time."""
    if match is None:
        return None
    if match["named"]:
        return _NAMED_HOURS[match["named"].lower()], None
    hour, half, minute = number_of(match["hour"]), (match["half"] or "").lower(), match["minute"]
    step, minutes = _TURNS.get((match["turn"] or "").lower(), (0, int(minute[1:]) if minute else None))
    hour += step
    told = match["at"] or match["turn"] or half or match["sharp"] or (minute or "").startswith(":")
    if not told or hour not in range(_NOON + 1 if half else 24):
        return None  # "3 people"
    if half:
        return hour % _NOON + (_NOON if half == "p" else 0), minutes
    if part in {"afternoon", "evening"} and hour < _NOON:
        hour += _NOON
    elif part == "night" and hour <= _NOON:
        hour += 24 if hour < _PARTS_OF_DAY["morning"][0] else _NOON
    return hour, minutes


_GERMAN_PART = (
    r"(?: (?:(?P<morning>früh|morgen|vormittag)|(?P<afternoon>nachmittag)|(?P<evening>abend)|(?P<night>nacht))\b)?"
)

_NO_MORNING = r"(?<!heute )(?<!gestern )(?<!guten )(?<!am )(?<!jeden )(?<!der )"
_SPANISH_PART = r"(?: (?:por|en|a) la (?:(?P<morning>mañana)|(?P<afternoon>tarde)|(?P<night>noche))\b)?"
_FRENCH_PART = r"(?: (?:(?P<morning>matin)|(?P<afternoon>après-midi)|(?P<evening>soir))\b)?"

# In "heute vor zwei Jahren", "hoy hace dos años", "il y a deux ans aujourd'hui", the day only anchors the distance.
_NOT_FAR_DE = r"(?! (?:vor|in) \w+ (?:tag|woche|monat|jahr))"
_NOT_FAR_ES = r"(?!,? (?:hace|en|dentro de) \w+ (?:días?|semanas?|mes(?:es)?|años?)\b| en (?:d[ií]a|adelante)\b)"
_NOT_FAR_FR = r"(?!,? (?:il y a|dans) \w+ (?:jours?|semaines?|mois|ans?)\b| en (?:huit|quinze)\b)"
_AFTER_FAR_ES = r"(?<!\bdías )(?<!\bsemana )(?<!\bsemanas )(?<!\bmes )(?<!\bmeses )(?<!\baño )(?<!\baños )"
_AFTER_FAR_FR = r"(?<!\bjours )(?<!\bsemaine )(?<!\bsemaines )(?<!\bmois )(?<!\ban )(?<!\bans )"

_FRENCH = re.compile(
    r"\b(?:je|j['’]\w+|nous|il|elle|le|la|les|une|des|est|était|suis|mon|ma|mes|avec|dans)\b", re.IGNORECASE
)

_MOST_CHARACTERS = 400

_DAYS: tuple[tuple[str, int], ...] = (
    (rf"\b(?:the )?day before yesterday{PART}", -2),
    (rf"\byesterday{PART}", -1),
    (r"\blast (?P<part>night|morning|afternoon|evening)\b", -1),
    (r"\b(?:today|this (?P<part>night|morning|afternoon|evening)\b|to(?P<night>night)\b)", 0),
    (rf"\b(?:the )?day after tomorrow{PART}", 2),
    (rf"\b(?:tomorrow|tmrw|tmr){PART}", 1),
    (rf"\bvorgestern\b{_GERMAN_PART}", -2),
    (rf"\bgestern\b{_NOT_FAR_DE}{_GERMAN_PART}", -1),
    (rf"\bheute\b{_NOT_FAR_DE}{_GERMAN_PART}", 0),
    (rf"{_NO_MORNING}\b(?:(?-i:morgen)|(?:^|(?<=[.!?] ))Morgen)\b{_NOT_FAR_DE}{_GERMAN_PART}", 1),
    (rf"\bübermorgen\b{_GERMAN_PART}", 2),
    (rf"\b(?:anteayer|antes de ayer)\b{_SPANISH_PART}", -2),
    (rf"(?<!antes de )\bayer\b{_SPANISH_PART}", -1),
    (r"\b(?P<night>anoche)\b", -1),
    (r"\besta (?:(?P<morning>mañana)|(?P<afternoon>tarde)|(?P<night>noche))\b", 0),
    (rf"{_AFTER_FAR_ES}\bhoy\b{_NOT_FAR_ES}{_SPANISH_PART}", 0),
    (rf"(?<!pasado )(?<!la )(?<!esta )(?<!cada )(?<!una )\bmañana\b{_SPANISH_PART}", 1),
    (rf"\bpasado mañana\b{_SPANISH_PART}", 2),
    (rf"\bavant-hier\b{_FRENCH_PART}", -2),
    (r"(?<!-)\bhier (?:(?P<morning>matin)|(?P<afternoon>après-midi)|(?P<evening>soir))\b", -1),
    (r"\bce (?:(?P<morning>matin)|(?P<evening>soir))\b", 0),
    (rf"{_AFTER_FAR_FR}\baujourd['’]hui\b{_NOT_FAR_FR}{_FRENCH_PART}", 0),
    (rf"(?<!-)\bdemain\b{_FRENCH_PART}", 1),
    (rf"\baprès-demain\b{_FRENCH_PART}", 2),
)

NEAR_DAYS: tuple[tuple[str, Reader], ...] = (
    *((pattern, _days_away(distance)) for pattern, distance in _DAYS),
    (r"(?<!-)\bhier\b(?! (?:matin|après-midi|soir))", _hier),
)

_HOLIDAYS = "|".join(sorted({*HOLIDAYS, *AFTER_EASTER}, key=len, reverse=True)).replace("'", "['’]?")
_HOLIDAY_NAMES = {name.replace("'", ""): name for name in (*HOLIDAYS, *AFTER_EASTER)}


def _month(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return _in_its_year(match, frame, month_number(match["month"]), 1)


def _season(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return _in_its_year(match, frame, SEASON_STARTS[match["season"].lower()], 3)


def _in_its_year(match: re.Match[str], frame: Frame, month: int, size: int) -> FactOccurrence:
    groups = match.groupdict()
    if groups.get("year"):
        return frame.month(int(groups["year"]), month, size)
    return frame.of_each_year(lambda year: frame.month(year, month, size), step_of(groups.get("which")))


def _holiday(match: re.Match[str], frame: Frame) -> FactOccurrence:
    name = _HOLIDAY_NAMES[match["holiday"].lower().replace("'", "").replace("’", "")]
    if match["year"]:
        return on_day(match, frame, holiday_of(name, int(match["year"])))
    nearest = frame.of_each_year(lambda year: frame.day(holiday_of(name, year)), step_of(match["which"]))
    return on_day(match, frame, nearest.start.date())


_LEADS = r"(?:in|during|by|since|until|till|of|for|from|early|late|mid|end of|around|every|on)"
_PLAIN_MONTH = r"(?!may\b|march\b|mar\b)"

IN_A_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b{MONTH},? (?:of )?{YEAR}\b", _month),
    (rf"\b{YEAR}-(?P<month>0[1-9]|1[0-2])\b(?!-)", _month),
    (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season),
)

_NO_HOLIDAY = r"(?<!\ba )(?<!\banother )(?<!\bmy )(?<!\bvery )"  # "have a good Friday"
_NAMED_AFTER = r"(?! (?:egg|bunny|island|hunt)s?\b)"

NAMED_DAYS: tuple[tuple[str, Reader], ...] = (
    (
        rf"{_NO_HOLIDAY}\b(?:(?P<which>last|next|this) )?(?P<holiday>{_HOLIDAYS})\b{_NAMED_AFTER}(?:,? {YEAR})?",
        _holiday,
    ),
)

OF_EACH_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?P<which>last|next|this) {MONTH}\b", _month),
    (rf"\b{_LEADS}[ -](?:early |late |mid-? ?)?(?P<which>){MONTH}(?! (?:be|have|not|well|or may)\b)", _month),
    (r"\b(?P<which>last|this past|next|this) (?P<season>spring|summer|autumn|fall|winter)\b", _season),
    (r"\b(?:in|over|during) (?:the )?(?P<season>spring|summer|autumn|winter)\b", _season),
    (
        rf"\b(?:in|of|during|since|around|by|back in|year) {YEAR}\b(?!-)",
        lambda match, frame: frame.year(int(match["year"])),
    ),
    (rf"\b(?:(?P<which>last|next|this) )?{_PLAIN_MONTH}{MONTH}(?= (?:is|was|will)\b)", _month),
)
