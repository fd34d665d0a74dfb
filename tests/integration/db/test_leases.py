"""Leases: one holder, known by owner and epoch; renewed, given back, lapsed; crashes counted. On the database's own clock."""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from db import leases
from db.keys import BatchRef, LaneRef
from db.lanes import STAGES
from db.leases import Lease
from mosshead.store.connection import tenant_transaction
from tests.given import LONG, NONE, SOON, Publishing, Worker, claimed, contents_of, until_blocked


@pytest.fixture
def batch(publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """Return a batch of one message that was just claimed."""
    publishing.say("I like coffee")
    return claimed(worker_engine, lane)


def lane_row(engine: Engine, lane: LaneRef) -> Any:
    statement = text("""
        select batch_id, lease_owner, lease_until - now() as left from mosshead.lanes where tenant_id = :id
    """)
    with engine.connect() as connection:
        return connection.execute(statement, {"id": lane.tenant_id}).one()


class TestTaking:
    def test_duplicate_hint_gets_no_lease(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch, owner="one")
        assert worker.lease(batch, owner="two") is None
        assert worker.lease(batch, owner="one") is None, "the same task, delivered twice"

    def test_holder_of_the_lease_is_stored(self, worker: Worker, batch: BatchRef, admin_engine: Engine) -> None:
        lease = worker.leased(batch, owner="one")
        assert (lease.owner, lane_row(admin_engine, worker.lane).lease_owner) == ("one", "one")

    @pytest.mark.parametrize("stage", STAGES[1:])
    def test_stage_that_is_not_due_gets_no_lease(self, worker: Worker, batch: BatchRef, stage: str) -> None:
        assert worker.lease(batch, stage) is None

    def test_each_stage_follows_the_last_with_a_later_epoch(self, worker: Worker, batch: BatchRef) -> None:
        worker.owe_profiles()
        epochs, followed = [], []
        for stage in STAGES:
            lease = worker.leased(batch, stage)
            epochs.append(lease.epoch)
            followed.append(worker.advance(lease))
            assert worker.lease(batch, stage) is None, "what is done is not done again"

        assert followed == [*STAGES[1:], "done"]
        assert epochs == sorted(set(epochs))

    def test_batch_without_a_due_profile_ends_when_it_takes_effect(self, worker: Worker, batch: BatchRef) -> None:
        followed = [worker.advance(worker.leased(batch, stage)) for stage in STAGES[:-1]]
        assert followed == [*STAGES[1:-1], "done"]

    def test_lapsed_lease_is_taken_over_and_the_old_one_no_longer_holds(self, worker: Worker, batch: BatchRef) -> None:
        zombie = worker.crash(batch)
        successor = worker.leased(batch)

        assert successor.epoch > zombie.epoch
        assert (worker.holds(zombie), worker.holds(successor)) == (False, True)

    def test_lapsed_lease_that_nobody_took_over_still_holds(self, worker: Worker, batch: BatchRef) -> None:
        assert worker.holds(worker.crash(batch))

    def test_lease_tells_how_many_events_its_batch_has(
        self, worker: Worker, publishing: Publishing, worker_engine: Engine
    ) -> None:
        publishing.say("one", "two", "three", "four")
        assert worker.leased(claimed(worker_engine, worker.lane, messages=3)).events == 3

    def test_lease_lasts_from_when_it_was_granted_however_long_the_lane_was_locked(
        self, worker: Worker, batch: BatchRef
    ) -> None:
        """As behind an app that publishes in a long transaction of its own."""
        with worker.transaction() as connection:
            connection.execute(text("select pg_sleep(0.2)"))
            lease = leases.take(connection, batch, "extract", owner="a task", lasting=timedelta(seconds=0.1))
            assert lease is not None
            assert _lasts(connection, worker.lane) >= timedelta(seconds=0.3)
            assert leases.renew(connection, lease, lasting=timedelta(seconds=0.4))
            assert _lasts(connection, worker.lane) >= timedelta(seconds=0.6)


def _lasts(connection: Connection, lane: LaneRef) -> timedelta:
    """Return how long a lane's lease lasts, from the start of the transaction."""
    statement = text("select lease_until - now() from mosshead.lanes where tenant_id = :id")
    return connection.execute(statement, {"id": lane.tenant_id}).scalar_one()  # type: ignore[no-any-return]


class TestARace:
    """A duplicate hint: the second task finds the lane free, and waits for it, while the first is about to commit."""

    @pytest.fixture
    def second(self, worker: Worker, batch: BatchRef, admin_engine: Engine) -> Any:
        """Start taking the lease on a connection of its own; return once it waits for the lane."""
        with ThreadPoolExecutor(1) as threads:

            def start() -> Future[Lease | None]:
                taking = threads.submit(worker.lease, batch, owner="the second")
                until_blocked(admin_engine, "mosshead.lanes")
                return taking

            yield start

    def test_second_task_gets_no_lease_while_the_first_takes_it(
        self, worker: Worker, batch: BatchRef, second: Any
    ) -> None:
        with worker.transaction() as connection:
            lease = leases.take(connection, batch, "extract", owner="the first", lasting=LONG)
            taking = second()

        assert taking.result(timeout=30) is None
        assert lease is not None
        assert worker.holds(lease)

    @pytest.mark.parametrize("ending", ["next stage", "put off", "dead"])
    def test_second_task_gets_no_lease_while_the_first_ends_the_stage(
        self, worker: Worker, batch: BatchRef, second: Any, ending: str
    ) -> None:
        lease = worker.crash(batch)  # lapsed, but still valid
        with worker.transaction() as connection:
            assert leases.holds(connection, lease)
            if ending == "next stage":
                leases.advance(connection, lease)
            elif ending == "put off":
                leases.put_off(connection, lease, error="ValueError", delay=LONG, counts=True)
            else:
                leases.end(connection, lease, "dead", error="ValueError")
            taking = second()

        assert taking.result(timeout=30) is None

    def test_second_use_of_a_lease_waits_for_the_first_and_stores_nothing(
        self, worker: Worker, batch: BatchRef, admin_engine: Engine
    ) -> None:
        """The same lease, used twice at once: as by a task whose commit was cut off and is retried."""
        lease = worker.leased(batch)
        with ThreadPoolExecutor(1) as threads:
            with worker.transaction() as connection:
                assert leases.holds(connection, lease)
                again = threads.submit(worker.holds, lease)
                until_blocked(admin_engine, "mosshead.lanes")
                leases.advance(connection, lease)
            assert not again.result(timeout=30)


class TestRenewal:
    def test_renewed_lease_lasts_from_now_on(self, worker: Worker, batch: BatchRef, admin_engine: Engine) -> None:
        lease = worker.crash(batch)
        assert self._renewed(worker, lease)

        assert lane_row(admin_engine, worker.lane).left > LONG - timedelta(minutes=5)
        assert worker.lease(batch) is None

    def test_only_its_owner_with_its_epoch_renews_a_lease(self, worker: Worker, batch: BatchRef) -> None:
        worker.crash(batch)
        lease = worker.leased(batch, owner="one")

        for other in (
            Lease(batch, "extract", "two", lease.epoch),
            Lease(batch, "extract", "one", lease.epoch - 1),
            Lease(batch, "extract", "one", lease.epoch + 1),
        ):
            assert not self._renewed(worker, other)
        assert self._renewed(worker, lease)

    @pytest.mark.parametrize("ending", ["advance", "put off", "end", "release"])
    def test_returned_lease_is_not_renewed(
        self, worker: Worker, batch: BatchRef, admin_engine: Engine, ending: str
    ) -> None:
        """Otherwise a late renewal would keep the lane from the next stage."""
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            if ending == "advance":
                leases.advance(connection, lease)
            elif ending == "put off":
                leases.put_off(connection, lease, error="ValueError", delay=NONE, counts=False)
            elif ending == "end":
                leases.end(connection, lease, "split")
            else:
                leases.release(connection, batch, lease.owner)

        assert not self._renewed(worker, lease)
        left = lane_row(admin_engine, worker.lane).left
        assert left is None or left < NONE

    def _renewed(self, worker: Worker, lease: Lease) -> bool:
        with worker.transaction() as connection:
            return leases.renew(connection, lease, lasting=LONG)


class TestRelease:
    def test_lease_of_a_dead_task_lapses_at_once_and_counts_as_a_crash(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch, owner="the dead")
        with worker.transaction() as connection:
            assert leases.release(connection, batch, "the dead")

        successor = worker.leased(batch, owner="its successor")
        assert successor.crashes == 1

    def test_lease_of_another_task_is_not_released(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch, owner="one")
        with worker.transaction() as connection:
            assert not leases.release(connection, batch, "another")

        assert worker.lease(batch) is None
        assert worker.holds(lease)

    def test_returned_lease_is_not_released(self, worker: Worker, batch: BatchRef) -> None:
        worker.put_off(worker.leased(batch, owner="one"))
        with worker.transaction() as connection:
            assert not leases.release(connection, batch, "one")


class TestStarts:
    def test_lease_that_was_never_returned_counts_as_a_crash(self, worker: Worker, batch: BatchRef) -> None:
        assert [worker.crash(batch).crashes for _ in range(3)] == [0, 1, 2]

    def test_hint_that_got_no_lease_counts_as_no_start(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch, owner="the dead")
        assert worker.lease(batch) is None
        with worker.transaction() as connection:
            leases.release(connection, batch, "the dead")

        assert worker.leased(batch).crashes == 1

    def test_stage_that_succeeds_resets_the_starts(self, worker: Worker, batch: BatchRef) -> None:
        worker.crash(batch)
        worker.advance(worker.leased(batch))
        assert worker.leased(batch, "score_salience").crashes == 0

    def test_reported_failure_resets_the_starts(self, worker: Worker, batch: BatchRef) -> None:
        worker.crash(batch)
        worker.put_off(worker.leased(batch))
        assert worker.leased(batch).crashes == 0


class TestEndings:
    @pytest.mark.parametrize(("counts", "attempts"), [(True, 1), (False, 0)])
    def test_postponed_stage_is_due_after_the_delay(
        self, worker: Worker, batch: BatchRef, counts: bool, attempts: int
    ) -> None:
        for delay in (-SOON, LONG):
            lease = worker.leased(batch)
            worker.put_off(lease, delay, counts=counts)

        assert worker.lease(batch) is None, "not before the hour is over"
        assert lease.attempts == attempts

    def test_stage_that_succeeds_resets_the_attempts(self, worker: Worker, batch: BatchRef) -> None:
        worker.put_off(worker.leased(batch), -SOON, counts=True)
        worker.advance(worker.leased(batch))

        assert worker.leased(batch, "score_salience").attempts == 0

    @pytest.mark.parametrize("stage", ["dead", "split", "done"])
    def test_batch_that_ends_frees_the_lane_for_the_next(
        self, worker: Worker, batch: BatchRef, publishing: Publishing, stage: str
    ) -> None:
        publishing.say("and tea")
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            leases.end(connection, lease, stage, error="why")

        assert worker.lease(batch) is None
        assert not worker.holds(lease)
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["and tea"]

    def test_stored_stage_is_not_stored_again_under_the_same_lease(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch)
        assert worker.holds(lease)
        worker.advance(lease)

        assert not worker.holds(lease)

    def test_time_of_effect_is_stored_once(self, worker: Worker, batch: BatchRef) -> None:
        worker.owe_profiles()
        applied = []
        for stage in STAGES:
            worker.advance(worker.leased(batch, stage))
            with tenant_transaction(worker.engine, worker.lane.tenant_id) as connection:
                statement = text("select applied_at from mosshead.batches where batch_id = :id")
                applied.append(connection.execute(statement, {"id": batch.batch_id}).scalar_one())

        assert applied[:3] == [None] * 3
        assert applied[3] is not None
        assert applied[4] == applied[3], "the profiles do not move it"
