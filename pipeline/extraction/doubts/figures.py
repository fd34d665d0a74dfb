"""Check that a fact's figure stands beside the same words as in its sources, and that they do not deny it."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from mosshead.language.lexicon import first_names
from pipeline.extraction.doubts.bindings import closest_to, is_only_elsewhere
from pipeline.extraction.doubts.interpretation import Interpretation, is_name
from pipeline.extraction.doubts.labels import labels_another
from pipeline.extraction.doubts.replacements import replacements_in
from pipeline.extraction.doubts.segments import (
    LONGEST_NUMBER,
    NUMBERED_DAY,
    YEAR,
    Segment,
    date_of,
    segment_of,
    segments_of,
)

_CLOCK: Final = re.compile(r"\d{1,2}[:.h]\d\d|\d{1,2} ?(?:am|pm|h|hs|uhr|uur|heures)\b|o.clock", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th|er)$")
_ANSWERS: Final = frozenset("no nein non nao nee".split())
_OH: Final = frozenset("ah oh ach oups ay ops oui wait".split())
_DENIED_WITHIN = 3
"""How many words before a figure its denial may be."""


def misplaces_a_figure(compared: Interpretation) -> bool:
    """Whether the fact puts a figure beside the wrong words, or affirms one that its sources deny.

    Wrong words: the closest part of the sources has another figure, and the fact's own stands only in other parts.
    """
    if any(passage.speaker for passage in compared.said):
        return False  # in a group, a message answers another's
    sources = [segment for passage in compared.said for segment in segments_of(passage)]
    ours = [segment_of(compared.content, clause.words) for clause in compared.content.clauses]
    used = frozenset(number for one in ours for number in (*one.numbers, *map(str, one.plain_days)))
    replaced = replacements_in(compared.said, compared.content)
    if any(labels_another(compared, one) for one in compared.said):
        return True
    return any(
        _is_moved(compared, one, sources, used)
        or _is_denied(one, sources)
        or any(old in {*one.numbers, *map(str, one.plain_days)} and new not in used for old, new in replaced)
        for one in ours
    )


def _is_denied(ours: Segment, sources: Sequence[Segment]) -> bool:
    """Whether a clause affirms a figure or a name that its sources only ever deny: "on the 12th, not the 10th"."""
    passage = ours.passage
    if any(passage.is_negation(word.key) for word in ours.words):
        return False
    german = passage.language == "de"
    ended = any(passage.has("weak", word.key) for word in passage.words) or passage.tells(
        "ends", [w.key for w in passage.words]
    )
    for at, word in enumerate(ours.words):
        figure = word.key[:1].isdecimal() and len(word.key) <= LONGEST_NUMBER and not YEAR.fullmatch(word.text)
        plain = passage.has("function", word.key) and not passage.is_timed(word)  # "May" is a month
        named = word.text.istitle() and not (ended or plain)
        if not (figure or (named and (word.key in first_names() or (at and not german)))):
            continue
        said = [
            _follows_a_denial(segment, place)
            for segment in sources
            for place, one in enumerate(segment.words)
            if _ORDINAL.sub("", one.key) == _ORDINAL.sub("", word.key)
        ]
        if said and all(said):
            return True
    return False


def _follows_a_denial(segment: Segment, at: int) -> bool:
    """Whether a negation precedes a word, with only function words and no comma between: "not on the 10th"."""
    passage, words = segment.passage, segment.words
    english = passage.language == "en"
    for one in reversed(words[max(at - _DENIED_WITHIN, 0) : at]):
        if one.key == "no" and english:
            return False  # "wait no 75"
        if passage.is_negation(one.key):
            opens = any(not passage.text[start : one.start].strip(" ¡¿") for start, _ in passage.sentences)
            second = words[:1] != words[at - 1 : at] and any(word.key in _OH for word in words[:1])
            answers = one.key in _ANSWERS and (opens or second)
            return not answers and "," not in passage.text[one.end : words[at].start]
        if not (passage.has("function", one.key) or passage.has("persons", one.key) or passage.is_timed(one)):
            return False
    return False


def _is_moved(compared: Interpretation, ours: Segment, sources: Sequence[Segment], used: frozenset[str]) -> bool:
    told = [
        word
        for word in ours.words
        if ours.passage.counts(word) and not is_name(word, ours.passage, compared.named - compared.things)
    ]
    closest = closest_to(told, sources)
    if closest is None:
        return False
    dated = date_of(ours)
    if dated:
        holders = [one for one in sources if _may_say(dated, ours, one)]
        other = bool(closest.weekdays or closest.days) and closest not in holders
        return other and (not holders or is_only_elsewhere(holders, closest, told))
    if ours.weekdays and not ours.days and closest.weekdays:
        holders = [one for one in sources if one.vague or one.weekdays & ours.weekdays]
        return is_only_elsewhere(holders, closest, told)
    if _CLOCK.search(ours.text) or _CLOCK.search(closest.text) or closest.numbers <= used:
        return False
    holding = [
        [one for one in sources if number in one.numbers or number in map(str, one.plain_days)]
        for number in ours.numbers
        if len(number) <= LONGEST_NUMBER and not YEAR.fullmatch(number)
    ]
    return any(is_only_elsewhere(holders, closest, told) for holders in holding)


def _may_say(dated: date, ours: Segment, segment: Segment) -> bool:
    """Whether a part of the sources may mean a date, or another day that the fact names: "from 2 to 11 April"."""
    days = {*ours.plain_days, *(int(one) for one in ours.numbers if NUMBERED_DAY.fullmatch(one))}
    return (
        segment.vague
        or dated.weekday() in segment.weekdays
        or any(str(day) in segment.numbers for day in days)
        or any(day in days and (day != dated.day or month in {0, dated.month}) for day, month in segment.days)
    )
