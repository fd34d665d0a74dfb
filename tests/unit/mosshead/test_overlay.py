"""Writes of this process that the service has not yet applied: their combined effect, and how long they are kept."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from mosshead.models.memories import Progress
from mosshead.paths import NamespacePath
from mosshead.store.pending import Overlay, Pending, laid
from tests.factories import hit

SARAH, RUTH = NamespacePath.of(("acme", "sarah")), NamespacePath.of(("acme", "ruth"))
SPOOL = UUID(int=1)


def wrote(memory: int | None, *closes: int, number: int = 1) -> Pending:
    made = None if memory is None else hit(memory, content=str(memory), pending=True)
    closed = {UUID(int=one): made.id if made else None for one in closes}
    return Pending(memory=made, closes=closed, numbers={SPOOL: number})


def test_writes_are_combined_in_order() -> None:
    found = laid([wrote(1), wrote(2, 1), wrote(3), wrote(None, 3, 9)])
    assert [one.id.int for one in found.remembered] == [2]
    assert {key.int: new and new.int for key, new in found.closed.items()} == {1: 2, 3: None, 9: None}


@pytest.mark.parametrize("narrowed", [{"kind": "event"}, {"metadata": {"channel": "mail"}}, {"record": "Person"}])
def test_pending_memory_is_a_fact_of_no_message_and_has_no_record(narrowed: dict[str, Any]) -> None:
    waiting = laid([wrote(1)])
    asked: dict[str, Any] = {"kind": None, "metadata": None, "record": None}

    assert [one.id.int for one in waiting.narrowed(**asked).remembered] == [1]
    assert waiting.narrowed(**{**asked, **narrowed}).remembered == ()


def test_write_is_kept_until_its_number_is_in_effect_and_by_its_namespace() -> None:
    overlay = Overlay()
    overlay.add(SARAH, uuid4(), wrote(1, number=1))
    overlay.add(SARAH, uuid4(), wrote(2, number=2))
    overlay.add(RUTH, uuid4(), wrote(3, number=1))
    overlay.settle(SARAH, Progress(consolidated={SPOOL: 1}))
    assert [one.id.int for one in overlay.of(SARAH).remembered] == [2]
    overlay.settle(SARAH, Progress(consolidated={UUID(int=2): 9}))
    assert [one.id.int for one in overlay.of(SARAH).remembered] == [2], "another publisher's numbers say nothing"
    assert [one.id.int for one in overlay.of(RUTH).remembered] == [3]


def test_write_under_a_name_the_spool_gave_up_is_kept_until_everything_is_in_effect() -> None:
    """As after a restored database: the number it waits for will never come."""
    overlay, anew = Overlay(), UUID(int=2)
    overlay.add(SARAH, uuid4(), wrote(1, number=90))
    for waits in (
        Progress(published={anew: 3}, received={anew: 2}),
        Progress(published={anew: 3}, received={anew: 3}, pending=1),
        Progress(published={SPOOL: 89}, received={SPOOL: 89}),
        Progress(),
    ):
        overlay.settle(SARAH, waits)
        assert len(overlay.of(SARAH).remembered) == 1
    overlay.settle(SARAH, Progress(published={anew: 3}, received={anew: 3}))
    assert not overlay.of(SARAH).remembered


def test_overlay_that_is_never_read_keeps_only_the_latest() -> None:
    overlay = Overlay()
    for number in range(1, 1_200):
        overlay.add(SARAH, UUID(int=number), wrote(number))
    kept = [one.id.int for one in overlay.of(SARAH).remembered]
    assert kept == list(range(200, 1_200))
