"""Subjects of facts: names are not unique, the words decide, and what they leave open stays uncertain."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from mosshead.entities.disambiguation import Evidence, telling
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType, MemoryKind
from pipeline.linking.link import Around, LinkedFacts, ToLink, Vector, link_entities
from pipeline.linking.registry import RefusedClaim
from pipeline.models import USER, Fact, FactMention
from tests.given import registered

PERSON, ORG, PLACE, SYSTEM = EntityType.PERSON, EntityType.ORG, EntityType.PLACE, EntityType.SYSTEM

WORK, HOME = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
BETWEEN = np.array([1, 1], np.float32) / np.float32(2**0.5)
NOWHERE = np.zeros(2, np.float32)


def mention(name: str, entity_type: EntityType = PERSON, **given: Any) -> FactMention:
    return FactMention(name=name, entity_type=entity_type, **given)


def fact(*mentions: FactMention, **given: Any) -> Fact:
    return Fact(
        **{"kind": MemoryKind.FACT, "content": "x", "sources": (1,), "quote": "x", "mentions": mentions} | given
    )


def said(text: str, *mentions: FactMention, source: int = 1, vector: Vector = WORK, **given: Any) -> ToLink:
    """Return a fact with the content of its message. source: that message's number."""
    return ToLink(fact(*mentions, content=text, sources=(source,)), vector, text, **given)


def new_ids() -> Callable[[], UUID]:
    numbers = count(1)
    return lambda: UUID(int=next(numbers))


def _naming(one: Fact) -> str:
    return " and ".join(mention.name for mention in one.mentions)


def linked(
    *facts: Fact | ToLink, registry: Sequence[RegisteredEntity] = (), vector: Vector = WORK, **given: Any
) -> LinkedFacts:
    """Link facts as if each were from its own message, unless one is given."""
    numbered = {
        number: one
        if isinstance(one, ToLink)
        else ToLink(one.model_copy(update={"sources": (number,)}), vector, _naming(one))
        for number, one in enumerate(facts, 1)
    }
    return link(numbered, registry, **given)


def link(
    facts: Mapping[int, ToLink],
    registry: Sequence[RegisteredEntity],
    *,
    known: Mapping[UUID, Vector] | None = None,
    parents: Mapping[UUID, UUID] | None = None,
) -> LinkedFacts:
    """known: vectors of what is known, by entity."""

    def around(number: int, name: str, candidates: Sequence[UUID]) -> Around:
        asked = telling(facts[number].said, name, facts[number].before)
        vector = facts[number].vector
        near = {key: Evidence(nearest=float(vector @ (known or {}).get(key, NOWHERE))) for key in candidates}
        return Around(asked, vector, near)

    return link_entities(facts, registry, parents=parents or {}, around=around, new_id=new_ids())


def entity_of(found: LinkedFacts, name: str, number: int = 1) -> UUID:
    return found.links[number][name].entity_id


def learned(found: LinkedFacts) -> tuple[RegisteredEntity, ...]:
    """Return the new entities, and those more is known of, as they are after the last fact."""
    latest = {entity.entity_id: entity for news in found.learned.values() for entity in news}
    return tuple(latest.values())


def test_each_fact_adds_its_new_knowledge() -> None:
    found = linked(fact(mention("Peter")), fact(mention("Peter")), fact(mention("Peter", description="writer")))

    assert [[entity.description for entity in news] for news in found.learned.values()] == [[None], [], ["writer"]]


def test_unknown_entity_is_new_once_in_a_batch() -> None:
    found = linked(fact(mention("Peter")), fact(mention("PETER")), fact(mention("Peter", description="writer")))

    (peter,) = learned(found)
    assert (peter.name, peter.description) == ("Peter", "writer")
    assert {links[name].entity_id for links in found.links.values() for name in links} == {peter.entity_id}


def test_known_entity_is_found_by_any_name_and_gains_new_ones() -> None:
    peter = registered("Peter Haas", aliases=("Pete",))
    found = linked(fact(mention("pete", aliases=("Peterson",))), registry=[peter])

    assert entity_of(found, "pete") == peter.entity_id
    (changed,) = learned(found)
    assert set(changed.aliases) >= {"Pete", "Peterson"}
    assert changed.name == "Peter Haas"


def test_known_values_are_not_overwritten() -> None:
    peter = registered("Peter", description="writer")
    found = linked(fact(mention("Peter", description="writer and editor")), registry=[peter])
    assert (entity_of(found, "Peter"), learned(found)) == (peter.entity_id, ())


WRITER = registered("Peter", description="writer")
BROTHER = registered("Peter", description="User's brother")
BOTH = (WRITER, BROTHER)
KNOWN = {WRITER.entity_id: WORK, BROTHER.entity_id: HOME}


def held(found: LinkedFacts, number: int = 1) -> set[UUID]:
    """Return the candidates of the only held mention of a fact; nobody is linked by name."""
    ((name, one),) = found.held[number].items()
    assert name not in found.links[number]
    return set(one.candidates)


@pytest.mark.parametrize(
    ("called", "vector", "meant"),
    [
        ("writer", HOME, WRITER),
        ("User's brother", WORK, BROTHER),
        (None, WORK, WRITER),
        (None, HOME, BROTHER),
    ],
)
def test_description_then_words_decide_between_two_namesakes(
    called: str | None, vector: Vector, meant: RegisteredEntity
) -> None:
    found = linked(fact(mention("Peter", description=called)), registry=BOTH, vector=vector, known=KNOWN)

    assert entity_of(found, "Peter") == meant.entity_id
    assert not found.held[1]


def test_ambiguous_mention_is_held_for_an_answer_and_not_guessed() -> None:
    found = linked(fact(mention("Peter", role="subject")), registry=BOTH, vector=BETWEEN, known=KNOWN)

    assert found.links[1] == {}
    assert held(found) == {WRITER.entity_id, BROTHER.entity_id}
    assert found.held[1]["Peter"].role == "subject"
    assert found.subjects(1) == found.may_be_about(1) == {WRITER.entity_id, BROTHER.entity_id}
    assert found.is_about(1) == set()


def test_uncertain_entity_gains_no_knowledge() -> None:
    found = linked(fact(mention("Peter", aliases=("mosshead",))), registry=BOTH, vector=BETWEEN, known=KNOWN)
    assert learned(found) == ()


def test_certain_link_helps_the_next_fact_of_the_batch() -> None:
    facts = {
        1: said("Peter at home", mention("Peter", description="User's brother"), source=1, vector=HOME),
        2: said("Peter at work", mention("Peter", description="writer"), source=2, vector=WORK),
        3: said("Peter at home again", mention("Peter"), source=3, vector=HOME),
    }
    found = link(facts, BOTH)

    assert entity_of(found, "Peter", 3) == entity_of(found, "Peter", 1) != entity_of(found, "Peter", 2)


def test_name_means_one_entity_within_a_message() -> None:
    facts = {
        1: said("Peter a", mention("Peter"), vector=HOME),
        2: said("Peter b", mention("Peter"), vector=BETWEEN),
        3: said("Peter c", mention("Peter"), source=2, vector=WORK),
    }
    found = link(facts, BOTH, known=KNOWN)

    assert entity_of(found, "Peter", 1) == entity_of(found, "Peter", 2) == BROTHER.entity_id
    assert entity_of(found, "Peter", 3) == WRITER.entity_id


def test_name_with_two_descriptions_may_be_two_entities_within_a_message() -> None:
    facts = {
        1: said("Peter a", mention("Peter", description="writer"), vector=HOME),
        2: said("Peter b", mention("Peter", description="User's brother"), vector=HOME),
    }
    found = link(facts, BOTH, known=KNOWN)
    assert entity_of(found, "Peter", 1) != entity_of(found, "Peter", 2)


def test_mention_left_open_by_a_message_is_open_for_all_its_facts() -> None:
    facts = {number: said("Peter a", mention("Peter"), vector=BETWEEN) for number in (1, 2)}
    found = link(facts, BOTH, known=KNOWN)
    assert held(found, 1) == held(found, 2)


ROOFER = "Peter the roofer broke his arm"


@pytest.mark.parametrize(
    "text",
    [
        ROOFER,
        "My plumber Peter came by",
        "I met a Peter from the market",
        "Another Peter joined the team",
        "There is a guy called Peter in my class",
        "My new neighbour Peter is loud",
    ],
)
@pytest.mark.parametrize("known_of", [BOTH, (WRITER, registered("Peter", description="teacher"))])
def test_introduced_person_is_a_new_entity(text: str, known_of: Sequence[RegisteredEntity]) -> None:
    found = linked(said(text, mention("Peter"), vector=NOWHERE), registry=known_of)
    assert entity_of(found, "Peter") not in {one.entity_id for one in known_of}


@pytest.mark.parametrize("text", ["Peter called", "I gave Peter the order", "I had a call with Peter", "a Peter draft"])
def test_person_who_is_not_introduced_is_no_new_entity(text: str) -> None:
    found = linked(said(text, mention("Peter"), vector=NOWHERE), registry=BOTH)
    assert held(found) == {WRITER.entity_id, BROTHER.entity_id}


def test_person_is_introduced_once() -> None:
    facts = {
        1: said("A guy called Peter fixed the roof", mention("Peter"), vector=HOME),
        2: said("A guy called Peter fixed the roof", mention("Peter"), vector=NOWHERE),
    }
    found = link(facts, [WRITER], known=KNOWN)
    assert entity_of(found, "Peter", 1) == entity_of(found, "Peter", 2) != WRITER.entity_id


def test_introduced_person_with_the_trade_of_a_namesake_is_asked_about() -> None:
    """The only Peter is a writer; nobody said whether he is also a plumber."""
    found = linked(fact(mention("Peter", description="plumber")), registry=[WRITER])
    assert held(found) == {WRITER.entity_id}


def test_known_person_with_a_new_activity_is_the_same() -> None:
    found = linked(fact(mention("Peter", description="runs the office in Bristol")), registry=[WRITER])
    assert entity_of(found, "Peter") == WRITER.entity_id


def test_he_is_the_person_the_name_meant_at_that_time() -> None:
    """A fact has the name where its message says "he"."""
    named = ToLink(fact(mention("Peter")), HOME, "Peter called", conversation="c1")
    for conversation, same in (("c1", True), ("c2", False)):
        he = ToLink(fact(mention("Peter"), sources=(2,)), WORK, "He is late", conversation=conversation)
        found = link({1: named, 2: he}, BOTH, known=KNOWN)
        assert (entity_of(found, "Peter", 2) == entity_of(found, "Peter", 1)) is same


HAAS = registered("Peter Haas")


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("Haas", "Haas raised the rent", True),
        ("Dr. Haas", "Dr. Haas raised the rent", True),
        ("Peter", "Peter raised the rent", False),
        ("Peter Schmidt", "Peter Schmidt raised the rent", None),
        ("Anna Haas", "Anna Haas raised the rent", None),
        ("Peter", "Peter Haas is tall. Peter is a chef", True),
    ],
)
def test_part_of_a_name_finds_its_bearer_but_alone_proves_no_identity(
    name: str, text: str, *, meant: bool | None
) -> None:
    found = linked(said(text, mention(name), vector=NOWHERE), registry=[HAAS])

    if meant is None:
        assert entity_of(found, name) != HAAS.entity_id
    elif meant:
        assert entity_of(found, name) == HAAS.entity_id
        assert learned(found) == ()
    else:
        assert held(found) == {HAAS.entity_id}


def test_known_details_make_part_of_a_name_sufficient() -> None:
    found = linked(fact(mention("Peter")), registry=[HAAS], vector=WORK, known={HAAS.entity_id: WORK})
    assert entity_of(found, "Peter") == HAAS.entity_id


def test_person_known_by_part_of_the_name_is_the_same_if_more_than_the_name_matches() -> None:
    peter = registered("Peter")
    near = linked(fact(mention("Peter Haas")), registry=[peter], vector=WORK, known={peter.entity_id: WORK})
    far = linked(fact(mention("Peter Haas")), registry=[peter], vector=HOME, known={peter.entity_id: WORK})

    assert entity_of(near, "Peter Haas") == peter.entity_id
    assert learned(near)[0].aliases == ("Peter Haas",)
    assert entity_of(far, "Peter Haas") != peter.entity_id


def test_full_name_that_fits_two_entities_is_a_new_one() -> None:
    found = linked(fact(mention("Peter Haas")), registry=BOTH, vector=NOWHERE)
    assert entity_of(found, "Peter Haas") not in {one.entity_id for one in BOTH}


@pytest.mark.parametrize(
    ("name", "whole", "entity_type", "same"),
    [
        ("Brightleaf", "Brightleaf Tea", ORG, True),
        ("WOBS", "Wolf of Blog Street", ORG, True),
        ("Tea", "Brightleaf Tea", ORG, False),
        ("London", "London Bridge", PLACE, False),
        ("the Anchor", "Anchor", PLACE, True),
        ("Mueller", "Müller", ORG, True),
    ],
)
def test_firm_is_known_by_the_beginning_of_its_name_or_its_initials(
    name: str, whole: str, entity_type: EntityType, *, same: bool
) -> None:
    known = registered(whole, entity_type=entity_type)
    found = linked(said(name, mention(name, entity_type)), registry=[known])
    assert (entity_of(found, name) == known.entity_id) is same


def test_two_firms_with_the_same_beginning_are_distinguished_or_asked_about() -> None:
    two = [registered(f"Castell {what}", entity_type=ORG) for what in ("Roofing", "Plumbing")]
    found = linked(fact(mention("Castell", ORG)), registry=two)
    assert held(found) == {one.entity_id for one in two}


def test_known_person_called_a_firm_stays_a_person() -> None:
    found = linked(fact(mention("Peter", ORG)), registry=[WRITER], vector=WORK, known=KNOWN)

    assert entity_of(found, "Peter") == WRITER.entity_id
    assert found.refused[1] == {RefusedClaim.TYPE: 1}
    assert [one.entity_type for one in learned(found)] in ([], [PERSON])


def test_firm_with_a_persons_name_and_no_other_details_is_a_firm() -> None:
    found = linked(fact(mention("Peter", ORG)), registry=[WRITER], vector=HOME, known=KNOWN)
    assert [one.entity_type for one in learned(found)] == [ORG]


@pytest.mark.parametrize(
    ("known", "said", "same"),
    [
        ({"description": "User's brother"}, {"description": "User's dentist"}, False),
        ({"description": "User's brother"}, {"description": "User's brother"}, True),
        ({"description": "one of User's writers at WOBS"}, {"description": "User's brother"}, False),
        ({"description": "User's brother"}, {"description": "one of User's writers at WOBS"}, False),
        ({"description": "one of User's writers at WOBS"}, {"description": "User's writer"}, True),
        ({"description": "User's colleague at WOBS"}, {"description": "one of User's colleagues, a tall man"}, True),
        ({"description": "one of User's oldest friends"}, {"description": "User's friend"}, True),
        ({"description": "User's brother"}, {"parent": "WOBS"}, False),
        ({"parent": "WOBS"}, {"description": "User's brother"}, False),
        ({"parent": "WOBS"}, {"parent": "ACME"}, False),
        ({"parent": "WOBS"}, {"parent": "wobs"}, True),
        ({"parent": "WOBS"}, {}, True),
        ({}, {"description": "User's brother"}, True),
        ({"entity_type": ORG}, {}, False),
    ],
)
def test_statement_about_the_bearer_may_rule_out_a_namesake(
    known: dict[str, Any], said: dict[str, Any], same: bool
) -> None:
    peter = registered("Peter", **known)
    found = linked(fact(mention("Peter", **said)), registry=[peter])
    assert (entity_of(found, "Peter") == peter.entity_id) is same


def test_firm_in_one_sentence_may_be_a_system_in_the_next() -> None:
    jira = registered("Jira", entity_type=ORG)
    assert entity_of(linked(fact(mention("Jira", SYSTEM)), registry=[jira]), "Jira") == jira.entity_id


def test_relative_with_more_details_is_the_same_one() -> None:
    found = linked(
        fact(mention("Peter", description="User's brother, baker")),
        fact(mention("Peter", description="User's brother")),
    )
    assert len(learned(found)) == 1


def test_parent_introduced_in_the_same_sentence_is_linked() -> None:
    found = linked(fact(mention("Peter", parent="WOBS"), mention("WOBS", ORG, aliases=("Wolf of Blog Street",))))

    peter = next(entity for entity in learned(found) if entity.name == "Peter")
    assert (peter.parent_id, peter.parent) == (entity_of(found, "WOBS"), "WOBS")


@pytest.mark.parametrize("parent", ["Peter", "Nobody", "Sarah"])
def test_nobody_belongs_to_themselves_a_stranger_or_a_person(parent: str) -> None:
    found = linked(fact(mention("Peter", parent=parent)), registry=[registered("Sarah")])
    assert [entity.parent_id for entity in learned(found)] == [None]
    assert found.refused[1] == ({RefusedClaim.OWN_PARENT: 1} if parent == "Peter" else {})


def test_entity_cannot_be_part_of_what_belongs_to_it() -> None:
    """A belongs to B, B to C, and C is said to belong to A; B is not named."""
    ids = [registered(name, entity_type=ORG) for name in ("Labs", "Hidden", "Acme")]
    a, _, c = (one.entity_id for one in ids)
    parents = {a: ids[1].entity_id, ids[1].entity_id: c}
    found = linked(fact(mention("Acme", ORG, parent="Labs")), registry=[ids[0], ids[2]], parents=parents)

    assert learned(found) == ()
    assert found.refused[1] == {RefusedClaim.PARENT_CYCLE: 1}


def test_cycle_within_one_batch_is_refused() -> None:
    found = linked(
        fact(mention("Acme", ORG, parent="Labs"), mention("Labs", ORG)), fact(mention("Labs", ORG, parent="Acme"))
    )
    parents = {entity.name: entity.parent for entity in learned(found)}
    assert parents == {"Acme": "Labs", "Labs": None}
    assert found.refused[2] == {RefusedClaim.PARENT_CYCLE: 1}


def test_parent_with_an_ambiguous_name_is_not_guessed() -> None:
    two = [registered("Acme", entity_type=ORG) for _ in range(2)]
    found = linked(fact(mention("Peter", parent="Acme")), registry=two)
    assert [entity.parent_id for entity in learned(found)] == [None]
    assert found.refused[1] == {RefusedClaim.PARENT_UNCLEAR: 1}


def test_name_of_another_entity_is_no_alias() -> None:
    sarah = registered("Sarah")
    found = linked(
        fact(mention("Peter"), mention("Sarah")), fact(mention("Peter", aliases=("Sarah",))), registry=[sarah]
    )

    assert entity_of(found, "Peter", 2) != entity_of(found, "Sarah") == sarah.entity_id
    assert all("Sarah" not in entity.aliases for entity in learned(found))
    assert found.refused[2] == {RefusedClaim.ALIAS: 1}


def test_namesakes_may_share_an_alias() -> None:
    one = registered("Peter", description="writer", aliases=("Pete",))
    found = linked(fact(mention("Peter", description="User's brother", aliases=("Pete",))), registry=[one])
    assert found.refused[1] == {}


def test_user_is_one_entity_whoever_else_is_there() -> None:
    found = linked(fact(mention(USER, role="subject")), fact(mention(USER), mention("Peter")))

    (user,) = [entity for entity in learned(found) if entity.is_user]
    assert entity_of(found, USER) == entity_of(found, USER, 2) == user.entity_id
    known = linked(fact(mention(USER)), registry=[user])
    assert (entity_of(known, USER), learned(known)) == (user.entity_id, ())


def test_users_name_once_learned_means_the_user() -> None:
    named = fact(mention(USER, role="subject"), attribute="name", value="Sarah")
    found = linked(named, fact(mention("Sarah")))

    assert entity_of(found, "Sarah", 2) == entity_of(found, USER)
    assert [entity.name for entity in learned(found)] == [USER]


def test_overlong_text_is_no_name() -> None:
    found = linked(fact(mention(USER, role="subject"), attribute="name", value="Sarah " * 40))
    assert [entity.aliases for entity in learned(found)] == [()]


@pytest.mark.parametrize("role", ["object", "about"])
def test_name_of_another_is_not_the_users(role: Any) -> None:
    named = fact(mention(USER, role=role), mention("Rex", role="subject"), attribute="name", value="Rex")
    found = linked(named, fact(mention("Rex")))
    assert entity_of(found, "Rex", 2) != entity_of(found, USER)


def test_roles_are_kept() -> None:
    found = linked(fact(mention("Peter", role="subject"), mention("Seattle", PLACE, role="object")))
    assert {name: link.role for name, link in found.links[1].items()} == {"Peter": "subject", "Seattle": "object"}
