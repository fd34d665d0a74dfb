"""A stage that exceeds its time limit: counted in the database, since its process is killed, and tried twice only."""

import time
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings
from db.keys import BatchRef
from tests.given import Publishing, Worker, claimed
from workers.dependencies import Parts, Store, parts
from workers.local import wait_until
from workers.tasks import StageFailed, run_stage
from workers.worker import let_go


class Killed(BaseException):
    """The effect of the hard time limit on a task, as far as a test can be killed."""


class Hanging:
    """A stage that hangs until its lease has lapsed and is then killed; counts its tries."""

    def __init__(self, engine: Engine, used: Parts) -> None:
        self.tries = 0
        self._engine = engine
        self._parts = replace(
            used, settings=used.settings.model_copy(update={"stage_seconds": 0.0, "lease_seconds": 1.0})
        )

    def run(self, batch: BatchRef) -> None:
        """Have it tried until it is tried no more."""
        for number in range(6):
            try:
                with patch("workers.tasks.parts", lambda: self._parts):
                    run_stage("extract", batch, self._work, owner=f"task {number}")
            except Killed:
                let_go(tuple(map(str, (*batch.lane.scope.values(), batch.batch_id))), f"task {number}", "killed").join()
            except StageFailed:
                return

    def _work(self, batch: BatchRef, _used: Parts) -> Store:
        self.tries += 1
        lapsed = text("select lease_until < now() from mosshead.lanes where batch_id = :id")

        def is_lapsed() -> bool:
            with self._engine.connect() as connection:
                return bool(connection.execute(lapsed, {"id": batch.batch_id}).scalar_one())

        wait_until(is_lapsed, 30, "the lapse of the lease")
        time.sleep(0.01)
        raise Killed


@pytest.fixture
def hanging(service: Settings, admin_engine: Engine) -> Hanging:
    return Hanging(admin_engine, parts())


def rows(engine: Engine, batch: BatchRef) -> list[tuple[Any, ...]]:
    """Return the states of its events."""
    statement = text("select state, suspect, reason from mosshead.events where tenant_id = :id")
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(statement, {"id": batch.lane.tenant_id})]


def test_event_whose_stage_overruns_twice_is_a_dead_letter_with_the_reason(
    hanging: Hanging, publishing: Publishing, worker: Worker, admin_engine: Engine
) -> None:
    publishing.say("I like coffee")
    batch = claimed(worker.engine, worker.lane)
    with capture_logs() as logs:
        hanging.run(batch)

    assert hanging.tries == 2
    assert [(state, reason) for state, _, reason in rows(admin_engine, batch)] == [
        ("dead", "extract: ran for longer than 0 s 2 times")
    ]
    assert sum(entry["event"] == "stage_overran" for entry in logs) == 2


def test_batch_whose_stage_overruns_twice_is_split_into_its_events(
    hanging: Hanging, publishing: Publishing, worker: Worker, admin_engine: Engine
) -> None:
    publishing.say("one", "two")
    batch = claimed(worker.engine, worker.lane)
    with capture_logs():
        hanging.run(batch)

    assert hanging.tries == 2
    assert [(state, suspect) for state, suspect, _ in rows(admin_engine, batch)] == [("received", True)] * 2


def test_overrun_stays_counted_when_the_next_try_waits_for_a_provider(
    hanging: Hanging, publishing: Publishing, worker: Worker, admin_engine: Engine
) -> None:
    publishing.say("I like coffee")
    batch = claimed(worker.engine, worker.lane)
    with admin_engine.begin() as connection:
        overran = text("update mosshead.batches set overruns = 1, starts = 0 where batch_id = :id")
        connection.execute(overran, {"id": batch.batch_id})
    worker.put_off(worker.leased(batch))
    with admin_engine.begin() as connection:
        connection.execute(
            text("update mosshead.batches set due_at = now() where batch_id = :id"), {"id": batch.batch_id}
        )
    with capture_logs():
        hanging.run(batch)

    assert hanging.tries == 1


def test_stage_that_is_stored_resets_its_overruns(publishing: Publishing, worker: Worker, admin_engine: Engine) -> None:
    publishing.say("I like coffee")
    batch = claimed(worker.engine, worker.lane)
    with admin_engine.begin() as connection:
        connection.execute(
            text("update mosshead.batches set overruns = 1 where batch_id = :id"), {"id": batch.batch_id}
        )
    worker.advance(worker.leased(batch))

    assert worker.leased(batch, "score_salience").overruns == 0
