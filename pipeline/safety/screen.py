"""Search patterns only in texts that hold their letters: "(?:ignore|forget) your" needs "igno" or "forg"."""

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]  # the only reader of patterns; what it does not know asks for no letters
from typing import Any

from mosshead.patterns import lazy_pattern

_LEAST, _RUN = 3, 4
"""Letters of a run: two say too little, and of five there are too many to gather."""

_MOST_RUNS = 300
"""Of a set. Nearly every text has one of more than that."""

_TESTS = 8
"""Sets of a pattern that are looked for."""

_bits: dict[str, int] = {}
"""One bit for each set of each pattern, by the runs in it."""

_count = itertools.count()


class Screen:
    """Patterns, each searched only where its letters are."""

    def __init__(self, *patterns: str) -> None:
        self.screened = [(_registered(_needed(pattern)), lazy_pattern(pattern)) for pattern in patterns]

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """Return a match of the first pattern that has one."""
        return next(filter(None, (pattern.search(text, start, end) for pattern in self.fitting(text))), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of each pattern in turn."""
        return itertools.chain.from_iterable(pattern.finditer(text) for pattern in self.fitting(text))

    def sub(self, repl: Callable[[re.Match[str]], str], text: str) -> str:
        """Replace the matches of each pattern in turn."""
        for pattern in self.fitting(text):
            text = pattern.sub(repl, text)
        return text

    def fitting(self, text: str) -> list[re.Pattern[str]]:
        """Return the patterns whose letters a text has."""
        held = _held(text)
        return [pattern for bits, pattern in self.screened if bits & held == bits]


@lru_cache(maxsize=16)
def _held(text: str) -> int:
    marks = (mark for mark in set(text) if not mark.isalnum())
    triples = {text[at : at + _LEAST] for at in range(len(text) - _LEAST + 1)}
    fours = {text[at : at + _RUN] for at in range(len(text) - _RUN + 1)}
    held = 0
    for run in _bits.keys() & triples.union(fours, marks):
        held |= _bits[run]
    return held


def _registered(needed: Iterable[frozenset[str]]) -> int:
    bits = 0
    for runs in needed:
        bit = 1 << next(_count)
        bits |= bit
        for run in runs:
            _bits[run] = _bits.get(run, 0) | bit
    return bits


def _needed(pattern: str) -> tuple[frozenset[str], ...]:
    """Sets of runs. Every match of the pattern holds a run of each set."""
    sets = {frozenset(map(_run_of, letters)) for letters in _of_sequence(_parser.parse(pattern)) if _tells(letters)}
    return tuple(sorted(sets, key=_commonness)[:_TESTS])


def _run_of(letters: str) -> str:
    """What is rarest of some letters: a mark, or the run with the fewest blanks."""
    if len(letters) < _LEAST:
        return next(one for one in letters if _is_mark(one))
    size = min(_RUN, len(letters))
    return min((letters[at : at + size] for at in range(len(letters) - size + 1)), key=lambda run: run.count(" "))


def _is_mark(one: str) -> bool:
    return not (one.isalnum() or one.isspace())


def _tells(letters: frozenset[str]) -> bool:
    return len(letters) <= _MOST_RUNS and all(len(one) >= _LEAST or any(map(_is_mark, one)) for one in letters)


def _commonness(runs: Iterable[str]) -> float:
    return sum(10.0 ** -max(len(run.replace(" ", "")), 2) for run in runs)


def _of_sequence(parsed: Iterable[tuple[Any, Any]]) -> Iterator[frozenset[str]]:
    run = ""
    for kind, value in parsed:
        name = str(kind)
        if name == "LITERAL":
            run += chr(value)
        elif name != "AT":
            if run:
                yield frozenset((run,))
            run = ""
            yield from _of_part(name, value)
    if run:
        yield frozenset((run,))


def _of_part(name: str, value: Any) -> Iterator[frozenset[str]]:
    if name == "SUBPATTERN":
        yield from _of_sequence(value[-1])
    elif name == "ATOMIC_GROUP":
        yield from _of_sequence(value)
    elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"} and value[0] > 0:
        yield from _of_sequence(value[2])
    elif name == "IN" and all(str(kind) == "LITERAL" for kind, _ in value):
        yield frozenset(chr(letter) for _, letter in value)
    elif name == "BRANCH":
        best = [min(filter(_tells, _of_sequence(branch)), key=_commonness, default=None) for branch in value[1]]
        if all(letters is not None for letters in best):
            yield frozenset(one for letters in best for one in letters or ())
