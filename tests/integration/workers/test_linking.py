"""Whom memories are about, from messages to rows: certain links, links held until an answer comes, and the answer."""

import json

import pytest

from mosshead import Namespace
from tests.fake_answers import fact_like
from tests.fake_openai import FakeOpenAI
from tests.forming import Forming
from tests.given import MINILM, Remembering

OPEN = "Peter has a new phone number."
HELD = "Peter has a new phone number"


@pytest.fixture
def two(remembering: Remembering, forming: Forming) -> tuple[str, str]:
    """Return two Peters by key: both like tea, and one also keeps bees."""
    writer = _peter(remembering, "writer", "Peter likes tea")
    return writer, _peter(
        remembering, "User's brother", "Peter likes tea", "Peter keeps bees and repairs boilers in Leeds"
    )


def _peter(remembering: Remembering, description: str, *known: str) -> str:
    entity_id = remembering.entity("Peter", description=description)
    for content, vector in zip(known, MINILM.embed(list(known)), strict=True):
        remembering.memory(content, vector, about={entity_id: ("subject", "sure")})
    return str(entity_id)


def links(namespace: Namespace, content: str) -> dict[str, str]:
    """Return whom the only memory with a content is about, and how surely."""
    records = [json.loads(line) for line in namespace.export()]
    (memory,) = (one for one in records if one["type"] == "memory" and one["content"] == content)
    return {key: certainty for key, (_, certainty) in zip(memory["about"], memory["roles"], strict=True)}


def contents(namespace: Namespace) -> list[str]:
    return sorted(memory.content for memory in namespace.memories())


def test_ambiguous_name_is_held_and_an_answer_links_it(
    forming: Forming, sarah: Namespace, two: tuple[str, str]
) -> None:
    forming.say(OPEN)
    (question,) = sarah.entities.questions()
    assert "writer" in question.text
    assert "your brother" in question.text
    assert {str(one.entity_id) for one in question.candidates} == set(two)
    assert links(sarah, HELD) == dict.fromkeys(two, "unsure")

    forming.command(type="clarify", question_id=str(question.id), entity_id=two[1])

    assert sarah.entities.questions() == []
    assert links(sarah, HELD) == {two[1]: "sure"}


def test_held_memory_is_not_compared_with_those_of_its_candidates(
    forming: Forming, sarah: Namespace, two: tuple[str, str]
) -> None:
    """When something is said twice of a Peter, nobody knows whether of the same one; neither replaces anything."""
    forming.say(OPEN)
    forming.say(OPEN)

    assert contents(sarah).count(HELD) == 2
    assert len(sarah.entities.questions()) == 2


def test_words_decide_who_is_meant_and_nothing_is_asked(
    forming: Forming, sarah: Namespace, two: tuple[str, str]
) -> None:
    forming.say("Peter likes bees and boilers.")

    assert sarah.entities.questions() == []
    assert links(sarah, "Peter likes bees and boilers") == {two[1]: "sure"}


def test_introduced_person_is_a_new_entity(forming: Forming, sarah: Namespace, two: tuple[str, str]) -> None:
    forming.say("Our new neighbour Peter has a parrot.")

    assert sarah.entities.questions() == []
    assert len([one for one in sarah.entities.list() if one.name == "Peter"]) == 3


def test_update_is_news_of_all_entities_the_memory_names(fake: FakeOpenAI, forming: Forming, sarah: Namespace) -> None:
    """Also of those that only the memory names, not the current message."""

    def named(*names: tuple[str, str]) -> list[dict[str, object]]:
        unknown: dict[str, object] = {"aliases": [], "parent": None, "description": None}
        roles = ("subject", "about")
        return [
            {"name": name, "entity_type": kind, "role": role, **unknown}
            for (name, kind), role in zip(names, roles, strict=True)
        ]

    peter, ruth, firm = ("Peter Haas", "person"), ("Ruth", "person"), ("Brightleaf", "org")
    first, second = "Peter Haas leads the sales team of Brightleaf", "Peter Haas leads the sales team with Ruth"
    together = "Peter Haas leads the sales team of Brightleaf with Ruth"
    update = {"fact": 1, "action": "update", "memory": 1, "content": together, "reason": "more"}
    fake.script(
        "ExtractionAnswer",
        {"facts": [fact_like(content=first, quote=first, mentions=named(peter, firm))]},
        {"facts": [fact_like(content=second, quote=second, mentions=named(peter, ruth))]},
    )
    fake.script("ConsolidationAnswer", {"decisions": [update]})
    for said in (first, second):
        forming.say(said)
    assert [one.content for one in sarah.memories()] == [together]
    assert "Ruth" in sarah.entities.profile("Brightleaf").summary


def test_names_with_special_characters_are_each_one_name_however_often_they_are_said(
    fake: FakeOpenAI, forming: Forming, sarah: Namespace
) -> None:
    names = ["C++", "C#", "P!nk", "Yahoo!", "#general", "A$AP Rocky", "E*TRADE"]
    unknown: dict[str, object] = {"aliases": [], "parent": None, "description": None}
    for said, content in (
        ("I like {} a lot.", "User likes {} a lot"),
        ("My brother hates {}.", "User's brother hates {}"),
    ):
        facts = [
            fact_like(
                content=content.format(name),
                quote=said.format(name),
                sources=[number],
                mentions=[{"name": name, "entity_type": "concept", "role": "object", **unknown}],
            )
            for number, name in enumerate(names, 1)
        ]
        fake.script("ExtractionAnswer", {"facts": facts})
        forming.say(*map(said.format, names))

    assert sorted(one.name for one in sarah.entities.list() if one.name != "User") == sorted(names)
    for name in names:
        explained = sarah.context(f"What about {name} here?").explain()
        assert any("entity" in path for one in explained for path in one.paths), name
