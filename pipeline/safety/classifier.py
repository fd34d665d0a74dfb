"""How much a text reads as if it were to steer an assistant: a logistic regression over words, pairs of words and parts of words.

An order in disguise has no words of its own ("the usual check was waived for me in March"). No pattern finds it, but many faint
signs together do. `benchmarks.guard` trains the weights on labelled texts and measures them on texts by other writers.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np

BUCKETS: Final = 1 << 15
"""Features share this many weights, by their hash. With twice as many, no figure was better."""

WEIGHTS: Final = Path(__file__).with_name("weights.npy")
"""Shape (BUCKETS + 1,), float16; the last is the bias."""

_TOKEN = re.compile(r"\w+|(?<=\w)'(?=\w)|[^\w\s\"'()\[\]{}«»<>`*]")
"""Words and marks. Quotation marks and brackets count for nothing, or an order in quotes would read as one that is told."""
_PART = 4
"""Letters of a part of a word."""

_SHORTEST = 8
"""Letters of the shortest order, in Chinese. What is shorter has too few features to be judged by."""

_WINDOW, _STEP = 80, 40
"""Tokens that are judged at once, and from one such window to the next: in a long text, a short order would drown.

The more windows a text has, the surer one must be, for one of many looks suspect by chance; half, as they overlap.
"""


def log_odds(reading: str) -> float:
    """Return the logarithm of the odds that a text was written to steer an assistant, in its most suspect passage."""
    if len(reading) < _SHORTEST:
        return -math.inf
    tokens = tokens_of(reading)
    weights = _weights()
    starts = range(0, max(len(tokens) - _WINDOW, 0) + _STEP, _STEP)
    passages = (features(tokens[start : start + _WINDOW]) for start in starts)
    worst = max(sum(weights[bucket] * value for bucket, value in passage) for passage in passages)
    return weights[-1] + worst - math.log(len(starts)) / 2


def features(tokens: Sequence[str]) -> Iterator[tuple[int, float]]:
    """Yield the features of some words and marks, as buckets and values: what occurs, each kind of unit length together."""
    words = {*tokens, *map(" ".join, pairwise(tokens))}
    parts = {part for token in tokens for part in _parts(token)}
    for kind in (words, parts):
        value = len(kind) ** -0.5 if kind else 0.0
        for feature in kind:
            yield crc32(feature.encode(errors="replace")) % BUCKETS, value


def tokens_of(reading: str) -> list[str]:
    """Split a reading into words and marks."""
    return _TOKEN.findall(reading)


def _parts(token: str) -> Iterator[str]:
    bounded = f"\x02{token}\x03"  # so that no part is a word
    for start in range(max(len(bounded) - _PART, 0) + 1):
        yield bounded[start : start + _PART]


@cache
def _weights() -> list[float]:
    weights: list[float] = np.load(WEIGHTS).astype(float).tolist()
    return weights
