"""Erasing: the erased data is in no table, everything else stays, and no event under way restores it."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from mosshead import Namespace, NotFound, UndoRefused
from mosshead.ids import remembered_id
from mosshead.paths import NamespacePath
from tests.forming import Forming
from tests.given import Publishing
from tests.integration.workers.conftest import Find


def test_erased_namespace_is_in_no_table(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("I live in Quuxville.", "Peter Quux is a dentist at Quuxcorp.", conversation="quux-talk")
    forming.say("Peter has a dog called Quuxie.")
    assert {"messages", "memories", "events", "entities", "vocabulary", "decisions"} <= set(find("quux"))

    erased = forming.erase(everything=True)

    assert find("quux") == {}
    assert not sarah.query("Where do I live?")
    assert not sarah.entities.list()
    receipt = sarah.erasures.get(erased)
    assert receipt is not None
    assert receipt.scope == "everything"
    assert receipt.rows["messages"] == 3
    assert find(*sarah.path.parts[1:]) == {}


def test_conversation_is_erased_and_the_rest_stays(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("I work at Brightleaf.", conversation="kept")
    forming.say("I live in Quuxville.", "Peter Quux is a dentist.", conversation="gone")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [one.content for one in sarah.memories()] == ["User works at Brightleaf"]
    assert sarah.messages.search("Where do I work?").messages


def test_memory_supported_elsewhere_stays_with_the_words_from_there(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    (kept,) = forming.say("I live in Leeds.", conversation="kept")
    (gone,) = forming.say("I really do live in Leeds.", conversation="gone")
    (before,) = sarah.memories()
    assert {one.message_id for one in sarah.get(before.id).sources} == {kept, gone}

    forming.erase(conversation="gone")

    (memory,) = sarah.memories()
    assert {one.message_id: one.quote for one in sarah.get(memory.id).sources} == {kept: "I live in Leeds.", gone: ""}
    assert find("really") == {}


def test_memory_written_by_the_app_stays_though_the_conversation_repeated_it(
    forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.command(type="remember", content="User likes figs")
    forming.say("I really like figs.", "I like figs.", conversation="gone")
    assert sarah.get(sarah.memories()[0].id).sources

    forming.erase(conversation="gone")

    assert "User likes figs" in {one.content for one in sarah.memories()}
    assert find("really") == {}


def test_memory_replaced_in_the_conversation_does_not_come_back(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("I live in Leeds.", conversation="kept")
    forming.say("I moved to Quuxville.", conversation="gone")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert sarah.memories() == []
    (replaced,) = sarah.memories(state="superseded")
    assert (replaced.content, replaced.superseded_by) == ("User lives in Leeds", None)


def test_memory_is_erased_with_its_source_messages(forming: Forming, sarah: Namespace, find: Find) -> None:
    (said,) = forming.say("I have quuxitis. I work at Brightleaf.", conversation="c")
    (later,) = forming.say("I like figs.", conversation="c")
    (memory,) = [one for one in sarah.memories() if "quux" in one.content]

    forming.erase(memories=[str(memory.id)])

    assert find("quux") == {}
    stays = {one.content: [source.quote for source in sarah.get(one.id).sources] for one in sarah.memories()}
    assert stays == {"User works at Brightleaf": [""], "User likes figs": ["I like figs."]}
    with pytest.raises(NotFound):
        sarah.get(memory.id)
    with pytest.raises(NotFound):
        sarah.messages.get(said)
    assert sarah.messages.get(later).messages


def test_turn_that_followed_holds_nothing_of_it(forming: Forming, sarah: Namespace, admin_engine: Engine) -> None:
    """A turn is also found by the one before it: it has a vector of both."""
    told = ("Hello there.", "I have quuxitis.", "So I drink tea.", "And coffee.")
    first, gone, follows, last = (
        forming.say(said, conversation="c", occurred_at=f"2026-03-02T12:0{minute}:00+00:00")[0]
        for minute, said in enumerate(told)
    )
    (memory,) = sarah.messages.memories(gone)

    def alone() -> dict[UUID, bool]:
        statement = (
            "select message_id, embedding = with_before from mosshead.turns where namespace_id = %(namespace_id)s"
        )
        with admin_engine.connect() as connection:
            found = connection.exec_driver_sql(statement, {"namespace_id": forming.publishing.lane.namespace_id})
            return {row[0]: row[1] for row in found}

    assert alone() == {first: True, gone: False, follows: False, last: False}

    forming.erase(memories=[str(memory.id)])

    assert alone() == {first: True, follows: True, last: False}


def test_memory_written_by_hand_is_erased_with_its_event(forming: Forming, sarah: Namespace, find: Find) -> None:
    event_id = forming.command(type="remember", content="User has quuxitis.")
    memory_id = remembered_id(forming.publishing.lane.namespace_id, event_id)
    forming.command(type="forget", memories=[str(memory_id)], reason="quux is over")

    forming.erase(memories=[str(memory_id)])

    assert find("quux") == {}


def test_pending_memory_that_is_erased_is_not_written(forming: Forming, sarah: Namespace, find: Find) -> None:
    waits = forming.event(type="remember", content="User has quuxitis.")
    forming.publishing.send(waits)
    forming.erase(memories=[str(remembered_id(forming.publishing.lane.namespace_id, UUID(waits["event_id"])))])

    assert find("quux") == {}
    assert sarah.memories() == []
    assert not sarah.progress().partial


def test_imported_memory_is_erased_with_its_own_line(forming: Forming, sarah: Namespace, find: Find) -> None:
    lines = [{"id": "1", "content": "User has quuxitis."}, {"id": "2", "content": "User likes figs."}]
    forming.command(type="import", memories=lines)

    forming.erase(memories=[str(sarah.get(key="1").id)])

    assert find("quux") == {}
    assert set(find("likes figs")) >= {"events", "memories"}


def test_entity_is_erased_with_all_that_was_ever_linked_to_it(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Peter Quux is a dentist at Brightleaf.", "My sister Anna lives in Leeds.")
    forming.say("Peter Quux has a dog.")
    (peter,) = [one for one in sarah.entities.list() if "Quux" in one.name]

    forming.erase(entity=str(peter.id))

    assert find("quux", "dentist", "dog") == {}
    assert {one.content for one in sarah.memories()} == {"User's sister Anna lives in Leeds", "Anna is User's sister"}
    assert "Anna" in {one.name for one in sarah.entities.list()}


def test_message_is_erased_with_what_was_learned_from_it_alone(forming: Forming, sarah: Namespace, find: Find) -> None:
    kept, gone = forming.say("I live in Leeds.", "I work at Quuxcorp.", conversation="c")
    (again,) = forming.say("I really do live in Leeds.", conversation="c")

    erased = forming.erase(message=str(gone))
    forming.erase(message=str(again))

    assert find("quux", "really") == {}
    (memory,) = sarah.memories()
    assert memory.content == "User lives in Leeds"
    assert {one.message_id: one.quote for one in sarah.get(memory.id).sources} == {kept: "I live in Leeds.", again: ""}
    receipt = sarah.erasures.get(erased)
    assert receipt is not None
    assert (receipt.scope, receipt.rows["messages"], receipt.rows["memories"]) == ("message", 1, 1)
    assert not [line for line in sarah.export() if "quux" in str(line).lower()]


def test_message_that_arrives_after_its_erasure_is_kept_out(forming: Forming, sarah: Namespace, find: Find) -> None:
    late = forming.publishing.message("I live in Quuxville.")

    forming.erase(message=late["event_id"])
    forming.send(late)

    assert find("quux") == {}
    assert sarah.memories() == []


def test_id_of_a_message_erases_only_a_message(forming: Forming, sarah: Namespace) -> None:
    remembered = forming.command(type="remember", content="User likes figs")
    receipt = sarah.erasures.get(forming.erase(message=str(remembered)))

    assert receipt is not None
    assert receipt.rows == {}
    assert [one.content for one in sarah.memories()] == ["User likes figs"]


def test_erasure_cannot_be_undone_and_no_undo_restores_it(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("I live in Leeds.", conversation="kept")
    forming.say("I moved to Quuxville.", conversation="gone")
    made = [one.id for one in sarah.decisions.latest()]
    erased = forming.erase(conversation="gone")

    for decision in (*made, erased):
        forming.command(type="undo", decision_id=str(decision))

    assert find("quux") == {}
    refused = [one.refused for one in sarah.decisions.latest() if one.action == "undo" and one.undoes == erased]
    assert refused == ["what is erased cannot be brought back"]
    with pytest.raises(UndoRefused, match="is an erasure, which cannot be undone"):
        sarah.undo(erased)


def test_receipts_say_what_was_erased_and_outlive_everything(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Leeds.", conversation="c")
    first = forming.erase(conversation="c")
    assert sarah.erasures.get(uuid4()) is None
    last = forming.erase(everything=True)

    assert [(one.id, one.scope) for one in sarah.erasures.list()] == [(last, "everything"), (first, "conversation")]
    receipt = sarah.erasures.get(first)
    assert receipt is not None
    assert (receipt.rows["messages"], receipt.rows["memories"], receipt.late) == (1, 1, 0)
    assert receipt.asked_at <= receipt.erased_at


def test_other_namespaces_lose_nothing(
    forming: Forming, worker_engine: Engine, ingest_engine: Engine, find: Find
) -> None:
    forming.say("I live in Quuxville.", conversation="c")
    tenant, user = forming.publishing.path.parts
    other = Forming(worker_engine, Publishing(ingest_engine, NamespacePath.of((tenant, user + "-2"))))
    other.say("I work in Quuxville.", conversation="c")
    before = find("quux")

    forming.erase(conversation="c")
    forming.erase(everything=True)

    after = find("quux")
    assert after["messages"] == before["messages"] - 1 == 1
    assert after["memories"] == before["memories"] - 1 == 1
