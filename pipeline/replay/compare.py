"""Compare two generations of memories, for an operator to review before one replaces the other."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final
from uuid import UUID

import numpy as np

from mosshead.models.kinds import MemoryKind
from pipeline.consolidation.consolidate import DUPLICATE
from pipeline.replay.models import KnownMemory
from pipeline.replay.similarity import Likeness, are_apart, closeness, value_key
from pipeline.statements import plain, sense

Pair = tuple[KnownMemory, KnownMemory]
"""A memory of the old generation, and its counterpart in the new."""

_Side = dict[UUID, KnownMemory]
_Key = Callable[[KnownMemory], Hashable | None]

_ROUNDING: Final = 1e-4
"""A matrix product may differ in the last digits from that of its rows, on which the decision is based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The active memories of two generations, each in one category.

    same: how many are practically identical. reworded: pairs with the same meaning, most similar first.
    only_before, only_after: those of one generation only, in the given order.
    """

    same: int
    reworded: tuple[Pair, ...]
    only_before: tuple[KnownMemory, ...]
    only_after: tuple[KnownMemory, ...]


def compare(before: Sequence[KnownMemory], after: Sequence[KnownMemory]) -> Comparison:
    """Pair the active memories of two generations, most similar first.

    Reworded pairs must share a source message. Identical texts need not, since one generation may have missed what the other
    extracted; but identical texts may describe events on different days.
    """
    left = {one.memory_id: one for one in before if one.active}
    right = {one.memory_id: one for one in after if one.active}
    same = len(_taken(left, right, [(one, right[key]) for key, one in left.items() if key in right]))
    readings: tuple[Callable[[str], Hashable | None], ...] = (plain, sense)
    for key in readings:
        keys = {one.memory_id: key(one.content) for one in (*left.values(), *right.values())}
        same += len(_taken(left, right, _of_one_source(left, right, keys)))
        same += len(_taken(left, right, _of_one_key(left, right, keys)))
    reworded = _taken(left, right, (pair for pair in _close(left, right) if not are_apart(*pair)))
    return Comparison(
        same=same, reworded=tuple(reworded), only_before=tuple(left.values()), only_after=tuple(right.values())
    )


def _taken(left: _Side, right: _Side, pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs, in order, whose members are both unpaired, and remove these from both sides."""
    taken = []
    for one, other in pairs:
        if one.memory_id in left and other.memory_id in right:
            del left[one.memory_id], right[other.memory_id]
            taken.append((one, other))
    return taken


def _of_one_source(left: _Side, right: _Side, keys: Mapping[UUID, Hashable | None]) -> list[Pair]:
    """Return pairs with one key and a common source message, those with most common sources first."""
    pairs = _sharing(left, right, lambda one: keys[one.memory_id])
    return sorted(pairs, key=lambda pair: (-len(pair[0].sources & pair[1].sources), *_ids(pair)))


def _of_one_key(left: _Side, right: _Side, keys: Mapping[UUID, Hashable | None]) -> Iterator[Pair]:
    """Yield pairs with one key, whatever their sources, except events."""
    mine, its = (_by_key(side.values(), keys) for side in (left, right))
    for key, ones in mine.items():
        yield from zip(ones, its.get(key, ()), strict=False)


def _by_key(memories: Iterable[KnownMemory], keys: Mapping[UUID, Hashable | None]) -> dict[Hashable, list[KnownMemory]]:
    found: dict[Hashable, list[KnownMemory]] = defaultdict(list)
    for one in sorted(memories, key=lambda one: one.memory_id):
        key = keys[one.memory_id]
        if key is not None and one.kind != MemoryKind.EVENT:
            found[key].append(one)
    return found


def _close(left: _Side, right: _Side) -> list[Pair]:
    """Return pairs with a common source message that may be rewordings, closest first."""
    weighed: dict[tuple[UUID, UUID], tuple[Likeness, Pair]] = {}
    for pair in chain(_sharing(left, right, value_key), _near(left, right)):
        close = closeness(*pair)
        if close is not None:
            weighed[_ids(pair)] = close, pair
    in_order = sorted(weighed.items(), key=lambda item: (-item[1][0][0], -item[1][0][1], *item[0]))
    return [pair for _, (_, pair) in in_order]


def _sharing(left: _Side, right: _Side, key: _Key) -> list[Pair]:
    """Return the distinct pairs with a common source message and key."""
    known: dict[tuple[UUID, Hashable], list[KnownMemory]] = defaultdict(list)
    for other in right.values():
        shared = key(other)
        for source in other.sources if shared is not None else ():
            known[source, shared].append(other)
    found: dict[tuple[UUID, UUID], Pair] = {}
    for one in left.values():
        shared = key(one)
        for source in one.sources if shared is not None else ():
            for other in known.get((source, shared), ()):
                found[one.memory_id, other.memory_id] = one, other
    return list(found.values())


def _near(left: _Side, right: _Side) -> Iterator[Pair]:
    """Yield pairs from one message whose cosine is practically that of a duplicate."""
    mine, its = ([(one, one.vector) for one in side.values() if one.vector is not None] for side in (left, right))
    by_source: dict[UUID, list[int]] = defaultdict(list)
    for row, (other, _) in enumerate(its):
        for source in other.sources:
            by_source[source].append(row)
    matrix = np.stack([vector for _, vector in its]) if its else np.empty((0, 0), np.float32)
    for one, vector in mine:
        for source in one.sources & by_source.keys():
            rows = by_source[source]
            cosines = matrix[rows] @ vector
            yield from ((one, its[rows[place]][0]) for place in np.flatnonzero(cosines >= DUPLICATE - _ROUNDING))


def _ids(pair: Pair) -> tuple[UUID, UUID]:
    """Return a pair's ids in an order that does not depend on the direction of the comparison."""
    one, other = sorted((pair[0].memory_id, pair[1].memory_id))
    return one, other
