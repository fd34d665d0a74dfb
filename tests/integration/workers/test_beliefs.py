"""Statements of several people: a repeated one becomes surer, and a denied one stays beside the denial."""

from mosshead import Namespace, Source, StoredMemory
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming


def the(namespace: Namespace, word: str) -> StoredMemory:
    (found,) = [one for one in namespace.memories() if word in one.content]
    return namespace.get(found.id)


def against(memory: StoredMemory) -> list[Source]:
    return [one for one in memory.sources if one.stance == "against"]


def test_both_statements_are_remembered_when_two_people_disagree(forming: Forming, sarah: Namespace) -> None:
    forming.say("Ruth lives in Leeds.", speaker="Ana")
    forming.say("Ruth lives in York.", speaker="Ben")
    leeds, york = the(sarah, "Leeds"), the(sarah, "York")

    assert (leeds.said_by, york.said_by) == ("Ana", "Ben")
    assert [one.action for one in sarah.decisions.for_memory(leeds.id)] == ["add", "contradict"]
    assert (leeds.confidence, york.confidence, leeds.tier) == (0.75, 0.75, "solid")
    assert [(one.speaker, one.quote) for one in against(leeds)] == [("Ben", york.sources[0].quote)]
    assert [one.speaker for one in against(york)] == ["Ana"]
    contradicting = [one.memory_id for one in sarah.decisions.related(leeds.id) if one.kind == "contradicts"]
    assert contradicting == [york.id]


def test_repeated_statement_becomes_surer_and_keeps_all_its_sources(forming: Forming, sarah: Namespace) -> None:
    first, second = forming.say("I like tea.") + forming.say("I like tea.")
    memory = the(sarah, "tea")

    assert (memory.confidence, memory.version) == (1.0, 2)
    assert {source.message_id for source in memory.sources} == {first, second}
    assert [one.action for one in sarah.decisions.for_memory(memory.id)] == ["add", "none"]
    assert {one.id for one in sarah.messages.memories(second)} == {memory.id}


def test_known_fact_to_be_remembered_is_marked_and_the_mark_can_be_undone(forming: Forming, sarah: Namespace) -> None:
    forming.say("I am allergic to peanuts.")
    before = the(sarah, "peanuts")
    forming.say("Please remember that I am allergic to peanuts.")
    marked = the(sarah, "peanuts")
    assert (before.marked, marked.marked, marked.salience >= 8.5) == (False, True, True)
    added, again = sarah.decisions.for_memory(marked.id)
    assert (added.action, again.action) == ("add", "none")

    forming.command(type="undo", decision_id=str(again.id))
    undone = the(sarah, "peanuts")
    assert (undone.marked, undone.salience) == (False, before.salience)


def test_guess_that_is_confirmed_and_refined_is_no_longer_a_guess(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    for said, stated, place in (
        ("Maybe I live in Berlin", False, "Berlin"),
        ("I live in Berlin Mitte", True, "Berlin Mitte"),
    ):
        fact = fact_like(content=f"User lives in {place}", quote=said, stated=stated, attribute="lives_in", value=place)
        fake.script("ExtractionAnswer", {"facts": [fact]})
        forming.say(said)
    memory = the(sarah, "Berlin")
    assert [one.action for one in sarah.decisions.for_memory(memory.id)] == ["add", "update"]
    assert (memory.content, memory.confidence, memory.tier) == ("User lives in Berlin Mitte", 0.9, "solid")


def test_memories_about_the_same_are_related(forming: Forming, sarah: Namespace) -> None:
    forming.say("My sister Ruth is a nurse.", "Ruth lives in Leeds.")
    nurse, leeds = the(sarah, "nurse"), the(sarah, "Leeds")

    related = {(one.kind, one.memory_id) for one in sarah.decisions.related(nurse.id)}
    assert ("shares_entity", leeds.id) in related
    assert "summary" in {one.kind for one in sarah.decisions.related(nurse.id)}
