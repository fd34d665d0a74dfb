"""Check that a fact's figure stands beside the same words as in its sources: "deposit on the 13th, keys on the 27th"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from mosshead.language.lexicon import Lexicon, Word, every_lexicon, phrases_in
from mosshead.language.numbers import spelt_numbers
from mosshead.language.passage import Passage
from pipeline.extraction.doubts.bindings import closest_to, is_only_elsewhere
from pipeline.extraction.doubts.interpretation import Interpretation, is_name

_NUMBERED_DAY: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º|ª)?")
_DAY_MONTH: Final = re.compile(r"(?<![\d.,/-])(\d{1,2})[./-](\d{1,2})(?![\d,:])")
_CLOCK: Final = re.compile(r"\d{1,2}[:.h]\d\d|\d{1,2} ?(?:am|pm|h|hs|uhr|uur|heures)\b|o.clock", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th|er)$")
_LEADING: Final = re.compile(r"\d+")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_BEFORE_DAYS: Final = frozenset("dia den le el il am al".split())
_LAST_DAY, _LAST_MONTH, _LONGEST_NUMBER = 31, 12, 6
_MONTH_WITHIN, _DENIED_WITHIN = 2, 3
"""How many words away a day's month may be, and how many words before a figure its denial."""


@dataclass(frozen=True)
class _Segment:
    """Words of a sentence around a figure, with its figures.

    days: each with its month, or 0. vague: "tomorrow" and "in two weeks" may mean any day.
    """

    passage: Passage
    words: Sequence[Word]
    days: frozenset[tuple[int, int]]
    weekdays: frozenset[int]
    numbers: frozenset[str]
    vague: bool

    @property
    def has_figures(self) -> bool:
        return bool(self.days or self.weekdays or self.numbers)

    @property
    def text(self) -> str:
        return self.passage.text[self.words[0].start : self.words[-1].end + 1]

    @property
    def plain_days(self) -> frozenset[int]:
        return frozenset(day for day, _ in self.days)


def misplaces_a_figure(compared: Interpretation) -> bool:
    """Whether the fact puts a figure beside the wrong words, or affirms one that its sources deny.

    Wrong words: the closest part of the sources has another figure, and the fact's own stands only in other parts.
    """
    if any(passage.speaker for passage in compared.said):
        return False  # in a group, a message answers another's
    sources = [segment for passage in compared.said for segment in _segments(passage)]
    ours = [_segment(compared.content, clause.words) for clause in compared.content.clauses]
    used = frozenset(number for one in ours for number in (*one.numbers, *map(str, one.plain_days)))
    return any(_is_moved(compared, one, sources, used) or _is_denied(one, sources) for one in ours)


def _is_denied(ours: _Segment, sources: Sequence[_Segment]) -> bool:
    """Whether a clause affirms a figure that every mention in the sources denies: "on the 12th, not the 10th"."""
    if any(ours.passage.is_negation(word.key) for word in ours.words):
        return False
    for word in ours.words:
        if not word.key[:1].isdecimal() or len(word.key) > _LONGEST_NUMBER or _YEAR.fullmatch(word.text):
            continue
        said = [
            _follows_a_denial(segment, at)
            for segment in sources
            for at, one in enumerate(segment.words)
            if _ORDINAL.sub("", one.key) == _ORDINAL.sub("", word.key)
        ]
        if said and all(said):
            return True
    return False


def _follows_a_denial(segment: _Segment, at: int) -> bool:
    """Whether a negation precedes a word, with only function words and no comma between: "not on the 10th"."""
    passage, words = segment.passage, segment.words
    english = any(one.language == "en" for one in passage.lexicons[:1])
    for one in reversed(words[max(at - _DENIED_WITHIN, 0) : at]):
        if one.key == "no" and english:
            return False  # "wait no 75"
        if passage.is_negation(one.key):
            return "," not in passage.text[one.end : words[at].start]
        if not passage.has("function", one.key):
            return False
    return False


def _is_moved(compared: Interpretation, ours: _Segment, sources: Sequence[_Segment], used: frozenset[str]) -> bool:
    told = [
        word
        for word in ours.words
        if ours.passage.counts(word) and not is_name(word, ours.passage, compared.named - compared.things)
    ]
    closest = closest_to(told, sources)
    if closest is None:
        return False
    dated = _date_of(ours)
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
        if len(number) <= _LONGEST_NUMBER and not _YEAR.fullmatch(number)
    ]
    return any(is_only_elsewhere(holders, closest, told) for holders in holding)


def _date_of(ours: _Segment) -> date | None:
    """Return the only whole date of a clause: "13 March 2026"."""
    (day, month), *more = [*(one for one in ours.days if one[1]), (0, 0)]
    years = [int(word.text) for word in ours.words if _YEAR.fullmatch(word.text)]
    if len(more) != 1 or len(years) != 1:
        return None
    try:
        return date(years[0], month, day)
    except ValueError:
        return None


def _may_say(dated: date, ours: _Segment, segment: _Segment) -> bool:
    """Whether a part of the sources may mean a date, or another day that the fact names: "from 2 to 11 April"."""
    days = {*ours.plain_days, *(int(one) for one in ours.numbers if _NUMBERED_DAY.fullmatch(one))}
    return (
        segment.vague
        or dated.weekday() in segment.weekdays
        or any(str(day) in segment.numbers for day in days)
        or any(day in days and (day != dated.day or month in {0, dated.month}) for day, month in segment.days)
    )


def _segments(passage: Passage) -> Iterator[_Segment]:
    """Yield the parts of a text's sentences, each with the figures of one clause."""
    for _, clauses in groupby(passage.clauses, key=lambda clause: clause.sentence):
        parts: list[list[Word]] = [[]]
        for clause in clauses:
            parts[-1].extend(clause.words)
            if _segment(passage, clause.words).has_figures:
                parts.append([])
        *parts, rest = parts
        if parts:
            parts[-1].extend(rest)
        yield from (_segment(passage, words) for words in parts or [rest])


def _segment(passage: Passage, words: Sequence[Word]) -> _Segment:
    lexicons = passage.lexicons[:1] or every_lexicon()
    text = passage.text[words[0].start : words[-1].end + 1]
    days = {(int(day), int(month)) for day, month in _DAY_MONTH.findall(text) if int(day) <= _LAST_DAY}
    days = {(day, month) for day, month in days if 0 < month <= _LAST_MONTH}
    numbers = {
        one
        for lexicon in lexicons[:1]
        for one in spelt_numbers(" ".join(word.text for word in words), lexicon, articles=False)
    }
    for at, word in enumerate(words):
        if not word.key[:1].isdecimal():
            continue
        (leading,) = _LEADING.findall(word.key)[:1]
        if not _names_a_day(passage, words, at, lexicons):
            numbers.add(leading)
        elif int(leading) not in {one for one, _ in days}:
            near = words[max(at - _MONTH_WITHIN, 0) : at + 1 + _MONTH_WITHIN]
            days.add(
                (
                    int(leading),
                    next((lex.months[one.key] for lex in lexicons for one in near if one.key in lex.months), 0),
                )
            )
    keys = [word.key for word in words]
    return _Segment(
        passage=passage,
        words=words,
        days=frozenset(days),
        weekdays=frozenset(one.weekdays[key] for one in lexicons for key in keys if key in one.weekdays),
        numbers=frozenset(numbers),
        vague=any(key in one.spans for one in lexicons for key in keys)
        or any(True for one in lexicons for _ in phrases_in(keys, one.days)),
    )


def _names_a_day(passage: Passage, words: Sequence[Word], at: int, lexicons: Sequence[Lexicon]) -> bool:
    """Whether a number is a day of a month: "14th", "am 17.", "le 16", "Tuesday 10", "3 maart"."""
    word, before = words[at], words[max(at - _MONTH_WITHIN, 0) : at]
    language = lexicons[0].language
    day = _NUMBERED_DAY.fullmatch(word.text.casefold())
    if day is None or int(day[1]) > _LAST_DAY:
        return False
    near = (*before, *words[at + 1 : at + 1 + _MONTH_WITHIN])
    ordinal = not word.text.isdecimal() or (language == "de" and passage.text[word.end : word.end + 1] == ".")
    introduced = language != "en" and any(one.key in _BEFORE_DAYS for one in before[-1:])
    return (
        ordinal
        or introduced
        or any(one.key in lexicon.months for lexicon in lexicons for one in near)
        or any(one.key in lexicon.weekdays for lexicon in lexicons for one in before)
    )
