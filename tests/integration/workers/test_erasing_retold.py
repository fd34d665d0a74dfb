"""Erasing part of the sources of a memory or document: it then says what the remaining sources said, and no more."""

from typing import Any

from pydantic import BaseModel

from mosshead import Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.integration.workers.conftest import Find
from tests.integration.workers.test_erasing_formed import ask_for_a_profile, form
from tests.unit.mosshead.contrib.managers.scripted import field_set


def found(content: str, quote: str, *names: str, **given: Any) -> dict[str, Any]:
    """Return what a model finds in a message about some people."""
    unknown: dict[str, Any] = {"aliases": [], "parent": None, "description": None}
    mentions = [{"name": name, "entity_type": "person", "role": "about", **unknown} for name in names]
    return {"facts": [fact_like(content=content, quote=quote, mentions=mentions, **given)]}


def decided(action: str, content: str | None = None, reason: str = "so it is") -> dict[str, Any]:
    """Return how a model relates the only fact to the only memory."""
    return {"decisions": [{"fact": 1, "memory": 1, "action": action, "content": content, "reason": reason}]}


def say_in_turn(fake: FakeOpenAI, forming: Forming, *said: str, gone: int) -> None:
    """Publish each message in its own conversation; one of them is erased later."""
    for place, one in enumerate(said):
        fake.script("ExtractionAnswer", found(one.replace("I work", "User works"), one))
        forming.say(one, conversation="gone" if place == gone else f"kept {place}")


def test_memory_refined_twice_loses_only_what_was_erased(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    team = "User works at Brightleaf on the quux team"
    fake.script(
        "ConsolidationAnswer", decided("update", team), decided("update", f"{team} in Leeds", "of the quux team")
    )
    told = ("I work at Brightleaf", "I work at Brightleaf on the quux team", "I work at Brightleaf in Leeds")
    say_in_turn(fake, forming, *told, gone=1)
    (before,) = sarah.memories()
    assert before.content == f"{team} in Leeds"

    forming.erase(conversation="gone")

    assert find("quux") == {}
    (memory,) = sarah.memories()
    assert (memory.id, memory.content) == (before.id, "User works at Brightleaf in Leeds")
    (hit,) = sarah.query("User works at Brightleaf in Leeds")
    assert hit.similarity > 0.999
    forming.send()
    assert find("quux") == {}


def test_undo_of_an_update_from_others_restores_what_others_said(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    team = "User works at Brightleaf on the quux team"
    fake.script("ConsolidationAnswer", decided("update", team), decided("update", f"{team} in Leeds"))
    told = ("I work at Brightleaf", "I work at Brightleaf on the quux team", "I work at Brightleaf in Leeds")
    say_in_turn(fake, forming, *told, gone=1)
    (before,) = sarah.memories()
    _, erased, latest = sarah.decisions.for_memory(before.id)

    forming.erase(conversation="gone")

    assert sarah.get(before.id, as_of=erased.decided_at).content == "User works at Brightleaf"
    forming.command(type="undo", decision_id=str(latest.id))

    assert [(one.id, one.content) for one in sarah.memories()] == [(before.id, "User works at Brightleaf")]
    (hit,) = sarah.query("User works at Brightleaf")
    assert hit.similarity > 0.999
    assert find("quux") == {}


def test_statement_that_was_not_taken_for_a_fact_is_erased(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    fake.script("ExtractionAnswer", found("Lindqvist likes quux tea", "I like quux tea", "Lindqvist"))
    forming.say("I like quux tea", conversation="gone")
    fake.script("ExtractionAnswer", found("Lindqvist likes tea", "I like tea", "Lindqvist"))
    forming.say("I like tea", conversation="kept")
    assert [one.action for one in sarah.decisions.latest()] == ["refuse", "refuse"]

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [one.fact.get("content") for one in sarah.decisions.latest(action="refuse")] == ["Lindqvist likes tea", None]


def test_repeated_memory_keeps_only_the_details_of_the_repetition(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    fake.script("ConsolidationAnswer", decided("none"))
    say_in_turn(fake, forming, "I work at Brightleaf on the quux team", "I work at Brightleaf", gone=0)
    (before,) = sarah.memories()
    assert "quux" in before.content

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [(one.id, one.content) for one in sarah.memories()] == [(before.id, "User works at Brightleaf")]
    (hit,) = sarah.query("User works at Brightleaf")
    assert hit.similarity > 0.999


def test_entity_named_only_by_an_erased_update_is_erased(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    chess, bob = "Peter Haas plays chess", "Peter Haas plays chess with Bob Quux"
    edge = {"subject": "Peter Haas", "predicate": "plays_with", "object": "Bob Quux"}
    fake.script("ExtractionAnswer", found(chess, chess, "Peter Haas"))
    fake.script("ExtractionAnswer", found(bob, bob, "Peter Haas", "Bob Quux", relations=[edge]))
    fake.script("ConsolidationAnswer", decided("update", bob))
    forming.say(chess, conversation="kept")
    forming.say(bob, conversation="gone")
    assert sarah.entities.neighbours("Peter Haas")

    forming.erase(conversation="gone")

    assert find("quux", "plays_with") == {}
    (peter,) = sarah.entities.list()
    assert peter.name == "Peter Haas"
    assert [one.content for one in sarah.memories(about=peter.id)] == [chess]


def test_memory_that_others_only_contradicted_is_erased(forming: Forming, sarah: Namespace, find: Find) -> None:
    forming.say("Ruth lives in Quuxville.", conversation="gone", speaker="Ana")
    forming.say("Ruth lives in York.", conversation="kept", speaker="Ben")
    assert len(sarah.memories()) == 2

    forming.erase(conversation="gone")

    assert find("quux") == {}
    assert [one.content for one in sarah.memories()] == ["Ruth lives in York"]


def test_extended_list_loses_what_was_said_there(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace, find: Find
) -> None:
    class UserProfile(BaseModel):
        hobbies: list[str] = []

    ask_for_a_profile(forming, UserProfile)
    form(fake, forming, "I like quuxing", field_set("hobbies", ["quuxing"]), conversation="gone")
    form(fake, forming, "I like chess", field_set("hobbies", ["quuxing", "chess"]), conversation="kept")

    forming.erase(conversation="gone")

    assert find("quux") == {}
    document = sarah.documents.get(UserProfile)
    assert document is not None
    assert document.value == UserProfile(hobbies=["chess"])
