"""Links from memories to entities, and between entities."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine, text

from db import memories
from db.keys import LaneRef
from tests.given import NOON, Remembering


def test_edges_are_stored_once_and_end_with_the_memory_that_stated_them(
    remembering: Remembering, admin_engine: Engine, lane: LaneRef
) -> None:
    def edges() -> list[Any]:
        statement = text(
            """select subject_id, predicate, object_id, valid_to from mosshead.relations
            where memory_id = :id and known_to is null"""
        )
        with admin_engine.connect() as connection:
            return list(connection.execute(statement, {"id": memory_id}))

    peter, firm, memory_id = uuid4(), uuid4(), remembering.memory("Peter works at WOBS")
    for _ in range(2):
        with remembering.stamped() as (connection, stamp):
            memories.relate(connection, lane, memory_id, [(uuid4(), peter, "works_at", firm)], stamp, valid_from=NOON)
    assert edges() == [(peter, "works_at", firm, None)]

    for later in (NOON + timedelta(days=1), NOON + timedelta(days=2)):
        with remembering.stamped() as (connection, stamp):
            memories.end_relations(connection, lane, memory_id, stamp, valid_to=later)
    assert edges() == [(peter, "works_at", firm, NOON + timedelta(days=1))]


def test_memory_is_linked_to_the_entities_it_is_about(remembering: Remembering) -> None:
    ids: list[UUID] = sorted(remembering.entity(name) for name in ("Ann", "Bo"))
    memory_id = remembering.memory("both", about=dict.fromkeys(ids, ("about", "sure")))
    with remembering.transaction() as connection:
        assert sorted(memories.entities_of_memory(connection, remembering.lane, memory_id)) == ids
