"""One day, by its date or by its name: "3 May 2019", "2019-05-03", "yesterday evening", "on Friday"."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from mosshead.language.dates.spans import (
    DAY_WORDS,
    HOLIDAYS,
    LEADS,
    MONTH,
    NUMBERS,
    ORDINAL,
    PART,
    PARTS_OF_DAY,
    PLAIN_MONTH,
    SEASON_STARTS,
    WEEKDAY,
    YEAR,
    Frame,
    Reader,
    coming,
    day_number,
    latest,
    month_number,
    month_of,
    months_on,
    nearest_year,
    number_of,
    week_of,
    weekday_number,
    weekend_of,
    year_of,
    year_of_nearest,
)
from mosshead.models.kinds import Granularity
from mosshead.models.occurrence import FactOccurrence


def _numbered_date(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return on_day(match, frame, date(int(match["year"]), int(match["month"]), int(match["day"])))


def _at_minute(match: re.Match[str], frame: Frame) -> FactOccurrence:
    day = date(int(match["year"]), int(match["month"]), int(match["day"]))
    return at_clock(frame, day, Clock(int(match["hour"]), int(match["minute"])))


def _calendar_date(match: re.Match[str], frame: Frame) -> FactOccurrence:
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


def _near_day(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return on_day(match, frame, frame.today + timedelta(days=DAY_WORDS[match["word"].lower()]))


def _weekday(match: re.Match[str], frame: Frame) -> FactOccurrence:
    """ "last Friday" is the latest before today, "next Friday" that of the coming week, a bare one the nearest."""
    target = weekday_number(match["weekday"])
    which = (match["which"] or "").lower().split()[-1:]
    if which in (["next"], ["this"]):
        return on_day(match, frame, frame.monday + timedelta(days=target + 7 * (which == ["next"])))
    if which in (["last"], ["past"]) or (not which and frame.past):
        return on_day(match, frame, latest(frame, target))
    return on_day(match, frame, coming(frame, target))


_NAMED = rf"(?:{WEEKDAY},? (?:the )?)?"

NUMBERED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)[T ](?P<hour>[0-2]\d):(?P<minute>[0-5]\d)", _at_minute),
    (rf"\b{YEAR}[-/](?P<month>[01]?\d)[-/](?P<day>[0-3]?\d)\b", _numbered_date),
    (rf"\b(?P<day>[0-3]?\d)\.(?P<month>[01]?\d)\.{YEAR}\b", _numbered_date),
)

DATED_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b{_NAMED}{ORDINAL} (?:of )?{MONTH}(?! (?:be|have|not)\b)(?:,? {YEAR})?", _calendar_date),
    (rf"\b{_NAMED}{MONTH} (?:the )?{ORDINAL}\b(?:,? {YEAR})?", _calendar_date),
)

NEAR_DAYS: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?P<word>(?:the )?day (?:before yesterday|after tomorrow)|yesterday|tomorrow){PART}", _near_day),
    (r"\b(?P<word>today)", _near_day),
    (r"\b(?P<word>last|this) (?P<part>night|morning|afternoon|evening)\b", _near_day),
    (r"\b(?P<word>to)(?P<part>night)\b", _near_day),
)

DAYS_OF_WEEK: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?<!\ba )(?:(?P<which>last|next|this past|this coming|this|past) )?{WEEKDAY}\b{PART}", _weekday),
)

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


def on_day(match: re.Match[str], frame: Frame, day: date, part: str | None = None) -> FactOccurrence:
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
    return FactOccurrence(
        start=midnight + timedelta(hours=first),
        end=midnight + timedelta(hours=last),
        granularity=Granularity.PART_OF_DAY,
    )


def at_clock(frame: Frame, day: date, clock: Clock) -> FactOccurrence:
    """The minute or the hour. It lasts as long on the day that the clocks change, when an hour of the dial may not exist."""
    wall = frame.midnight(day) + timedelta(hours=clock.hour, minutes=clock.minute or 0)
    if clock.minute is None:
        return stretch(wall, timedelta(hours=1), Granularity.HOUR)
    return stretch(wall, timedelta(minutes=1), Granularity.MINUTE)


def stretch(start: datetime, size: timedelta, granularity: Granularity) -> FactOccurrence:
    """So much time from a moment on, in its zone."""
    first = start.astimezone(UTC)
    return FactOccurrence(
        start=first.astimezone(start.tzinfo), end=(first + size).astimezone(start.tzinfo), granularity=granularity
    )


def shifted(frame: Frame, number: int, unit: str) -> FactOccurrence:
    """The minute, the day, the week and so on that lies a number of them away."""
    today = frame.today
    if unit in {"minute", "hour"}:
        return moment(frame, timedelta(**{unit + "s": number}), Granularity(unit))
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


def moment(frame: Frame, distance: timedelta, granularity: Granularity) -> FactOccurrence:
    """So far from now by the clock that never stops, whatever the one on the wall does in between."""
    there = (frame.said_at.astimezone(UTC) + distance).astimezone(frame.said_at.tzinfo)
    if granularity is Granularity.MINUTE:
        return stretch(there.replace(second=0, microsecond=0), timedelta(minutes=1), granularity)
    return stretch(there.replace(minute=0, second=0, microsecond=0), timedelta(hours=1), granularity)


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


_GERMAN_PART = (
    r"(?: (?:(?P<morning>früh|morgen|vormittag)|(?P<afternoon>nachmittag)|(?P<evening>abend)|(?P<night>nacht))\b)?"
)

_NO_MORNING = r"(?<!heute )(?<!gestern )(?<!guten )(?<!am )(?<!jeden )(?<!der )"
_SPANISH_PART = r"(?: (?:por|en|a) la (?:(?P<morning>mañana)|(?P<afternoon>tarde)|(?P<night>noche))\b)?"
_FRENCH_PART = r"(?: (?:(?P<morning>matin)|(?P<afternoon>après-midi)|(?P<evening>soir))\b)?"

_UNIT_DE, _UNIT_ES, _UNIT_FR = (
    "(?:tag|woche|monat|jahr)",
    "(?:días?|semanas?|mes(?:es)?|años?)",
    "(?:jours?|semaines?|mois|ans?)",
)

# "Heute vor zwei Jahren", "hoy hace dos años", "il y a deux ans aujourd'hui": the day is only where the distance begins.
_NOT_FAR_DE = rf"(?! (?:vor|in) \w+ {_UNIT_DE})"
_NOT_FAR_ES = rf"(?!,? (?:hace|en|dentro de) \w+ {_UNIT_ES}\b| en (?:d[ií]a|adelante)\b)"
_NOT_FAR_FR = rf"(?!,? (?:il y a|dans) \w+ {_UNIT_FR}\b| en (?:huit|quinze)\b)"
_AFTER_FAR_ES = r"(?<!\bdías )(?<!\bsemana )(?<!\bsemanas )(?<!\bmes )(?<!\bmeses )(?<!\baño )(?<!\baños )"
_AFTER_FAR_FR = r"(?<!\bjours )(?<!\bsemaine )(?<!\bsemaines )(?<!\bmois )(?<!\ban )(?<!\bans )"

_FRENCH = re.compile(
    r"\b(?:je|j['’]\w+|nous|il|elle|le|la|les|une|des|est|était|suis|mon|ma|mes|avec|dans)\b", re.IGNORECASE
)

_MOST_CHARACTERS = 400

_DAYS: tuple[tuple[str, int, str], ...] = (
    (rf"\bvorgestern\b{_GERMAN_PART}", -2, ""),
    (rf"\bgestern\b{_NOT_FAR_DE}{_GERMAN_PART}", -1, ""),
    (rf"\bheute\b{_NOT_FAR_DE}{_GERMAN_PART}", 0, ""),
    (rf"\bübermorgen\b{_GERMAN_PART}", 2, ""),
    (rf"{_NO_MORNING}\b(?:(?-i:morgen)|(?:^|(?<=[.!?] ))Morgen)\b{_NOT_FAR_DE}{_GERMAN_PART}", 1, ""),
    (rf"\b(?:anteayer|antes de ayer)\b{_SPANISH_PART}", -2, ""),
    (r"\banoche\b", -1, "night"),
    (rf"(?<!antes de )\bayer\b{_SPANISH_PART}", -1, ""),
    (r"\besta mañana\b", 0, "morning"),
    (r"\besta tarde\b", 0, "afternoon"),
    (r"\besta noche\b", 0, "night"),
    (rf"{_AFTER_FAR_ES}\bhoy\b{_NOT_FAR_ES}{_SPANISH_PART}", 0, ""),
    (rf"\bpasado mañana\b{_SPANISH_PART}", 2, ""),
    (rf"(?<!pasado )(?<!la )(?<!esta )(?<!cada )(?<!una )\bmañana\b{_SPANISH_PART}", 1, ""),
    (rf"\bavant-hier\b{_FRENCH_PART}", -2, ""),
    (r"(?<!-)\bhier (?:(?P<morning>matin)|(?P<afternoon>après-midi)|(?P<evening>soir))\b", -1, ""),
    (r"\bce matin\b", 0, "morning"),
    (r"\bce soir\b", 0, "evening"),
    (rf"{_AFTER_FAR_FR}\baujourd['’]hui\b{_NOT_FAR_FR}{_FRENCH_PART}", 0, ""),
    (rf"\baprès-demain\b{_FRENCH_PART}", 2, ""),
    (rf"(?<!-)\bdemain\b{_FRENCH_PART}", 1, ""),
)

_STRETCHES: tuple[tuple[str, str, int], ...] = (
    (r"\b(?:letzte|vorige)r? woche\b|\bla semana pasada\b|\bla semaine (?:dernière|passée)\b", "week", -1),
    (r"\bnächste[rn]? woche\b|\bla (?:próxima semana|semana que viene)\b|\bla semaine prochaine\b", "week", 1),
    (r"\b(?:letzt|vorig)e[nr] monat\b|\bel mes pasado\b|\ble mois (?:dernier|passé)\b", "month", -1),
    (r"\bnächste[nr] monat\b|\bel (?:próximo mes|mes que viene)\b|\ble mois prochain\b", "month", 1),
    (r"\b(?:letzt|vorig)es jahr\b|\bel año pasado\b|\bl['’](?:année dernière|an dernier)\b", "year", -1),
    (r"\bnächstes jahr\b|\bel (?:próximo año|año que viene)\b|\bl['’](?:année prochaine|an prochain)\b", "year", 1),
)


def _of_day(distance: int, part: str) -> Reader:
    def read(match: re.Match[str], frame: Frame) -> FactOccurrence:
        named = next((name for name, word in match.groupdict().items() if word), part)
        return on_day(match, frame, frame.today + timedelta(days=distance), part=named)

    return read


def _hier(match: re.Match[str], frame: Frame) -> FactOccurrence | None:
    """Among French words only, for it is "here" in German."""
    around = match.string[max(match.start() - _MOST_CHARACTERS, 0) : match.end() + _MOST_CHARACTERS]
    return on_day(match, frame, frame.today - timedelta(days=1)) if _FRENCH.search(around) else None


def _of_stretch(unit: str, step: int) -> Reader:
    return lambda _match, frame: shifted(frame, step, unit)


FOREIGN: tuple[tuple[str, Reader], ...] = (
    *((pattern, _of_stretch(unit, step)) for pattern, unit, step in _STRETCHES),
    (r"(?<!-)\bhier\b(?! (?:matin|après-midi|soir))", _hier),
    *((pattern, _of_day(distance, part)) for pattern, distance, part in _DAYS),
)

_HOLIDAYS = "|".join(sorted(HOLIDAYS, key=len, reverse=True)).replace("'", "['’]?")
_HOLIDAY_DATES = {name.replace("'", ""): date for name, date in HOLIDAYS.items()}


def _month(match: re.Match[str], frame: Frame) -> FactOccurrence:
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
    return month_of(frame, year_of_nearest(frame, month), month)


def _season(match: re.Match[str], frame: Frame) -> FactOccurrence:
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


def _year(match: re.Match[str], frame: Frame) -> FactOccurrence:
    return year_of(frame, int(match["year"]))


def _holiday(match: re.Match[str], frame: Frame) -> FactOccurrence:
    month, day = _HOLIDAY_DATES[match["holiday"].lower().replace("'", "").replace("’", "")]
    if match["year"]:
        return on_day(match, frame, date(int(match["year"]), month, day))
    which = (match["which"] or "").lower()
    back = frame.past if not which else which == "last"
    nearest = nearest_year(Frame(frame.said_at, back), month, day)
    return frame.days(nearest, nearest + timedelta(days=1), Granularity.DAY)


IN_A_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b{MONTH},? (?:of )?{YEAR}\b", _month),
    (rf"\b(?:the )?(?P<season>spring|summer|autumn|fall|winter)(?: of)? {YEAR}\b", _season),
)

OF_EACH_YEAR: tuple[tuple[str, Reader], ...] = (
    (rf"\b(?P<which>last|next|this) {MONTH}\b", _month),
    (rf"\b{LEADS}[ -](?:early |late |mid-? ?)?(?P<which>){MONTH}(?! (?:be|have|not|well|or may)\b)", _month),
    (r"\b(?P<which>last|this past|next|this) (?P<season>spring|summer|autumn|fall|winter)\b", _season),
    (r"\b(?:in|over|during) (?:the )?(?P<season>spring|summer|autumn|winter)\b", _season),
    (rf"\b(?:(?P<which>last|next|this) )?(?P<holiday>{_HOLIDAYS})\b(?:,? {YEAR})?", _holiday),
    (rf"\b(?:in|of|during|since|around|by|back in|year) {YEAR}\b(?!-)", _year),
    (rf"\b(?:(?P<which>last|next|this) )?{PLAIN_MONTH}{MONTH}(?= (?:is|was|will)\b)", _month),
)
