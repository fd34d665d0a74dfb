"""Profiles are refreshed when due: once for a burst, a few at a time, and never before waiting messages."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Engine, text

from config.settings import Settings, settings
from db import entities, lanes, leases
from db.keys import LaneRef
from mosshead import Namespace, WaitTimeout
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming, carry_through
from tests.given import LONG, Hint, Publishing, Remembering, Worker, claim, claimed, contents_of
from workers import tasks
from workers.dependencies import parts
from workers.failures import GiveUp
from workers.scheduler import dispatch

SURE = ("subject", "sure")


@pytest.fixture
def slow(service: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make profiles wait for an hour without a touch, and for a day at most."""
    monkeypatch.setenv("MOSSHEAD_PROFILE_DEBOUNCE_SECONDS", "3600")
    monkeypatch.setenv("MOSSHEAD_PROFILE_DEBOUNCE_MOST_SECONDS", "86400")
    settings.cache_clear()
    parts.cache_clear()


@pytest.fixture
def fake(slow: None, settled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    """Return an LLM that also writes profiles."""
    with FakeOpenAI() as served:
        monkeypatch.setenv("OPENAI_BASE_URL", served.base_url)
        monkeypatch.setenv("MOSSHEAD_LLM_PROFILES", "true")
        settings.cache_clear()
        parts.cache_clear()
        yield served


@pytest.fixture
def an_hour_passes(admin_engine: Engine, lane: LaneRef) -> Callable[[], None]:
    """Let an hour pass for the timers."""

    def pass_by() -> None:
        with admin_engine.begin() as connection:
            for table, columns in (("profiles", ["touched_at"]), ("lanes", ["ready_at", "profiles_due_at"])):
                earlier = ", ".join(f"{column} = {column} - interval '1 hour'" for column in columns)
                statement = text(f"update mosshead.{table} set {earlier} where tenant_id = :id")
                connection.execute(statement, {"id": lane.tenant_id})

    return pass_by


def asked_about(fake: FakeOpenAI, name: str) -> list[str]:
    """Return the prompts for the profile of an entity."""
    return [
        request.prompt
        for request in fake.requests
        if request.schema == "ProfileAnswer" and f"BEGIN ENTITY\n| {name} (" in request.prompt
    ]


def test_burst_about_an_entity_is_one_refresh_with_the_news(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, an_hour_passes: Callable[[], None]
) -> None:
    dishes = ("soup", "bread", "rice", "fish", "kale")
    forming.say("My friend Peter plays the oboe")
    for part in (dishes[:2], dishes[2:]):
        forming.say(*(f"My friend Peter cooks {dish}" for dish in part))
    assert asked_about(fake, "Peter") == []
    with pytest.raises(WaitTimeout):
        sarah.wait(timeout=0)

    an_hour_passes()
    forming.send()
    (first,) = asked_about(fake, "Peter")
    assert "OLD SUMMARY" not in first
    assert all(word in first for word in ("oboe", "soup", "kale"))
    assert not sarah.wait(timeout=0).at_work

    forming.say("My friend Peter moved to Oslo")
    an_hour_passes()
    forming.send()
    (_, second) = asked_about(fake, "Peter")
    old, new = second.split("END OLD SUMMARY")
    assert "oboe" in old
    assert ("Oslo" in new, "oboe" in new) == (True, False)


def test_refused_answer_is_logged_and_left_to_the_rules(
    fake: FakeOpenAI,
    forming: Forming,
    sarah: Namespace,
    an_hour_passes: Callable[[], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    fake.script("ProfileAnswer", *[Fault("refusal")] * 4)
    forming.say("My friend Peter plays the oboe")
    an_hour_passes()
    forming.send()
    assert sarah.entities.profile("Peter").summary.startswith("Peter (person). ")
    assert "profile_refused" in "".join(capfd.readouterr())


def test_memory_ended_by_a_correction_is_in_no_profile(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Leeds")
    forming.say("I have a dog called Bo")
    assert "Leeds" in sarah.entities.profile("User").summary
    forming.say("I've moved, I live in Lisbon now")

    summary = sarah.entities.profile("User").summary
    assert ("Leeds" in summary, "Lisbon" in summary, "Bo" in summary) == (False, True, True)


@pytest.fixture
def waiting(slow: None, forming: Forming) -> Forming:
    """Leave the lane with nothing but a profile that is not due."""
    forming.say("My friend Peter plays the oboe")
    return forming


@pytest.mark.usefixtures("waiting")
class TestTheTimer:
    def test_profile_that_is_not_due_is_not_refreshed_and_delays_nobody(
        self, waiting: Forming, sarah: Namespace, worker_engine: Engine
    ) -> None:
        assert sarah.entities.profile("Peter").refreshed_at is None
        assert sarah.progress().at_work
        assert claim(worker_engine, waiting.publishing.lane) is None

    def test_profile_becomes_due_without_a_new_event_and_is_dispatched(
        self,
        *,
        sarah: Namespace,
        an_hour_passes: Callable[[], None],
        worker_engine: Engine,
        slots: Callable[[int], None],
        hints: Callable[[], list[Hint]],
    ) -> None:
        slots(1)
        before = len(hints())
        dispatch(worker_engine, settings())
        assert len(hints()) == before
        an_hour_passes()
        dispatch(worker_engine, settings())
        (hint,) = hints()[before:]
        assert hint.task == "mosshead.refresh_profiles"
        assert sarah.progress().at_work

    def test_waiting_messages_go_first_and_include_the_refresh(
        self, waiting: Forming, sarah: Namespace, an_hour_passes: Callable[[], None], worker_engine: Engine
    ) -> None:
        an_hour_passes()
        waiting.publishing.say("I like tea")
        batch = claimed(worker_engine, waiting.publishing.lane)
        assert contents_of(worker_engine, batch) == ["I like tea"]
        carry_through(batch)
        assert "oboe" in sarah.entities.profile("Peter").summary

    def test_burst_of_messages_is_not_cut_short_by_a_profile(
        self, waiting: Forming, worker: Worker, an_hour_passes: Callable[[], None]
    ) -> None:
        """Neither if it begins while the profile waits, nor while a batch is running."""
        waiting.publishing.say("I like tea")
        batch = claimed(worker.engine, worker.lane)
        waiting.publishing.send(waiting.publishing.message("I like figs"), quiet=2 * LONG, most=3 * LONG)
        carry_through(batch)
        an_hour_passes()
        assert claim(worker.engine, worker.lane) is None
        an_hour_passes()
        assert contents_of(worker.engine, claimed(worker.engine, worker.lane)) == ["I like figs"]

    def test_refresh_does_not_wait_for_a_missing_number(
        self, waiting: Forming, sarah: Namespace, an_hour_passes: Callable[[], None]
    ) -> None:
        waiting.publishing.message("not sent")
        waiting.send(waiting.publishing.message("behind a gap"))
        an_hour_passes()
        waiting.send()
        assert "oboe" in sarah.entities.profile("Peter").summary
        assert sarah.progress().pending == 1

    def test_refresh_that_is_given_up_is_retried_later(
        self, an_hour_passes: Callable[[], None], worker: Worker, admin_engine: Engine
    ) -> None:
        an_hour_passes()
        batch = claimed(worker.engine, worker.lane)
        tasks.settle(worker.leased(batch, lanes.STAGES[-1]), parts(), GiveUp(), "ValueError")
        with admin_engine.connect() as connection:
            statement = text("""
                select batch_id, extract(epoch from ready_at - now()) as seconds from mosshead.lanes where tenant_id = :id
            """)
            row = connection.execute(statement, {"id": worker.lane.tenant_id}).one()
        assert row.batch_id is None
        assert float(row.seconds) == pytest.approx(300, abs=60)

    def test_postponed_profiles_are_not_retried_with_each_message(
        self, waiting: Forming, sarah: Namespace, an_hour_passes: Callable[[], None], worker: Worker
    ) -> None:
        an_hour_passes()
        with worker.transaction() as connection:
            entities.put_off_profiles(connection, worker.lane, pause=LONG)
        for said in ("I like tea", "I like figs"):
            waiting.say(said)
            assert sarah.entities.profile("Peter").refreshed_at is None
        an_hour_passes()
        waiting.say("I like rice")
        assert "oboe" in sarah.entities.profile("Peter").summary

    def test_crashed_refresh_is_repeated(
        self, sarah: Namespace, an_hour_passes: Callable[[], None], worker: Worker
    ) -> None:
        an_hour_passes()
        batch = claimed(worker.engine, worker.lane)
        worker.crash(batch, lanes.STAGES[-1])
        carry_through(batch)
        assert "oboe" in sarah.entities.profile("Peter").summary
        assert not sarah.progress().at_work


def test_many_profiles_are_refreshed_a_few_at_a_time_until_none_is_due(
    *, forming: Forming, remembering: Remembering, sarah: Namespace, publishing: Publishing, worker: Worker
) -> None:
    many = {remembering.entity(f"Peter {number}"): SURE for number in range(21)}
    remembering.memory("They sing", about=many)
    publishing.say("hi")
    carry_through(claimed(worker.engine, worker.lane))
    assert sarah.progress().at_work
    publishing.say("hello")
    hello = claimed(worker.engine, worker.lane)
    assert contents_of(worker.engine, hello) == ["hello"], "between two runs the messages have their turn"
    with worker.transaction() as connection:
        found = entities.due_profiles(connection, worker.lane, least=timedelta(0), most=LONG, limit=99)
        assert len(found.profiles) == 1
        leases.end(connection, worker.leased(hello), "dead")

    forming.send()
    assert not sarah.progress().at_work
    assert all(sarah.entities.profile(entity_id).summary.endswith("They sing.") for entity_id in many)
