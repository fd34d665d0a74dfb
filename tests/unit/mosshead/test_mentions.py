"""What a message refers to: by name, pronoun, description or usual process; and a parser passed in."""

import time
from typing import Any
from uuid import UUID

import pytest

from mosshead.entities.lookup import NameMatch
from mosshead.entities.mentions import MentionKind, Parser, parse
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType

PETER = RegisteredEntity(entity_id=UUID(int=1), name="Peter", entity_type=EntityType.PERSON)
OTHER = RegisteredEntity(entity_id=UUID(int=2), name="Peter", entity_type=EntityType.PERSON)
SAID = "Check if Peter's content is passing as human"


def names(message: str, name: str = "Peter") -> list[NameMatch]:
    start = message.find(name)
    place = {"text": 0, "start": start, "end": start + len(name), "whole": True}
    return [NameMatch(entity=one, name=name, **place) for one in (PETER, OTHER)] if start >= 0 else []  # type: ignore[arg-type]


def kinds(message: str, *, parser: Parser | None = None, seconds: float = 60.0) -> set[tuple[str, str]]:
    return {(one.kind, one.text) for one in parse(message, names(message), parser=parser, seconds=seconds)}


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        (SAID, "entity", "Peter"),
        (SAID, "attribute", "content"),
        (SAID, "process", SAID),
        (SAID, "concept", "human"),
        ("Has he rung?", "pronoun", "he"),
        ("Tell the accordion fellow", "description", "the accordion fellow"),
        ("Is her husband in?", "description", "her husband"),
        ("that thing we discussed, any news?", "earlier", "that thing we discussed"),
        ("Run the usual process", "process", "the usual process"),
        ("do the same for Sarah", "process", "do the same for Sarah"),
        ("What do we do when the pump fails?", "process", "What do we do when the pump fails"),
        ("how do I reset it", "process", "how do I reset it"),
    ],
)
def test_references_of_a_message_are_found(message: str, kind: str, text: str) -> None:
    assert (kind, text) in kinds(message)


def test_name_comes_with_all_its_entities_and_its_place() -> None:
    (found,) = (one for one in parse(SAID, names(SAID)) if one.kind is MentionKind.ENTITY)
    assert (found.entities, SAID[found.start : found.end]) == ((PETER.entity_id, OTHER.entity_id), "Peter")
    (owned,) = (one for one in parse(SAID, names(SAID)) if one.kind is MentionKind.ATTRIBUTE)
    assert owned.of == "Peter"


def test_names_of_other_texts_are_not_in_the_message() -> None:
    earlier = [NameMatch(entity=PETER, name="Peter", text=1, start=0, end=5, whole=True)]
    assert MentionKind.ENTITY not in {one.kind for one in parse("Peter", earlier)}


@pytest.mark.parametrize("message", ["", " ", "?!", "👍"])
def test_empty_message_refers_to_nothing(message: str) -> None:
    assert parse(message, []) == ()


def test_parser_replaces_the_heuristics_but_not_the_registry() -> None:
    found = kinds(SAID, parser=lambda message: [{"kind": "concept", "text": "passing as human"}])
    assert found == {("entity", "Peter"), ("concept", "passing as human")}


def fails(message: str) -> Any:
    raise RuntimeError("no answer")


@pytest.mark.parametrize(
    "parser",
    [
        fails,
        lambda message: "nonsense",
        lambda message: [1],
        lambda message: [{"kind": "mood", "text": "human"}],
        lambda message: [{"kind": "entity", "text": "Peter"}],
        lambda message: [{"kind": "concept", "text": "not in it"}],
        lambda message: [{"kind": "concept", "text": ""}],
        lambda message: [{"kind": ["concept"], "text": "human"}],
        lambda message: None,
    ],
)
def test_heuristics_answer_where_the_parser_does_not(parser: Parser) -> None:
    assert kinds(SAID, parser=parser) == kinds(SAID)


def test_late_parser_holds_nobody_up() -> None:
    before = time.monotonic()
    found = kinds(SAID, parser=lambda message: time.sleep(60), seconds=0.05)
    assert found == kinds(SAID)
    assert time.monotonic() - before < 30  # without waiting for the parser
