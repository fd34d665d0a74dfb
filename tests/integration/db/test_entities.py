"""Writing to the registry: saving merges without overwriting; who the user is, and what belongs to what."""

from uuid import uuid4

import pytest
from sqlalchemy import event

from db import entities
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from tests.given import Remembering, registered


def named(remembering: Remembering, name: str) -> RegisteredEntity:
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, [name], 10)
    return next(entity for entity in found if name in {one.casefold() for one in (entity.name, *entity.aliases)})


def test_saving_again_adds_new_names_and_overwrites_nothing(remembering: Remembering) -> None:
    firm = remembering.entity("Wolf of Blog Street", entity_type=EntityType.ORG)
    peter = remembering.entity("Peter", aliases=("Pete",))
    more = registered("Peter", entity_id=peter, aliases=("Peter Haas",), description="writer", parent_id=firm)
    less = registered("Peter", entity_id=peter, description="editor", parent_id=uuid4())
    for entity in (more, less, registered("Peter", entity_id=peter)):
        with remembering.stamped() as (connection, stamp):
            entities.save(connection, remembering.lane, [entity], stamp)

    found = named(remembering, "pete")
    assert (found.entity_id, found.description, found.parent_id, found.parent) == (
        peter,
        "writer",
        firm,
        "Wolf of Blog Street",
    )
    assert found.aliases == ("Pete", "Peter", "Peter Haas")


def test_saving_no_entities_runs_no_statement(remembering: Remembering) -> None:
    asked: list[str] = []
    with remembering.stamped() as (connection, stamp):
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2]))
        assert entities.save(connection, remembering.lane, [], stamp) == set()
    assert asked == []


def test_namespace_has_only_one_user(remembering: Remembering) -> None:
    with remembering.transaction() as connection:
        assert entities.user(connection, remembering.lane) is None
    user = remembering.entity("User", is_user=True)
    remembering.entity("User")

    with remembering.transaction() as connection:
        found = entities.user(connection, remembering.lane)
    assert found is not None
    assert found.entity_id == user
    with pytest.raises(Exception, match="entities_user"):
        remembering.entity("User", is_user=True)


def test_ancestors_of_an_entity_are_returned_up_to_the_top(remembering: Remembering) -> None:
    top = remembering.entity("Group", entity_type=EntityType.ORG)
    firm = remembering.entity("Firm", entity_type=EntityType.ORG, parent_id=top)
    team = remembering.entity("Team", entity_type=EntityType.ORG, parent_id=firm)
    remembering.entity("Other", entity_type=EntityType.ORG, parent_id=top)
    with remembering.transaction() as connection:
        assert entities.parents_above(connection, remembering.lane, [team]) == {team: firm, firm: top}
        assert entities.parents_above(connection, remembering.lane, [top]) == {}


def test_known_entities_are_the_named_ones_then_the_last_touched(remembering: Remembering) -> None:
    for name in ("Ann", "Bo", "Cy"):
        remembering.memory(name, about={remembering.entity(name): ("subject", "sure")})
    with remembering.transaction() as connection:
        found = entities.known_entities(connection, remembering.lane, ["ann"], 2)

    assert [entity.name for entity in found] == ["Ann", "Cy"]
