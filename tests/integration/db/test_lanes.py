"""Lanes: whose turn it is, how many run at once, and which are hinted. Times are those of the database's clock."""

import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.event import listen, remove

from db import inbox, lanes, leases
from db.keys import BatchRef, LaneRef
from db.lanes import STAGES
from mosshead.paths import NamespacePath
from tests.given import LONG, SOON, Publishing, Worker, claimed, workers_with

MINUTE = timedelta(minutes=1)

Tenant = Callable[[int], tuple[UUID, list[LaneRef]]]


@pytest.fixture
def batch(publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """Return a batch of one message that was just claimed."""
    publishing.say("I like coffee")
    return claimed(worker_engine, lane)


@pytest.fixture
def tenant(ingest_engine: Engine, settled: None) -> Tenant:
    """Return a function that makes a tenant with that many due lanes, the first of which has waited longest."""

    def make(count: int) -> tuple[UUID, list[LaneRef]]:
        name = f"tenant-{uuid4().hex}"
        paths = [NamespacePath.of((name, f"user-{number}")) for number in range(count)]
        for path in paths:
            Publishing(ingest_engine, path).say("I like coffee")
        return paths[0].tenant_id, [LaneRef(path.tenant_id, path.namespace_id) for path in paths]

    return make


def due(engine: Engine, *, limit: int = 1000, of_tenant: int = 1000) -> list[LaneRef]:
    with engine.begin() as connection:
        return lanes.due_lanes(connection, limit=limit, of_tenant=of_tenant)


def test_tenant_is_alone_while_all_lanes_belong_to_it(tenant: Tenant, admin_engine: Engine) -> None:
    mine, _ = tenant(2)
    tenant(1)

    def is_alone() -> bool:
        return lanes.slots(connection, alive=MINUTE, again=MINUTE).of_one_tenant

    with admin_engine.connect() as connection:
        assert not is_alone()
        connection.execute(text("set local session_replication_role = replica"))  # their rows elsewhere may stay
        connection.execute(text("delete from mosshead.lanes where tenant_id <> :mine"), {"mine": mine})
        assert is_alone()
        connection.execute(text("delete from mosshead.lanes"))
        assert is_alone()
        connection.rollback()


class TestDue:
    def test_lanes_that_wait_longest_come_first(self, tenant: Tenant, worker_engine: Engine) -> None:
        _, made = tenant(4)
        assert due(worker_engine) == made
        assert due(worker_engine, limit=2) == made[:2]

    @pytest.mark.usefixtures("settled", "batch")
    def test_lane_with_a_running_batch_is_not_due(self, worker: Worker, publishing: Publishing) -> None:
        publishing.say("and tea")
        assert due(worker.engine) == []

    @pytest.mark.usefixtures("settled")
    def test_debounced_lane_is_not_due(self, worker: Worker, publishing: Publishing) -> None:
        publishing.send(publishing.message(), quiet=LONG, most=LONG)
        assert due(worker.engine) == []

    @pytest.mark.usefixtures("settled")
    def test_quarantined_lane_is_not_due(self, worker: Worker, publishing: Publishing) -> None:
        publishing.say("I like coffee")
        with worker.transaction() as connection:
            assert lanes.quarantine(connection, worker.lane, dead=0, within=LONG)
        assert due(worker.engine) == []
        with worker.transaction() as connection:
            assert not lanes.lock_due(connection, [worker.lane])

    def test_tenants_take_turns(self, tenant: Tenant, worker_engine: Engine) -> None:
        _, many = tenant(50)
        _, few = tenant(2)
        assert due(worker_engine, limit=4) == [many[0], few[0], many[1], few[1]]

    def test_tenant_with_running_batches_comes_after_one_without(self, tenant: Tenant, worker_engine: Engine) -> None:
        _, many = tenant(5)
        for lane in many[:2]:
            claimed(worker_engine, lane)
        _, few = tenant(3)
        assert due(worker_engine, limit=4) == [*few[:2], many[2], few[2]]

    def test_tenant_gets_no_more_than_its_share(self, tenant: Tenant, worker_engine: Engine) -> None:
        many_id, many = tenant(5)
        claimed(worker_engine, many[0])
        few_id, _ = tenant(2)

        found = Counter(lane.tenant_id for lane in due(worker_engine, of_tenant=3))
        assert found == {many_id: 2, few_id: 2}, "one of the many is at work already"

    @pytest.mark.parametrize("with_events", [True, False], ids=["a message", "a profile"])
    def test_tenant_behind_many_lanes_of_another_takes_its_turn(
        self, *, tenant: Tenant, worker_engine: Engine, admin_engine: Engine, with_events: bool
    ) -> None:
        """More lanes than one query reads have been ready for longer than its own."""
        many_id, _ = tenant(1)
        few_id, (few,) = tenant(1)
        with admin_engine.begin() as connection:
            crowd = """
                insert into mosshead.lanes (tenant_id, namespace_id, ready_at, first_pending_at)
                select :id, gen_random_uuid(), now() - interval '1 hour', now() from generate_series(1, 300)
            """
            connection.execute(text(crowd), {"id": many_id})
            if not with_events:
                connection.execute(
                    text("update mosshead.lanes set first_pending_at = null where tenant_id = :id"), {"id": few_id}
                )
        try:
            found = due(worker_engine, limit=4)
        finally:
            with admin_engine.begin() as connection:
                connection.execute(text("delete from mosshead.lanes where tenant_id = :id"), {"id": many_id})
        assert [lane == few for lane in found] == [False, True, False, False]

    def test_postponed_batch_uses_none_of_the_share(self, tenant: Tenant, worker_engine: Engine) -> None:
        _, (first, second) = tenant(2)
        worker = Worker(worker_engine, first)
        worker.put_off(worker.leased(claimed(worker_engine, first)), LONG)

        assert due(worker_engine, of_tenant=1) == [second]


@pytest.mark.usefixtures("settled")
class TestSlots:
    def slots(self, engine: Engine, *, again: timedelta = MINUTE) -> tuple[int, int]:
        """Return how many there are, and how many of them are free."""
        with engine.begin() as connection:
            found = lanes.slots(connection, alive=MINUTE, again=again)
        return found.all, found.free

    def test_there_are_no_slots_without_a_worker(self, worker_engine: Engine) -> None:
        assert self.slots(worker_engine) == (0, 0)

    def test_slots_of_all_live_workers_count(self, worker_engine: Engine) -> None:
        workers_with(worker_engine, 2, name="one")
        workers_with(worker_engine, 3, name="two", seen_ago=MINUTE / 2)
        workers_with(worker_engine, 9, name="dead", seen_ago=2 * MINUTE)
        assert self.slots(worker_engine) == (5, 5)

    def test_pending_hint_takes_a_slot_until_it_counts_as_lost(
        self, worker_engine: Engine, publishing: Publishing, lane: LaneRef
    ) -> None:
        workers_with(worker_engine, 2)
        publishing.say("I like coffee")
        claimed(worker_engine, lane)
        assert self.slots(worker_engine) == (2, 1)
        assert self.slots(worker_engine, again=-SOON) == (2, 2)

    def test_lease_takes_a_slot_until_it_is_returned_or_lapses(
        self, worker: Worker, publishing: Publishing, worker_engine: Engine
    ) -> None:
        workers_with(worker_engine, 2)
        publishing.say("I like coffee")
        batch = claimed(worker_engine, worker.lane)
        lease = worker.leased(batch)
        assert self.slots(worker_engine, again=-SOON) == (2, 1)
        worker.put_off(lease, LONG)
        assert self.slots(worker_engine) == (2, 2), "it waits, and no task with it"

    def test_lapsed_lease_takes_no_slot(self, worker: Worker, publishing: Publishing, worker_engine: Engine) -> None:
        workers_with(worker_engine, 2)
        publishing.say("I like coffee")
        worker.crash(claimed(worker_engine, worker.lane))
        assert self.slots(worker_engine) == (2, 2)

    def test_more_leases_than_slots_leave_no_slot(self, worker_engine: Engine, ingest_engine: Engine) -> None:
        """As after a worker died, or when a worker that counted as dead comes back."""
        for name in ("one", "two"):
            path = NamespacePath.of((f"tenant-{uuid4().hex}", name))
            Publishing(ingest_engine, path).say("I like coffee")
            claimed(worker_engine, LaneRef(path.tenant_id, path.namespace_id))
        workers_with(worker_engine, 1)
        assert self.slots(worker_engine) == (1, 0)


def test_only_one_scheduler_dispatches_at_a_time(worker_engine: Engine) -> None:
    with worker_engine.begin() as one, worker_engine.begin() as other:
        assert lanes.dispatch_alone(one)
        assert not lanes.dispatch_alone(other)
    with worker_engine.begin() as connection:
        assert lanes.dispatch_alone(connection), "until the transaction ended"


class TestHints:
    def hinted(self, worker: Worker, *, again: timedelta = LONG, but_not: tuple[str, ...] = ()) -> list[str]:
        """Return the stages of this lane's batches that a dispatch would hint."""
        with worker.engine.begin() as connection:
            found = lanes.batches_to_hint(connection, limit=1000, again=again, but_not=but_not)
        return [stage for batch, stage in found if batch.lane == worker.lane]

    @pytest.mark.usefixtures("batch")
    def test_batch_is_hinted_again_only_when_the_hint_counts_as_lost(self, worker: Worker) -> None:
        assert self.hinted(worker) == [], "the claim told of it"
        assert self.hinted(worker, again=-SOON) == ["extract"]
        assert self.hinted(worker) == []

    @pytest.mark.parametrize(
        ("due_for", "told_for", "again"),
        [(2.1, 2, True), (40, 19, False), (40, 21, True), (3600, 29, False), (3600, 31, True)],
    )
    def test_batch_that_no_worker_takes_is_hinted_less_and_less_often(
        self, *, worker: Worker, batch: BatchRef, admin_engine: Engine, due_for: float, told_for: float, again: bool
    ) -> None:
        """The interval doubles each time, up to half a minute."""
        with admin_engine.begin() as connection:
            older = """
                update mosshead.batches set due_at = now() - make_interval(secs => :due_for),
                       hinted_at = now() - make_interval(secs => :told_for) where batch_id = :id
            """
            given = {"due_for": due_for, "told_for": told_for, "id": batch.batch_id}
            connection.execute(text(older), given)
        assert self.hinted(worker, again=timedelta(seconds=1)) == ["extract"] * again

    def test_batch_under_a_lease_is_not_hinted(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch)
        assert self.hinted(worker, again=-SOON) == []

    def test_lapsed_lease_is_hinted_at_once_and_only_once(self, worker: Worker, batch: BatchRef) -> None:
        worker.crash(batch)
        assert self.hinted(worker) == ["extract"]
        assert self.hinted(worker) == []

    def test_released_lease_is_hinted_at_once(self, worker: Worker, batch: BatchRef) -> None:
        worker.leased(batch, owner="the dead")
        with worker.transaction() as connection:
            leases.release(connection, batch, "the dead")
        assert self.hinted(worker) == ["extract"]

    def test_stage_hinted_by_its_predecessor_is_not_hinted_again(self, worker: Worker, batch: BatchRef) -> None:
        worker.advance(worker.leased(batch))
        assert self.hinted(worker) == []
        assert self.hinted(worker, again=-SOON) == ["score_salience"]

    def test_postponed_stage_is_hinted_when_it_is_due_and_not_before(self, worker: Worker, batch: BatchRef) -> None:
        lease = worker.leased(batch)
        worker.put_off(lease, LONG)
        assert self.hinted(worker, again=-SOON) == []
        worker.put_off(lease, SOON)
        time.sleep(0.01)
        assert self.hinted(worker) == ["extract"], "due after the last hint: nobody was told of this try"

    @pytest.mark.usefixtures("batch")
    def test_stages_that_wait_for_a_provider_are_not_hinted(self, worker: Worker) -> None:
        assert self.hinted(worker, again=-SOON, but_not=("embed", "extract")) == []
        assert self.hinted(worker, again=-SOON, but_not=("embed",)) == ["extract"]

    @pytest.mark.parametrize("stage", ["done", "dead", "split"])
    def test_ended_batch_is_not_hinted(self, worker: Worker, batch: BatchRef, stage: str) -> None:
        with worker.transaction() as connection:
            lease = leases.take(connection, batch, STAGES[0], owner="a task", lasting=LONG)
            assert lease is not None
            leases.end(connection, lease, stage)
        assert self.hinted(worker, again=-SOON) == []


class TestQuarantine:
    def die(self, worker: Worker, publishing: Publishing, *, times: int) -> None:
        for _ in range(times):
            publishing.say("poison")
            batch = claimed(worker.engine, worker.lane)
            with worker.transaction() as connection:
                lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
                assert lease is not None
                inbox.mark_dead(connection, batch, "extract: ValueError")
                leases.end(connection, lease, "dead")

    def quarantined(self, worker: Worker, *, dead: int = 3) -> bool:
        with worker.transaction() as connection:
            return lanes.quarantine(connection, worker.lane, dead=dead, within=LONG)

    def test_lane_is_stopped_after_that_many_dead_events(self, worker: Worker, publishing: Publishing) -> None:
        self.die(worker, publishing, times=2)
        assert not self.quarantined(worker)
        self.die(worker, publishing, times=1)
        assert self.quarantined(worker)
        assert not self.quarantined(worker), "it is stopped already"

    def test_old_dead_events_do_not_count(self, worker: Worker, publishing: Publishing, admin_engine: Engine) -> None:
        self.die(worker, publishing, times=3)
        with admin_engine.begin() as connection:
            older = text(
                "update mosshead.dead_letters set died_at = now() - interval '61 minutes' where tenant_id = :id"
            )
            connection.execute(older, {"id": worker.lane.tenant_id})
        assert not self.quarantined(worker)

    def test_events_refused_by_the_intake_do_not_count(
        self, worker: Worker, publishing: Publishing, admin_engine: Engine
    ) -> None:
        self.die(worker, publishing, times=3)
        with admin_engine.begin() as connection:
            refused = text("update mosshead.dead_letters set origin = 'intake' where tenant_id = :id")
            connection.execute(refused, {"id": worker.lane.tenant_id})
        assert not self.quarantined(worker)

    def test_neighbouring_lane_is_not_stopped(self, worker: Worker, publishing: Publishing) -> None:
        self.die(worker, publishing, times=3)
        neighbour = Worker(worker.engine, LaneRef(worker.lane.tenant_id, uuid4()))
        assert not self.quarantined(neighbour)


def test_lane_held_by_an_app_delays_no_other_erasure(
    tenant: Tenant, worker_engine: Engine, admin_engine: Engine
) -> None:
    _, (held, free) = tenant(2)
    with admin_engine.begin() as connection:
        connection.execute(text("update mosshead.lanes set erase_due_at = null"))
        for seconds, lane in enumerate((held, free)):
            connection.execute(
                text("""
                    update mosshead.lanes set erase_due_at = now() - make_interval(secs => 10 - :seconds)
                    where tenant_id = :tenant_id and namespace_id = :namespace_id"""),
                lane.scope | {"seconds": seconds},
            )
    with admin_engine.begin() as app, worker_engine.begin() as connection:
        app.execute(
            text("select from mosshead.lanes where tenant_id = :tenant_id and namespace_id = :namespace_id for update"),
            held.scope,
        )
        assert lanes.to_erase(connection, limit=1, again=MINUTE) == [free]
        assert lanes.to_erase(connection, limit=1, again=MINUTE) == []
    with worker_engine.begin() as connection:
        assert lanes.to_erase(connection, limit=1, again=MINUTE) == [held]


def test_locked_batch_delays_no_other_hint(tenant: Tenant, worker_engine: Engine, admin_engine: Engine) -> None:
    _, made = tenant(2)
    held, free = (claimed(worker_engine, lane) for lane in made)
    with admin_engine.begin() as app, worker_engine.begin() as connection:
        app.execute(text("select from mosshead.batches where batch_id = :batch_id for update"), held.scope)
        assert [one for one, _ in lanes.batches_to_hint(connection, limit=1, again=-SOON)] == [free]


def test_batch_hinted_meanwhile_by_another_is_not_hinted_twice(
    worker: Worker, batch: BatchRef, worker_engine: Engine
) -> None:
    others: list[tuple[BatchRef, str]] = []

    def hint() -> list[tuple[BatchRef, str]]:
        with worker_engine.begin() as connection:
            return lanes.batches_to_hint(connection, limit=1000, again=-SOON)

    def meanwhile(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "mosshead.hint(" in statement and not others:
            others.append((batch, "being hinted"))
            others[:] = hint()

    listen(worker_engine, "before_cursor_execute", meanwhile)
    try:
        mine = hint()
    finally:
        remove(worker_engine, "before_cursor_execute", meanwhile)
    assert batch in {one for one, _ in others}
    assert batch not in {one for one, _ in mine}
