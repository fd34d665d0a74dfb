"""Episodes and records through the service: formed once a conversation is idle, read back typed, undone like any memory."""

import json

import pytest
from pydantic import BaseModel

from mosshead import MemoryKind, Namespace, SchemaMismatch
from mosshead.contrib.managers import Episode
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.unit.mosshead.contrib.managers.scripted import new

TOLD = {
    "observation": "User's oven burnt every loaf at 220.",
    "thoughts": "A lower heat keeps the crust.",
    "action": "Suggested 200 and a lid.",
    "result": "Worked for the User.",
}
QUIZ = {"observation": "User wanted a quiz.", "thoughts": "Short ones hold.", "action": "Asked.", "result": "Fun."}


def test_conversation_leaves_episodes_that_are_found_again(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    forming.say("My oven at 220 burns every loaf.", conversation="c")
    assert "ManagerAnswer" not in fake.calls
    assert sarah.documents.episodes() == []

    forming.command(type="configure", episodes=True)
    fake.script("ManagerAnswer", {"changes": [new("Episode", **TOLD) | {"sources": [1, 2]}]})
    talk = forming.publishing.message("My oven at 220 burns every loaf.", conversation="c")
    reply = forming.publishing.message("Try 200 and a lid.", conversation="c", role="assistant")
    other = forming.publishing.message("What is a sonnet?", conversation="d")
    forming.send(talk, reply, other)
    fake.script("ManagerAnswer", {"changes": [new("Episode", **QUIZ)]})
    forming.say("Give me a quiz.", conversation="e")

    assert fake.calls["ManagerAnswer"] == 3, "one for each conversation"
    asked = [request.prompt for request in fake.requests if request.schema == "ManagerAnswer"]
    assert ["oven" in prompt for prompt in asked] == [True, False, False]
    assert {one.value.observation for one in sarah.documents.episodes()} == {TOLD["observation"], QUIZ["observation"]}
    (found,) = sarah.documents.episodes(text="bread that burns in the oven", limit=1)
    assert found.value == Episode(**TOLD)
    assert found.similarity is not None
    assert (found.memory.kind, found.memory.tier) == (MemoryKind.EVENT, "hypothesis")
    kept = sarah.get(found.memory.id)
    assert {str(source.message_id) for source in kept.sources} == {talk["event_id"], reply["event_id"]}
    (decision,) = sarah.decisions.for_memory(found.memory.id)
    assert (decision.action, decision.reason) == ("add", "an episode of a conversation")

    forming.command(type="undo", decision_id=str(decision.id))
    assert [one.value for one in sarah.documents.episodes()] == [Episode(**QUIZ)]
    assert sarah.documents.episodes(text="  ") == []


class Workout(BaseModel):
    """A schema of an app."""

    sport: str
    minutes: int


def test_collection_holds_the_records_of_a_schema(fake: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    forming.command(type="configure", schemas=[{"name": "Workout", "json_schema": Workout.model_json_schema()}])
    said = "I was running for 30 minutes and swimming for 20 minutes, and I like tea."
    facts = [
        fact_like(
            content=f"User was {sport} for {minutes} minutes",
            quote=said,
            record={"name": "Workout", "data": json.dumps({"sport": sport, "minutes": minutes})},
        )
        for sport, minutes in (("running", 30), ("swimming", 20))
    ]
    fake.script("RecordingAnswer", {"facts": [*facts, fact_like(content="User likes tea", quote=said, record=None)]})
    forming.say(said)

    found = sarah.documents.records(Workout)
    assert {(one.value.sport, one.value.minutes) for one in found} == {("running", 30), ("swimming", 20)}
    (nearest,) = sarah.documents.records(Workout, text="time in the water, swimming", limit=1)
    assert nearest.value == Workout(sport="swimming", minutes=20)
    assert len(sarah.documents.records(Workout, limit=1)) == 1
    assert sarah.documents.episodes() == []
    with pytest.raises(ValueError, match="limit: must be at least 1"):
        sarah.documents.records(Workout, limit=0)

    class Other(BaseModel):
        sport: int

    Other.__name__ = "Workout"
    with pytest.raises(
        SchemaMismatch, match=r"Workout: the stored data does not fit Workout \(minutes: extra_forbidden; sport"
    ):
        sarah.documents.records(Other)
