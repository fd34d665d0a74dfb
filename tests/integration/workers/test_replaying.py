"""Replays of a namespace's events, beside the memories that apps read."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from config.settings import settings
from db import dead_letters, decisions, memories, namespaces
from db.keys import LaneRef
from db.namespaces import Configuration
from mosshead import Memory, Namespace
from mosshead.errors import ConfigurationError, InvalidEvent, InvalidNamespace, NotFound
from mosshead.llm import ModelUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import check_events
from mosshead.store.connection import tenant_transaction
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming
from tests.given import LONG, event, new_memory, until_blocked
from tests.integration.db.test_security import fill
from tests.integration.workers.conftest import OF_NAMESPACES, Dump, Find
from tests.replaying_given import Replaying, contents
from workers.cli.usage import costs
from workers.intake import RefusedMessage, judge
from workers.replay import follow as following
from workers.replay import replays
from workers.replay.follow import follow
from workers.replay.replays import ReplayRefused, difference
from workers.scheduler import follow_all


def test_replay_remembers_the_messages_and_apps_do_not_see_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, memory: Memory
) -> None:
    forming.say("I live in Berlin.", "My brother Peter Haas plays the cello.")
    forming.say("I moved to Porto.")
    before = contents(sarah)

    replayed.start()

    assert len(before) > 1
    assert contents(replayed.there) == before
    assert contents(sarah) == before
    assert [one.parts for one in memory.group(sarah.path.parts[0]).namespaces()] == [sarah.path.parts]
    replay, memories, _ = difference(replayed.engine, sarah.path)
    assert (memories.same, memories.only_before, memories.only_after) == (len(before), (), ())
    assert (replay.behind, replay.dead, replay.generation.left_out) == (0, 0, [])
    with pytest.raises(InvalidEvent, match=r"namespace: '\(replay\)' is reserved for replays"):
        check_events(replayed.there.path, [{"type": "message", "role": "user", "content": "hello"}])


def test_manual_changes_are_repeated(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Berlin.", "I play the cello.", "I am allergic to nuts.")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    forming.command(type="forget", memories=[str(cello.id)])
    forming.command(type="remember", content="Sarah sings in a choir.")
    forming.say("My brother Peter Haas lives in Ghent.")

    replayed.start()

    assert contents(replayed.there) == contents(sarah)
    assert not any("cello" in one for one in contents(replayed.there))
    assert replayed.left_out == []
    replayed.switch()
    choir = [one.id for one in sarah.memories() if "choir" in one.content]
    assert choir == [one.id for one in replayed.there.memories() if "choir" in one.content]


def test_undo_of_an_import_is_repeated(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    forming.command(
        type="import",
        memories=[{"id": "m1", "content": "Ann sails."}, {"id": "m2", "content": "Ann skates."}],
    )
    [sails] = [one for one in sarah.memories() if "sails" in one.content]
    [brought] = sarah.decisions.for_memory(sails.id)
    forming.command(type="undo", decision_id=str(brought.id))

    replayed.start()

    assert replayed.left_out == []
    assert contents(replayed.there) == contents(sarah) == {"Ann skates."}


def test_missing_replacement_is_reported(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """A model may word it differently; what one generation lacks does not affect the other."""
    said = "I live in Berlin."
    forming.say(said)
    [berlin] = sarah.memories()
    forming.command(type="remember", content="User lives in Potsdam.", replaces=str(berlin.id))
    apart = fact_like(content="Berlin was rainy when User came by", quote=said)
    fake.script("ExtractionAnswer", {"facts": [apart]})

    replayed.start()

    assert replayed.left_out == ["remember: nothing there says what was replaced"]
    assert contents(replayed.there) == {"Berlin was rainy when User came by", "User lives in Potsdam."}
    with pytest.raises(ReplayRefused, match=r"could not be replayed \(1\).*Give --despite"):
        replayed.switch()
    replayed.switch(despite=True)
    assert replayed.left_out == []
    replayed.switch()
    assert contents(sarah) == {"User lives in Potsdam."}
    assert replayed.left_out == ["remember: nothing there says what was replaced"]


def test_events_are_replayed_in_the_order_in_which_they_took_effect(
    replayed: Replaying, forming: Forming, admin_engine: Engine
) -> None:
    """Times decide between two publishers, and the replay has only one."""
    other = forming.publishing.another()
    forming.publishing.send(forming.publishing.message("I live in Porto.", occurred_at="2026-03-02T12:00:00+00:00"))
    forming.send(other.message("I live in Berlin.", occurred_at="2026-03-01T12:00:00+00:00"))

    replayed.start()

    with admin_engine.connect() as connection:
        said = connection.execute(
            text(
                "select payload ->> 'content' from mosshead.events where namespace_id = :namespace_id "
                "order by publisher_sequence"
            ),
            {"namespace_id": replayed.there.path.namespace_id},
        ).scalars()
        assert list(said) == ["I live in Berlin.", "I live in Porto."]
    assert contents(replayed.there) == {"User lives in Porto"}


def test_messages_stay_the_same_there_while_more_are_published(
    replayed: Replaying, forming: Forming, sarah: Namespace, dump: Dump
) -> None:
    forming.say("I live in Berlin.", conversation="c", occurred_at="2026-03-01T12:00:00+01:00", metadata={"at": "home"})
    replayed.start()
    forming.say("I like tea.", conversation="c", occurred_at="2026-03-02T12:00:00+01:00", speaker="Sarah")
    replayed.follow()

    here, there = dump(sarah.path), dump(replayed.there.path)
    for table in ("messages", "conversations"):
        assert here[table] == there[table]


def test_command_without_effect_is_not_replayed(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    """What it replaces has no version there for which it could be refused."""
    forming.say("I live in Berlin.")
    [berlin] = sarah.memories()
    forming.command(type="remember", content="User lives in Ghent.", replaces=str(berlin.id), of_version=9)

    replayed.start()

    assert contents(replayed.there) == contents(sarah) == {"User lives in Berlin"}
    assert replayed.left_out == []


def test_command_waits_until_the_items_it_names_exist_there(
    replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    [cello] = [one for one in sarah.memories() if "cello" in one.content]
    forming.command(type="forget", memories=[str(cello.id)])
    replays.start(replayed.engine, settings(), replayed.path, llm_model=None, instructions=None)

    assert [follow(replayed.engine, replayed.lane) for _ in range(2)] == [True, False]
    replayed.follow()

    assert (contents(replayed.there), replayed.left_out) == ({"User lives in Berlin"}, [])


def test_merged_entity_is_found_there_by_its_names_of_that_time(
    replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """Later another entity had these names."""
    forming.say("My brother Peter Haas plays the cello.", "Paul Meier is a plumber.", "Ann Beck lives in Ghent.")
    peter, paul, ann = (
        next(str(one.id) for one in sarah.entities.list() if one.name == name)
        for name in ("Peter Haas", "Paul Meier", "Ann Beck")
    )
    forming.command(type="merge", entity_id=peter, into=paul)
    forming.command(type="merge", entity_id=paul, into=ann)

    replayed.start()

    assert replayed.left_out == []
    assert {one.name for one in replayed.there.entities.list()} == {one.name for one in sarah.entities.list()}


def test_number_of_events_that_wait_there_is_limited(
    replayed: Replaying, forming: Forming, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_AT_ONCE", 1)
    monkeypatch.setattr(following, "_AHEAD", 2)
    forming.say("I live in Berlin.", "I play the cello.", "I like tea.")
    replays.start(replayed.engine, settings(), replayed.path, llm_model=None, instructions=None)

    assert [follow(replayed.engine, replayed.lane) for _ in range(3)] == [True, True, False]
    assert (replayed.listed.generation.replayed, replayed.listed.behind) == (2, 3)
    replayed.follow()
    assert replayed.listed.behind == 0


def test_dropped_replay_leaves_nothing(replayed: Replaying, forming: Forming, admin_engine: Engine) -> None:
    forming.say("I live in Berlin.")
    replayed.start()
    there = {"tenant_id": replayed.lane.tenant_id, "namespace_id": replayed.there.path.namespace_id}

    def tables(connection: Connection) -> set[str]:
        every = connection.execute(OF_NAMESPACES).scalars().all()
        held = f"select exists (select from mosshead.{{}} where {_IN_IT})"
        return {one for one in every if connection.execute(text(held.format(one)), there).scalar_one()}

    with admin_engine.begin() as connection:
        connection.exec_driver_sql("set local session_replication_role = replica")  # foreign keys do not matter here
        for table in {*connection.execute(OF_NAMESPACES).scalars()} - tables(connection) - _NOT_OF_A_REPLAY:
            fill(connection, table, there["tenant_id"], there["namespace_id"])
        assert len(tables(connection)) > 30

    replays.drop(replayed.engine, replayed.path)

    with admin_engine.connect() as connection:
        assert tables(connection) == set()


_IN_IT = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_NOT_OF_A_REPLAY = {"generations", "erasures", "refused"}


def test_drop_waits_for_the_running_worker(
    replayed: Replaying, forming: Forming, find: Find, admin_engine: Engine
) -> None:
    """Otherwise a result stored at that moment would be left behind."""
    forming.say("I live in Berlin.")
    replayed.start()
    there = LaneRef(replayed.lane.tenant_id, replayed.there.path.namespace_id)
    with ThreadPoolExecutor(1) as pool, tenant_transaction(replayed.engine, there.tenant_id) as connection:
        connection.execute(text(f"select from mosshead.lanes where {_IN_IT} for update"), there.scope)
        dropping = pool.submit(replays.drop, replayed.engine, replayed.path)
        until_blocked(replayed.engine, "mosshead.lanes")
        (stamp,) = decisions.stamps(connection, 1)
        memories.add(connection, there, new_memory("User plays the quuxhorn"), stamp)
        connection.commit()
        dropping.result(timeout=30)

    assert find("quux") == {}


def test_erasure_deletes_the_replay_with_everything_in_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, find: Callable[..., dict[str, int]]
) -> None:
    forming.say("I live in Berlin.", conversation="c1")
    forming.say("I play the cello.", conversation="c2")
    replayed.start()
    assert find("cello")

    forming.erase(conversation="c2")

    assert find("cello") == {}
    assert replayed.there.memories() == []
    with pytest.raises(NotFound, match="has no replay"):
        replayed.switch()
    replayed.start()
    assert contents(replayed.there) == contents(sarah) == {one for one in contents(sarah) if "Berlin" in one}


def test_replay_asks_its_own_model_and_the_switch_keeps_it(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming
) -> None:
    forming.say("I live in Berlin.")
    replayed.start(llm_model="another", instructions="Remember cities alone.")
    asked = [one for one in fake.requests if one.body["model"] == "another"]
    assert any("Remember cities alone." in str(one.body) for one in asked)

    replayed.switch()
    forming.say("I moved to Porto.")

    latest = [one.body["model"] for one in fake.requests][-1]
    assert latest == "another"


def test_model_that_does_not_answer_replays_nothing(fake: FakeOpenAI, replayed: Replaying, forming: Forming) -> None:
    """In a replay it would open the breaker and affect everybody."""
    forming.say("I live in Berlin.")
    fake.script("Readiness", Fault.status(404))

    with pytest.raises(ModelUnavailable):
        replayed.start(llm_model="missing")

    with pytest.raises(NotFound, match="has no replay"):
        replays.drop(replayed.engine, replayed.path)


def test_impossible_replay_is_refused_with_the_reason(replayed: Replaying, forming: Forming) -> None:
    with pytest.raises(NotFound, match="there is no such namespace"):
        replayed.start()
    forming.say("I live in Berlin.")
    replayed.start()
    with pytest.raises(ReplayRefused, match="has a replay already"):
        replayed.start()
    with pytest.raises(NotFound, match="there is no such namespace"):
        replays.start(replayed.engine, settings(), replayed.there.path, llm_model=None, instructions=None)
    replays.drop(replayed.engine, replayed.path)
    with pytest.raises(NotFound, match="has no replay"):
        replays.drop(replayed.engine, replayed.path)
    deep = NamespacePath.of(("acme", *"abcdefg"))
    with pytest.raises(InvalidNamespace, match="at most 8 parts"):
        replays.start(replayed.engine, settings(), deep, llm_model=None, instructions=None)


def test_document_is_the_same_document_there(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    """Its id is derived from the namespace that apps name; an edit's expected version is not that of the replay."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "pet": {"type": "string"}}}
    forming.command(type="configure", profiles=[{"name": "Person", "json_schema": schema}])
    forming.command(type="edit_document", document="Person", patch={"city": "Berlin", "pet": "Rex"}, document_version=0)
    forming.command(type="edit_document", document="Person", patch={"city": "Porto", "pet": None}, document_version=1)

    replayed.start()

    assert person(replayed.there) == person(sarah) == Person(city="Porto")
    replayed.switch()
    assert person(sarah) == Person(city="Porto")
    forming.command(type="edit_document", document="Person", patch={"pet": "Tom"})
    assert person(sarah) == Person(city="Porto", pet="Tom")


class Person(BaseModel):
    city: str | None = None
    pet: str | None = None


def person(namespace: Namespace) -> Person:
    found = namespace.documents.get(Person)
    assert found is not None
    return found.value


def wanted(replayed: Replaying, path: NamespacePath) -> Configuration:
    with tenant_transaction(replayed.engine, path.tenant_id) as connection:
        return namespaces.configuration(connection, LaneRef(path.tenant_id, path.namespace_id))


def test_replay_without_instructions_follows_those_of_the_app(replayed: Replaying, forming: Forming) -> None:
    forming.command(type="configure", instructions="Remember cities alone.")
    forming.say("I live in Berlin.")
    replayed.start()
    assert wanted(replayed, replayed.there.path).instructions == "Remember cities alone."

    forming.command(type="configure", instructions="Remember pets.")
    replayed.follow()

    assert wanted(replayed, replayed.there.path).instructions == "Remember pets."


def test_replays_own_instructions_stay_and_the_apps_other_settings_are_followed(
    replayed: Replaying, forming: Forming
) -> None:
    forming.say("I live in Berlin.")
    replayed.start(instructions="Remember cities alone.")
    forming.command(type="configure", instructions="Remember pets.", episodes=True)
    replayed.follow()

    there = wanted(replayed, replayed.there.path)
    assert (there.instructions, there.episodes) == ("Remember cities alone.", True)
    replayed.switch()
    assert wanted(replayed, replayed.path).instructions == "Remember cities alone."


def test_cost_of_a_dropped_replay_is_listed_under_the_namespace(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming
) -> None:
    forming.say("I live in Berlin.")
    replayed.start(llm_model="another")

    replays.drop(replayed.engine, replayed.path)

    spent = costs(
        replayed.engine,
        by="model",
        since=LONG,
        namespace_id=replayed.lane.namespace_id,
        tenant_id=replayed.lane.tenant_id,
    )
    assert {one.of for one in spent} == {"another", settings().llm_model}


def test_contents_of_a_prompt_are_recognised_there_by_their_source_messages(
    replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """Otherwise a memory repeated by the app's own prompt would become surer."""
    forming.say("I live in Berlin.", conversation="c1")
    [berlin] = sarah.memories()
    for number in range(3):
        forming.say("I live in Berlin.", conversation="c2", injected=[str(berlin.id)], sequence=number)
    [known] = sarah.memories()

    replayed.start(messages=1)

    [there] = replayed.there.memories()
    assert there.id != known.id
    assert (there.content, there.confidence) == (known.content, known.confidence)


def test_scheduler_continues_replays_and_one_failure_holds_up_nobody(
    replayed: Replaying, forming: Forming, worker_engine: Engine, admin_engine: Engine
) -> None:
    forming.say("I live in Ghent.")
    replays.start(replayed.engine, settings(), replayed.path, llm_model=None, instructions=None)
    with admin_engine.begin() as connection:
        # Replays of other tests, of which more may be due than one round reads.
        connection.execute(
            text("update mosshead.generations set due_at = 'infinity' where tenant_id <> :tenant_id"),
            {"tenant_id": replayed.lane.tenant_id},
        )
        connection.exec_driver_sql(
            "alter table mosshead.messages add constraint picky check (position('Ghent' in content) = 0) not valid"
        )
    try:
        with capture_logs() as logs:
            follow_all(worker_engine)
    finally:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql("alter table mosshead.messages drop constraint picky")
    assert [one["event"] for one in logs] == ["replay_failed"]
    assert "Ghent" not in str(logs)
    due = text("update mosshead.generations set due_at = now() where tenant_id = :tenant_id")
    with admin_engine.begin() as connection:
        connection.execute(due, {"tenant_id": replayed.lane.tenant_id})
    follow_all(worker_engine)
    assert replayed.listed.behind == 1, "its lane is set aside, and not followed until it is resumed"
    there = LaneRef(replayed.lane.tenant_id, replayed.there.path.namespace_id)
    with worker_engine.begin() as connection:
        (state,) = [one for one in dead_letters.lane_states(connection, limit=100_000) if one.lane == there]
        assert state.quarantined_for == "cannot be replayed: IntegrityError 23514"
        assert dead_letters.resume(connection, there)

    follow_all(worker_engine)

    assert (replayed.listed.generation.replayed, replayed.listed.behind) == (1, 1)


def test_event_sent_to_a_replay_is_refused_and_creates_no_namespace_there(forming: Forming) -> None:
    """Otherwise a namespace would exist in the replay's place, and none could be started."""
    path = forming.publishing.path.replayed()
    body = json.dumps(event(path.parts)).encode()

    refused = judge(body, {})

    assert isinstance(refused, RefusedMessage)
    assert "is reserved for replays" in refused.reason
    assert refused.event is None


def test_app_cannot_open_a_replay_by_sql_either(forming: Forming, ingest_engine: Engine) -> None:
    body = json.dumps([event(forming.publishing.path.replayed().parts)])
    with pytest.raises(IntegrityError, match="is where a namespace is replayed"), ingest_engine.begin() as connection:
        connection.execute(text("select mosshead_write_v1.publish(cast(:events as jsonb))"), {"events": body})


def test_forgetting_spares_a_memory_that_another_message_also_supports(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """A model may make one memory of two, of which only one was forgotten."""
    forming.say("I play the cello.")
    [cello] = sarah.memories()
    forming.say("I have cello lessons on Mondays.")
    forming.command(type="forget", memories=[str(cello.id)])
    both = fact_like(content="User plays the cello and has cello lessons on Mondays", quote="I play the cello.")
    fake.script("ExtractionAnswer", {"facts": [{**both, "sources": [1, 2]}]})

    replayed.start()

    assert contents(replayed.there) == {"User plays the cello and has cello lessons on Mondays"}
    assert replayed.left_out == ["forget: nothing there says what was forgotten"]


@pytest.mark.parametrize("named", ["", " ", "a\0b"])
def test_model_without_a_name_is_refused(replayed: Replaying, forming: Forming, named: str) -> None:
    forming.say("I live in Berlin.")
    with pytest.raises(ConfigurationError, match="--llm-model"):
        replayed.start(llm_model=named)
