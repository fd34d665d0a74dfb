"""Differences between two generations of memories."""

import time
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.models.kinds import MemoryKind
from pipeline.replay.compare import Comparison, compare
from pipeline.replay.models import KnownMemory
from pipeline.statements import agree
from tests.unit.pipeline.replay.generations import SAID, SAID_ELSEWHERE, SAID_LATER, lives_in, memories, memory

VALUE: dict[str, Any] = {"attribute": "hobby", "value": "singing"}


def numbers(comparison: Comparison) -> tuple[int, list[tuple[int, int]], list[int], list[int]]:
    """Return a comparison by the numbers of its memories."""
    reworded = [(one.memory_id.int, other.memory_id.int) for one, other in comparison.reworded]
    only_before, only_after = (
        [one.memory_id.int for one in ones] for ones in (comparison.only_before, comparison.only_after)
    )
    return comparison.same, reworded, only_before, only_after


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (memory(1, "User likes tea and coffee"), memory(2, "User likes coffee and tea")),
        (memory(1, "User likes tea"), memory(2, "user likes tea.", SAID_LATER)),
        (memory(1, "User likes tea and milk"), memory(2, "User likes milk and tea", SAID_LATER)),
        (memory(1, "User likes tea"), memory(1, "User lives in Berlin")),
        (memory(1, "User ran", kind=MemoryKind.EVENT), memory(2, "User ran", kind=MemoryKind.EVENT)),
    ],
)
def test_nearly_identical_memories_are_counted(one: KnownMemory, other: KnownMemory) -> None:
    assert numbers(compare([one], [other])) == (1, [], [], [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User enjoys drinking tea", cosine=0.81)),
        (
            memory(1, "User lives in Berlin", **lives_in("Berlin")),
            memory(2, "User is at home in it", **lives_in("berlin")),
        ),
    ],
)
def test_same_memory_in_other_words_is_paired(one: KnownMemory, other: KnownMemory) -> None:
    assert numbers(compare([one], [other])) == (0, [(1, 2)], [], [])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User enjoys drinking tea", cosine=0.79)),
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User enjoys drinking tea", SAID_LATER, cosine=0.9)),
        (memory(1, "User likes tea", cosine=1.0), memory(2, "User does not like tea", cosine=0.99)),
        (
            memory(1, "User lives there", **lives_in("Rome")),
            memory(2, "User is at home", SAID_LATER, **lives_in("Rome")),
        ),
        (
            memory(1, "User ran", kind=MemoryKind.EVENT),
            memory(2, "User ran", SAID_LATER, kind=MemoryKind.EVENT),
        ),
    ],
)
def test_different_memory_is_known_to_one_only(one: KnownMemory, other: KnownMemory) -> None:
    assert numbers(compare([one], [other])) == (0, [], [1], [2])


def test_only_active_memories_count() -> None:
    closed = memory(2, "User likes tea", active=False)

    assert numbers(compare([memory(1, "User likes tea"), closed], [closed])) == (0, [], [1], [])


def test_most_similar_are_paired() -> None:
    before = [memory(1, "User likes tea", cosine=1.0), memory(2, "User drinks tea", cosine=0.95)]
    after = [
        memory(11, "User is fond of tea", cosine=0.7),
        memory(12, "User likes tea", SAID, SAID_ELSEWHERE, cosine=1.0),
        memory(13, "User enjoys drinking tea", cosine=0.93),
    ]

    assert numbers(compare(before, after)) == (1, [(2, 13)], [], [11])


def test_repeated_statements_are_paired_by_their_messages() -> None:
    before = [
        memory(1, "User ran", SAID, kind=MemoryKind.EVENT),
        memory(2, "User ran", SAID_LATER, kind=MemoryKind.EVENT),
    ]
    after = [
        memory(11, "User ran", SAID_ELSEWHERE, kind=MemoryKind.EVENT),
        memory(12, "User ran", SAID_LATER, kind=MemoryKind.EVENT),
    ]

    assert numbers(compare(before, after)) == (1, [], [1], [11])


def test_equally_similar_memories_are_paired_alike_both_ways() -> None:
    before = [
        memory(1, "User likes tea"),
        memory(2, "user likes tea!"),
        memory(4, "User sings", SAID_ELSEWHERE, **VALUE),
    ]
    after = [memory(11, "User likes tea", SAID_LATER), memory(3, "User is a singer", SAID_ELSEWHERE, **VALUE)]

    assert numbers(compare(before, after)) == numbers(compare(before[::-1], after)) == (1, [(4, 3)], [2], [])

    before = [memory(1, "User sings", **VALUE), memory(4, "User sings well", SAID_LATER, **VALUE)]
    after = [memory(3, "User is a singer", **VALUE), memory(2, "User is a good singer", SAID_LATER, **VALUE)]
    assert numbers(compare(before, after)) == (0, [(1, 3), (4, 2)], [], [])
    assert numbers(compare(after, before)) == (0, [(3, 1), (2, 4)], [], [])


def test_thousands_are_compared_in_seconds() -> None:
    rows = np.random.default_rng(1).standard_normal((5_000, 64)).astype(np.float32)
    vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    before = [
        replace(memory(number, f"User has read book {number}", UUID(int=number // 2)), vector=vector)
        for number, vector in enumerate(vectors)
    ]
    after = [replace(one, memory_id=UUID(int=one.memory_id.int + 50_000)) for one in before]

    started = time.monotonic()
    assert numbers(compare(before, after[::-1])) == (5_000, [], [], [])
    assert time.monotonic() - started < 15


@given(memories(), memories())
def test_each_memory_is_in_exactly_one_place(before: list[KnownMemory], after: list[KnownMemory]) -> None:
    found = compare(before, after)

    for side, only, place in ((before, found.only_before, 0), (after, found.only_after, 1)):
        shown = [one.memory_id for one in (*only, *(pair[place] for pair in found.reworded))]
        assert len(shown) == len(set(shown))
        assert set(shown) <= {one.memory_id for one in side if one.active}
        assert len(shown) + found.same == sum(one.active for one in side)


@given(memories(), memories(), st.randoms(use_true_random=False))
def test_pairs_are_the_same_both_ways_and_in_any_order(
    before: list[KnownMemory], after: list[KnownMemory], shuffling: Any
) -> None:
    found = compare(before, after)
    mirrored = compare(after, before)
    assert mirrored == Comparison(
        same=found.same,
        reworded=tuple((other, one) for one, other in found.reworded),
        only_before=found.only_after,
        only_after=found.only_before,
    )

    shuffling.shuffle(before)
    shuffled = compare(before, after)
    assert (shuffled.same, shuffled.reworded, shuffled.only_after) == (found.same, found.reworded, found.only_after)
    assert set(shuffled.only_before) == set(found.only_before)


@given(memories(), memories())
def test_nothing_equal_is_left_on_both_sides(before: list[KnownMemory], after: list[KnownMemory]) -> None:
    found = compare(before, after)

    for one in found.only_before:
        agreeing = [other for other in found.only_after if agree(one.content, other.content)]
        assert not any(one.sources & other.sources for other in agreeing)


@given(memories())
def test_generation_equals_itself(known: list[KnownMemory]) -> None:
    assert numbers(compare(known, known)) == (sum(one.active for one in known), [], [], [])
