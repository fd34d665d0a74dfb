"""How a stage runs on a real database: once, under its lease, and what each kind of failure does."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from config.settings import Settings
from db import candidates, lanes
from db.memories import VersionConflict
from db.refs import BatchRef, LaneRef
from pipeline.ports import AnswerRefused, ModelUnavailable
from recollect.errors import EmbedderUnavailable
from recollect.tenancy import tenant_transaction
from tests.given import Hint, Publishing, claim, claimed
from workers.parts import Parts
from workers.stages import StageFailed, Store, run_stage

CANARY = "zanzibar"
FACT = {"content": "User likes coffee"}


@pytest.fixture
def batch(service: Settings, publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """A batch of one message, due for extraction."""
    publishing.say("I like coffee")
    return claimed(worker_engine, lane)


def extract(batch: BatchRef, _: Parts) -> Store:
    """A stage that succeeds."""
    return partial(candidates.store_facts, batch=batch, facts=[FACT])


def failing(error: Exception) -> Callable[[BatchRef, Parts], Store]:
    def work(_batch: BatchRef, _parts: Parts) -> Store:
        raise error

    return work


def row(engine: Engine, batch: BatchRef) -> Any:
    """How a batch stands, with its lane and its event."""
    statement = text("""
        select stage, attempts, error, state, reason, lease_until, due_at > now() as put_off,
               (select count(*) from recollect.candidate_facts as fact where fact.batch_id = batch.batch_id) as facts
        from recollect.batches as batch join recollect.lanes using (tenant_id, namespace_id)
        join recollect.events using (tenant_id, namespace_id) where batch.batch_id = :id
    """)
    with engine.connect() as connection:
        return connection.execute(statement, {"id": batch.batch_id}).one()


def make_due(engine: Engine, batch: BatchRef) -> None:
    with engine.begin() as connection:
        statement = text("update recollect.batches set due_at = now() where batch_id = :id")
        connection.execute(statement, {"id": batch.batch_id})


def test_a_stage_stores_its_result_and_hints_the_next_with_ids_alone(
    batch: BatchRef, admin_engine: Engine, hints: Callable[[], list[Hint]]
) -> None:
    run_stage("extract", batch, extract)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.lease_until) == ("score_salience", 1, None)
    (hint,) = hints()
    ids = (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)
    assert (hint.task, hint.arguments) == ("recollect.score_salience", tuple(map(str, ids)))
    assert "coffee" not in hint.text


def test_a_doubled_hint_does_nothing(batch: BatchRef, admin_engine: Engine) -> None:
    run_stage("extract", batch, extract)
    run_stage("extract", batch, failing(AssertionError("done twice")))

    assert row(admin_engine, batch).stage == "score_salience"


@pytest.mark.parametrize(
    ("error", "says", "counted", "put_off"),
    [
        (ModelUnavailable("the endpoint answered 503"), "ModelUnavailable: the endpoint answered 503", 0, True),
        (EmbedderUnavailable("no answer"), "EmbedderUnavailable: no answer", 0, True),
        (VersionConflict("moved"), "VersionConflict: moved", 0, False),
        (AnswerRefused("cut off"), "AnswerRefused: cut off", 1, True),
        (ValueError(CANARY), "ValueError", 1, True),
    ],
)
def test_a_failure_puts_the_stage_off(
    *, batch: BatchRef, admin_engine: Engine, error: Exception, says: str, counted: int, put_off: bool
) -> None:
    with pytest.raises(StageFailed, match=f"^extract: {says}$"):
        run_stage("extract", batch, failing(error))

    after = row(admin_engine, batch)
    assert (after.stage, after.attempts, after.error, after.put_off) == ("extract", counted, says, put_off)
    assert (after.state, after.lease_until) == ("received", None)


def test_after_so_many_failures_the_events_are_dead_and_the_lane_goes_on(
    batch: BatchRef, service: Settings, admin_engine: Engine, worker_engine: Engine, publishing: Publishing
) -> None:
    for attempt in range(service.attempts):
        assert row(admin_engine, batch).state == "received", f"before attempt {attempt}"
        make_due(admin_engine, batch)
        with pytest.raises(StageFailed):
            run_stage("extract", batch, failing(ValueError(CANARY)))

    after = row(admin_engine, batch)
    assert (after.stage, after.state, after.reason) == ("dead", "dead", "extract: ValueError")
    publishing.say("I like tea")
    assert claim(worker_engine, batch.lane) is not None


def test_what_is_down_buries_nobodys_events_however_long(
    batch: BatchRef, service: Settings, admin_engine: Engine
) -> None:
    for _ in range(service.attempts + 2):
        make_due(admin_engine, batch)
        with pytest.raises(StageFailed):
            run_stage("extract", batch, failing(ModelUnavailable("down")))

    make_due(admin_engine, batch)
    run_stage("extract", batch, extract)
    assert row(admin_engine, batch).stage == "score_salience"


def test_a_failure_carries_no_word_of_a_conversation(
    batch: BatchRef, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StageFailed) as caught:
        run_stage("extract", batch, failing(ValueError(CANARY)))

    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
    said = [str(caught.value), caplog.text, *capfd.readouterr()]
    assert not any(CANARY in one for one in said)


def test_a_result_that_cannot_be_stored_leaves_nothing_behind(batch: BatchRef, admin_engine: Engine) -> None:
    def work(batch: BatchRef, _: Parts) -> Store:
        def store(connection: Connection) -> None:
            candidates.store_facts(connection, batch, [FACT])
            connection.execute(text("select cast(:words as integer)"), {"words": CANARY})

        return store

    with pytest.raises(StageFailed, match=r"^extract: DataError 22P02$"):
        run_stage("extract", batch, work)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.attempts) == ("extract", 0, 1)


@pytest.mark.parametrize("ending", ["result", "failure"])
def test_a_zombie_stores_nothing_and_leaves_its_successor_alone(
    batch: BatchRef, admin_engine: Engine, worker_engine: Engine, hints: Callable[[], list[Hint]], ending: str
) -> None:
    successors: list[lanes.Lease | None] = []

    def work(batch: BatchRef, parts: Parts) -> Store:
        """While it is at work, its lease expires and another worker takes over."""
        with admin_engine.begin() as connection:
            expired = text("update recollect.lanes set lease_until = now() - interval '1 s' where batch_id = :id")
            connection.execute(expired, {"id": batch.batch_id})
        with tenant_transaction(worker_engine, batch.lane.tenant_id) as connection:
            successors.append(lanes.take_lease(connection, batch, "extract", timedelta(hours=1)))
        if ending == "failure":
            raise ValueError(CANARY)
        return extract(batch, parts)

    if ending == "failure":
        with pytest.raises(StageFailed, match="fenced"):
            run_stage("extract", batch, work)
    else:
        run_stage("extract", batch, work)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.attempts, hints()) == ("extract", 0, 0, [])
    (successor,) = successors
    assert successor is not None
    with tenant_transaction(worker_engine, batch.lane.tenant_id) as connection:
        assert lanes.holds(connection, successor)
