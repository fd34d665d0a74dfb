"""Dispatching: up to the free slots, fair between tenants, sparing unavailable providers, and safe with several copies."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from uuid import UUID, uuid4

import pytest
from pydantic import SecretStr
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from structlog.testing import capture_logs

from config.settings import Settings
from db import dead_letters, inbox, lanes, leases, status
from db.dead_letters import LaneState
from db.keys import BatchRef, LaneRef
from mosshead.events.envelope import MAX_NUMBER
from mosshead.paths import NamespacePath
from tests.given import LONG, NONE, Hint, Publishing, Worker, claimed, until_logged
from workers.scheduler import dispatch, run_scheduler

Hints = Callable[[], list[Hint]]
Slots = Callable[[int], None]


class Tenant:
    """A tenant with some due lanes."""

    def __init__(self, ingest_engine: Engine, lanes: int) -> None:
        self._name = f"tenant-{uuid4().hex}"
        self._engine = ingest_engine
        self.lanes: list[LaneRef] = []
        for _ in range(lanes):
            self.say()

    def say(self) -> LaneRef:
        """Make another of its lanes due."""
        path = NamespacePath.of((self._name, f"user-{len(self.lanes)}"))
        Publishing(self._engine, path).say("I like coffee")
        self.id = path.tenant_id
        self.lanes.append(LaneRef(path.tenant_id, path.namespace_id))
        return self.lanes[-1]


@pytest.fixture
def tenant(ingest_engine: Engine, settled: None) -> Callable[[int], Tenant]:
    return lambda lanes: Tenant(ingest_engine, lanes)


def hinted(hints: Hints) -> Counter[UUID]:
    """Return how many hints each tenant got."""
    return Counter(UUID(hint.arguments[0]) for hint in hints())


def told(hints: Hints) -> list[str]:
    """Return the hinted stages."""
    return [hint.task.removeprefix("mosshead.") for hint in hints()]


class TestSlots:
    def test_no_more_batches_are_dispatched_than_there_are_free_slots(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        for _ in range(10):
            tenant(1)
        slots(3)
        for _ in range(3):
            dispatch(worker_engine, service)
        assert len(hints()) == 3

    def test_freed_slot_is_filled(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        first, second = tenant(1), tenant(1)
        slots(1)
        dispatch(worker_engine, service)
        assert hinted(hints) == {first.id: 1}
        worker = Worker(worker_engine, first.lanes[0])
        batch = _batch_of(worker)
        lease = worker.leased(batch)
        dispatch(worker_engine, service)
        assert hinted(hints) == {first.id: 1}, "it is at work"

        worker.put_off(lease, LONG)
        dispatch(worker_engine, service)
        assert hinted(hints) == {first.id: 1, second.id: 1}

    @pytest.mark.usefixtures("settled")
    def test_nothing_is_claimed_without_a_worker(
        self, worker_engine: Engine, service: Settings, hints: Hints, tenant: Callable[[int], Tenant]
    ) -> None:
        (lane,) = tenant(1).lanes
        dispatch(worker_engine, service)
        assert hints() == []
        assert claimed(worker_engine, lane)

    def test_running_batches_go_before_new_ones(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        tenant(3)
        begun = tenant(2)
        for lane in begun.lanes:
            Worker(worker_engine, lane).crash(claimed(worker_engine, lane))
        slots(1)
        dispatch(worker_engine, service)
        assert hinted(hints) == {begun.id: 1}

    def test_lane_whose_app_is_publishing_keeps_no_slot_empty(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        """In a long transaction of its own: other lanes must not wait for it."""
        busy, other = tenant(1), tenant(1)
        slots(1)
        with Worker(worker_engine, busy.lanes[0]).transaction() as connection:
            assert lanes.lock_due(connection, busy.lanes[:1])
            dispatch(worker_engine, service)
        assert hinted(hints) == {other.id: 1}


class TestFairness:
    def test_tenant_with_much_to_do_delays_nobody(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        importing = tenant(50)
        slots(8)
        dispatch(worker_engine, service)
        assert hinted(hints) == {importing.id: 6}, "a quarter is kept for others"
        chatting = tenant(1)
        dispatch(worker_engine, service)
        assert hinted(hints) == {importing.id: 6, chatting.id: 1}

    def test_tenants_take_turns(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        importing, chatting = tenant(50), tenant(1)
        slots(2)
        dispatch(worker_engine, service)
        assert hinted(hints) == {importing.id: 1, chatting.id: 1}

    @pytest.mark.parametrize(
        ("count", "of_tenant", "given"),
        [(1, None, 1), (2, None, 1), (3, None, 2), (4, None, 3), (8, None, 6), (8, 2, 2), (2, 5, 2)],
    )
    def test_single_tenant_gets_its_share(
        self,
        *,
        worker_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        count: int,
        of_tenant: int | None,
        given: int,
    ) -> None:
        tenant(10)
        slots(count)
        for _ in range(2):
            dispatch(worker_engine, service.model_copy(update={"tenant_slots": of_tenant}))
        assert len({hint.arguments for hint in hints()}) == given, "a hint may come again after a second"


class TestHints:
    def test_several_copies_claim_and_hint_each_lane_once(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        tenants = [tenant(1) for _ in range(12)]
        slots(20)
        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(dispatch, worker_engine, service) for _ in range(6)]:
                done.result()

        assert hinted(hints) == {one.id: 1 for one in tenants}
        assert told(hints) == ["extract"] * 12

    def test_nothing_is_done_while_another_copy_dispatches(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        tenant(1)
        slots(1)
        with worker_engine.begin() as connection:
            assert lanes.dispatch_alone(connection)
            dispatch(worker_engine, service)
        assert hints() == []
        dispatch(worker_engine, service)
        assert len(hints()) == 1

    def test_freed_worker_fills_its_own_slot_while_another_copy_dispatches(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        for _ in range(3):
            tenant(1)
        slots(3)
        with worker_engine.begin() as connection:
            assert lanes.dispatch_alone(connection)
            dispatch(worker_engine, service, own_slot=True)
        assert len(hints()) == 1
        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(dispatch, worker_engine, service, own_slot=True) for _ in range(6)]:
                done.result()
        assert set(hinted(hints).values()) == {1}

    def test_lost_hint_is_sent_again(
        self,
        *,
        worker_engine: Engine,
        admin_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
    ) -> None:
        lost = tenant(1)
        slots(1)
        for _ in range(2):
            dispatch(worker_engine, service)
        assert told(hints) == ["extract"]
        with admin_engine.begin() as connection:
            older = text("""
                update mosshead.batches
                set due_at = now() - interval '1 minute', hinted_at = now() - interval '1 minute' where tenant_id = :id
            """)
            connection.execute(older, {"id": lost.id})
        dispatch(worker_engine, service)
        assert told(hints) == ["extract", "extract"]

    def test_lapsed_lease_is_hinted_at_once(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        worker = Worker(worker_engine, tenant(1).lanes[0])
        slots(1)
        dispatch(worker_engine, service)
        worker.crash(_batch_of(worker))
        for _ in range(2):
            dispatch(worker_engine, service)
        assert told(hints) == ["extract", "extract"], "and once"

    def test_size_of_a_batch_follows_the_settings(
        self,
        *,
        worker_engine: Engine,
        admin_engine: Engine,
        service: Settings,
        slots: Slots,
        publishing: Publishing,
        lane: LaneRef,
    ) -> None:
        publishing.say("one", "two", "three")
        slots(1)
        dispatch(worker_engine, service.model_copy(update={"batch_messages": 2}))

        with admin_engine.connect() as connection:
            statement = text("select count(*) from mosshead.events where tenant_id = :id and batch_id is not null")
            assert connection.execute(statement, {"id": lane.tenant_id}).scalar_one() == 2


class TestWhatIsLeftAlone:
    def test_lane_that_is_not_due_is_skipped(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, publishing: Publishing
    ) -> None:
        slots(1)
        publishing.send(publishing.message(), quiet=LONG, most=LONG)
        dispatch(worker_engine, service)
        assert hints() == []

    def test_quarantined_lane_is_skipped(
        self, worker_engine: Engine, service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        stopped, neighbour = tenant(1).lanes[0], tenant(1)
        with Worker(worker_engine, stopped).transaction() as connection:
            assert lanes.quarantine(connection, stopped, dead=0, within=LONG)
        slots(5)
        dispatch(worker_engine, service)
        assert hinted(hints) == {neighbour.id: 1}


@pytest.fixture
def fails(admin_engine: Engine) -> Iterator[Callable[[LaneRef, str], None]]:
    """Make each claim of a lane fail with an SQLSTATE, as an unforeseen error would."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create table public.failing (namespace_id uuid primary key, sqlstate text not null);
            create function public.fail() returns trigger language plpgsql security definer as $$
            declare state text := (select sqlstate from public.failing where namespace_id = new.namespace_id);
            begin
                if state is not null then raise exception 'I like coffee' using errcode = state; end if;
                return new;
            end $$;
            create trigger failing before update of batch_id on mosshead.events
            for each row execute function public.fail()
        """)

    def fail(lane: LaneRef, sqlstate: str) -> None:
        with admin_engine.begin() as connection:
            connection.execute(
                text("insert into public.failing values (:namespace_id, :sqlstate)"),
                {"namespace_id": lane.namespace_id, "sqlstate": sqlstate},
            )

    yield fail
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            drop trigger failing on mosshead.events; drop function public.fail(); drop table public.failing
        """)


@pytest.fixture
def lane_state(worker_engine: Engine) -> Callable[[LaneRef], LaneState]:
    def state(lane: LaneRef) -> LaneState:
        with worker_engine.begin() as connection:
            return next(one for one in dead_letters.lane_states(connection, limit=100_000) if one.lane == lane)

    return state


class TestALaneWhoseClaimFails:
    def test_lane_with_unclaimable_rows_is_set_aside_with_its_reason_and_others_go_on(
        self,
        *,
        worker_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        fails: Callable[[LaneRef, str], None],
        lane_state: Callable[[LaneRef], LaneState],
    ) -> None:
        bad, good = tenant(1), tenant(1)
        fails(bad.lanes[0], "22003")
        slots(5)
        with capture_logs() as logs:
            dispatch(worker_engine, service)

        assert hinted(hints) == {good.id: 1}
        assert lane_state(bad.lanes[0]).quarantined_for == "cannot be claimed: DataError 22003"
        with worker_engine.begin() as connection:
            found = status.figures(connection, within=LONG, reasons=1, alive=LONG)
            assert found.quarantined_by_reason["cannot be claimed: DataError 22003"] == 1
        (told,) = [one for one in logs if one["event"] == "lane_set_aside"]
        assert (told["namespace_id"], told["error"]) == (str(bad.lanes[0].namespace_id), "DataError 22003")
        assert "coffee" not in str(logs)

    def test_event_with_the_highest_number_from_before_the_limit_stops_nobody(
        self,
        *,
        worker_engine: Engine,
        ingest_engine: Engine,
        admin_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        publishing: Publishing,
        lane: LaneRef,
        lane_state: Callable[[LaneRef], LaneState],
    ) -> None:
        bound = "events_number_within_bounds"
        slots(5)
        with admin_engine.begin() as connection:
            connection.exec_driver_sql(f"alter table mosshead.events drop constraint {bound}")
        try:
            with ingest_engine.begin() as connection:
                hostile = json.dumps(publishing.message(number=2**63 - 1))
                inbox.publish(connection, [hostile], quiet=NONE, most=NONE)
            good = tenant(1)
            dispatch(worker_engine, service.model_copy(update={"gap_seconds": 0.0}))
        finally:
            with admin_engine.begin() as connection:
                connection.execute(text("delete from mosshead.events where tenant_id = :tenant_id"), lane.scope)
                connection.exec_driver_sql(
                    f"alter table mosshead.events add constraint {bound} check (publisher_sequence <= {MAX_NUMBER})"
                )
        assert hinted(hints) == {good.id: 1}
        assert lane_state(lane).quarantined_for == "cannot be claimed: DataError 22003"

    def test_lane_resumed_with_its_cause_still_there_is_set_aside_again_and_stops_nobody(
        self,
        *,
        worker_engine: Engine,
        admin_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        fails: Callable[[LaneRef, str], None],
        lane_state: Callable[[LaneRef], LaneState],
    ) -> None:
        bad = tenant(1)
        fails(bad.lanes[0], "22003")
        slots(5)
        for _ in range(2):
            good = tenant(1)
            dispatch(worker_engine, service)
            assert hinted(hints)[good.id] == 1
            assert lane_state(bad.lanes[0]).quarantined_for == "cannot be claimed: DataError 22003"
            with worker_engine.begin() as connection:
                assert dead_letters.resume(connection, bad.lanes[0])

        with admin_engine.begin() as connection:
            connection.exec_driver_sql("delete from public.failing")
        dispatch(worker_engine, service)
        assert hinted(hints)[bad.id] == 1, "once the cause is gone it goes on"

    def test_lane_with_unclaimable_profiles_is_set_aside_and_others_go_on(
        self,
        *,
        worker_engine: Engine,
        admin_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        lane_state: Callable[[LaneRef], LaneState],
    ) -> None:
        """Where no event waits, the claim makes a batch for due profiles and reflections."""
        bad, good = tenant(1), tenant(1)
        with admin_engine.begin() as connection:
            of_bad = {"id": bad.id}
            connection.execute(text("update mosshead.events set state = 'done' where tenant_id = :id"), of_bad)
            connection.execute(
                text("update mosshead.lanes set reflections_due_at = now() where tenant_id = :id"), of_bad
            )
            refused = f"namespace_id <> '{bad.lanes[0].namespace_id}'"
            connection.exec_driver_sql(
                f"alter table mosshead.batches add constraint failing check ({refused}) not valid"
            )
        slots(5)
        try:
            dispatch(worker_engine, service)
        finally:
            with admin_engine.begin() as connection:
                connection.exec_driver_sql("alter table mosshead.batches drop constraint failing")
        assert hinted(hints) == {good.id: 1}
        assert lane_state(bad.lanes[0]).quarantined_for == "cannot be claimed: IntegrityError 23514"

    @pytest.mark.parametrize("sqlstate", ["57014", "40P01", "55P03"])
    def test_lane_whose_claim_takes_too_long_is_tried_again_later_and_others_go_on(
        self,
        *,
        worker_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        fails: Callable[[LaneRef, str], None],
        lane_state: Callable[[LaneRef], LaneState],
        sqlstate: str,
    ) -> None:
        slow, good = tenant(1), tenant(1)
        fails(slow.lanes[0], sqlstate)
        slots(5)
        with capture_logs() as logs:
            for _ in range(2):
                dispatch(worker_engine, service)
        assert hinted(hints) == {good.id: 1}
        assert lane_state(slow.lanes[0]).quarantined is None
        assert [one["event"] for one in logs] == ["lane_passed_over"], "and not at once again"

    @pytest.mark.parametrize("sqlstate", ["57P01", "08006", "53100", "42P01", "25006"])
    def test_missing_or_full_database_sets_no_lane_aside(
        self,
        *,
        worker_engine: Engine,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        fails: Callable[[LaneRef, str], None],
        lane_state: Callable[[LaneRef], LaneState],
        sqlstate: str,
    ) -> None:
        (lane,) = tenant(1).lanes
        fails(lane, sqlstate)
        slots(5)
        with pytest.raises(DBAPIError):
            dispatch(worker_engine, service)
        assert hints() == []
        assert lane_state(lane).quarantined is None


class TestAProviderThatIsDown:
    @pytest.fixture
    def online(self, service: Settings) -> Settings:
        """Return settings under which stages ask an LLM."""
        return service.model_copy(update={"openai_api_key": SecretStr("k")})

    def trip(self, engine: Engine, provider: str = "llm", pause: timedelta = LONG) -> None:
        with engine.begin() as connection:
            leases.trip_breaker(connection, provider, "503", pause=pause, first=LONG, most=LONG)

    def test_nothing_is_claimed_for_a_provider_that_is_down(
        self, worker_engine: Engine, online: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        (lane,) = tenant(1).lanes
        slots(1)
        self.trip(worker_engine)
        dispatch(worker_engine, online)
        assert hints() == []
        with worker_engine.begin() as connection:
            leases.close_breaker(connection, "llm")
        dispatch(worker_engine, online)
        assert [hint.arguments[1] for hint in hints()] == [str(lane.namespace_id)]

    def test_stages_that_do_not_need_the_provider_go_on(
        self,
        *,
        worker_engine: Engine,
        online: Settings,
        service: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
    ) -> None:
        waits, goes_on = (Worker(worker_engine, lane) for lane in tenant(2).lanes)
        waits.crash(claimed(worker_engine, waits.lane))
        batch = claimed(worker_engine, goes_on.lane)
        for stage in ("extract", "score_salience"):
            goes_on.advance(goes_on.leased(batch, stage))
        goes_on.crash(batch, "embed")
        slots(4)
        self.trip(worker_engine)
        dispatch(worker_engine, online)
        assert told(hints) == ["embed"]
        dispatch(worker_engine, service)
        assert told(hints) == ["extract", "embed"], "offline rules ask nobody"

    def failing(self, engine: Engine, lane: LaneRef) -> None:
        """Return a batch that the provider did not answer, and whose pause is over."""
        worker = Worker(engine, lane)
        worker.put_off(worker.leased(claimed(engine, lane)), NONE)

    @pytest.mark.parametrize("of_one_tenant", [True, False])
    def test_untried_batch_tries_the_provider_before_those_it_did_not_answer(
        self,
        *,
        worker_engine: Engine,
        online: Settings,
        hints: Hints,
        slots: Slots,
        tenant: Callable[[int], Tenant],
        of_one_tenant: bool,
    ) -> None:
        """Otherwise two questions that it never answers would take both slots at each try, for ever."""
        stuck = tenant(2)
        for lane in stuck.lanes:
            self.failing(worker_engine, lane)
        new = (stuck if of_one_tenant else tenant(0)).say()
        slots(2)
        self.trip(worker_engine, pause=NONE)
        dispatch(worker_engine, online)
        assert [hint.arguments[1] for hint in hints()] == [str(new.namespace_id)]

    def test_batches_it_did_not_answer_try_the_provider_if_no_other_does(
        self, worker_engine: Engine, online: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        (lane,) = tenant(1).lanes
        self.failing(worker_engine, lane)
        slots(2)
        self.trip(worker_engine, pause=NONE)
        dispatch(worker_engine, online)
        assert [hint.arguments[1] for hint in hints()] == [str(lane.namespace_id)]

    def test_others_wait_while_one_tries_the_provider(
        self, worker_engine: Engine, online: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
    ) -> None:
        tenant(1)
        slots(1)
        self.trip(worker_engine, pause=NONE)
        with worker_engine.begin() as connection:
            assert leases.admit(connection, "llm", probe=LONG)
        dispatch(worker_engine, online)
        assert hints() == []


def test_scheduler_dispatches_until_it_is_told_to_stop(
    service: Settings, hints: Hints, slots: Slots, tenant: Callable[[int], Tenant]
) -> None:
    slots(1)
    ended = Event()

    def stopped() -> bool:
        if hints():
            ended.set()
        return ended.is_set()

    tenant(1)
    run_scheduler(service, stopped)
    assert told(hints) == ["extract"]


def test_failing_part_of_a_sweep_does_not_stop_the_others(
    *,
    service: Settings,
    admin_engine: Engine,
    worker_engine: Engine,
    hints: Hints,
    slots: Slots,
    tenant: Callable[[int], Tenant],
) -> None:
    """Dispatching always fails; what ended long ago is still cleared."""
    old, due = tenant(1), tenant(1)
    Worker(worker_engine, old.lanes[0]).finish(claimed(worker_engine, old.lanes[0]))
    slots(5)
    with admin_engine.begin() as connection:
        connection.execute(
            text("update mosshead.batches set finished_at = now() - interval '1000 days' where tenant_id = :id"),
            {"id": old.id},
        )
        connection.exec_driver_sql("alter table mosshead.breakers rename column reason to former")
    with capture_logs() as logs:
        try:
            run_scheduler(service.model_copy(update={"sweep_seconds": 0.01}), until_logged(logs, "batches_cleared"))
        finally:
            with admin_engine.begin() as connection:
                connection.exec_driver_sql("alter table mosshead.breakers rename column former to reason")

    assert {one["part"] for one in logs if one["event"].startswith("sweep_")} == {"dispatch"}
    assert [one["batches"] for one in logs if one["event"] == "batches_cleared"] == [1]
    assert hints() == []
    with worker_engine.begin() as connection:
        assert due.lanes[0] in lanes.due_lanes(connection, limit=100, of_tenant=100)


def _batch_of(worker: Worker) -> BatchRef:
    """Return the running batch of a lane."""
    with worker.transaction() as connection:
        statement = text(
            "select batch_id from mosshead.lanes where tenant_id = :tenant_id and namespace_id = :namespace_id"
        )
        return BatchRef(worker.lane, connection.execute(statement, worker.lane.scope).scalar_one())
