"""One entity is two: some of the memories about it are about somebody else."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import Connection

from db import moving, newcomers
from db.decisions import Stamp
from db.moving import Moved
from db.newcomers import Newcomer
from db.refs import LaneRef


def memories_to_move(
    connection: Connection, lane: LaneRef, entity_id: UUID, memories: Collection[UUID]
) -> frozenset[UUID]:
    """Those of some memories that are about an entity, and can be split off with another."""
    return moving.memories_naming(connection, lane, entity_id) & frozenset(memories)


def split(
    connection: Connection,
    lane: LaneRef,
    *,
    entity_id: UUID,
    newcomer: Newcomer,
    memories: frozenset[UUID],
    stamp: Stamp,
) -> Moved:
    """Introduce somebody of whom some memories, and what they state, tell from here on; the rest stays."""
    newcomers.introduce(connection, lane, newcomer, stamp)
    return moving.move(
        connection,
        lane,
        source=entity_id,
        target=newcomer.entity_id,
        memories=memories,
        examples=moving.examples_from(connection, lane, entity_id, memories),
        stamp=stamp,
    )
