"""Detect figures that the sources replace: "moved from the 10th to the 24th", "80, wait no 75", "11 of 40"."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final

from mosshead.language.lexicon import Word
from mosshead.language.passage import Passage
from pipeline.extraction.doubts.segments import LEADING, LONGEST_NUMBER

_GOES_ON: Final = re.compile(r"[.,:/-]\d")
_CONTINUES: Final = re.compile(r"\d[.,:/-]")
_FROM: Final = frozenset("from von vom de del da dal dai do du van".split())
_TO: Final = frozenset("to auf a al au ao para pro naar zum zu".split())
_PART_OF: Final = frozenset("of von van sur su di de".split())
_THE: Final = frozenset("the out den las los le gli os".split())
_FORMERLY: Final = frozenset(
    "from was were had before von vom war hatte vorher era antes depuis etait avant dal prima van eerder".split()
)
"""Words by which a fact tells of a former figure itself."""
_FROM_WITHIN, _MENDED_WITHIN = 3, 15
"""How many words before a figure "from" may be, and how many words apart a slip and its correction."""


def replacements_in(passages: Sequence[Passage], content: Passage) -> list[tuple[str, str]]:
    """Return figures of the sources, each with the one that replaces it; a fact may tell of a former figure itself."""
    formerly = _FORMERLY - {"van"} if content.language == "en" else _FORMERLY
    tells_old = any(word.key in formerly for word in content.words)
    pairs = [pair for one in passages for pair in (*(() if tells_old else _moved(one)), *_parts(one))]
    return [*pairs, *_mended(passages)]


def _moved(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield a former figure and the present one: "moved from the 10th to the 24th"."""
    for _, clauses in groupby(passage.clauses, key=lambda clause: clause.sentence):
        words = [word for clause in clauses for word in clause.words]
        for (one, old), (other, new) in pairwise(_plain_figures(passage, words)):
            leaves = any(word.key in _FROM for word in words[max(one - _FROM_WITHIN, 0) : one])
            arrives = any(word.key in _TO for word in words[one + 1 : other])
            if leaves and arrives and passage.tells("moves", [word.key for word in words[:one]]):
                yield old, new


def _parts(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield a whole, mentioned once, and its part: "11 of 40"."""
    figures = list(_plain_figures(passage, passage.words))
    numbers = [number for _, number in figures]
    for (one, part), (other, whole) in pairwise(figures):
        between = {word.key for word in passage.words[one + 1 : other]}
        is_part = bool(between & _PART_OF) and between <= _PART_OF | _THE
        is_part = is_part and "," not in passage.text[passage.words[one].end : passage.words[other].start]
        if is_part and int(part) < int(whole) and numbers.count(whole) == 1:
            yield whole, part


def _mended(passages: Sequence[Passage]) -> Iterator[tuple[str, str]]:
    """Yield a slip of the pen and the right figure, perhaps in the next message: "the 17th. oops, the 7th"."""
    words = [(passage, word) for passage in passages for word in passage.words]
    figures = [
        (at, passage, number)
        for at, (passage, word) in enumerate(words)
        for _, number in _plain_figures(passage, [word])
    ]
    for (one, _, old), (other, passage, new) in pairwise(figures):
        between = [word.key for _, word in words[one + 1 : other]]
        if len(between) <= _MENDED_WITHIN and passage.tells("mends", between):
            yield old, new


def _plain_figures(passage: Passage, words: Sequence[Word]) -> Iterator[tuple[int, str]]:
    """Yield the positions and values of whole numbers and days, not of clock times, decimals and thousands."""
    for at, word in enumerate(words):
        leading = LEADING.match(word.key)
        if leading and len(leading[0]) <= LONGEST_NUMBER:
            before = passage.text[max(word.start - 2, 0) : word.start]
            if not (_CONTINUES.fullmatch(before) or _GOES_ON.match(passage.text, word.end)):
                yield at, leading[0]
