"""The registry on the write side: saving merges and overwrites nothing, and bearers are found by any of their names."""

from uuid import uuid4

import pytest

from db import entities, memories
from recollect.kinds import EntityType
from recollect.registry import RegisteredEntity
from tests.given import MODEL, Remembering, direction, registered


def bearers(remembering: Remembering, *names: str) -> list[RegisteredEntity]:
    with remembering.transaction() as connection:
        return entities.bearers(connection, remembering.lane, names, MODEL)


def test_saving_again_adds_what_is_new_and_overwrites_nothing(remembering: Remembering) -> None:
    firm = remembering.entity("Wolf of Blog Street", entity_type=EntityType.ORG)
    peter = remembering.entity("Peter", aliases=("Pete",))
    more = registered("Peter", entity_id=peter, aliases=("Peter Haas",), description="writer", parent_id=firm)
    less = registered("Peter", entity_id=peter, description="editor", parent_id=uuid4())
    for entity in (more, less, registered("Peter", entity_id=peter)):
        with remembering.stamped() as (connection, stamp):
            entities.save(connection, remembering.lane, entity, stamp)

    (found,) = bearers(remembering, "pete")
    assert (found.entity_id, found.description, found.parent_id, found.parent) == (
        peter,
        "writer",
        firm,
        "Wolf of Blog Street",
    )
    assert found.aliases == ("Pete", "Peter", "Peter Haas")


def test_all_bearers_of_a_name_are_found_whatever_its_case_and_accents(remembering: Remembering) -> None:
    two = {remembering.entity("Müller"), remembering.entity("Jo", aliases=("MULLER",))}
    remembering.entity("Miller")

    assert {entity.entity_id for entity in bearers(remembering, "müller's")} == two


def test_the_user_is_always_among_them_and_there_is_but_one(remembering: Remembering) -> None:
    user = remembering.entity("User", is_user=True)

    assert [entity.entity_id for entity in bearers(remembering, "nobody")] == [user]
    with pytest.raises(Exception, match="entities_user"):
        remembering.entity("User", is_user=True)


def test_only_links_that_are_sure_say_what_a_bearer_is_like(remembering: Remembering) -> None:
    peter = remembering.entity("Peter")
    remembering.memory("sure", direction(1), about={peter: ("subject", "sure")})
    remembering.memory("unsure", direction(0, 1), about={peter: ("subject", "unsure")})
    with remembering.transaction() as connection:
        memories.set_vectors(connection, remembering.lane, MODEL, "profile", {peter: direction(0, 0, 1)})

    (found,) = bearers(remembering, "Peter")
    assert sorted(tuple(vector[:3]) for vector in found.vectors) == [(0, 0, 1), (1, 0, 0)]


def test_a_superseded_memory_no_longer_says_what_a_bearer_is_like(remembering: Remembering) -> None:
    peter = remembering.entity("Peter")
    old = remembering.memory("Peter is a writer", direction(1), about={peter: ("subject", "sure")})
    with remembering.transaction() as connection:
        memories.retire_vector(connection, remembering.lane, old)

    (found,) = bearers(remembering, "Peter")
    assert found.vectors == ()


def test_known_entities_are_those_named_then_those_last_touched(remembering: Remembering) -> None:
    for name in ("Ann", "Bo", "Cy"):
        remembering.memory(name, about={remembering.entity(name): ("subject", "sure")})
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, ["ann"], 2)

    assert [entity.name for entity in found] == ["Ann", "Cy"]
