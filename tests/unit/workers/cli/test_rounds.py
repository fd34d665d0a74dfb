"""How operators' commands iterate over namespaces and tenants."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest

from db import namespaces
from db.dead_letters import DeadLetter
from db.keys import LaneRef
from workers.cli import rounds


def letter(tenant: int, namespace: int) -> DeadLetter:
    lane = LaneRef(UUID(int=tenant), UUID(int=namespace))
    return DeadLetter(lane, UUID(int=0), "stage", "why", bytes=None, times=1, age=0.0)


def test_names_of_a_tenants_lanes_are_read_in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[UUID] = []

    @contextmanager
    def transaction(_: Any, tenant_id: UUID) -> Iterator[UUID]:
        begun.append(tenant_id)
        yield tenant_id

    def path_of(tenant_id: UUID, lane: LaneRef) -> tuple[str, ...]:
        assert tenant_id == lane.tenant_id
        return str(tenant_id.int), str(lane.namespace_id.int)

    monkeypatch.setattr(rounds, "tenant_transaction", transaction)
    monkeypatch.setattr(namespaces, "path_of", path_of)
    engine: Any = None

    found = rounds.paths_of(engine, [letter(1, 1), letter(1, 2), letter(2, 3), letter(1, 1)])

    assert sorted(path for path in found.values() if path) == [("1", "1"), ("1", "2"), ("2", "3")]
    assert begun == [UUID(int=1), UUID(int=2)]
