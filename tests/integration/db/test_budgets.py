"""A tenant's budget for 24 hours, and its use."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from db import usage
from db.keys import BatchRef, LaneRef
from db.usage import TenantBudget
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import Publishing, claimed

HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)


@pytest.fixture
def known(publishing: Publishing) -> UUID:
    """A tenant that has published something."""
    publishing.say("I like coffee")
    return publishing.lane.tenant_id


@pytest.fixture
def neighbour(ingest_engine: Engine) -> LaneRef:
    """A namespace of another tenant that has published something."""
    other = Publishing(ingest_engine, NamespacePath.of((f"tenant-{uuid4().hex}", "peter")))
    other.say("I like tea")
    return other.lane


def spend(engine: Engine, lane: LaneRef, sent: int, received: int = 0, *, ago: timedelta = timedelta(0)) -> None:
    """Record one LLM call."""
    usage_id = uuid4()
    call = {"stage": "extract", "prompt": "extraction", "model": "m"}
    with tenant_transaction(engine, lane.tenant_id) as connection:
        usage.log_usage(connection, lane, usage_id, **call, prompt_tokens=sent, completion_tokens=received)
        moved = text("update mosshead.usage set at = now() - cast(:ago as interval) where usage_id = :id")
        connection.execute(moved, {"ago": ago, "id": usage_id})


def budget(engine: Engine, tenant_id: UUID, tokens: int) -> bool:
    with tenant_transaction(engine, tenant_id) as connection:
        return usage.set_budget(connection, tenant_id, tokens)


def stands(engine: Engine, tenant_id: UUID, *, default: int | None = None) -> TenantBudget | None:
    with tenant_transaction(engine, tenant_id) as connection:
        return usage.standing(connection, tenant_id, default=default)


class TestStanding:
    def test_tenant_is_unlimited_by_default(self, worker_engine: Engine, lane: LaneRef) -> None:
        spend(worker_engine, lane, 10**6)
        assert stands(worker_engine, lane.tenant_id) is None

    def test_tenant_without_a_budget_has_the_default(self, worker_engine: Engine, lane: LaneRef) -> None:
        assert stands(worker_engine, lane.tenant_id, default=100) == TenantBudget(100, 0, own=False)

    @pytest.mark.parametrize("own", [7, 1_000])
    def test_own_budget_replaces_the_default(self, worker_engine: Engine, known: UUID, own: int) -> None:
        budget(worker_engine, known, own)
        assert stands(worker_engine, known, default=100) == TenantBudget(own, 0, own=True)

    def test_input_and_output_tokens_of_all_namespaces_count(self, worker_engine: Engine, lane: LaneRef) -> None:
        spend(worker_engine, lane, 7, 3)
        spend(worker_engine, LaneRef(lane.tenant_id, uuid4()), 20, 10)
        assert stands(worker_engine, lane.tenant_id, default=100) == TenantBudget(100, 40, own=False)

    def test_budget_covers_the_last_24_hours(self, worker_engine: Engine, lane: LaneRef) -> None:
        spend(worker_engine, lane, 7, ago=DAY + HOUR)
        spend(worker_engine, lane, 20, ago=DAY - HOUR)
        assert stands(worker_engine, lane.tenant_id, default=100) == TenantBudget(100, 20, own=False)

    @pytest.mark.parametrize(("spent", "over"), [(99, False), (100, True), (101, True)])
    def test_budget_is_exhausted_when_nothing_is_left(self, spent: int, over: bool) -> None:
        assert TenantBudget(100, spent, own=True).over is over

    def test_tenants_spend_separately(self, worker_engine: Engine, known: UUID, neighbour: LaneRef) -> None:
        budget(worker_engine, known, 100)
        spend(worker_engine, neighbour, 1_000)

        assert stands(worker_engine, known) == TenantBudget(100, 0, own=True)
        assert stands(worker_engine, neighbour.tenant_id) is None

    def test_sums_above_the_integer_range_add_up(self, worker_engine: Engine, lane: LaneRef) -> None:
        for _ in range(2):
            spend(worker_engine, lane, 2**31 - 1, 2**31 - 1)
        assert stands(worker_engine, lane.tenant_id, default=100) == TenantBudget(100, 4 * (2**31 - 1), own=False)


class TestSetting:
    def test_latest_budget_applies(self, worker_engine: Engine, known: UUID) -> None:
        assert budget(worker_engine, known, 100)
        assert budget(worker_engine, known, 200)
        assert stands(worker_engine, known) == TenantBudget(200, 0, own=True)

    def test_unknown_tenant_gets_no_budget(self, worker_engine: Engine, lane: LaneRef) -> None:
        assert not budget(worker_engine, lane.tenant_id, 100)

    def test_budget_is_not_set_in_another_tenants_transaction(
        self, worker_engine: Engine, known: UUID, neighbour: LaneRef
    ) -> None:
        budget(worker_engine, known, 100)
        with tenant_transaction(worker_engine, neighbour.tenant_id) as connection:
            assert not usage.set_budget(connection, known, 1)
            assert not usage.clear_budget(connection, known)
        assert stands(worker_engine, known) == TenantBudget(100, 0, own=True)

    def test_removed_budget_is_gone(self, worker_engine: Engine, known: UUID) -> None:
        budget(worker_engine, known, 100)
        with tenant_transaction(worker_engine, known) as connection:
            assert usage.clear_budget(connection, known)
            assert not usage.clear_budget(connection, known)
        assert stands(worker_engine, known) is None

    def test_zero_is_not_a_valid_budget(self, worker_engine: Engine, known: UUID) -> None:
        with pytest.raises(IntegrityError):
            budget(worker_engine, known, 0)


class TestWhatWasHeldBack:
    @pytest.fixture
    def batch(self, publishing: Publishing, worker_engine: Engine) -> BatchRef:
        publishing.say("I like coffee")
        return claimed(worker_engine, publishing.lane)

    def note(self, engine: Engine, batch: BatchRef) -> bool:
        with tenant_transaction(engine, batch.lane.tenant_id) as connection:
            return usage.note_over_budget(connection, batch)

    def held_back(self, engine: Engine, batch: BatchRef) -> bool:
        """Look without a tenant, as an operator does."""
        with engine.begin() as connection:
            return batch.lane.tenant_id in usage.held_back(connection)

    def test_held_back_batch_is_recorded_once(self, worker_engine: Engine, batch: BatchRef, neighbour: LaneRef) -> None:
        assert not self.held_back(worker_engine, batch)
        assert self.note(worker_engine, batch)
        assert not self.note(worker_engine, batch)
        assert self.held_back(worker_engine, batch)
        assert self.note(worker_engine, claimed(worker_engine, neighbour)), "another batch"

    def test_one_of_several_simultaneous_records_is_the_first(self, worker_engine: Engine, batch: BatchRef) -> None:
        with ThreadPoolExecutor(4) as threads:
            assert sorted(threads.map(lambda _: self.note(worker_engine, batch), range(8))) == [False] * 7 + [True]

    def test_held_back_batch_is_forgotten_after_a_day(self, worker_engine: Engine, batch: BatchRef) -> None:
        self.note(worker_engine, batch)
        with worker_engine.begin() as connection:
            moved = text(
                "update mosshead.batches set over_budget_at = now() - interval '25 hours' where batch_id = :id"
            )
            connection.execute(moved, {"id": batch.batch_id})
        assert not self.held_back(worker_engine, batch)
