"""Erasing what a model derived from messages: updates, documents, summaries, episodes, stored answers."""

from typing import Any

import pytest
from pydantic import BaseModel

from mosshead import Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming, carry_out_erasure
from tests.given import Worker, claimed
from tests.integration.workers.conftest import Find
from tests.unit.mosshead.contrib.managers.scripted import field_set, new
from workers import tasks

TOLD = {
    "observation": "User has quuxitis.",
    "thoughts": "It passes.",
    "action": "Suggested tea.",
    "result": "Worked for the User.",
}


class UserProfile(BaseModel):
    """What is known of the user."""

    job: str | None = None
    illness: str | None = None


def ask_for_a_profile(forming: Forming, shape: type[BaseModel] = UserProfile) -> None:
    schema = {"name": "UserProfile", "json_schema": shape.model_json_schema()}
    forming.command(type="configure", profiles=[schema])


def form(fake: FakeOpenAI, forming: Forming, said: str, *fields: Any, conversation: str) -> None:
    fake.script("DocumentAnswer", {"fields": list(fields)})
    forming.say(said, conversation=conversation)
    forming.command(type="conversation_ended", conversation=conversation)


def test_memory_returns_to_its_content_from_before_the_update(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    first, second = "I work at Brightleaf", "I work at Brightleaf on the quux team"
    for said in (first, second):
        fake.script(
            "ExtractionAnswer", {"facts": [fact_like(content=said.replace("I work", "User works"), quote=said)]}
        )
    update = {"action": "update", "content": "User works at Brightleaf on the quux team", "reason": "of the quux team"}
    fake.script("ConsolidationAnswer", {"decisions": [{"fact": 1, "memory": 1, **update}]})
    forming.say(first, conversation="kept")
    forming.say(second, conversation="gone")
    (precise,) = sarah.memories()
    assert precise.content == update["content"]

    forming.erase(conversation="gone")

    (memory,) = sarah.memories()
    assert (memory.id, memory.content) == (precise.id, "User works at Brightleaf")
    assert find("quux") == {}
    (hit,) = sarah.query("User works at Brightleaf")
    assert hit.similarity == pytest.approx(1, abs=0.001)


def test_erased_knowledge_of_an_entity_is_gone_for_good(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    def told(content: str, **of_peter: Any) -> dict[str, Any]:
        unknown: dict[str, Any] = {"aliases": [], "parent": None, "description": None}
        peter = {"name": "Peter Haas", "entity_type": "person", "role": "subject", **unknown, **of_peter}
        return {"facts": [fact_like(content=content, quote=content, mentions=[peter])]}

    said = ("Peter Haas keeps bees", "Peter Haas, called Quuxie, is a quuxologist", "Quuxie plays chess")
    fake.script(
        "ExtractionAnswer",
        told(said[0]),
        told(said[1], aliases=["Quuxie"], description="quuxologist"),
    )
    forming.say(said[0], conversation="kept")
    forming.say(said[1], conversation="gone")
    assert "quux" in sarah.entities.profile("Peter Haas").summary.lower()
    assert sarah.entities.profile("Quuxie").entity.description == "quuxologist"

    forming.erase(conversation="gone")
    assert find("quux") == {}

    forming.send()
    assert sarah.entities.profile("Peter Haas").summary == "Peter Haas (person). Peter Haas keeps bees."


def test_document_loses_what_was_said_there_and_keeps_the_rest(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    ask_for_a_profile(forming)
    form(fake, forming, "I am a vet", field_set("job", "vet"), conversation="kept")
    form(fake, forming, "I have quuxitis", field_set("illness", "quuxitis"), conversation="gone")
    document = sarah.documents.get(UserProfile)
    assert document is not None
    assert document.value == UserProfile(job="vet", illness="quuxitis")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    document = sarah.documents.get(UserProfile)
    assert document is not None
    assert document.value == UserProfile(job="vet")


def test_document_that_would_become_invalid_is_erased(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    class Needed(BaseModel):
        illness: str

    ask_for_a_profile(forming, Needed)
    form(fake, forming, "I have quuxitis", field_set("illness", "quuxitis"), conversation="gone")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert sarah.documents.get(UserProfile) is None


def test_summary_is_rewritten_from_what_is_left(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.say("I like figs", conversation="c")
    forming.say("I have quuxitis", conversation="c")
    forming.say("I like kale", conversation="other")
    for conversation in ("c", "other"):
        forming.command(type="summarise", conversation=conversation)
    forming.send()
    (memory,) = [one for one in sarah.memories() if "quux" in one.content]

    forming.erase(memories=[str(memory.id)])
    assert find("quux") == {}
    forming.send()
    summary = sarah.messages.summary("c")
    assert summary is not None
    assert summary.text == "I like figs"

    forming.erase(conversation="other")
    forming.send()
    assert sarah.messages.summary("other") is None


def test_episode_is_erased_with_a_memory_of_the_same_messages(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    forming.command(type="configure", episodes=True)
    fake.script("ManagerAnswer", {"changes": [new("Episode", **TOLD)]})
    forming.say("I have quuxitis", conversation="c")
    forming.command(type="conversation_ended", conversation="c")
    assert sarah.documents.episodes()
    (memory,) = [one for one in sarah.memories() if one.content == "User has quuxitis"]

    forming.erase(memories=[str(memory.id)])

    assert sarah.documents.episodes() == []
    assert find("quux") == {}


def test_running_worker_stores_nothing_after_the_erasure(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, worker: Worker, find: Find
) -> None:
    """Erased while the model answers. Its other events are processed again, as is what was published since."""
    said = (("I have quuxitis", "gone"), ("I like rice", "kept"))
    forming.publishing.send(*(forming.publishing.message(one, conversation=where) for one, where in said))
    batch = claimed(worker.engine, worker.lane)
    wanted = forming.event(type="erase", conversation="gone")

    def erased_meanwhile(_: Any) -> dict[str, Any]:
        forming.publishing.send(wanted)
        carry_out_erasure(worker.lane)
        return {"facts": [fact_like(content="User has quuxitis", quote="I have quuxitis")]}

    fake.script("ExtractionAnswer", erased_meanwhile)
    ids = [str(one) for one in (*worker.lane.scope.values(), batch.batch_id)]
    tasks.extract.apply(args=ids, task_id="a task")

    assert find("quux") == {}
    forming.say("I like figs", conversation="gone")
    assert {one.content for one in sarah.memories()} == {"User likes rice", "User likes figs"}
    assert not sarah.progress().partial
