"""Entities on the write side: saving merges, links mark profiles, a refresh clears the mark unless more came in between."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from db import entities, memories
from db.refs import LaneRef
from recollect.kinds import EntityType
from recollect.registry import RegisteredEntity
from tests.given import MODEL, NOON, Remembering, direction, registered


def bearers(remembering: Remembering, *names: str) -> list[RegisteredEntity]:
    with remembering.transaction() as connection:
        return entities.bearers(connection, remembering.lane, names, MODEL)


def dirty(remembering: Remembering) -> list[entities.DirtyProfile]:
    with remembering.transaction() as connection:
        return entities.dirty_profiles(connection, remembering.lane, limit=10, memories=3)


def test_saving_again_adds_what_is_new_and_overwrites_nothing(remembering: Remembering) -> None:
    firm = remembering.entity("Wolf of Blog Street", entity_type=EntityType.ORG)
    peter = remembering.entity("Peter", aliases=("Pete",))
    more = registered("Peter", entity_id=peter, aliases=("Peter Haas",), description="writer", parent_id=firm)
    less = registered("Peter", entity_id=peter, description="editor", parent_id=uuid4())
    with remembering.transaction() as connection:
        for entity in (more, less, registered("Peter", entity_id=peter)):
            entities.save(connection, remembering.lane, entity)

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
        memories.supersede(connection, remembering.lane, old, 1, superseded_by=uuid4(), valid_to=NOON)

    (found,) = bearers(remembering, "Peter")
    assert found.vectors == ()


def test_a_profile_awaits_its_refresh_with_what_matters_most_first(remembering: Remembering) -> None:
    peter = remembering.entity("Peter", description="writer", aliases=("Pete",))
    for content, salience, role, certainty in (
        ("low", 1, "subject", "sure"),
        ("high", 9, "subject", "sure"),
        ("mentioned", 10, "about", "sure"),
        ("unsure", 10, "subject", "unsure"),
        ("least", 0, "about", "sure"),
    ):
        remembering.memory(content, salience=salience, about={peter: (role, certainty)})

    (profile,) = dirty(remembering)
    assert (profile.entity.entity_id, profile.entity.description, profile.summary) == (peter, "writer", "")
    assert profile.memories == ("high", "low", "mentioned")


def test_a_refreshed_profile_waits_no_more_unless_something_came_in_between(remembering: Remembering) -> None:
    peter = remembering.entity("Peter")
    remembering.memory("one", about={peter: ("subject", "sure")})
    (stale,) = dirty(remembering)
    remembering.memory("two", about={peter: ("subject", "sure")})
    with remembering.transaction() as connection:
        entities.save_profile(connection, remembering.lane, stale, "knows one")

    (again,) = dirty(remembering)
    assert (again.summary, sorted(again.memories)) == ("knows one", ["one", "two"])
    with remembering.transaction() as connection:
        entities.save_profile(connection, remembering.lane, again, "knows both")
    assert dirty(remembering) == []


def test_profiles_that_wait_longest_come_first(remembering: Remembering) -> None:
    names = ["Zoe", "Abe", "Moe"]
    for name in names:
        with remembering.transaction() as connection:
            entities.touch(connection, remembering.lane, [])
        remembering.memory(name, about={remembering.entity(name): ("subject", "sure")})

    assert [profile.entity.name for profile in dirty(remembering)] == names


def test_known_entities_are_those_named_then_those_last_touched(remembering: Remembering) -> None:
    for name in ("Ann", "Bo", "Cy"):
        remembering.memory(name, about={remembering.entity(name): ("subject", "sure")})
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, ["ann"], 2)

    assert [entity.name for entity in found] == ["Ann", "Cy"]


def test_edges_are_kept_once_and_end_with_the_memory_that_stated_them(
    remembering: Remembering, admin_engine: Engine, lane: LaneRef
) -> None:
    def edges() -> list[Any]:
        statement = text(
            "select subject_id, predicate, object_id, valid_to from recollect.relations where memory_id = :id"
        )
        with admin_engine.connect() as connection:
            return list(connection.execute(statement, {"id": memory_id}))

    peter, firm, memory_id = uuid4(), uuid4(), remembering.memory("Peter works at WOBS")
    for _ in range(2):
        with remembering.transaction() as connection:
            entities.relate(connection, lane, memory_id, [(uuid4(), peter, "works_at", firm)], NOON)
    assert edges() == [(peter, "works_at", firm, None)]

    for later in (NOON + timedelta(days=1), NOON + timedelta(days=2)):
        with remembering.transaction() as connection:
            entities.end_relations(connection, lane, memory_id, later)
    assert edges() == [(peter, "works_at", firm, NOON + timedelta(days=1))]


def test_whom_a_memory_is_about(remembering: Remembering) -> None:
    ids: list[UUID] = sorted(remembering.entity(name) for name in ("Ann", "Bo"))
    memory_id = remembering.memory("both", about=dict.fromkeys(ids, ("about", "sure")))
    with remembering.transaction() as connection:
        assert sorted(entities.entities_of_memory(connection, remembering.lane, memory_id)) == ids
