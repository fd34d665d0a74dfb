"""Everyday words for days and weeks in German, Spanish and French: a table, and no grammar."""

import re
from datetime import timedelta

from pipeline.models import Occurrence
from pipeline.times.clocks import on_day
from pipeline.times.spans import Frame, Reader, month_of, months_on, week_of, year_of

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
    def read(match: re.Match[str], frame: Frame) -> Occurrence:
        named = next((name for name, word in match.groupdict().items() if word), part)
        return on_day(match, frame, frame.today + timedelta(days=distance), part=named)

    return read


def _hier(match: re.Match[str], frame: Frame) -> Occurrence | None:
    """Among French words only, for it is "here" in German."""
    around = match.string[max(match.start() - _MOST_CHARACTERS, 0) : match.end() + _MOST_CHARACTERS]
    return on_day(match, frame, frame.today - timedelta(days=1)) if _FRENCH.search(around) else None


def _of_stretch(unit: str, step: int) -> Reader:
    def read(match: re.Match[str], frame: Frame) -> Occurrence:  # noqa: ARG001 - the word alone says it
        today = frame.today
        if unit == "week":
            return week_of(frame, today + timedelta(weeks=step))
        if unit == "month":
            return month_of(frame, *months_on(today.year, today.month, step))
        return year_of(frame, today.year + step)

    return read


FOREIGN: tuple[tuple[str, Reader], ...] = (
    *((pattern, _of_stretch(unit, step)) for pattern, unit, step in _STRETCHES),
    (r"(?<!-)\bhier\b(?! (?:matin|après-midi|soir))", _hier),
    *((pattern, _of_day(distance, part)) for pattern, distance, part in _DAYS),
)
