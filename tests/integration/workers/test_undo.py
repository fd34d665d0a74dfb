"""Undoing a decision: the store is as before, the undo is itself a decision, and what later decisions build on stays."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from mosshead import Decision, Namespace, NotFound, UndoRefused
from tests.forming import Forming
from tests.given import Publishing


def exported(namespace: Namespace, as_of: datetime | None = None) -> str:
    return "\n".join(namespace.export(as_of=as_of))


def undone(forming: Forming, decision: Decision | UUID) -> None:
    forming.command(type="undo", decision_id=str(decision.id if isinstance(decision, Decision) else decision))


def test_undo_restores_the_store_and_can_be_undone(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Seattle with my sister Ruth.")
    before = exported(sarah)
    forming.say("I moved to Berlin.")
    after = exported(sarah)
    (berlin,) = [one for one in sarah.memories() if "Berlin" in one.content]
    (move,) = sarah.decisions.for_memory(berlin.id)
    assert (move.action, sarah.get(move.target_id or "").state) == ("supersede", "superseded")

    undone(forming, move)
    assert exported(sarah) == before
    assert "Seattle" in sarah.query("Where does User live?", limit=1)[0].content

    undo = sarah.decisions.for_memory(berlin.id)[-1]
    assert (undo.action, undo.undoes, undo.in_effect, undo.decided_by) == ("undo", move.id, True, "app")
    undone(forming, undo)
    assert exported(sarah) == after
    assert [one.in_effect for one in sarah.decisions.for_memory(berlin.id)] == [True, False, True]


def test_undo_ends_the_edges_its_decision_made(forming: Forming, sarah: Namespace, admin_engine: Engine) -> None:
    forming.say("I live in Seattle.")
    forming.say("I moved to Berlin.")
    (berlin,) = [one for one in sarah.memories() if "Berlin" in one.content]
    (move,) = sarah.decisions.for_memory(berlin.id)

    def edges() -> list[str]:
        statement = "select kind from mosshead.memory_edges where from_id = :memory and known_to is null order by kind"
        with admin_engine.connect() as connection:
            return list(connection.execute(text(statement), {"memory": berlin.id}).scalars())

    assert "replaces" in (made := edges())
    undone(forming, move)
    assert edges() == []
    undone(forming, sarah.decisions.for_memory(berlin.id)[-1])
    assert edges() == made


def test_log_says_what_holds_after_any_number_of_undos(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Seattle.")
    (memory,) = sarah.memories()
    for times in range(1, 5):
        undone(forming, sarah.decisions.for_memory(memory.id)[-1])
        log = [one.in_effect for one in sarah.decisions.for_memory(memory.id)]
        # The latest decision holds, the one it undid does not, and the one that had undone does again.
        assert log == [(times - place) % 2 == 0 for place in range(times + 1)]
        assert (sarah.get(memory.id).state == "active") == log[0]
    undone(forming, sarah.decisions.for_memory(memory.id)[0])
    assert sarah.get(memory.id).state == "withdrawn"


def test_undone_memory_is_gone_from_knowledge_but_not_from_history(forming: Forming, sarah: Namespace) -> None:
    forming.say("My brother Peter is a baker.")
    (memory,) = [one for one in sarah.memories() if "baker" in one.content]
    (added,) = sarah.decisions.for_memory(memory.id)
    then = added.decided_at
    undone(forming, added)

    assert sarah.get(memory.id).state == "withdrawn"
    assert memory.id not in {hit.id for hit in sarah.query("Who is a baker?", limit=50)}
    assert sarah.get(memory.id, as_of=then).content == memory.content
    assert memory.id in {hit.id for hit in sarah.query("Who is a baker?", as_of=then)}
    assert str(memory.id) not in exported(sarah)
    assert str(memory.id) in exported(sarah, as_of=then)


def test_undo_keeps_and_names_what_later_decisions_build_on(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Seattle.")
    forming.say("I live in Seattle.")
    (memory,) = [one for one in sarah.memories() if "Seattle" in one.content]
    added, again = sarah.decisions.for_memory(memory.id)
    assert (added.action, again.action) == ("add", "none")

    with pytest.raises(UndoRefused, match=rf"1 later decision builds on {added.id}; undo the latest first: {again.id}"):
        sarah.undo(added.id)
    before = exported(sarah)
    undone(forming, added)  # as if published before the library could know
    assert exported(sarah) == before
    refused = sarah.decisions.for_memory(memory.id)[-1]
    assert (refused.action, refused.in_effect) == ("undo", False)
    assert refused.refused == f"later decisions build on it: {again.id}"

    undone(forming, again)
    assert sarah.get(memory.id).confidence == pytest.approx(0.9)
    undone(forming, added)
    assert exported(sarah) == ""


def test_repetition_of_a_memory_does_not_build_on_its_subjects(
    forming: Forming, sarah: Namespace, ingest_engine: Engine
) -> None:
    forming.say("Ruth likes tea.", "Ruthie likes figs.")
    ruth, ruthie = (sarah.entities.profile(name).entity for name in ("Ruth", "Ruthie"))
    merge = forming.command(type="merge", entity_id=str(ruthie.id), into=str(ruth.id))
    forming.say("Ruthie likes figs.")
    (figs,) = [one for one in sarah.memories() if "figs" in one.content]
    assert [one.action for one in sarah.decisions.for_memory(figs.id)] == ["add", "merge", "none"]

    with ingest_engine.begin() as connection:
        sarah.undo(merge, session=connection)  # the library has no objection
        connection.rollback()
    undone(forming, merge)
    assert sarah.get(figs.id).about == ("Ruthie",)


def test_undo_does_not_link_to_a_deleted_entity(forming: Forming, sarah: Namespace) -> None:
    forming.say("My dentist Ruth comes from Oslo.", "I work at Lumen.")
    (memory,) = [one for one in sarah.memories() if "Oslo" in one.content]
    (added,) = sarah.decisions.for_memory(memory.id)
    undone(forming, added)
    undo = sarah.decisions.for_memory(memory.id)[-1]
    ruth, lumen = (str(sarah.entities.profile(name).entity.id) for name in ("Ruth", "Lumen"))
    merge = forming.command(type="merge", entity_id=ruth, into=lumen)

    before = exported(sarah)
    undone(forming, undo)
    assert exported(sarah) == before
    assert sarah.decisions.for_memory(memory.id)[-1].refused == f"later decisions build on it: {merge}"
    undone(forming, merge)
    undone(forming, undo)
    assert sarah.get(memory.id).about == memory.about


def test_second_undo_of_the_same_decision_does_nothing(forming: Forming, sarah: Namespace) -> None:
    forming.say("I live in Seattle.")
    (memory,) = [one for one in sarah.memories() if "Seattle" in one.content]
    (added,) = sarah.decisions.for_memory(memory.id)
    for _ in range(2):
        undone(forming, added)

    first, second = sarah.decisions.for_memory(memory.id)[1:]
    assert (first.in_effect, second.in_effect, second.refused) == (True, False, "it is not in effect")
    with pytest.raises(UndoRefused, match="not in effect"):
        sarah.undo(added.id)


def test_missing_decision_is_reported(forming: Forming, sarah: Namespace) -> None:
    with pytest.raises(NotFound, match="decision_id: there is no decision"):
        sarah.undo(uuid4())
    undone(forming, uuid4())
    assert exported(sarah) == ""


def test_undo_waits_its_turn(forming: Forming, sarah: Namespace, publishing: Publishing) -> None:
    forming.say("I live in Seattle.")
    (memory,) = [one for one in sarah.memories() if "Seattle" in one.content]
    (added,) = sarah.decisions.for_memory(memory.id)
    event = publishing.message()
    undo = {name: event[name] for name in ("event_id", "namespace", "publisher", "publisher_sequence", "occurred_at")}
    forming.send({**undo, "type": "undo", "decision_id": str(added.id)}, publishing.message("I live in Berlin."))

    assert sarah.get(memory.id).state == "withdrawn"
    assert {one.content for one in sarah.memories() if one.kind == "fact"} == {"User lives in Berlin"}


def test_earlier_states_can_be_read(forming: Forming, sarah: Namespace) -> None:
    seen: list[tuple[datetime, str, list[str]]] = []
    for said in (
        "I live in Seattle.",
        "My dog is called Rex.",
        "I moved to Berlin.",
        "I live in Berlin.",
        "I like tea.",
    ):
        forming.say(said)
        hits = [hit.content for hit in sarah.query("Where does User live?")]
        seen.append((datetime.now(UTC), exported(sarah), hits))

    for moment, then, hits in seen:
        assert exported(sarah, as_of=moment) == then
        assert [hit.content for hit in sarah.query("Where does User live?", as_of=moment)] == hits
    assert exported(sarah, as_of=datetime(2020, 1, 1, tzinfo=UTC)) == ""
    with pytest.raises(ValueError, match="as_of: has no time zone"):
        sarah.query("x", as_of=datetime(2020, 1, 1))  # noqa: DTZ001 - that is the point


def test_messages_lead_to_memories_and_back(forming: Forming, sarah: Namespace) -> None:
    first, _ = forming.say("I live in Seattle.", "Nice weather today.")
    (memory,) = sarah.messages.memories(first)
    (source,) = sarah.get(memory.id).sources

    assert (source.message_id, source.quote.rstrip("."), source.role, source.stance) == (
        first,
        "I live in Seattle",
        "user",
        "for",
    )


def test_introduced_entity_stays_known_by_name_to_later_events(forming: Forming, sarah: Namespace) -> None:
    forming.say("My brother Peter is a baker.")
    introduced = [decision for one in sarah.memories() for decision in sarah.decisions.for_memory(one.id)]
    forming.say("Peter lives in Leeds.")
    for decision in sorted(introduced, key=lambda one: one.decided_at, reverse=True):
        undone(forming, decision)

    (memory,) = sarah.memories()
    assert "Leeds" in memory.content
    assert sarah.entities.profile("Peter").entity.memories == 1
