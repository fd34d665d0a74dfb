"""A sentence in parts, each with the figures of one clause: "deposit on the 13th | keys on the 27th"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from mosshead.language.lexicon import Lexicon, Word, every_lexicon, phrases_in
from mosshead.language.numbers import spelt_numbers
from mosshead.language.passage import Passage

NUMBERED_DAY: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|º|ª)?")
LEADING: Final = re.compile(r"\d+")
YEAR: Final = re.compile(r"(?:19|20)\d\d")
LONGEST_NUMBER: Final = 6
_DAY_MONTH: Final = re.compile(r"(?<![\d.,/-])(\d{1,2})[./-](\d{1,2})(?![\d,:])")
_BEFORE_DAYS: Final = frozenset("dia den le el il am al".split())
_LAST_DAY, _LAST_MONTH = 31, 12
_MONTH_WITHIN = 2
"""How many words away a day's month may be."""


@dataclass(frozen=True)
class Segment:
    """Words of a sentence around a figure, with its figures.

    days: each with its month, or 0. vague: "tomorrow", "in two weeks" and "at Easter" may mean any day.
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


def segments_of(passage: Passage) -> Iterator[Segment]:
    """Yield the parts of a text's sentences, each with the figures of one clause."""
    for _, clauses in groupby(passage.clauses, key=lambda clause: clause.sentence):
        parts: list[list[Word]] = [[]]
        labelled = False
        for clause in clauses:
            end = clause.words[-1].end
            label = passage.text[end : end + 1] == ":" and not any(map(passage.counts, clause.words))
            if label and parts[-1]:
                parts.append([])  # "Fri: hire van, Sat: set up"
            parts[-1].extend(clause.words)
            labelled = labelled or label
            if not labelled and segment_of(passage, clause.words).has_figures:
                parts.append([])
        if len(parts) > 1 and not labelled:
            rest = parts.pop()  # words after the last figure belong to it
            parts[-1].extend(rest)
        yield from (segment_of(passage, words) for words in parts if words)


def segment_of(passage: Passage, words: Sequence[Word]) -> Segment:
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
        (leading,) = LEADING.findall(word.key)[:1]
        if not names_a_day(passage, words, at, lexicons):
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
    return Segment(
        passage=passage,
        words=words,
        days=frozenset(days),
        weekdays=frozenset(one.weekdays[key] for one in lexicons for key in keys if key in one.weekdays),
        numbers=frozenset(numbers),
        vague=any(key in one.spans for one in lexicons for key in keys)
        or any(True for one in lexicons for held in (one.days, one.holidays) for _ in phrases_in(keys, held)),
    )


def date_of(ours: Segment) -> date | None:
    """Return the only whole date of a clause: "13 March 2026"."""
    (day, month), *more = [*(one for one in ours.days if one[1]), (0, 0)]
    years = [int(word.text) for word in ours.words if YEAR.fullmatch(word.text)]
    if len(more) != 1 or len(years) != 1:
        return None
    try:
        return date(years[0], month, day)
    except ValueError:
        return None


def names_a_day(passage: Passage, words: Sequence[Word], at: int, lexicons: Sequence[Lexicon]) -> bool:
    """Whether a number is a day of a month: "14th", "am 17.", "le 16", "Tuesday 10", "3 maart"."""
    word, before = words[at], words[max(at - _MONTH_WITHIN, 0) : at]
    language = lexicons[0].language
    day = NUMBERED_DAY.fullmatch(word.text.casefold())
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
