"""What was said, replayed beside the memories that apps read."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError
from structlog.testing import capture_logs

from config.settings import settings
from db import namespaces
from db.namespaces import Configuration
from db.refs import LaneRef
from recollect import Memory, Namespace
from recollect.errors import ConfigurationError, InvalidEvent, InvalidNamespace, NotFound
from recollect.language_model import ModelUnavailable
from recollect.namespaces import NamespacePath
from recollect.publishing.checking import check_events
from recollect.tenancy import tenant_transaction
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI, Fault
from tests.forming import Forming
from tests.given import LONG, event
from tests.integration.workers.conftest import Said
from tests.replaying_given import Replaying, contents
from workers.intake.arrivals import Refused, judge
from workers.operating import replaying
from workers.operating.replaying import Replay
from workers.operating.usage import costs
from workers.replaying.comparing import difference
from workers.replaying.finding import ReplayRefused
from workers.replaying.following import follow_all


def replaying_of(replayed: Replaying) -> Replay:
    [found] = [one for one in replaying.listed(replayed.engine) if one.path == replayed.path.parts]
    return found


def test_a_replay_remembers_what_was_said_and_apps_do_not_see_it(
    replayed: Replaying, forming: Forming, sarah: Namespace, memory: Memory
) -> None:
    forming.say("I live in Berlin.", "My brother Peter Haas plays the cello.")
    forming.say("I moved to Porto.")
    before = contents(sarah)

    replayed.start()

    assert len(before) > 1
    assert contents(replayed.there) == before
    assert contents(sarah) == before
    assert [one.parts for one in memory.under(sarah.path.parts[0]).namespaces()] == [sarah.path.parts]
    found = difference(replayed.engine, sarah.path)
    assert (found.memories.same, found.memories.only_before, found.memories.only_after) == (len(before), (), ())
    assert (found.behind, found.dead, found.left_out) == (0, 0, [])
    with pytest.raises(InvalidEvent, match=r"namespace: '\(replay\)' is where"):
        check_events(replayed.there.path, [{"type": "message", "role": "user", "content": "hello"}])


def test_what_a_person_did_by_hand_is_done_again(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
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


def test_what_was_taken_back_of_an_import_is_taken_back_there(
    replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    forming.command(
        type="import",
        memories=[{"id": "m1", "content": "Ann sails."}, {"id": "m2", "content": "Ann skates."}],
    )
    [sails] = [one for one in sarah.memories() if "sails" in one.content]
    [brought] = sarah.decisions(sails.id)
    forming.command(type="undo", decision_id=str(brought.id))

    replayed.start()

    assert replayed.left_out == []
    assert contents(replayed.there) == contents(sarah) == {"Ann skates."}


def test_what_was_replaced_does_not_stay_unnoticed(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """A model that words it otherwise; what one generation lacks is no matter of the other."""
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


def test_what_took_effect_in_another_order_than_it_came_is_replayed_in_that(
    replayed: Replaying, forming: Forming, admin_engine: Engine
) -> None:
    """Of two publishers the times decide, and in the replay there is one."""
    other = forming.publishing.another()
    forming.publishing.send(forming.publishing.message("I live in Porto.", occurred_at="2026-03-02T12:00:00+00:00"))
    forming.send(other.message("I live in Berlin.", occurred_at="2026-03-01T12:00:00+00:00"))

    replayed.start()

    with admin_engine.connect() as connection:
        said = connection.execute(
            text(
                "select payload ->> 'content' from recollect.events where namespace_id = :namespace_id "
                "order by publisher_sequence"
            ),
            {"namespace_id": replayed.there.path.namespace_id},
        ).scalars()
        assert list(said) == ["I live in Berlin.", "I live in Porto."]
    assert contents(replayed.there) == {"User lives in Porto"}


def test_an_erasure_deletes_the_replay_with_all_that_it_holds(
    replayed: Replaying, forming: Forming, sarah: Namespace, find: Callable[..., dict[str, int]]
) -> None:
    forming.say("I live in Berlin.", conversation="c1")
    forming.say("I play the cello.", conversation="c2")
    replayed.start()
    assert find("cello")

    forming.erase(conversation="c2")

    assert find("cello") == {}
    assert replayed.there.memories() == []
    with pytest.raises(NotFound, match="is not replayed"):
        replayed.switch()
    replayed.start()
    assert contents(replayed.there) == contents(sarah) == {one for one in contents(sarah) if "Berlin" in one}


def test_a_replay_asks_the_model_that_it_was_given_and_the_switch_takes_it_along(
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


def test_a_model_that_does_not_answer_replays_nothing(fake: FakeOpenAI, replayed: Replaying, forming: Forming) -> None:
    """In a replay it would open the breaker, and stand in everybody's way."""
    forming.say("I live in Berlin.")
    fake.script("Readiness", Fault.status(404))

    with pytest.raises(ModelUnavailable):
        replayed.start(llm_model="missing")

    with pytest.raises(NotFound, match="is not replayed"):
        replaying.drop(replayed.engine, replayed.path)


def test_what_cannot_be_replayed_says_so(replayed: Replaying, forming: Forming) -> None:
    with pytest.raises(NotFound, match="there is no such namespace"):
        replayed.start()
    forming.say("I live in Berlin.")
    replayed.start()
    with pytest.raises(ReplayRefused, match="is replayed already"):
        replayed.start()
    with pytest.raises(NotFound, match="there is no such namespace"):
        replaying.start(replayed.engine, settings(), replayed.there.path, llm_model=None, instructions=None)
    replaying.drop(replayed.engine, replayed.path)
    with pytest.raises(NotFound, match="is not replayed"):
        replaying.drop(replayed.engine, replayed.path)
    deep = NamespacePath.of(("acme", *"abcdefg"))
    with pytest.raises(InvalidNamespace, match="at most 8 parts"):
        replaying.start(replayed.engine, settings(), deep, llm_model=None, instructions=None)


def test_a_document_is_the_same_document_there(replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    """Its id is derived from the namespace that apps name; the version that an edit was meant for is not that of the replay."""
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
    found = namespace.profile_document(Person)
    assert found is not None
    return found.value


def test_instructions_of_its_own_stay_and_all_else_that_the_app_wants_is_followed(
    replayed: Replaying, forming: Forming
) -> None:
    def wanted(lane: LaneRef) -> Configuration:
        with tenant_transaction(replayed.engine, lane.tenant_id) as connection:
            return namespaces.configuration(connection, lane)

    forming.say("I live in Berlin.")
    replayed.start(instructions="Remember cities alone.")
    forming.command(type="configure", instructions="Remember pets.", episodes=True)
    replayed.follow()

    there = wanted(LaneRef(replayed.lane.tenant_id, replayed.there.path.namespace_id))
    assert (there.instructions, there.episodes) == ("Remember cities alone.", True)
    replayed.switch()
    assert wanted(replayed.lane).instructions == "Remember cities alone."


def test_what_a_replay_cost_is_told_of_the_namespace_once_it_is_dropped(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming
) -> None:
    forming.say("I live in Berlin.")
    replayed.start(llm_model="another")

    replaying.drop(replayed.engine, replayed.path)

    spent = costs(
        replayed.engine,
        by="model",
        since=LONG,
        namespace_id=replayed.lane.namespace_id,
        tenant_id=replayed.lane.tenant_id,
    )
    assert {one.of for one in spent} == {"another", settings().llm_model}


def test_what_was_in_a_prompt_is_known_there_by_the_messages_that_it_rests_on(
    replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """Else a memory that an app's own prompt repeats would grow surer by that."""
    forming.say("I live in Berlin.", conversation="c1")
    [berlin] = sarah.memories()
    for number in range(3):
        forming.say("I live in Berlin.", conversation="c2", injected=[str(berlin.id)], sequence=number)
    [known] = sarah.memories()

    replayed.start(messages=1)

    [there] = replayed.there.memories()
    assert there.id != known.id
    assert (there.content, there.confidence) == (known.content, known.confidence)


def test_the_sweeper_goes_on_with_what_is_replayed_and_one_failure_holds_up_nobody(
    replayed: Replaying, forming: Forming, worker_engine: Engine, admin_engine: Engine
) -> None:
    forming.say("I live in Ghent.")
    replaying.start(replayed.engine, settings(), replayed.path, llm_model=None, instructions=None)
    with admin_engine.begin() as connection:
        # Those of other tests, of which more may be due than are looked at in one round.
        connection.execute(
            text("update recollect.generations set due_at = 'infinity' where tenant_id <> :tenant_id"),
            {"tenant_id": replayed.lane.tenant_id},
        )
        connection.exec_driver_sql(
            "alter table recollect.messages add constraint picky check (position('Ghent' in content) = 0) not valid"
        )
    try:
        with capture_logs() as logs:
            follow_all(worker_engine)
    finally:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql("alter table recollect.messages drop constraint picky")
    assert [one["event"] for one in logs] == ["replay_failed"]
    assert "Ghent" not in str(logs)
    follow_all(worker_engine)  # it is looked at once a second
    assert replaying_of(replayed).behind == 1
    with admin_engine.begin() as connection:
        connection.execute(
            text("update recollect.generations set due_at = now() where tenant_id = :tenant_id"),
            {"tenant_id": replayed.lane.tenant_id},
        )

    follow_all(worker_engine)

    assert (replaying_of(replayed).generation.replayed, replaying_of(replayed).behind) == (1, 1)


def test_the_command(run: Callable[..., Said], replayed: Replaying, forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Berlin.", "I play the cello.")
    name = sarah.path.parts
    with pytest.raises(NotFound, match="is not replayed"):
        run("replay", "diff", *name)
    run("replay", "start", *name)
    replayed.follow()

    assert "/".join(name) in run("replay")
    [listed] = [one for one in run("replay", "--json").json["replays"] if one["namespace"] == list(name)]
    assert (listed["replayed"], listed["behind"], listed["left_out"]) == (2, 0, [])
    assert "2 memories say the same, 0 are worded otherwise" in run("replay", "diff", *name)
    assert run("replay", "diff", *name, "--json").json["same"] == 2
    assert "apps read what was replayed" in run("replay", "switch", *name)
    assert "is not replayed any more" in run("replay", "drop", *name)
    assert contents(sarah) == {"User lives in Berlin", "User plays the cello"}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (b"\xff\xfe", "is no text in UTF-8"),
        (b"cities\0", "is no text in UTF-8"),
        (b"x" * 4_001, "more than 4,000 characters"),
    ],
)
def test_instructions_that_no_app_could_give_are_refused(
    run: Callable[..., Said], forming: Forming, tmp_path: Path, told: bytes, why: str
) -> None:
    forming.say("I live in Berlin.")
    file = tmp_path / "instructions"
    file.write_bytes(told)

    said = run("replay", "start", *forming.publishing.path.parts, "--instructions", file)

    assert said.status == 2
    assert why in " ".join(said.replace("│", " ").split())
    assert list(forming.publishing.path.parts) not in [
        one["namespace"] for one in run("replay", "--json").json["replays"]
    ]


def test_what_comes_for_a_replay_is_refused_and_takes_no_place_there(forming: Forming) -> None:
    """Else there was a namespace where its replay would be, and none could be started."""
    path = forming.publishing.path.replayed()
    body = json.dumps(event(path.parts)).encode()

    refused = judge(body, {})

    assert isinstance(refused, Refused)
    assert "is where a namespace is replayed" in refused.reason
    assert refused.event is None


def test_nor_does_an_app_open_it_by_sql(forming: Forming, ingest_engine: Engine) -> None:
    body = json.dumps([event(forming.publishing.path.replayed().parts)])
    with pytest.raises(IntegrityError, match="is where a namespace is replayed"), ingest_engine.begin() as connection:
        connection.execute(text("select recollect_write_v1.publish(cast(:events as jsonb))"), {"events": body})


def test_what_says_what_stays_by_another_message_is_not_forgotten(
    fake: FakeOpenAI, replayed: Replaying, forming: Forming, sarah: Namespace
) -> None:
    """A model that makes one memory of what two were, where one of the two was forgotten."""
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
def test_a_model_without_a_name_is_refused(replayed: Replaying, forming: Forming, named: str) -> None:
    forming.say("I live in Berlin.")
    with pytest.raises(ConfigurationError, match="--llm-model"):
        replayed.start(llm_model=named)
