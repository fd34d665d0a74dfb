"""Lanes, batches and leases, on the database's own clock."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import Connection, Engine, text

from db import lanes
from db.lanes import STAGES, Lease
from db.refs import BatchRef, LaneRef
from recollect.tenancy import tenant_transaction
from tests.given import Publishing, claim, claimed, contents_of

LONG = timedelta(hours=1)
SOON = timedelta(milliseconds=1)


class Worker:
    """A worker's view of one lane, each call a transaction of its own."""

    def __init__(self, engine: Engine, lane: LaneRef) -> None:
        self.engine = engine
        self.lane = lane

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        with tenant_transaction(self.engine, self.lane.tenant_id) as connection:
            yield connection

    def lease(self, batch: BatchRef, stage: str = "extract", seconds: timedelta = LONG) -> Lease | None:
        with self.transaction() as connection:
            return lanes.take_lease(connection, batch, stage, seconds)

    def leased(self, batch: BatchRef, stage: str = "extract", seconds: timedelta = LONG) -> Lease:
        lease = self.lease(batch, stage, seconds)
        assert lease is not None
        return lease

    def holds(self, lease: Lease) -> bool:
        with self.transaction() as connection:
            return lanes.holds(connection, lease)

    def advance(self, lease: Lease) -> str:
        with self.transaction() as connection:
            return lanes.advance(connection, lease)

    def hinted(self, again: timedelta = LONG) -> list[str]:
        """The stages of this lane's batches that a sweep would hint."""
        with self.engine.begin() as connection:
            found = lanes.batches_to_hint(connection, limit=1000, again=again)
        return [stage for batch, stage in found if batch.lane == self.lane]


@pytest.fixture
def worker(worker_engine: Engine, lane: LaneRef) -> Worker:
    return Worker(worker_engine, lane)


@pytest.fixture
def batch(publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """A batch of one message, just claimed."""
    publishing.say("I like coffee")
    return claimed(worker_engine, lane)


class TestClaim:
    @pytest.mark.parametrize(
        ("limits", "taken"),
        [
            ({}, ["aaaa", "bb", "cccc", "d"]),
            ({"messages": 2}, ["aaaa", "bb"]),
            ({"characters": 6}, ["aaaa", "bb"]),
            ({"characters": 9}, ["aaaa", "bb"]),
            ({"characters": 1}, ["aaaa"]),
        ],
    )
    def test_takes_the_backlog_up_to_a_size_and_one_event_always(
        self,
        publishing: Publishing,
        worker_engine: Engine,
        lane: LaneRef,
        limits: dict[str, int],
        taken: list[str],
    ) -> None:
        publishing.say("aaaa", "bb", "cccc", "d")

        assert contents_of(worker_engine, claimed(worker_engine, lane, **limits)) == taken

    @pytest.mark.usefixtures("batch")
    def test_finds_nothing_while_a_batch_is_at_work(self, worker: Worker, publishing: Publishing) -> None:
        publishing.say("and tea")
        assert claim(worker.engine, worker.lane) is None
        with worker.engine.begin() as connection:
            assert worker.lane not in lanes.due_lanes(connection, 1000)

    def test_what_came_meanwhile_is_due_when_the_batch_ends(
        self, worker: Worker, publishing: Publishing, batch: BatchRef
    ) -> None:
        publishing.say("and tea")
        for stage in STAGES:
            worker.advance(worker.leased(batch, stage))

        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["and tea"]

    def test_does_not_pass_a_gap_until_it_was_waited_for(
        self, publishing: Publishing, worker: Worker, admin_engine: Engine
    ) -> None:
        publishing.send(*(publishing.message(f"{number}", number=number) for number in (1, 2, 4)))
        first = claimed(worker.engine, worker.lane)
        assert contents_of(worker.engine, first) == ["1", "2"]
        for stage in STAGES:
            worker.advance(worker.leased(first, stage))

        assert claim(worker.engine, worker.lane) is None, "the third may still come"
        with admin_engine.begin() as connection:
            ready = text("select ready_at > now() + interval '50 minutes' from recollect.lanes where tenant_id = :id")
            assert connection.execute(ready, {"id": worker.lane.tenant_id}).scalar_one(), (
                "looked at again after the gap"
            )
            connection.execute(
                text("update recollect.lanes set ready_at = now() where tenant_id = :id"), {"id": worker.lane.tenant_id}
            )
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane, gap=timedelta(0))) == ["4"]

    def test_another_publisher_does_not_wait_for_the_gap(self, publishing: Publishing, worker: Worker) -> None:
        other = publishing.another()
        publishing.send(publishing.message("late", number=2))
        other.say("here")

        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["here"]

    def test_two_claimers_get_one_batch(self, publishing: Publishing, worker: Worker) -> None:
        for _ in range(5):
            publishing.say("I like coffee")
            start = Barrier(2)

            def try_it(start: Barrier = start) -> BatchRef | None:
                start.wait()
                return claim(worker.engine, worker.lane)

            with ThreadPoolExecutor(2) as threads:
                found = [done.result() for done in [threads.submit(try_it) for _ in range(2)]]
            (batch,) = [one for one in found if one is not None]
            for stage in STAGES:
                worker.advance(worker.leased(batch, stage))

    def test_a_lane_that_does_not_exist_gives_nothing(self, worker: Worker) -> None:
        assert claim(worker.engine, worker.lane) is None


class TestLease:
    def test_a_doubled_hint_gets_none(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch)
        assert worker.lease(batch) is None

    @pytest.mark.parametrize("stage", STAGES[1:])
    def test_a_stage_that_is_not_due_gets_none(self, worker: Worker, batch: BatchRef, stage: str) -> None:
        assert worker.lease(batch, stage) is None

    def test_the_stages_follow_each_other_and_each_lease_is_a_later_epoch(
        self, worker: Worker, batch: BatchRef
    ) -> None:
        epochs, followed = [], []
        for stage in STAGES:
            lease = worker.leased(batch, stage)
            epochs.append(lease.epoch)
            followed.append(worker.advance(lease))
            assert worker.lease(batch, stage) is None, "what is done is not done again"

        assert followed == [*STAGES[1:], "done"]
        assert epochs == sorted(set(epochs))

    def test_an_expired_lease_is_taken_over_and_the_old_one_holds_no_more(
        self, worker: Worker, batch: BatchRef
    ) -> None:
        zombie = worker.leased(batch, seconds=-SOON)
        successor = worker.leased(batch)

        assert successor.epoch > zombie.epoch
        assert (worker.holds(zombie), worker.holds(successor)) == (False, True)

    def test_an_expired_lease_that_nobody_took_over_still_holds(self, worker: Worker, batch: BatchRef) -> None:
        assert worker.holds(worker.leased(batch, seconds=-SOON))

    def test_a_lease_of_a_batch_that_ended_holds_no_more(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            lanes.give_up(connection, lease, "AnswerRefused")

        assert not worker.holds(lease)


class TestFailure:
    @pytest.mark.parametrize(("counts", "attempts"), [(True, 1), (False, 0)])
    def test_a_stage_that_is_put_off_is_due_after_the_delay(
        self, worker: Worker, batch: BatchRef, counts: bool, attempts: int
    ) -> None:
        for delay in (SOON, LONG):
            lease = worker.leased(batch)
            with worker.transaction() as connection:
                lanes.put_off(connection, lease, error="ModelUnavailable", delay=delay, counts=counts)

        assert worker.lease(batch) is None, "not before the hour is over"
        assert lease.attempts == attempts

    def test_giving_up_frees_the_lane_for_what_follows(
        self, worker: Worker, batch: BatchRef, publishing: Publishing
    ) -> None:
        publishing.say("and tea")
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            lanes.give_up(connection, lease, "why")

        assert worker.lease(batch) is None
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["and tea"]

    def test_a_stage_that_succeeds_forgets_the_attempts(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            lanes.put_off(connection, lease, error="KeyError", delay=-SOON, counts=True)
        worker.advance(worker.leased(batch))

        assert worker.leased(batch, "score_salience").attempts == 0


class TestHints:
    @pytest.mark.usefixtures("batch")
    def test_a_batch_is_hinted_again_only_when_the_hint_counts_as_lost(self, worker: Worker) -> None:
        assert worker.hinted() == [], "the claim told of it"
        assert worker.hinted(again=-SOON) == ["extract"]
        assert worker.hinted() == []

    def test_a_batch_under_a_lease_is_not_hinted_until_the_lease_expires(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch)
        assert worker.hinted(again=-SOON) == []

    def test_an_expired_lease_is_hinted(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch, seconds=-SOON)
        assert worker.hinted(again=-SOON) == ["extract"]

    def test_a_stage_put_off_is_hinted_when_it_is_due_and_not_before(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch)
        with worker.transaction() as connection:
            lanes.put_off(connection, lease, error="ModelUnavailable", delay=LONG, counts=False)
        assert worker.hinted(again=-SOON) == []
        with worker.transaction() as connection:
            lanes.put_off(connection, lease, error="ModelUnavailable", delay=SOON, counts=False)
        assert worker.hinted() == ["extract"], "due after the last hint: nobody was told of this try"

    def test_what_is_done_is_not_hinted(self, worker: Worker, batch: BatchRef) -> None:
        for stage in STAGES:
            worker.advance(worker.leased(batch, stage))
        assert worker.hinted(again=-SOON) == []
