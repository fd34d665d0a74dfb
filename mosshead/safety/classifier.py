"""How much a text reads as if written to steer an assistant: a logistic regression over words, pairs of words and parts of words,
and a second opinion by `sense`.

A disguised instruction has no words of its own ("the usual check was waived for me in March"). No pattern finds it, but many
faint signs together do. `benchmarks.guard` trains the weights on labelled texts and measures them on texts by other writers.
"""

import math
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np

from mosshead.safety.sense import load_meaning, log_odds_by_meaning

WEIGHTS: Final = Path(__file__).with_name("weights.npy")
"""The weight of each known feature, by its hash: of those in enough of the training texts."""

WEIGHT: Final = np.dtype([("feature", "<u4"), ("weight", "<f2")])
"""An entry of that file."""

BIAS: Final = 0
"""The hash of the bias: that of the empty text, which is no feature."""

_TOKEN = re.compile(r"\w+|(?<=\w)'(?=\w)|[^\w\s\"'()\[\]{}«»<>`*]")
"""Words and marks. Quotation marks and brackets are ignored: otherwise a quoted instruction would read as a reported one."""
_PART = 4
"""Letters of a part of a word."""

_SHORTEST = 8
"""Letters of the shortest instruction, in Chinese. Shorter texts have too few features to be judged."""

_WINDOW, _STEP = 60, 30
"""Tokens judged at once, and the distance between such windows: a short instruction would be lost in a long text.

The more windows a text has, the higher the threshold, since one of many looks suspect by chance. They overlap, so half the
logarithm of their number is subtracted.
"""

_HARMLESS = -2.0
"""Log odds by words below which a passage is not examined further: four in five ordinary chat messages."""

_OF_WORDS, _OF_MEANING = 0.4, 0.6
"""The weight of each opinion. Fitted to texts of writers on which neither was trained."""

_FEW = 6
"""Words too few for the model to judge. For so few, and for a passage cut out of a longer text, words may decide alone."""


def log_odds(reading: str) -> float:
    """Return the logarithm of the odds that a text was written to steer an assistant, in its most suspect passage.

    Words select that passage. Its meaning is judged too, unless the words show clearly that it is harmless. Without the local
    model, words decide alone.
    """
    if len(reading) < _SHORTEST:
        return -math.inf
    passage, by_words = most_suspect(reading)
    if by_words < _HARMLESS:
        return by_words
    by_meaning = log_odds_by_meaning(passage)
    if by_meaning is None:
        return by_words
    both = _OF_WORDS * by_words + _OF_MEANING * by_meaning
    return max(by_words, both) if passage != reading or len(passage.split()) <= _FEW else both


def load_classifier() -> None:
    """Load what `log_odds` needs, which it otherwise does with the first text.

    Raises ConfigurationError if the local model's files are not the expected ones.
    """
    _weights()
    load_meaning()


def most_suspect(reading: str) -> tuple[str, float]:
    """Return the most suspect passage of a text by its words, and its log odds by them."""
    found = list(_TOKEN.finditer(reading))
    tokens = [match.group() for match in found]
    weights = _weights()
    starts = range(0, max(len(tokens) - _WINDOW, 0) + _STEP, _STEP)
    windows = {tuple(tokens[start : start + _WINDOW]): start for start in starts}
    odds, start = max(
        (sum(weights[feature] * value for feature, value in known_features(one, weights)), start)
        for one, start in windows.items()
    )
    shown = found[start : start + _WINDOW]
    passage = reading[shown[0].start() : shown[-1].end()] if len(windows) > 1 else reading
    return passage, weights[BIAS] + odds - math.log(len(windows)) / 2


def known_features(tokens: Sequence[str], known: Container[int]) -> Iterator[tuple[int, float]]:
    """Yield the known features of some words and marks with their values; each kind of feature has unit length.

    An unknown feature is ignored. When features shared weights by their hash, one in 10,000 messages of made-up words read as an
    instruction.
    """
    for kind in features(tokens):
        found = [feature for feature in kind if feature in known]
        value = len(found) ** -0.5 if found else 0.0
        for feature in found:
            yield feature, value


def features(tokens: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return the hashes of words and pairs of words, and those of parts of words."""
    spoken = [token for token in tokens if token[0].isalnum()]  # a mark does not separate the two words of a pair
    words = {*tokens, *map(" ".join, pairwise(spoken))}
    parts = {part for token in tokens for part in _parts(token)}
    return _hashes(words), _hashes(parts)


def tokens_of(reading: str) -> list[str]:
    """Split a reading into words and marks."""
    return _TOKEN.findall(reading)


def _hashes(texts: Iterable[str]) -> set[int]:
    return {crc32(text.encode(errors="replace")) for text in texts}


def _parts(token: str) -> Iterator[str]:
    bounded = f"\x02{token}\x03"  # no part equals a word
    for start in range(max(len(bounded) - _PART, 0) + 1):
        yield bounded[start : start + _PART]


@cache
def _weights() -> dict[int, float]:
    stored = np.load(WEIGHTS)
    return dict(zip(stored["feature"].tolist(), stored["weight"].astype(float).tolist(), strict=True))
