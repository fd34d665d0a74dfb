"""How alike the memories of two generations are: what one LLM made of a message, beside what another made of it.

Whoever takes two memories for one forgets too much, and whoever holds them apart leaves a command out and says so. So everything
here errs towards "different".
"""

from enum import IntEnum
from typing import Final

import numpy as np

from pipeline import statements
from pipeline.consolidation.consolidate import DUPLICATE
from pipeline.replay.models import KnownMemory


class Alike(IntEnum):
    """By what a memory of one generation says what one of the other does, the surest last."""

    PART = 1
    NEAR = 2
    VALUE = 3
    WORDS = 4
    ITSELF = 5


Likeness = tuple[Alike, float]
"""By what two memories say the same, and their cosine, by which the likelier of two comes first; 1 where it does not tell."""

_BESIDE: Final = frozenset("has have her his their own name named called".split())
"""Words that tell nothing where a statement is taken apart: "with her cat Tom" becomes "has a cat that is called Tom"."""


def likeness(one: KnownMemory, other: KnownMemory) -> Likeness | None:
    """By what two memories say the same; None where they do not, or rest on no message in common. Symmetric."""
    if one.memory_id == other.memory_id:
        return Alike.ITSELF, 1.0
    if one.sources.isdisjoint(other.sources):
        return None
    if statements.agree(one.content, other.content):
        return Alike.WORDS, 1.0
    close = closeness(one, other)
    return None if close is None or are_apart(one, other) else close


def closeness(one: KnownMemory, other: KnownMemory) -> Likeness | None:
    """By what two memories in different words may say the same: a value that both give, or their nearness; None where nothing."""
    cosine = 0.0 if one.vector is None or other.vector is None else float(np.dot(one.vector, other.vector))
    value = value_key(one)
    if value is not None and value == value_key(other):
        return Alike.VALUE, cosine
    return (Alike.NEAR, cosine) if cosine >= DUPLICATE else None


def are_apart(one: KnownMemory, other: KnownMemory) -> bool:
    """Whether two memories that are close say different things for all that: one denies the other, or is of other things.

    Of one value days and numbers may be told beside it, but each by a name of its own speaks of somebody of its own.
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
    """What two memories have in common that give one attribute the same value; None where one gives none."""
    return (memory.attribute, statements.plain(memory.value)) if memory.attribute and memory.value else None


def is_part(part: KnownMemory, whole: KnownMemory) -> bool:
    """Whether a memory tells a part of what another tells at once, and rests on nothing else."""
    if not part.sources or not part.sources <= whole.sources:
        return False
    if _denied(part) != _denied(whole) or statements.opposite(part.content, whole.content):
        return False
    # The same words in another order are no part: "Tom is Anna's brother" and "Anna is Tom's brother".
    return frozenset() < statements.telling(part.content) - _BESIDE < statements.telling(whole.content) - _BESIDE


def _denied(memory: KnownMemory) -> bool:
    return statements.negations(memory.content) % 2 == 1
