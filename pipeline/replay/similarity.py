"""Compare memories of two generations: what two LLMs made of the same messages.

Treating two memories as one forgets too much; treating them as different only skips a command, and says so. In doubt, the answer
here is "different".
"""

from enum import IntEnum
from typing import Final

import numpy as np

from pipeline import statements
from pipeline.consolidation.consolidate import DUPLICATE
from pipeline.replay.models import KnownMemory


class Alike(IntEnum):
    """How a memory of one generation corresponds to one of the other, the surest last."""

    PART = 1
    NEAR = 2
    VALUE = 3
    WORDS = 4
    ITSELF = 5


Likeness = tuple[Alike, float]
"""The correspondence of two memories, and their cosine to rank by; 1 if it does not matter."""

_BESIDE: Final = frozenset("has have her his their own name named called".split())
"""Words without content when a statement is split: "with her cat Tom" becomes "has a cat that is called Tom"."""


def likeness(one: KnownMemory, other: KnownMemory) -> Likeness | None:
    """Return how two memories correspond; None if they do not, or have no common source message. Symmetric."""
    if one.memory_id == other.memory_id:
        return Alike.ITSELF, 1.0
    if one.sources.isdisjoint(other.sources):
        return None
    if statements.agree(one.content, other.content):
        return Alike.WORDS, 1.0
    close = closeness(one, other)
    return None if close is None or are_apart(one, other) else close


def closeness(one: KnownMemory, other: KnownMemory) -> Likeness | None:
    """Return how two differently worded memories may correspond: by a common value, or by cosine; None if they do not."""
    cosine = 0.0 if one.vector is None or other.vector is None else float(np.dot(one.vector, other.vector))
    value = value_key(one)
    if value is not None and value == value_key(other):
        return Alike.VALUE, cosine
    return (Alike.NEAR, cosine) if cosine >= DUPLICATE else None


def are_apart(one: KnownMemory, other: KnownMemory) -> bool:
    """Whether two similar memories still differ: one negates the other, or they concern different things.

    With one value in common, days and numbers may differ, but not names that each has alone.
    """
    mine, its = one.content, other.content
    times = value_key(one) is None or value_key(one) != value_key(other)
    return (
        _denied(one) != _denied(other)
        or (statements.adds_details(mine, its, times=times) and statements.adds_details(its, mine, times=times))
        or statements.differ_in_a_value(mine, its)
        or statements.opposite(mine, its)
    )


def value_key(memory: KnownMemory) -> tuple[str, str] | None:
    """Return the attribute and value, to compare memories; None if either is missing."""
    return (memory.attribute, statements.plain(memory.value)) if memory.attribute and memory.value else None


def is_part(part: KnownMemory, whole: KnownMemory) -> bool:
    """Whether a memory states only part of what another does, and has no other source."""
    if not part.sources or not part.sources <= whole.sources:
        return False
    if _denied(part) != _denied(whole) or statements.opposite(part.content, whole.content):
        return False
    # Reordered words are no part: "Tom is Anna's brother" and "Anna is Tom's brother".
    return frozenset() < statements.telling(part.content) - _BESIDE < statements.telling(whole.content) - _BESIDE


def _denied(memory: KnownMemory) -> bool:
    return statements.negations(memory.content) % 2 == 1
