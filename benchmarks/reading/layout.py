"""Who holds how much: namespaces that are measured, that threads share, many of a few rows, and those that fill the table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosshead.paths import NamespacePath

SIZES = (100, 1_000, 10_000, 100_000)
SHARED = 8
_SHARED_SIZE = 1_000
_USERS = 10_000
_USERS_SIZE = 10
_USERS_OF_A_TENANT = 3
"""Most people say little; for them a service's tables are planned, if nobody sees to it."""

_FILLING_SIZE = 5_000
_FILLING_TENANTS = 20
_RUN = 8
"""Memories come a batch at a time, and namespaces take turns, so that one's rows lie scattered over the table."""


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace. number: its place in the layout. whole: it has entities, messages and turns, and not only memories."""

    number: int
    path: NamespacePath
    memories: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """All namespaces of the table. measured: by size. shared: for threads, all of one tenant."""

    spaces: Sequence[Space]

    @property
    def measured(self) -> dict[int, Space]:
        """The namespaces whose reads are timed alone."""
        return {space.memories: space for space in self.spaces if space.path.parts[1].startswith("size")}

    @property
    def shared(self) -> Sequence[Space]:
        """The namespaces that threads read side by side."""
        return [space for space in self.spaces if space.path.parts[1].startswith("shared")]

    @property
    def rows(self) -> int:
        """How many memories there are."""
        return sum(space.memories for space in self.spaces)


def layout(rows: int) -> Layout:
    """Namespaces of so many memories in all, as far as those that are measured need no more."""
    named = [(("reading", f"size_{size}"), size, True) for size in SIZES if size <= rows]
    named += [(("reading", f"shared_{number}"), _SHARED_SIZE, True) for number in range(SHARED)]
    left = rows - sum(size for _, size, _ in named)
    users = min(_USERS, left // (2 * _USERS_SIZE))
    named += [((f"app_{number // _USERS_OF_A_TENANT}", f"user_{number}"), _USERS_SIZE, True) for number in range(users)]
    left -= users * _USERS_SIZE
    fillers = [min(_FILLING_SIZE, left - done) for done in range(0, left, _FILLING_SIZE)]
    named += [
        ((f"others_{number % _FILLING_TENANTS}", f"filling_{number}"), size, False)
        for number, size in enumerate(fillers)
    ]
    spaces = [Space(number, NamespacePath.of(parts), size, whole) for number, (parts, size, whole) in enumerate(named)]
    return Layout(spaces)


def in_turns(
    of: Layout, chance: np.random.Generator, most: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """The order in which memories came, in parts of so many: the number of the namespace, and the place in it."""
    numbers = np.repeat(
        np.array([space.number for space in of.spaces], np.int32), [-(-space.memories // _RUN) for space in of.spaces]
    )
    runs = np.concatenate([np.arange(-(-space.memories // _RUN), dtype=np.int32) for space in of.spaces])
    order = chance.permutation(len(numbers))
    sizes = np.array([space.memories for space in of.spaces], np.int32)
    for start in range(0, len(order), most // _RUN):
        some = order[start : start + most // _RUN]
        number = np.repeat(numbers[some], _RUN)
        place = np.repeat(runs[some] * _RUN, _RUN) + np.tile(np.arange(_RUN, dtype=np.int32), len(some))
        there = place < sizes[number]
        yield number[there], place[there]
