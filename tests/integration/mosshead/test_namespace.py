"""Reading and publishing in one namespace, on rows as the service writes them, with the real local model."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from db import entities, inbox, memories
from db.decisions import LoggedDecision, log
from db.keys import LaneRef
from mosshead import AmbiguousName, InvalidEvent, Memory, Namespace, NotFound, WaitTimeout
from mosshead.api.decisions import check_undo
from mosshead.contrib.prompts import Prompts
from mosshead.contrib.stories import tell_story
from mosshead.entities.mentions import MentionKind
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from tests.given import MINILM, MODEL, NONE, NOON, Publishing, Remembering, claimed, under_way
from tests.integration.mosshead.conftest import Taken

NO_ID = UUID(int=7)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


Knows = Callable[..., UUID]


@pytest.fixture
def knows(remembering: Remembering) -> Knows:
    """Return a function that adds a memory to the namespace, with its real vector."""

    def remember(content: str, **given: Any) -> UUID:
        return remembering.memory(content, MINILM.embed([content])[0], **given)

    return remember


class TestQuery:
    def test_query_returns_the_most_similar_memory_first(self, sarah: Namespace, knows: Knows) -> None:
        knows("User's favourite colour is green")
        home = knows("User moved to Seattle")
        hits = sarah.query("Where does she live?", limit=2)

        assert (len(hits), hits[0].id, hits[0].said_at) == (2, home, NOON)
        assert hits[0].similarity > hits[1].similarity
        assert len(sarah.query("Where does she live?", limit=1)) == 1
        assert not hits.partial

    def test_query_can_be_limited_to_a_kind(self, sarah: Namespace, knows: Knows) -> None:
        knows("User moved to Seattle", kind="event")
        way = knows("To move house, User hires two vans", kind="process")

        assert [hit.id for hit in sarah.query("Where did she move?", kind="process")] == [way]
        assert len(sarah.query("Where did she move?", limit=1, kind="event")) == 1
        with pytest.raises(ValueError, match="kind: one of fact, preference"):
            sarah.query("Where did she move?", kind="habit")
        with pytest.raises(ValueError, match="as_of: cannot be narrowed"):
            sarah.query("Where did she move?", kind="event", as_of=NOON)

    def test_query_can_be_limited_by_metadata_of_the_messages(
        self, sarah: Namespace, knows: Knows, remembering: Remembering, publishing: Publishing
    ) -> None:
        told = [
            publishing.message("I moved", metadata={"channel": channel, "tags": ["home"]})
            for channel in ("mail", "phone")
        ]
        publishing.send(*told)
        ids = [knows(f"User moved to {place}") for place in ("Seattle", "Porto")]
        for memory_id, message in zip(ids, told, strict=True):
            with remembering.stamped() as (connection, stamp):
                sources = {UUID(message["event_id"]): "I moved"}
                memories.add_sources(connection, remembering.lane, memory_id, sources, stamp)

        assert [hit.id for hit in sarah.query("Where to?", metadata={"channel": "phone"})] == [ids[1]]
        assert len(sarah.query("Where to?", metadata={"tags": ["home"]})) == 2
        assert not sarah.query("Where to?", metadata={"channel": "letter"})
        by_hand = knows("User moved by hand")
        assert by_hand in {hit.id for hit in sarah.query("Where to?", metadata={})}
        with pytest.raises(ValueError, match="metadata: give fields"):
            sarah.query("Where to?", metadata={"since": NOON})

    def test_unsuitable_arguments_are_refused_by_name(self, sarah: Namespace) -> None:
        wrong: list[tuple[str, Callable[..., object], dict[str, Any]]] = [
            ("about", sarah.memories, {"about": "Peter"}),
            ("depth", sarah.entities.neighbours, {"entity": uuid4(), "depth": True}),
            ("fan_out", sarah.entities.neighbours, {"entity": uuid4(), "fan_out": "3"}),
            ("around", sarah.messages.get, {"message_id": uuid4(), "around": True}),
            ("timeout", sarah.wait, {"timeout": math.nan}),
            ("lines", sarah.import_records, {"lines": '{"type": "memory"}'}),
            ("name", Prompts(sarah).versions, {"name": 5}),
            ("name", Prompts(sarah).get, {"name": 5}),
            ("name", Prompts(sarah).decisions, {"name": 5}),
            ("name", Prompts(sarah).set, {"name": 5, "text": "hi"}),
        ]
        for name, call, arguments in wrong:
            with pytest.raises((ValueError, NotFound), match=rf"^{name}: "):
                call(**arguments)

    @pytest.mark.parametrize("action", ["invented", ["undo"], 5])
    def test_unknown_decision_action_is_refused_by_name(self, sarah: Namespace, action: Any) -> None:
        with pytest.raises(ValueError, match="action: one of "):
            sarah.decisions.latest(action=action)

    @pytest.mark.parametrize("request_", ["", "What happened to Ada?"])
    def test_unknown_on_timeout_value_is_refused_by_name(self, sarah: Namespace, request_: str) -> None:
        on_timeout: Any = "retry"
        with pytest.raises(ValueError, match="on_timeout: one of partial, raise"):
            tell_story(sarah, request_, on_timeout=on_timeout)

    def test_snapshot_reads_everything_in_one_transaction(
        self, sarah: Namespace, knows: Knows, remembering: Remembering, worker_engine: Engine
    ) -> None:
        knows("User moved to Seattle")
        batch = under_way(worker_engine, remembering.lane)
        with remembering.stamped() as (connection, stamp):
            made = LoggedDecision(stamp=stamp, action="add", reason="new", decided_by="rules")
            log(connection, batch, [made])
        engine, [decision] = sarah.session.engine, sarah.decisions.latest()
        opened: list[object] = []

        def count(*checked_out: object) -> None:
            opened.append(checked_out)

        for read in (
            lambda: sarah.query("Where does she live?", as_of=datetime.now(UTC)),
            lambda: check_undo(sarah.session, decision.id),
        ):
            opened.clear()
            listen(engine, "checkout", count)
            read()
            remove(engine, "checkout", count)
            assert len(opened) == 1

    def test_single_string_for_a_list_of_names_is_refused(self, sarah: Namespace, taken: Taken) -> None:
        with pytest.raises(InvalidEvent, match="about"):
            sarah.remember("Likes tea", about="Peter")
        assert taken() == []

    def test_query_threshold_is_exclusive(self, sarah: Namespace, knows: Knows) -> None:
        knows("User moved to Seattle")
        (hit,) = sarah.query("User moved to Seattle")

        assert hit.similarity == pytest.approx(1, abs=0.001)
        assert not sarah.query("User moved to Seattle", threshold=min(hit.similarity + 0.0001, 1))
        assert len(sarah.query("User moved to Seattle", threshold=0.9)) == 1

    def test_reads_find_nothing_of_another_namespace_of_the_tenant(
        self, memory: Memory, fresh_namespace: NamespacePath, knows: Knows
    ) -> None:
        memory_id = knows("User moved to Seattle")
        bo = memory.namespace(fresh_namespace.parts[0], "bo")

        assert not bo.query("User moved to Seattle")
        assert (bo.entities.list(), bo.memories(), bo.context("Seattle").text) == ([], [], "")
        with pytest.raises(NotFound):
            bo.get(memory_id)

    def test_query_limit_below_one_is_refused(self, sarah: Namespace) -> None:
        with pytest.raises(ValueError, match="limit: must be at least 1, got 0"):
            sarah.query("x", limit=0)

    def test_query_is_partial_while_events_are_pending(self, sarah: Namespace, publishing: Publishing) -> None:
        publishing.say("I moved to Seattle")
        hits = sarah.query("Where does she live?")

        assert (hits.partial, hits.progress.pending) == (True, 1)
        assert hits.progress.received == {publishing.id: 1}


class TestMemories:
    def test_get_returns_a_memory_with_its_sources(
        self, sarah: Namespace, knows: Knows, remembering: Remembering
    ) -> None:
        message = uuid4()
        peter = remembering.entity("Peter")
        memory_id = knows("Peter writes", about={peter: ("subject", "sure")}, kind="process")
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, remembering.lane, memory_id, {message: "he writes"}, stamp)
            memories.change(connection, remembering.lane, memory_id, 1, stamp, content="Peter writes well")
        found = sarah.get(str(memory_id))

        assert (found.content, found.version, found.kind, found.about) == (
            "Peter writes well",
            2,
            "process",
            ("Peter",),
        )
        assert [(source.message_id, source.quote) for source in found.sources] == [(message, "he writes")]

    @pytest.mark.parametrize("wrong", ["not-an-id", str(NO_ID)])
    def test_get_of_an_unknown_memory_raises_not_found(self, sarah: Namespace, wrong: str) -> None:
        with pytest.raises(NotFound, match=r"^memory_id: .*" + wrong):
            sarah.get(wrong)

    def test_get_finds_a_memory_by_the_apps_own_key(self, sarah: Namespace, knows: Knows) -> None:
        knows("Peter cooks", key="crm-18")
        memory_id = knows("Peter writes", key="crm-17")

        assert sarah.get(key="crm-17") == sarah.get(memory_id)
        assert sarah.get(key="crm-17").key == "crm-17"
        for missing in ("crm-1", ""):
            with pytest.raises(NotFound, match=r"^key: no memory in"):
                sarah.get(key=missing)
        with pytest.raises(NotFound, match=r"^key: "):
            sarah.get(key="crm-17", as_of=NOON - timedelta(days=3650))

    def test_superseded_memory_is_returned_by_get_and_not_by_query(
        self, sarah: Namespace, knows: Knows, remembering: Remembering
    ) -> None:
        old, new = knows("User lives in Boston", salience=9), knows("User lives in Seattle", salience=2)
        with remembering.stamped() as (connection, stamp):
            memories.change(connection, remembering.lane, old, 1, stamp, state="superseded", superseded_by=new)
            memories.retire_vector(connection, remembering.lane, old)

        assert (sarah.get(old).state, sarah.get(old).superseded_by) == ("superseded", new)
        assert [hit.id for hit in sarah.query("User lives in Boston")] == [new]
        assert [memory.id for memory in sarah.memories()] == [new]

    def test_memories_are_listed_most_salient_first(self, sarah: Namespace, knows: Knows) -> None:
        for salience in (3, 9, 6):
            knows(f"Salience {salience}", salience=salience)
        assert [memory.salience for memory in sarah.memories(limit=2)] == [9, 6]


class TestEntities:
    @pytest.fixture
    def peters(self, remembering: Remembering, knows: Knows) -> tuple[UUID, UUID]:
        """Return a writer and a brother, both called Peter."""
        firm = remembering.entity("WOBS", entity_type=EntityType.ORG)
        writer = remembering.entity("Peter", description="writer", parent_id=firm, aliases=("Pete",))
        brother = remembering.entity("Peter", description="User's brother")
        knows(
            "Peter is a writer at WOBS and writes blog articles",
            about={writer: ("subject", "sure"), firm: ("object", "sure")},
        )
        knows("Peter edits content for the WOBS blog", about={writer: ("subject", "sure")})
        knows("Peter plays football with User on Sundays", about={brother: ("subject", "sure")})
        return writer, brother

    @pytest.mark.usefixtures("peters")
    def test_entities_with_the_most_memories_are_listed_first(self, sarah: Namespace) -> None:
        found = [(entity.name, entity.memories, entity.parent, entity.aliases) for entity in sarah.entities.list()]
        assert found[0] == ("Peter", 2, "WOBS", ("Pete",))
        assert sorted(found[1:]) == [("Peter", 1, None, ()), ("WOBS", 1, None, ())]

    def test_profile_is_found_by_id_name_and_alias(
        self, sarah: Namespace, remembering: Remembering, peters: tuple[UUID, UUID]
    ) -> None:
        with remembering.transaction() as connection:
            for due in entities.due_profiles(connection, remembering.lane, least=NONE, most=NONE, limit=9).profiles:
                summary = f"{due.entity.description}."
                entities.save_profile(connection, remembering.lane, due, summary=summary, holds=[])

        assert sarah.entities.profile("PETE's").summary == "writer."
        assert sarah.entities.profile(peters[1]).summary == "User's brother."
        assert sarah.entities.profile(peters[1]).refreshed_at is not None

    @pytest.mark.parametrize(
        ("name", "asked"),
        [
            ("Łukasz Żółć", "lukasz zolc"),
            ("Gina d'Angelo", "Gina d’Angelo"),
            ("O'Brien", "OBrien"),
            ("Işık", "IŞIK"),
            ("Jean-Luc Picard", "jean luc picard"),
            ("Müller", "Mueller"),
        ],
    )
    def test_profile_is_found_by_another_spelling_if_no_name_matches_exactly(
        self, sarah: Namespace, remembering: Remembering, name: str, asked: str
    ) -> None:
        meant = remembering.entity(name)
        assert sarah.entities.profile(asked).entity.id == meant
        with pytest.raises(NotFound):
            sarah.entities.profile(f"{asked} Junior")
        other = remembering.entity(asked)
        assert (sarah.entities.profile(name).entity.id, sarah.entities.profile(asked).entity.id) == (meant, other)

    def test_profile_accepts_an_id_as_text(self, sarah: Namespace, peters: tuple[UUID, UUID]) -> None:
        assert sarah.entities.profile(str(peters[0])) == sarah.entities.profile(peters[0])
        assert sarah.entities.neighbours(str(peters[0])) == sarah.entities.neighbours(peters[0])
        assert sarah.memories(about=str(peters[0])) == sarah.memories(about=peters[0])

    def test_profile_of_an_ambiguous_name_asks_for_an_id(self, sarah: Namespace, peters: tuple[UUID, UUID]) -> None:
        with pytest.raises(AmbiguousName, match=r"^entity: 2 entities have this name; pass an id instead") as caught:
            sarah.entities.profile("Peter")
        assert all(str(key) in str(caught.value) for key in peters)

    @pytest.mark.parametrize("nobody", ["Nobody", NO_ID])
    def test_profile_of_an_unknown_entity_raises_not_found(self, sarah: Namespace, nobody: str | UUID) -> None:
        with pytest.raises(NotFound, match=r"^entity: no entity in .* has this id or name"):
            sarah.entities.profile(nobody)

    def test_parse_returns_the_entities_a_message_refers_to(self, sarah: Namespace, peters: tuple[UUID, UUID]) -> None:
        found = {
            (one.kind, one.text): set(one.entities)
            for one in sarah.entities.mentions("What's Peter's address? He moved.")
        }
        assert found[MentionKind.ENTITY, "Peter"] == set(peters)
        assert {(MentionKind.ATTRIBUTE, "address"), (MentionKind.PRONOUN, "He")} <= found.keys()

    def test_apps_own_parser_sees_no_secrets(self, sarah: Namespace) -> None:
        seen: list[str] = []
        sarah.entities.mentions("My password is hunter2-hunter2.", parser=seen.append)
        (said,) = seen
        assert "hunter2" not in said

    @pytest.mark.usefixtures("peters")
    def test_context_is_about_the_namesake_that_the_words_fit(
        self, sarah: Namespace, knows: Knows, peters: tuple[UUID, UUID]
    ) -> None:
        knows(
            "Peter keeps a canoe in Leeds", about={peters[1]: ("subject", "sure")}, valid_from=NOON + timedelta(days=9)
        )
        process = knows("To check whether content passes as human, run it through the detector", kind="process")
        context = sarah.context("Check if Peter's blog content passes as human", now=NOON + timedelta(days=1))

        assert context.questions == ()
        assert "Peter is a writer at WOBS" in context.text
        assert "football" in context.text  # one line says who the other Peter is
        assert "canoe" not in context.text  # and no more is
        assert process in {memory.id for memory in context.memories}
        explained = {one.content: one.paths for one in context.explain()}
        assert "entity: Peter" in explained["Peter edits content for the WOBS blog"]

    @pytest.mark.usefixtures("peters")
    def test_unsuitable_namesakes_are_left_out(self, sarah: Namespace, knows: Knows, remembering: Remembering) -> None:
        third = remembering.entity("Peter", description="landlord")
        knows("Peter repairs the roof of User's flat", about={third: ("subject", "sure")})
        context = sarah.context("Check if Peter's blog content passes as human", now=NOON + timedelta(days=1))

        assert "Peter is a writer at WOBS" in context.text
        assert "football" not in context.text
        assert "roof" not in context.text

    def test_words_that_fit_two_namesakes_become_a_question(self, sarah: Namespace, peters: tuple[UUID, UUID]) -> None:
        (question,) = sarah.context("Ask Peter").questions

        assert question.text.startswith("Which Peter do you mean: ")
        assert {candidate.entity_id for candidate in question.candidates} == set(peters)
        assert {candidate.description for candidate in question.candidates} == {"the writer at WOBS", "your brother"}

    @pytest.mark.usefixtures("peters")
    def test_history_helps_the_context_to_resolve_a_name(self, sarah: Namespace) -> None:
        history = [{"role": "user", "content": "The blog articles for WOBS need an editor's look at their content"}]
        assert sarah.context("Ask Peter", history=history).questions == ()

    @pytest.mark.usefixtures("peters")
    def test_stored_messages_of_the_conversation_help_the_context_to_resolve_a_name(
        self, sarah: Namespace, publishing: Publishing
    ) -> None:
        said = "The blog articles for WOBS need an editor's look at their content"
        publishing.send(publishing.message(said, conversation="c1"))
        context = sarah.context("Ask Peter", conversation="c1")

        assert (context.questions, context.partial) == ((), True)

    @pytest.mark.usefixtures("peters")
    def test_context_stays_within_its_budget(self, sarah: Namespace) -> None:
        context = sarah.context("Check Peter's blog content at WOBS", budget=20)
        assert 0 < MINILM.count_tokens(context.text) <= context.tokens <= 20
        assert 0 < len(context.memories) < 3


class TestPublish:
    def test_message_is_sent_with_all_its_fields(self, sarah: Namespace, taken: Taken) -> None:
        event_id = sarah.publish(
            "hi", conversation="c1", speaker="Sarah", occurred_at=NOON, sequence=4, metadata={"a": 1}
        )
        (event,) = taken(1)

        expected = {
            "event_id": str(event_id),
            "content": "hi",
            "role": "user",
            "conversation": "c1",
            "speaker": "Sarah",
        }
        assert expected.items() <= event.items()
        assert (event["sequence"], event["metadata"], event["namespace"]) == (4, {"a": 1}, list(sarah.path.parts))

    def test_published_message_without_a_time_gets_the_current_time(self, sarah: Namespace, taken: Taken) -> None:
        sarah.publish("hi")
        said = datetime.fromisoformat(taken(1)[0]["occurred_at"])
        assert abs(datetime.now(UTC) - said) < timedelta(seconds=10)

    def test_conversation_is_sent_in_order_and_ended(self, sarah: Namespace, taken: Taken) -> None:
        sent: list[int] = []
        ids = sarah.publish_conversation(
            "Sarah: hi\nAssistant: hello",
            conversation="c1",
            speakers={"Sarah": "user"},
            ended=True,
            on_sent=lambda: sent.append(1),
        )
        events = taken(3)

        assert [event["type"] for event in events] == ["message", "message", "conversation_ended"]
        assert [event["publisher_sequence"] for event in events] == [1, 2, 3]
        assert [event["event_id"] for event in events] == [str(one) for one in ids]
        assert {event["conversation"] for event in events} == {"c1"}
        assert len(sent) == 3

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [
            ({"role": "narrator"}, "role: one of user"),
            ({"occurred_at": datetime(2026, 3, 2)}, "occurred_at: has no time zone"),  # noqa: DTZ001 - the point of it
            ({"content": "zanzibar" * 2**20}, "content: 8,388,608 bytes, at most 262,144"),
            ({"colour": "blue"}, "colour: not a field"),
        ],
    )
    def test_unsuitable_message_is_refused_before_anything_is_sent(
        self, sarah: Namespace, taken: Taken, wrong: dict[str, Any], says: str
    ) -> None:
        with pytest.raises(InvalidEvent, match=says) as caught:
            sarah.publish(**{"content": "zanzibar", **wrong})
        assert "zanzibar" not in str(caught.value)
        assert taken() == []

    def test_wait_returns_once_everything_is_consolidated(
        self, sarah: Namespace, publishing: Publishing, worker_engine: Engine, lane: LaneRef
    ) -> None:
        publishing.say("hi")
        with pytest.raises(WaitTimeout, match=r"after 0 s: 1 event is received but not consolidated; check"):
            sarah.wait(timeout=0)
        batch = claimed(worker_engine, lane)
        with tenant_transaction(worker_engine, lane.tenant_id) as connection:
            inbox.mark_done(connection, batch)
        with pytest.raises(
            WaitTimeout, match=r"after 0 s: all events are consolidated, but their profiles and reflections"
        ):
            sarah.wait(timeout=0)

    def test_wait_counts_events_that_the_inbox_has_not_received(self, sarah: Namespace, taken: Taken) -> None:
        sarah.publish("hi")
        with pytest.raises(WaitTimeout, match=r"after 0 s: 1 event is published but not received; check"):
            sarah.wait(timeout=0)
        taken(1)


AHEAD = r"^event not accepted: occurred_at: lies more than a day ahead of this machine's clock; give the time when it"


class TestTimesThatLieAhead:
    @pytest.mark.parametrize(
        "publish",
        [
            lambda sarah, at: sarah.publish("I live in Oslo.", occurred_at=at),
            lambda sarah, at: sarah.publish_conversation("User: I live in Oslo.", occurred_at=at),
            lambda sarah, at: sarah.publish_conversation(
                [
                    {"role": "user", "content": "I live in Ghent."},
                    {"role": "user", "content": "I live in Oslo.", "occurred_at": at},
                ]
            ),
            lambda sarah, at: sarah.remember("Sarah lives in Oslo.", occurred_at=at),
        ],
    )
    def test_publishing_refuses_a_time_more_than_a_day_ahead_and_names_the_field(
        self, sarah: Namespace, taken: Taken, publish: Callable[[Namespace, datetime], object]
    ) -> None:
        with pytest.raises(InvalidEvent, match=AHEAD):
            publish(sarah, datetime.now(UTC) + timedelta(days=1, minutes=1))
        assert taken() == []
        publish(sarah, datetime.now(UTC) + timedelta(hours=23))

    def test_ready_made_event_too_far_in_the_future_is_refused(
        self, memory: Memory, sarah: Namespace, taken: Taken
    ) -> None:
        ahead = {"type": "message", "namespace": sarah.path.parts, "role": "user", "content": "I live in Oslo."}
        with pytest.raises(InvalidEvent, match=AHEAD):
            memory.publish({**ahead, "occurred_at": "2098-01-01T00:00:00Z"})
        said_then = {"id": "m1", "content": "Sarah lives in Oslo.", "occurred_at": "2098-01-01T00:00:00Z"}
        with pytest.raises(InvalidEvent, match=r"not accepted: memories\.0\.occurred_at: lies more than a day ahead"):
            memory.publish({"type": "import", "namespace": sarah.path.parts, "memories": [said_then]})
        assert taken() == []

    def test_import_names_the_line_of_a_time_too_far_in_the_future(self, sarah: Namespace, taken: Taken) -> None:
        line = {"type": "memory", "id": "m1", "content": "Sarah lives in Oslo."}
        with pytest.raises(InvalidEvent, match=r"line 2: occurred_at: lies more than a day ahead"):
            sarah.import_records([line, {**line, "id": "m2", "occurred_at": "2098-01-01T00:00:00Z"}])
        assert taken() == []


class TestFreshness:
    """Events published here count, whether in the spool, the queue or the inbox."""

    def test_read_is_partial_while_events_wait_in_the_spool(self, sarah: Namespace, take_in: Taken) -> None:
        sarah.publish("hi")
        hits = sarah.query("hi")
        ((publisher, newest),) = hits.progress.published.items()
        assert (newest, hits.progress.received, hits.partial, sarah.context("hi").partial) == (1, {}, True, True)

        take_in(1)
        progress = sarah.progress()
        assert (progress.published, progress.received, progress.pending) == ({publisher: 1}, {publisher: 1}, 1)

    def test_wait_returns_at_once_if_nothing_was_published(self, sarah: Namespace) -> None:
        assert sarah.wait(timeout=0).published == {}
        assert not sarah.query("hi").partial


def test_model_of_the_tests_is_the_default_one() -> None:
    assert MINILM.name == MODEL
