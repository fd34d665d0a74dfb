"""How a failed stage ends: reported to a database that may be down, and only by the holder of the lease."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Timer
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import Engine, make_url, text

from benchmarks.faults.proxy import proxied
from config.settings import Settings
from db import inbox, leases
from db.engine import open_engine
from db.keys import BatchRef, LaneRef
from db.leases import Lease
from tests.given import Publishing, Worker, claimed, terminate_blocked, until_blocked
from workers import tasks
from workers.dependencies import WORKER_URL, Parts, Store, parts
from workers.failures import GiveUp, Retry, Wait
from workers.local import Addresses
from workers.local.ports import LOOPBACK
from workers.tasks import StageFailed, run_stage

SOCKET = ".s.PGSQL.5432"

OUTCOMES: dict[str, Wait | Retry | GiveUp] = {
    "wait": Wait("llm", timedelta(seconds=40)),
    "retry": Retry(timedelta(seconds=40), counts=True),
    "give up": GiveUp(),
}


@pytest.fixture
def used(service: Settings) -> Parts:
    return parts()


@pytest.fixture
def lease(settled: None, publishing: Publishing, worker: Worker, lane: LaneRef) -> Lease:
    """Return the lease of a batch of one message that is being extracted."""
    publishing.say("I like coffee")
    return worker.leased(claimed(worker.engine, lane))


def after(engine: Engine, batch: BatchRef) -> Any:
    """Return the state of a batch, its lane and its event."""
    statement = text("""
        select stage, attempts, starts, batch.error, events.state, reason, lease_owner,
               extract(epoch from due_at - now()) as delay, lanes.batch_id as at_work
        from mosshead.batches as batch join mosshead.lanes using (tenant_id, namespace_id)
        join mosshead.events using (tenant_id, namespace_id) where batch.batch_id = :id
    """)
    with engine.connect() as connection:
        return connection.execute(statement, {"id": batch.batch_id}).one()


def test_stage_that_waits_for_a_provider_is_postponed_as_long_as_the_provider(
    lease: Lease, used: Parts, admin_engine: Engine
) -> None:
    tasks.settle(lease, used, OUTCOMES["wait"], "ModelUnavailable: 429")

    row = after(admin_engine, lease.batch)
    assert (row.stage, row.attempts, row.starts, row.error) == ("extract", 0, 0, "ModelUnavailable: 429")
    assert 30 < row.delay <= 40
    with admin_engine.begin() as connection:
        (shown,) = leases.breakers(connection)
    assert (shown.provider, shown.reason, shown.seconds > 30) == ("llm", "ModelUnavailable: 429", True)


@pytest.mark.parametrize("counts", [True, False])
def test_retried_stage_waits_and_counts_as_reported(
    lease: Lease, used: Parts, admin_engine: Engine, counts: bool
) -> None:
    tasks.settle(lease, used, Retry(timedelta(seconds=40), counts=counts), "ValueError")

    row = after(admin_engine, lease.batch)
    assert (row.stage, row.attempts, row.lease_owner, 30 < row.delay <= 40) == ("extract", int(counts), None, True)


def test_event_that_is_given_up_is_dead_with_its_stage_and_frees_the_lane(
    lease: Lease, used: Parts, admin_engine: Engine
) -> None:
    tasks.settle(lease, used, GiveUp(), "ValueError")

    row = after(admin_engine, lease.batch)
    assert (row.stage, row.state, row.reason, row.at_work) == ("dead", "dead", "extract: ValueError", None)


def test_batch_that_is_given_up_is_split(
    publishing: Publishing, worker: Worker, used: Parts, admin_engine: Engine
) -> None:
    publishing.say("one", "two")
    batch = claimed(worker.engine, worker.lane)
    tasks.settle(worker.leased(batch), used, GiveUp(), "ValueError")

    with admin_engine.connect() as connection:
        rows = connection.execute(
            text("select state, suspect, batch_id from mosshead.events where tenant_id = :id"),
            {"id": batch.lane.tenant_id},
        ).all()
        stage = connection.execute(
            text("select stage from mosshead.batches where batch_id = :id"), {"id": batch.batch_id}
        )
        assert [tuple(row) for row in rows] == [("received", True, None)] * 2
        assert stage.scalar_one() == "split"


def test_failed_profiles_make_no_event_in_effect_dead(
    publishing: Publishing, worker: Worker, used: Parts, admin_engine: Engine
) -> None:
    publishing.say("I like coffee")
    batch = claimed(worker.engine, worker.lane)
    worker.owe_profiles()
    for stage in ("extract", "score_salience", "embed", "consolidate"):
        worker.advance(worker.leased(batch, stage))
    with worker.transaction() as connection:
        inbox.mark_done(connection, batch)
    tasks.settle(worker.leased(batch, "refresh_profiles"), used, GiveUp(), "ValueError")

    row = after(admin_engine, batch)
    assert (row.stage, row.state, row.at_work) == ("dead", "done", None)
    with admin_engine.connect() as connection:
        letters = text("select count(*) from mosshead.dead_letters where tenant_id = :id")
        assert connection.execute(letters, {"id": batch.lane.tenant_id}).scalar_one() == 0


@pytest.mark.parametrize("outcome", sorted(OUTCOMES))
def test_task_that_lost_the_lease_changes_nothing(
    lease: Lease, used: Parts, worker: Worker, admin_engine: Engine, outcome: str
) -> None:
    with worker.transaction() as connection:
        connection.execute(text("update mosshead.lanes set lease_until = now() - interval '1 s'"))
    successor = worker.leased(lease.batch, owner="its successor")
    tasks.settle(lease, used, OUTCOMES[outcome], "ValueError")

    row = after(admin_engine, lease.batch)
    assert (row.stage, row.attempts, row.error, row.lease_owner) == ("extract", 0, None, "its successor")
    assert worker.holds(successor)
    with admin_engine.begin() as connection:
        assert leases.breakers(connection) == []


class TestADatabaseThatGoesAway:
    """The connection is cut at the moment the failure is to be stored."""

    @contextmanager
    def cut(self, engine: Engine, worker: Worker, settle: Callable[[], None]) -> Iterator[Future[None]]:
        """Settle, with the connection cut before anything is written."""
        with ThreadPoolExecutor(1) as threads:
            with worker.transaction() as connection:
                connection.execute(
                    text("select 1 from mosshead.lanes where tenant_id = :tenant_id for update"), worker.lane.scope
                )
                settling = threads.submit(settle)
                until_blocked(engine, "mosshead.lanes")
                terminate_blocked(engine, "mosshead.lanes")
            yield settling

    @pytest.mark.parametrize("outcome", sorted(OUTCOMES))
    def test_missing_database_is_waited_for(
        self, lease: Lease, used: Parts, worker: Worker, admin_engine: Engine, outcome: str
    ) -> None:
        """Otherwise a failure that was handled would count as a crash."""
        with self.cut(
            admin_engine, worker, lambda: tasks.settle(lease, used, OUTCOMES[outcome], "ValueError")
        ) as settling:
            settling.result(timeout=30)

        row = after(admin_engine, lease.batch)
        assert (row.error, row.lease_owner, row.starts) == ("ValueError", None, 0)
        assert (row.stage, row.attempts) == {"wait": ("extract", 0), "retry": ("extract", 1), "give up": ("dead", 0)}[
            outcome
        ]

    def test_missing_database_is_waited_for_when_the_worker_is_told_to_stop(
        self, lease: Lease, used: Parts, worker: Worker, admin_engine: Engine
    ) -> None:
        with self.cut(admin_engine, worker, lambda: tasks.put_off(lease, used, "stopped")) as settling:
            settling.result(timeout=30)
        assert worker.leased(lease.batch).crashes == 0

    def test_missing_database_is_waited_for_no_longer_than_a_stage_may_run(
        self, lease: Lease, used: Parts, worker: Worker, admin_engine: Engine
    ) -> None:
        """It then looks like a crash, and is retried."""
        hasty = replace(used, settings=used.settings.model_copy(update={"stage_seconds": 0.0}))
        with self.cut(admin_engine, worker, lambda: tasks.settle(lease, hasty, GiveUp(), "ValueError")) as settling:
            settling.result(timeout=30)
        assert after(admin_engine, lease.batch).lease_owner == lease.owner

    def test_stopping_worker_waits_no_longer_than_the_lease(
        self, lease: Lease, used: Parts, worker: Worker, admin_engine: Engine
    ) -> None:
        hasty = replace(used, settings=used.settings.model_copy(update={"lease_seconds": 0.0}))
        with self.cut(admin_engine, worker, lambda: tasks.put_off(lease, hasty, "stopped")) as settling:
            settling.result(timeout=30)
        assert after(admin_engine, lease.batch).lease_owner == lease.owner

    def test_outage_is_no_crash_of_a_task_that_lost_the_lease(
        self, lease: Lease, used: Parts, worker: Worker, admin_engine: Engine
    ) -> None:
        """Another task was quicker once the database was back; otherwise three long outages would make an event dead."""
        with ThreadPoolExecutor(1) as threads:
            with worker.transaction() as connection:
                connection.execute(
                    text("update mosshead.lanes set lease_until = now() - interval '1 s' where tenant_id = :tenant_id"),
                    worker.lane.scope,
                )
                settling = threads.submit(tasks.settle, lease, used, OUTCOMES["retry"], "OperationalError")
                until_blocked(admin_engine, "mosshead.lanes")
                terminate_blocked(admin_engine, "mosshead.lanes")
                quicker = leases.take(connection, lease.batch, "extract", owner="another", lasting=timedelta(minutes=1))
            settling.result(timeout=30)

        assert quicker is not None
        assert worker.holds(quicker)
        assert after(admin_engine, lease.batch).starts == 1


def test_outages_longer_than_their_leases_are_no_crashes(
    addresses: Addresses,
    publishing: Publishing,
    worker: Worker,
    used: Parts,
    admin_engine: Engine,
) -> None:
    """Postgres goes down repeatedly, each time for longer than a lease, while the only stage of an event runs."""
    publishing.say("I like coffee")
    batch = claimed(worker.engine, worker.lane)
    url = make_url(addresses.worker_url)
    with proxied(Path(str(url.query["host"])) / SOCKET) as proxy:
        far = url.set(host=LOOPBACK, port=proxy.port, query={}).render_as_string(hide_password=False)
        engine = open_engine(far, setting=WORKER_URL)
        short = used.settings.model_copy(update={"lease_seconds": 0.2})
        far_parts = replace(used, engine=engine, settings=short)

        def work(_batch: BatchRef, _used: Parts) -> Store:
            proxy.refuse()
            return lambda connection: None

        settle = tasks.settle

        def settled_when_it_is_back(*given: Any) -> None:
            back.start()
            settle(*given)

        for _ in range(4):
            back = Timer(0.4, proxy.heal)
            with (
                patch("workers.tasks.parts", lambda: far_parts),
                patch("workers.tasks.settle", settled_when_it_is_back),
                pytest.raises(StageFailed, match="OperationalError"),
            ):
                run_stage("extract", batch, work, owner="a task")
            back.join()
            with admin_engine.begin() as connection:
                connection.execute(
                    text("update mosshead.batches set due_at = now() where batch_id = :id"), {"id": batch.batch_id}
                )
        engine.dispose()

    row = after(admin_engine, batch)
    assert (row.stage, row.starts, row.state) == ("extract", 0, "received")
