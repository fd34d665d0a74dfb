"""The lease of a task whose process died, released by the parent."""

from datetime import timedelta
from uuid import uuid4

import pytest
from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery import signals
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings
from db import leases
from db.keys import BatchRef
from mosshead.store.connection import tenant_transaction
from tests.given import Publishing, claimed
from workers.local import wait_until
from workers.tasks import extract
from workers.worker import let_go

HOUR = timedelta(hours=1)


@pytest.fixture
def batch(publishing: Publishing, worker_engine: Engine) -> BatchRef:
    publishing.say("I like coffee")
    return claimed(worker_engine, publishing.lane)


def arguments(batch: BatchRef) -> tuple[str, str, str]:
    return str(batch.lane.tenant_id), str(batch.lane.namespace_id), str(batch.batch_id)


def leased(engine: Engine, batch: BatchRef, owner: str) -> leases.Lease | None:
    with tenant_transaction(engine, batch.lane.tenant_id) as connection:
        return leases.take(connection, batch, "extract", owner=owner, lasting=HOUR)


def test_another_task_may_start_at_once_and_the_death_is_counted(
    batch: BatchRef, worker_engine: Engine, service: Settings
) -> None:
    assert leased(worker_engine, batch, "task-1")
    assert leased(worker_engine, batch, "task-2") is None

    with capture_logs() as logs:
        let_go(arguments(batch), "task-1", "signal 9").join()

    again = leased(worker_engine, batch, "task-2")
    assert again is not None
    assert again.crashes == 1
    assert [(entry["event"], entry["why"], entry["released"]) for entry in logs] == [("worker_lost", "signal 9", True)]


def test_lease_of_a_successor_is_not_released(batch: BatchRef, worker_engine: Engine, service: Settings) -> None:
    assert leased(worker_engine, batch, "task-2")
    with capture_logs():
        let_go(arguments(batch), "task-1", "signal 9").join()
    assert leased(worker_engine, batch, "task-3") is None


@pytest.mark.parametrize("error", [WorkerLostError("signal 9"), TimeLimitExceeded(660)])
def test_celery_signals_a_death(batch: BatchRef, worker_engine: Engine, service: Settings, error: Exception) -> None:
    assert leased(worker_engine, batch, "task-1")
    with capture_logs():
        signals.task_failure.send(sender=extract, task_id="task-1", exception=error, args=arguments(batch), kwargs={})
        wait_until(lambda: leased(worker_engine, batch, "task-2") is not None, 10, "the lease")


def test_failed_stage_in_a_living_process_keeps_its_lease_as_it_set_it(
    batch: BatchRef, worker_engine: Engine, service: Settings
) -> None:
    assert leased(worker_engine, batch, "task-1")
    with capture_logs() as logs:
        signals.task_failure.send(
            sender=extract,
            task_id="task-1",
            exception=ValueError(),
            args=arguments(batch),
            kwargs={},
        )
    assert logs == []
    assert leased(worker_engine, batch, "task-2") is None


def test_missing_database_is_no_reason_to_stop(
    batch: BatchRef, service: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.settings import settings

    monkeypatch.setenv("MOSSHEAD_WORKER_URL", "postgresql://mosshead_worker@127.0.0.1:1/mosshead")
    settings.cache_clear()
    with capture_logs() as logs:
        let_go(arguments(batch), "task-1", "signal 9").join()
    assert [(entry["event"], entry["error"]) for entry in logs] == [("worker_lost", "OperationalError")]


def test_foreign_task_is_only_reported(service: Settings) -> None:
    with capture_logs() as logs:
        let_go(("not", "a", "batch"), str(uuid4()), "signal 9").join()
    assert [(entry["event"], entry["error"]) for entry in logs] == [("worker_lost", "ValueError")]


def test_no_connection_is_left_open(batch: BatchRef, service: Settings, admin_engine: Engine) -> None:
    """The next forked child would share it."""
    let_go(arguments(batch), "task-1", "signal 9").join()
    statement = text(
        "select count(*) from pg_stat_activity where usename = 'mosshead_worker' and query like '%lease_owner%'"
    )

    def gone() -> bool:
        with admin_engine.begin() as connection:
            return int(connection.execute(statement).scalar_one()) == 0

    wait_until(gone, 10, "the end of the connection")
