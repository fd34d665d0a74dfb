"""Which workers are alive, and how many slots each has."""

from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, text

from db import housekeeping
from tests.given import MODEL


@pytest.fixture
def worker() -> str:
    return f"celery@{uuid4()}"


def seen(connection: Connection, worker: str) -> list[tuple[int, bool]]:
    """Return the worker's slots, and whether it was seen in this transaction."""
    statement = text("select slots, seen_at = now() as now from mosshead.workers where worker = :worker")
    return [(row.slots, row.now) for row in connection.execute(statement, {"worker": worker})]


def test_repeated_heartbeat_updates_the_time_and_the_slots(worker_engine: Engine, worker: str) -> None:
    with worker_engine.begin() as connection:
        housekeeping.beat(connection, worker, 2, MODEL)
    with worker_engine.begin() as connection:
        assert seen(connection, worker) == [(2, False)]
        housekeeping.beat(connection, worker, 3, MODEL)
        assert seen(connection, worker) == [(3, True)]


def test_leaving_worker_removes_only_its_own_slots(worker_engine: Engine, worker: str) -> None:
    other = f"celery@{uuid4()}"
    with worker_engine.begin() as connection:
        housekeeping.beat(connection, worker, 2, MODEL)
        housekeeping.beat(connection, other, 2, MODEL)
        housekeeping.leave(connection, worker)
        assert seen(connection, worker) == []
        assert seen(connection, other) == [(2, True)]
