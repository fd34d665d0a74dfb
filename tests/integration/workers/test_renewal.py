"""A lease is renewed as long as its task runs, and no longer."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import Connection, Engine, text

from config.settings import Settings
from db import leases
from db.keys import LaneRef
from db.leases import Lease
from tests.given import LONG, SOON, Publishing, Worker, claimed, terminate_blocked, until_blocked
from workers.dependencies import Parts, parts
from workers.failures import NoThread
from workers.tasks import renewed


@pytest.fixture
def used(service: Settings) -> Parts:
    """Renew a lease three times a second."""
    return replace(parts(), settings=service.model_copy(update={"lease_seconds": 1.0}))


@pytest.fixture
def lease(publishing: Publishing, worker: Worker, lane: LaneRef) -> Lease:
    """Return a lapsed lease that nobody took over."""
    publishing.say("I like coffee")
    return worker.leased(claimed(worker.engine, lane), lasting=-SOON)


def lasts(engine: Engine, lease: Lease) -> bool:
    with engine.connect() as connection:
        statement = text("select lease_until > now() from mosshead.lanes where tenant_id = :tenant_id")
        return bool(connection.execute(statement, lease.batch.lane.scope).scalar_one())


def is_renewed() -> bool:
    """Return whether a thread is renewing the lease."""
    return any(thread.name == "renewal" for thread in threading.enumerate())


def lapse(connection: Connection, lease: Lease) -> None:
    """Let the lease lapse until it is renewed."""
    lapsed = text("update mosshead.lanes set lease_until = now() - interval '1 s' where tenant_id = :tenant_id")
    connection.execute(lapsed, lease.batch.lane.scope)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_lease_lasts_while_the_block_runs(lease: Lease, used: Parts, admin_engine: Engine) -> None:
    with renewed(lease, used):
        for _ in range(2):
            eventually(lambda: lasts(admin_engine, lease))
            with admin_engine.begin() as connection:
                lapse(connection, lease)
        eventually(lambda: lasts(admin_engine, lease))


@pytest.mark.parametrize("failing", [False, True])
def test_lease_is_no_longer_renewed_when_the_block_ends(lease: Lease, used: Parts, failing: bool) -> None:
    def run() -> None:
        with renewed(lease, used):
            if failing:
                raise ValueError

    if failing:
        with pytest.raises(ValueError, match=r"^$"):
            run()
    else:
        run()
    eventually(lambda: not is_renewed())


def test_missing_thread_is_reported_as_a_fault_of_the_machine(
    lease: Lease, used: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    with pytest.raises(NoThread), renewed(lease, used):
        pass


def test_lease_is_no_longer_renewed_once_another_took_over(
    lease: Lease, used: Parts, worker: Worker, admin_engine: Engine
) -> None:
    with renewed(lease, used):
        with worker.transaction() as connection:
            lapse(connection, lease)
            successor = leases.take(connection, lease.batch, "extract", owner="its successor", lasting=LONG)
            until_blocked(admin_engine, "update mosshead.lanes set lease_until")
        eventually(lambda: not is_renewed())
    assert successor is not None
    assert worker.holds(successor)


def test_lease_of_a_hanging_stage_is_no_longer_renewed_after_its_time(
    lease: Lease, used: Parts, worker: Worker
) -> None:
    """Another worker can then take it over, although this one is alive."""
    brief = replace(used, settings=used.settings.model_copy(update={"stage_seconds": 0.0}))
    with renewed(lease, brief):
        eventually(lambda: not is_renewed())
        assert worker.leased(lease.batch, owner="its successor")


def test_cut_connection_costs_one_renewal(lease: Lease, used: Parts, worker: Worker, admin_engine: Engine) -> None:
    with renewed(lease, used):
        with worker.transaction() as connection:
            lock = text("select 1 from mosshead.lanes where tenant_id = :tenant_id for update")
            connection.execute(lock, worker.lane.scope)
            until_blocked(admin_engine, "update mosshead.lanes set lease_until")
            terminate_blocked(admin_engine, "update mosshead.lanes set lease_until")
        eventually(lambda: lasts(admin_engine, lease))
