"""What is cleared after a while, and what must not be."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import Engine, text

from db import candidates, housekeeping, inbox, leases, usage
from db.keys import BatchRef, LaneRef
from mosshead.store.connection import tenant_transaction
from tests.given import LONG, Publishing, Worker, claimed

WEEK = timedelta(days=7)


@pytest.fixture
def batch(publishing: Publishing, worker: Worker) -> BatchRef:
    """Return a batch that found a fact and paid for an answer."""
    publishing.say("one")
    claimed_one = claimed(worker.engine, worker.lane)
    pay(worker, claimed_one, b"first")
    return claimed_one


def pay(worker: Worker, batch: BatchRef, key: bytes) -> None:
    with worker.transaction() as connection:
        candidates.store_facts(connection, batch, [{"content": "User likes coffee"}])
        usage.keep_answer(connection, batch, key, prompt="extraction", model="m", result={})


def age(engine: Engine, batch: BatchRef, days: int) -> None:
    """Make all that a batch left that many days older."""
    with engine.begin() as connection:
        for table, columns in (
            ("batches", ("created_at", "finished_at")),
            ("step_results", ("created_at",)),
        ):
            moved = ", ".join(f"{name} = {name} - make_interval(days => :days)" for name in columns)
            statement = text(f"update mosshead.{table} set {moved} where tenant_id = :tenant_id")
            connection.execute(statement, {**batch.lane.scope, "days": days})


def left(engine: Engine, lane: LaneRef) -> dict[str, int]:
    """Return how many rows a lane has of each kind, cleared or kept."""
    tables = ("batches", "candidate_facts", "step_results", "events")
    with engine.connect() as connection:
        return {
            table: connection.execute(
                text(f"select count(*) from mosshead.{table} where tenant_id = :tenant_id"), lane.scope
            ).scalar_one()
            for table in tables
        }


def clear(worker: Worker, batches: list[BatchRef]) -> int:
    with worker.transaction() as connection:
        return housekeeping.clear_finished(connection, batches, age=WEEK)


def old_ones(worker: Worker) -> list[BatchRef]:
    with worker.engine.begin() as connection:
        found = housekeeping.finished_batches(connection, age=WEEK, limit=100_000)
    return [batch for batch in found if batch.lane == worker.lane]


def test_batch_that_ended_long_ago_leaves_only_its_events(
    batch: BatchRef, worker: Worker, admin_engine: Engine
) -> None:
    worker.finish(batch)
    age(admin_engine, batch, 8)

    assert old_ones(worker) == [batch]
    assert clear(worker, [batch]) == 1
    assert left(admin_engine, worker.lane) == {"batches": 0, "candidate_facts": 0, "step_results": 0, "events": 1}


@pytest.mark.parametrize("end", ["dead", "split"])
def test_batch_that_was_given_up_or_split_leaves_only_its_events(
    batch: BatchRef, worker: Worker, admin_engine: Engine, end: str
) -> None:
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        leases.end(connection, lease, end)
    age(admin_engine, batch, 8)

    assert clear(worker, old_ones(worker)) == 1
    assert left(admin_engine, worker.lane)["batches"] == 0


def test_batch_that_ended_lately_or_is_running_keeps_everything(
    batch: BatchRef, worker: Worker, admin_engine: Engine
) -> None:
    age(admin_engine, batch, 8)
    assert old_ones(worker) == []
    assert clear(worker, [batch]) == 0, "at work, however old it is"
    worker.finish(batch)
    assert old_ones(worker) == []
    assert clear(worker, [batch]) == 0, "ended just now"
    assert left(admin_engine, worker.lane) == {"batches": 1, "candidate_facts": 1, "step_results": 1, "events": 1}


def test_answers_the_lane_paid_for_since_are_kept(
    batch: BatchRef, worker: Worker, publishing: Publishing, admin_engine: Engine
) -> None:
    """Otherwise the running batch would pay for them again."""
    worker.finish(batch)
    age(admin_engine, batch, 8)
    publishing.say("two")
    at_work = claimed(worker.engine, worker.lane)
    pay(worker, at_work, b"second")

    assert clear(worker, [batch]) == 1
    assert left(admin_engine, worker.lane) == {"batches": 1, "candidate_facts": 1, "step_results": 1, "events": 2}
    with worker.transaction() as connection:
        assert usage.kept_answer(connection, worker.lane, b"second") is not None


def test_rows_being_cleared_by_another_process_are_left_to_it(
    batch: BatchRef, worker: Worker, admin_engine: Engine
) -> None:
    worker.finish(batch)
    age(admin_engine, batch, 8)
    with worker.transaction() as connection:
        assert housekeeping.clear_finished(connection, [batch], age=WEEK) == 1
        assert clear(worker, [batch]) == 0


def test_rows_of_another_tenant_are_not_cleared(batch: BatchRef, worker: Worker, admin_engine: Engine) -> None:
    worker.finish(batch)
    age(admin_engine, batch, 8)
    with tenant_transaction(worker.engine, uuid4()) as connection:
        theirs = BatchRef(LaneRef(uuid4(), batch.lane.namespace_id), batch.batch_id)
        assert housekeeping.clear_finished(connection, [theirs], age=WEEK) == 0


def test_dead_events_are_kept(batch: BatchRef, worker: Worker, admin_engine: Engine) -> None:
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, "why")
        leases.end(connection, lease, "dead")
    age(admin_engine, batch, 8)
    clear(worker, [batch])

    with admin_engine.connect() as connection:
        for table in ("events", "dead_letters"):
            statement = text(f"select count(*) from mosshead.{table} where tenant_id = :tenant_id")
            assert connection.execute(statement, batch.lane.scope).scalar_one() == 1


def test_workers_gone_for_long_are_removed(worker_engine: Engine) -> None:
    gone, here = f"gone-{uuid4()}", f"here-{uuid4()}"
    with worker_engine.begin() as connection:
        statement = text("insert into mosshead.workers values (:worker, 1, now() - make_interval(hours => :hours))")
        connection.execute(statement, [{"worker": gone, "hours": 25}, {"worker": here, "hours": 23}])
        assert housekeeping.clear_workers(connection, age=timedelta(days=1)) >= 1
        left_over = set(connection.execute(text("select worker from mosshead.workers")).scalars())
        assert gone not in left_over
        assert here in left_over
        connection.execute(text("delete from mosshead.workers where worker = :worker"), {"worker": here})
