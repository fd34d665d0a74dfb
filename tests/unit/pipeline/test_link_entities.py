"""Whom facts are about: names are not unique, the words decide, and what they do not settle stays unsure."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from pipeline.facts import USER, Fact, Mention
from pipeline.link_entities import LinkedFacts, Vector, link_entities
from recollect.kinds import EntityType, MemoryKind
from recollect.registry import RegisteredEntity
from tests.given import registered

PERSON, ORG, PLACE, SYSTEM = EntityType.PERSON, EntityType.ORG, EntityType.PLACE, EntityType.SYSTEM

WORK, HOME = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
BETWEEN = np.array([1, 1], np.float32) / np.float32(2**0.5)


def mention(name: str, entity_type: EntityType = PERSON, **given: Any) -> Mention:
    return Mention(name=name, entity_type=entity_type, **given)


def fact(*mentions: Mention, **given: Any) -> Fact:
    return Fact(kind=MemoryKind.FACT, content="x", sources=(1,), quote="x", mentions=mentions, **given)


def new_ids() -> Callable[[], UUID]:
    numbers = count(1)
    return lambda: UUID(int=next(numbers))


def linked(*facts: Fact, registry: Sequence[RegisteredEntity] = (), vector: Vector = WORK) -> LinkedFacts:
    numbered = {number: (one, vector) for number, one in enumerate(facts, 1)}
    return link_entities(numbered, registry, lambda number, name: vector, new_ids())


def entity_of(found: LinkedFacts, name: str, number: int = 1) -> UUID:
    return found.links[number][name].entity_id


def learned(found: LinkedFacts) -> tuple[RegisteredEntity, ...]:
    """The entities that are new, or of which more is known, as they are after the last fact."""
    latest = {entity.entity_id: entity for news in found.learned.values() for entity in news}
    return tuple(latest.values())


def test_each_fact_teaches_what_is_new_with_it() -> None:
    found = linked(fact(mention("Peter")), fact(mention("Peter")), fact(mention("Peter", description="writer")))

    assert [[entity.description for entity in news] for news in found.learned.values()] == [[None], [], ["writer"]]


def test_who_is_not_known_yet_is_new_once_in_a_batch() -> None:
    found = linked(fact(mention("Peter")), fact(mention("PETER")), fact(mention("Peter", description="writer")))

    (peter,) = learned(found)
    assert (peter.name, peter.description) == ("Peter", "writer")
    assert {links[name].entity_id for links in found.links.values() for name in links} == {peter.entity_id}


def test_who_is_known_is_found_by_any_name_and_learns_new_ones() -> None:
    peter = registered("Peter Haas", aliases=("Pete",))
    found = linked(fact(mention("pete", aliases=("Peterson",))), registry=[peter])

    assert entity_of(found, "pete") == peter.entity_id
    (changed,) = learned(found)
    assert set(changed.aliases) >= {"Pete", "Peterson"}
    assert changed.name == "Peter Haas"


def test_what_is_known_already_is_not_written_over() -> None:
    peter = registered("Peter", description="writer")
    found = linked(fact(mention("Peter", description="writer and editor")), registry=[peter])
    assert (entity_of(found, "Peter"), learned(found)) == (peter.entity_id, ())


WRITER = registered("Peter", description="writer", vectors=(WORK,))
BROTHER = registered("Peter", description="User's brother", vectors=(HOME,))


@pytest.mark.parametrize(
    ("said", "vector", "meant", "certainty"),
    [
        ("writer", HOME, WRITER, "sure"),
        ("User's brother", WORK, BROTHER, "sure"),
        (None, WORK, WRITER, "sure"),
        (None, HOME, BROTHER, "sure"),
        (None, BETWEEN, None, "unsure"),
    ],
)
def test_of_two_namesakes_the_description_decides_then_the_words(
    said: str | None, vector: Vector, meant: RegisteredEntity | None, certainty: str
) -> None:
    found = linked(fact(mention("Peter", description=said)), registry=[WRITER, BROTHER], vector=vector)

    link = found.links[1]["Peter"]
    assert link.certainty == certainty
    assert link.entity_id in ({meant.entity_id} if meant else {WRITER.entity_id, BROTHER.entity_id})


def test_a_link_that_is_unsure_teaches_nothing_of_what_its_bearer_is_like() -> None:
    found = linked(fact(mention("Peter")), registry=[WRITER, BROTHER], vector=BETWEEN)
    assert [len(entity.vectors) for entity in learned(found)] in ([], [1])


def test_of_one_who_is_perhaps_another_nothing_is_learned() -> None:
    two = [registered("Peter", description="writer"), registered("Peter", description="User's brother")]
    found = linked(fact(mention("Peter", aliases=("mosshead",))), registry=two)

    assert found.links[1]["Peter"].certainty == "unsure"
    assert learned(found) == ()


def test_a_link_that_is_sure_helps_the_next_fact_of_the_batch() -> None:
    facts = {
        1: (fact(mention("Peter", description="User's brother")), HOME),
        2: (fact(mention("Peter", description="writer")), WORK),
        3: (fact(mention("Peter")), HOME),
    }
    blank = [registered("Peter", description=one) for one in ("writer", "User's brother")]
    found = link_entities(facts, blank, lambda number, name: facts[number][1], new_ids())

    assert entity_of(found, "Peter", 3) == entity_of(found, "Peter", 1) != entity_of(found, "Peter", 2)
    assert found.links[3]["Peter"].certainty == "sure"


@pytest.mark.parametrize(
    ("known", "said", "same"),
    [
        ({"description": "User's brother"}, {"description": "User's dentist"}, False),
        ({"description": "User's brother"}, {"description": "User's brother"}, True),
        ({"description": "User's brother"}, {"parent": "WOBS"}, False),
        ({"parent": "WOBS"}, {"description": "User's brother"}, False),
        ({"parent": "WOBS"}, {"parent": "ACME"}, False),
        ({"parent": "WOBS"}, {"parent": "wobs"}, True),
        ({"parent": "WOBS"}, {}, True),
        ({}, {"description": "User's brother"}, True),
        ({"entity_type": ORG}, {}, False),
    ],
)
def test_what_is_said_of_the_bearer_may_rule_a_namesake_out(
    known: dict[str, Any], said: dict[str, Any], same: bool
) -> None:
    peter = registered("Peter", **known)
    found = linked(fact(mention("Peter", **said)), registry=[peter])
    assert (entity_of(found, "Peter") == peter.entity_id) is same


def test_what_is_a_firm_to_one_sentence_may_be_a_system_to_the_next() -> None:
    jira = registered("Jira", entity_type=ORG)
    assert entity_of(linked(fact(mention("Jira", SYSTEM)), registry=[jira]), "Jira") == jira.entity_id


def test_a_relative_of_whom_more_is_said_is_the_same_one() -> None:
    found = linked(
        fact(mention("Peter", description="User's brother, baker")),
        fact(mention("Peter", description="User's brother")),
    )
    assert len(learned(found)) == 1


def test_a_parent_that_the_same_sentence_introduces_is_linked() -> None:
    found = linked(fact(mention("Peter", parent="WOBS"), mention("WOBS", ORG, aliases=("Wolf of Blog Street",))))

    peter = next(entity for entity in learned(found) if entity.name == "Peter")
    assert (peter.parent_id, peter.parent) == (entity_of(found, "WOBS"), "WOBS")


@pytest.mark.parametrize("parent", ["Peter", "Nobody", "Sarah"])
def test_nobody_belongs_to_himself_to_a_stranger_or_to_a_person(parent: str) -> None:
    found = linked(fact(mention("Peter", parent=parent)), registry=[registered("Sarah")])
    assert [entity.parent_id for entity in learned(found)] == [None]


def test_the_user_is_one_whoever_else_is_there() -> None:
    found = linked(fact(mention(USER, role="subject")), fact(mention(USER), mention("Peter")))

    (user,) = [entity for entity in learned(found) if entity.is_user]
    assert entity_of(found, USER) == entity_of(found, USER, 2) == user.entity_id
    known = linked(fact(mention(USER)), registry=[user])
    assert (entity_of(known, USER), learned(known)) == (user.entity_id, ())


def test_the_users_name_once_learnt_is_the_user() -> None:
    named = fact(mention(USER, role="subject"), attribute="name", value="Sarah")
    found = linked(named, fact(mention("Sarah")))

    assert entity_of(found, "Sarah", 2) == entity_of(found, USER)
    assert [entity.name for entity in learned(found)] == [USER]


@pytest.mark.parametrize("role", ["object", "about"])
def test_anothers_name_is_not_the_users(role: Any) -> None:
    named = fact(mention(USER, role=role), mention("Rex", role="subject"), attribute="name", value="Rex")
    found = linked(named, fact(mention("Rex")))
    assert entity_of(found, "Rex", 2) != entity_of(found, USER)


def test_roles_are_kept() -> None:
    found = linked(fact(mention("Peter", role="subject"), mention("Seattle", PLACE, role="object")))
    assert {name: link.role for name, link in found.links[1].items()} == {"Peter": "subject", "Seattle": "object"}
