"""What a read gives back is a plain, frozen value."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from uuid import UUID

import pytest

from recollect import Hit, Hits, MemoryKind, Progress


def hit(number: int) -> Hit:
    return Hit(
        id=UUID(int=number),
        version=1,
        kind=MemoryKind.FACT,
        content=f"memory {number}",
        salience=5,
        confidence=0.9,
        tier="solid",
        said_at=datetime(2026, 3, 2, tzinfo=UTC),
        similarity=1 / number,
    )


HITS = Hits((hit(1), hit(2), hit(3)), Progress())


def test_hits_are_a_sequence() -> None:
    assert isinstance(HITS, Sequence)
    assert (len(HITS), HITS[0], HITS[-1], HITS[1:]) == (3, hit(1), hit(3), (hit(2), hit(3)))
    assert [*HITS] == [hit(1), hit(2), hit(3)]
    assert hit(2) in HITS
    assert list(reversed(HITS)) == [hit(3), hit(2), hit(1)]
    with pytest.raises(IndexError):
        HITS[3]


def test_no_hits_are_false() -> None:
    assert not Hits((), Progress())


def test_hits_are_lines_for_a_prompt() -> None:
    assert HITS.text == "- memory 1\n- memory 2\n- memory 3"
    assert Hits((), Progress()).text == ""


HERE, THERE = UUID(int=1), UUID(int=2)


@pytest.mark.parametrize(
    ("progress", "partial"),
    [
        (Progress(), False),
        (Progress(pending=1), True),
        (Progress(published={HERE: 3}), True),
        (Progress(published={HERE: 3}, received={HERE: 2, THERE: 9}), True),
        (Progress(published={HERE: 3}, received={HERE: 3}), False),
        (Progress(published={HERE: 3}, received={HERE: 4}), False),
    ],
)
def test_hits_are_partial_while_something_published_is_not_in_effect(progress: Progress, partial: bool) -> None:
    assert (progress.partial, Hits((), progress).partial) == (partial, partial)


def test_progress_counts_what_the_inbox_lacks() -> None:
    assert Progress(published={HERE: 5, THERE: 2}, received={HERE: 3, THERE: 4}).not_received == 2


def test_a_hit_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        HITS[0].content = "another"  # type: ignore[misc]
