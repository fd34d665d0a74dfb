"""How a stage runs on a real database: once, under its lease, and the effect of each kind of failure."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from config.settings import Settings, settings
from db import candidates, leases
from db.keys import BatchRef, LaneRef, VersionConflict
from db.lanes import STAGES
from db.leases import Lease
from mosshead.errors import EmbedderUnavailable
from mosshead.llm import AnswerTruncated, ModelUnavailable
from mosshead.llm.protocol import ModelTooSlow
from tests.given import LONG, NONE, Hint, Publishing, Worker, claim, claimed, contents_of
from workers.dependencies import Parts, Store, parts
from workers.tasks import StageFailed, run_stage

CANARY = "zanzibar"
FACT = {"content": "User likes coffee"}


run = partial(run_stage, owner="a task")


@pytest.fixture(autouse=True)
def _no_provider_is_down(settled: None) -> None:
    """Reset the providers that earlier tests left failing."""


@pytest.fixture
def batch(service: Settings, publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """Return a batch of one message, due for extraction."""
    publishing.say("I like coffee")
    return claimed(worker_engine, lane)


@pytest.fixture
def several(service: Settings, publishing: Publishing, worker_engine: Engine, lane: LaneRef) -> BatchRef:
    """Return a batch of three messages, due for extraction."""
    publishing.say("one", "two", "three")
    return claimed(worker_engine, lane)


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch, service: Settings) -> None:
    """Make the stages depend on an LLM."""
    parts.cache_clear()
    settings.cache_clear()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")


def extract(batch: BatchRef, _: Parts) -> Store:
    """Run a stage that succeeds."""
    return partial(candidates.store_facts, batch=batch, facts=[FACT])


def failing(error: Exception) -> Callable[[BatchRef, Parts], Store]:
    def work(_batch: BatchRef, _parts: Parts) -> Store:
        raise error

    return work


def row(engine: Engine, batch: BatchRef) -> Any:
    """Return the state of a batch, its lane and its event."""
    statement = text("""
        select stage, attempts, starts, error, state, reason, lease_until, due_at > now() as put_off,
               (select count(*) from mosshead.candidate_facts as fact where fact.batch_id = batch.batch_id) as facts
        from mosshead.batches as batch join mosshead.lanes using (tenant_id, namespace_id)
        join mosshead.events using (tenant_id, namespace_id) where batch.batch_id = :id
    """)
    with engine.connect() as connection:
        return connection.execute(statement, {"id": batch.batch_id}).one()


def make_due(engine: Engine, batch: BatchRef) -> None:
    with engine.begin() as connection:
        statement = text("update mosshead.batches set due_at = now() where batch_id = :id")
        connection.execute(statement, {"id": batch.batch_id})


def test_stage_stores_its_result_and_hints_the_next_with_ids_only(
    batch: BatchRef, admin_engine: Engine, hints: Callable[[], list[Hint]]
) -> None:
    run("extract", batch, extract)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.lease_until) == ("score_salience", 1, None)
    (hint,) = hints()
    ids = (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)
    assert (hint.task, hint.arguments) == ("mosshead.score_salience", tuple(map(str, ids)))
    assert "coffee" not in hint.text


def test_duplicate_hint_does_nothing(batch: BatchRef, admin_engine: Engine) -> None:
    run("extract", batch, extract)
    run("extract", batch, failing(AssertionError("done twice")))

    assert row(admin_engine, batch).stage == "score_salience"


@pytest.mark.parametrize(
    ("error", "says", "counted", "put_off", "down"),
    [
        (
            ModelUnavailable("the endpoint answered 503"),
            "ModelUnavailable: the endpoint answered 503",
            0,
            True,
            ["llm"],
        ),
        (EmbedderUnavailable("no answer"), "EmbedderUnavailable: no answer", 0, True, ["embedder"]),
        (VersionConflict("moved"), "VersionConflict: moved", 0, False, []),
        (ValueError(CANARY), "ValueError", 1, True, []),
    ],
)
def test_failure_postpones_the_stage(
    *,
    batch: BatchRef,
    admin_engine: Engine,
    error: Exception,
    says: str,
    counted: int,
    put_off: bool,
    down: list[str],
) -> None:
    with pytest.raises(StageFailed, match=f"^extract: {says}$"):
        run("extract", batch, failing(error))

    after = row(admin_engine, batch)
    assert (after.stage, after.attempts, after.error, after.put_off) == ("extract", counted, says, put_off)
    assert (after.state, after.lease_until, after.starts) == ("received", None, 0)
    with admin_engine.begin() as connection:
        assert leases.paused_providers(connection) == down


def fail_for_good(engine: Engine, batch: BatchRef, service: Settings) -> None:
    """Fail as often as allowed."""
    for _ in range(service.attempts):
        make_due(engine, batch)
        with pytest.raises(StageFailed):
            run("extract", batch, failing(ValueError(CANARY)))


class TestFailingForGood:
    def test_refused_answer_is_not_requested_again(self, *, batch: BatchRef, admin_engine: Engine) -> None:
        with pytest.raises(StageFailed):
            run("extract", batch, failing(AnswerTruncated("cut off")))

        assert row(admin_engine, batch).reason == "extract: AnswerTruncated: cut off"

    def test_single_event_is_dead_and_the_lane_goes_on(
        self,
        *,
        batch: BatchRef,
        service: Settings,
        admin_engine: Engine,
        worker_engine: Engine,
        publishing: Publishing,
    ) -> None:
        for attempt in range(service.attempts):
            assert row(admin_engine, batch).state == "received", f"before attempt {attempt}"
            make_due(admin_engine, batch)
            with pytest.raises(StageFailed):
                run("extract", batch, failing(ValueError(CANARY)))

        after = row(admin_engine, batch)
        assert (after.stage, after.state, after.reason) == ("dead", "dead", "extract: ValueError")
        assert reasons(admin_engine, batch) == ["extract: ValueError"]
        publishing.say("I like tea")
        assert claim(worker_engine, batch.lane) is not None

    def test_several_events_are_split_and_each_is_tried_alone(
        self, *, several: BatchRef, service: Settings, admin_engine: Engine, worker_engine: Engine, worker: Worker
    ) -> None:
        fail_for_good(admin_engine, several, service)
        assert reasons(admin_engine, several) == []
        bad = claimed(worker_engine, several.lane)
        assert contents_of(worker_engine, bad) == ["one"]
        fail_for_good(admin_engine, bad, service)
        assert reasons(admin_engine, several) == ["extract: ValueError"]
        for said in ("two", "three"):
            good = claimed(worker_engine, several.lane)
            assert contents_of(worker_engine, good) == [said]
            worker.finish(good)

    def too_slow(self, engine: Engine, batch: BatchRef, stage: str = "extract") -> Any:
        """The LLM does not answer a stage in time; return the batch's state then, and how many seconds it waits."""
        make_due(engine, batch)
        with pytest.raises(StageFailed, match="in time"):
            run(stage, batch, failing(ModelTooSlow("not in time")))
        with engine.connect() as connection:
            statement = text("""
                select batch.stage, state, extract(epoch from due_at - now())::float8 as seconds, lanes.batch_id as at_work
                from mosshead.batches as batch join mosshead.lanes using (tenant_id, namespace_id)
                join mosshead.events using (tenant_id, namespace_id) where batch.batch_id = :id
            """)
            return connection.execute(statement, {"id": batch.batch_id}).first()

    def test_several_events_never_answered_in_time_are_asked_about_one_by_one(
        self, *, several: BatchRef, admin_engine: Engine, worker_engine: Engine, service: Settings
    ) -> None:
        stages = [self.too_slow(admin_engine, several).stage for _ in range(service.attempts)]
        assert stages == ["extract", "extract", "split"]
        assert contents_of(worker_engine, claimed(worker_engine, several.lane)) == ["one"]

    def test_single_event_never_answered_in_time_waits_longer_each_time_and_stays_alive(
        self, batch: BatchRef, admin_engine: Engine, service: Settings
    ) -> None:
        rows = []
        for _ in range(service.attempts + 6):
            with admin_engine.begin() as connection:
                connection.exec_driver_sql("delete from mosshead.breakers")  # other questions are answered
            rows.append(self.too_slow(admin_engine, batch))

        assert {(row.stage, row.state) for row in rows} == {("extract", "received")}
        assert [round(row.seconds) for row in rows] == [2, 2, 4, 8, 16, 32, 64, 128, 256]

    def test_profiles_never_written_in_time_let_the_lane_go_on(
        self, *, batch: BatchRef, admin_engine: Engine, service: Settings, worker: Worker
    ) -> None:
        worker.owe_profiles()
        for stage in STAGES[:-1]:
            worker.advance(worker.leased(batch, stage))
        rows = [self.too_slow(admin_engine, batch, STAGES[-1]) for _ in range(service.attempts)]

        assert [row.stage for row in rows] == [STAGES[-1], STAGES[-1], "done"]
        assert rows[-1].at_work is None

    def test_provider_that_is_down_makes_no_event_dead_however_long(
        self, batch: BatchRef, service: Settings, admin_engine: Engine
    ) -> None:
        for _ in range(service.attempts + 2):
            make_due(admin_engine, batch)
            with pytest.raises(StageFailed):
                run("extract", batch, failing(ModelUnavailable("down")))

        make_due(admin_engine, batch)
        run("extract", batch, extract)
        assert row(admin_engine, batch).stage == "score_salience"

    def test_that_many_dead_letters_stop_the_lane(
        self,
        *,
        service: Settings,
        publishing: Publishing,
        admin_engine: Engine,
        worker_engine: Engine,
        lane: LaneRef,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("MOSSHEAD_QUARANTINE_AFTER", "2")
        settings.cache_clear()
        for said in ("one", "two"):
            publishing.say(said)
            fail_for_good(admin_engine, claimed(worker_engine, lane), service)
        publishing.say("three")
        assert claim(worker_engine, lane) is None


def reasons(engine: Engine, batch: BatchRef) -> list[str]:
    """Return the reasons of the lane's dead letters."""
    with engine.connect() as connection:
        statement = text("select reason from mosshead.dead_letters where tenant_id = :id")
        return list(connection.execute(statement, {"id": batch.lane.tenant_id}).scalars())


class TestCrashes:
    def test_stage_is_retried_unchanged_after_one_crash(
        self, several: BatchRef, worker: Worker, admin_engine: Engine
    ) -> None:
        worker.crash(several)
        run("extract", several, extract)
        assert row_of_batch(admin_engine, several) == "score_salience"

    def test_several_events_are_tried_alone_after_two_crashes(
        self, several: BatchRef, worker: Worker, admin_engine: Engine
    ) -> None:
        for _ in range(2):
            worker.crash(several)
        with pytest.raises(StageFailed, match=r"^extract: ended its worker 2 times$"):
            run("extract", several, failing(AssertionError("not tried a third time")))

        assert row_of_batch(admin_engine, several) == "split"
        assert reasons(admin_engine, several) == []
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["one"]

    def test_single_event_is_dead_after_three_crashes(
        self, batch: BatchRef, worker: Worker, publishing: Publishing, admin_engine: Engine
    ) -> None:
        for _ in range(3):
            worker.crash(batch)
        with pytest.raises(StageFailed, match=r"^extract: ended its worker 3 times$"):
            run("extract", batch, failing(AssertionError("not tried a fourth time")))

        assert row(admin_engine, batch).state == "dead"
        assert reasons(admin_engine, batch) == ["extract: ended its worker 3 times"]
        publishing.say("and tea")
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["and tea"]

    def test_single_event_is_retried_after_two_crashes(
        self, batch: BatchRef, worker: Worker, admin_engine: Engine
    ) -> None:
        for _ in range(2):
            worker.crash(batch)
        run("extract", batch, extract)
        assert row(admin_engine, batch).stage == "score_salience"

    @pytest.mark.parametrize("told", [SystemExit, KeyboardInterrupt])
    def test_stopping_worker_returns_its_stage_and_that_is_no_crash(
        self, batch: BatchRef, worker: Worker, admin_engine: Engine, told: type[BaseException]
    ) -> None:
        def work(_batch: BatchRef, _parts: Parts) -> Store:
            raise told

        for _ in range(4):
            with pytest.raises(told):
                run("extract", batch, work)
        after = row(admin_engine, batch)
        assert (after.stage, after.attempts, after.lease_until, after.put_off) == ("extract", 0, None, False)
        assert worker.leased(batch).crashes == 0


def row_of_batch(engine: Engine, batch: BatchRef) -> str:
    """Return the current stage of a batch."""
    with engine.connect() as connection:
        statement = text("select stage from mosshead.batches where batch_id = :id")
        return str(connection.execute(statement, {"id": batch.batch_id}).scalar_one())


@pytest.mark.usefixtures("online")
class TestAProviderThatIsDown:
    def trip(self, engine: Engine, *, pause: timedelta) -> None:
        with engine.begin() as connection:
            leases.trip_breaker(connection, "llm", "503", pause=pause, first=LONG, most=LONG)

    def test_stage_that_needs_a_failing_provider_is_not_tried_and_not_counted(
        self, batch: BatchRef, admin_engine: Engine
    ) -> None:
        self.trip(admin_engine, pause=LONG)
        for _ in range(4):
            run("extract", batch, failing(AssertionError("asked")))

        after = row(admin_engine, batch)
        assert (after.stage, after.attempts, after.starts, after.lease_until) == ("extract", 0, 0, None)
        with admin_engine.begin() as connection:
            leases.close_breaker(connection, "llm")
        run("extract", batch, extract)
        assert row(admin_engine, batch).stage == "score_salience"

    @pytest.mark.parametrize("ending", ["result", "failure", "stop"])
    def test_stage_that_tried_the_provider_without_asking_lets_another_try(
        self, batch: BatchRef, admin_engine: Engine, ending: str
    ) -> None:
        """As with a stored answer: it says nothing about the provider, and nobody should keep waiting for this stage."""
        self.trip(admin_engine, pause=NONE)

        def work(batch: BatchRef, parts: Parts) -> Store:
            with admin_engine.begin() as connection:
                assert leases.paused_providers(connection) == ["llm"], "this one tries"
            if ending == "result":
                return extract(batch, parts)
            raise SystemExit if ending == "stop" else ValueError

        with suppress(StageFailed, SystemExit):
            run("extract", batch, work)
        with admin_engine.begin() as connection:
            assert leases.paused_providers(connection) == []
            assert [one.provider for one in leases.breakers(connection)] == ["llm"], "it did not answer yet"


def test_failure_carries_no_word_of_a_conversation(
    batch: BatchRef, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(StageFailed) as caught:
        run("extract", batch, failing(ValueError(CANARY)))

    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
    said = [str(caught.value), caplog.text, *capfd.readouterr()]
    assert not any(CANARY in one for one in said)


def test_result_that_cannot_be_stored_leaves_nothing_behind(batch: BatchRef, admin_engine: Engine) -> None:
    def work(batch: BatchRef, _: Parts) -> Store:
        def store(connection: Connection) -> None:
            candidates.store_facts(connection, batch, [FACT])
            connection.execute(text("select cast(:words as integer)"), {"words": CANARY})

        return store

    with pytest.raises(StageFailed, match=r"^extract: DataError 22P02$"):
        run("extract", batch, work)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.attempts) == ("extract", 0, 1)


@pytest.mark.parametrize("ending", ["result", "failure"])
def test_zombie_stores_nothing_and_does_not_affect_its_successor(
    batch: BatchRef, admin_engine: Engine, worker: Worker, hints: Callable[[], list[Hint]], ending: str
) -> None:
    successors: list[Lease] = []

    def work(batch: BatchRef, parts: Parts) -> Store:
        """While it runs, its lease lapses and another worker takes over."""
        with admin_engine.begin() as connection:
            expired = text("update mosshead.lanes set lease_until = now() - interval '1 s' where batch_id = :id")
            connection.execute(expired, {"id": batch.batch_id})
        successors.append(worker.leased(batch, owner="its successor"))
        if ending == "failure":
            raise ValueError(CANARY)
        return extract(batch, parts)

    if ending == "failure":
        with pytest.raises(StageFailed):
            run("extract", batch, work)
    else:
        run("extract", batch, work)

    after = row(admin_engine, batch)
    assert (after.stage, after.facts, after.attempts, hints()) == ("extract", 0, 0, [])
    assert after.lease_until is not None
    (successor,) = successors
    assert worker.holds(successor)
