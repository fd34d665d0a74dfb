"""Who is alive, and how much each can do."""

from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, text

from db import housekeeping
from tests.given import MODEL


@pytest.fixture
def worker() -> str:
    return f"celery@{uuid4()}"


def seen(connection: Connection, worker: str) -> list[tuple[int, bool]]:
    """The worker's slots, and whether it was seen in this transaction."""
    statement = text("select slots, seen_at = now() as now from mosshead.workers where worker = :worker")
    return [(row.slots, row.now) for row in connection.execute(statement, {"worker": worker})]


def test_a_worker_that_beats_again_is_seen_again_with_the_slots_of_now(worker_engine: Engine, worker: str) -> None:
    with worker_engine.begin() as connection:
        housekeeping.beat(connection, worker, 2, MODEL)
    with worker_engine.begin() as connection:
        assert seen(connection, worker) == [(2, False)]
        housekeeping.beat(connection, worker, 3, MODEL)
        assert seen(connection, worker) == [(3, True)]


def test_a_worker_that_leaves_takes_its_own_slots_along(worker_engine: Engine, worker: str) -> None:
    other = f"celery@{uuid4()}"
    with worker_engine.begin() as connection:
        housekeeping.beat(connection, worker, 2, MODEL)
        housekeeping.beat(connection, other, 2, MODEL)
        housekeeping.leave(connection, worker)
        assert seen(connection, worker) == []
        assert seen(connection, other) == [(2, True)]
