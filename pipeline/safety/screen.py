"""Patterns that are searched only in a text which holds letters that whatever they find must hold.

A guard has hundreds of patterns, and a text gives cause to search few of them. From each pattern the letters are read that it
cannot do without: of "(?:ignore|forget) (?:your|the) rules" a text must have "igno" or "forg", and "rule". The runs of letters
that a text has are gathered once.
"""

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]  # the only reader of patterns; what it does not know asks for no letters
from typing import Any

from mosshead.patterns import lazy_pattern

_RUN = 4
"""Letters of a run, at most: two say too little, and of five there are too many to gather."""

_LEAST = 3
_MOST_RUNS = 300
"""Runs of which a text must have one, at most. Of more nearly every text has one."""

_TESTS = 8

_bits: dict[str, int] = {}
"""For each run of letters, the sets that it stands in: one bit for each set of each pattern."""

_count = itertools.count()


class Screen:
    """Some patterns, of which each is searched only where its letters are."""

    def __init__(self, *patterns: "str | Screen") -> None:
        """patterns: those of other screens may be among them."""
        self.screened: list[tuple[int, re.Pattern[str]]] = [
            screened
            for pattern in patterns
            for screened in (
                pattern.screened
                if isinstance(pattern, Screen)
                else [(_registered(_needed(pattern)), lazy_pattern(pattern))]
            )
        ]

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """A place that one of the patterns finds."""
        for pattern in self.fitting(text):
            if found := pattern.search(text, start, end):
                return found
        return None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All places that the patterns find, those of one after those of another."""
        return itertools.chain.from_iterable(pattern.finditer(text) for pattern in self.fitting(text))

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """What one of the patterns finds at a place."""
        for pattern in self.fitting(text):
            if found := pattern.match(text, start):
                return found
        return None

    def sub(self, repl: Callable[[re.Match[str]], str], text: str) -> str:
        """The text with something else in the place of all that the patterns find, one after another."""
        for pattern in self.fitting(text):
            text = pattern.sub(repl, text)
        return text

    def fitting(self, text: str) -> list[re.Pattern[str]]:
        """The patterns that a text has the letters of."""
        held = _held(text)
        return [pattern for bits, pattern in self.screened if bits & held == bits]


@lru_cache(maxsize=16)
def _held(text: str) -> int:
    """The sets of which a text has a run."""
    marks = (mark for mark in set(text) if not mark.isalnum())
    triples = {text[at : at + _LEAST] for at in range(len(text) - _LEAST + 1)}
    fours = {text[at : at + _RUN] for at in range(len(text) - _RUN + 1)}
    held = 0
    for run in _bits.keys() & triples.union(fours, marks):
        held |= _bits[run]
    return held


def _registered(needed: Iterable[frozenset[str]]) -> int:
    """The bits of the sets that a pattern needs, each of its own."""
    bits = 0
    for runs in needed:
        bit = 1 << next(_count)
        bits |= bit
        for run in runs:
            _bits[run] = _bits.get(run, 0) | bit
    return bits


def _needed(pattern: str) -> tuple[frozenset[str], ...]:
    """Sets of runs, one of each of which stands in whatever a pattern finds; the rarest first."""
    sets = {frozenset(map(_run_of, letters)) for letters in _of_sequence(_parser.parse(pattern)) if _tells(letters)}
    return tuple(sorted(sets, key=_commonness)[:_TESTS])


def _run_of(letters: str) -> str:
    """The part of some letters that is rarest, as far as can be told: a mark, or the run with the fewest blanks."""
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
