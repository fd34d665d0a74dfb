"""Links from memories to entities, relations between entities, and edges between memories."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, Row

from db.decisions import Stamp
from db.keys import OF_LANE, LaneRef, insert, of_lane, renew
from mosshead.store.connection import Sql

Link = tuple[UUID, UUID, str, str]
"""A memory, an entity, in which role it stands there, and how certain that is."""


def link(
    connection: Connection, lane: LaneRef, memory_id: UUID, links: Mapping[UUID, tuple[str, str]], stamp: Stamp
) -> None:
    """Say whom a memory is about: by entity, its role and how certain that is. What was said of it before stays."""
    link_all(connection, lane, [((memory_id, entity_id, *how), stamp) for entity_id, how in links.items()])


def link_all(connection: Connection, lane: LaneRef, links: Sequence[tuple[Link, Stamp]]) -> None:
    """Say whom memories are about, in one statement, however many they are."""
    columns = ("memory_id", "entity_id", "role", "certainty")
    rows = [{**lane.scope, **stamp.begun, **dict(zip(columns, link, strict=True))} for link, stamp in links]
    insert(connection, "memory_entities", rows, conflict="do nothing")


def entities_of_memory(connection: Connection, lane: LaneRef, *memory_ids: UUID) -> list[UUID]:
    """Whom a memory is about, or several are."""
    return Sql(f"""
        select distinct entity_id from mosshead.memory_entities
        where {OF_LANE} and memory_id = any(cast(:memory_ids as uuid[])) and known_to is null
    """).scalars(connection, lane.scope, memory_ids=list(memory_ids))


def sure_of_memory(connection: Connection, lane: LaneRef, memory_id: UUID) -> Sequence[Row[Any]]:
    """Whom a memory is surely about, as the registry has them now. Columns: entity_id, entity_type, role."""
    return Sql(f"""
        select link.entity_id, entity.entity_type, link.role
        from mosshead.memory_entities as link join mosshead.entities as entity using (tenant_id, namespace_id, entity_id)
        where {of_lane("link")} and link.memory_id = :memory_id
          and link.known_to is null and link.certainty = 'sure' and entity.known_to is null
        order by link.entity_id
    """).rows(connection, lane.scope, memory_id=memory_id)


def relate(
    connection: Connection,
    lane: LaneRef,
    memory_id: UUID,
    edges: Sequence[tuple[UUID, UUID, str, UUID]],
    stamp: Stamp,
    *,
    valid_from: datetime,
) -> None:
    """Edges (relation id, subject, predicate, object) that a memory states."""
    shared = {**lane.scope, **stamp.begun, "memory_id": memory_id, "valid_from": valid_from}
    columns = ("relation_id", "subject_id", "predicate", "object_id")
    rows = [shared | dict(zip(columns, edge, strict=True)) for edge in edges]
    insert(connection, "relations", rows, conflict="do nothing")


def end_relations(connection: Connection, lane: LaneRef, memory_id: UUID, stamp: Stamp, *, valid_to: datetime) -> None:
    """The edges that a superseded memory stated held until then, and no longer."""
    ended = renew("relations", "row.memory_id = :memory_id and row.valid_to is null", valid_to=":valid_to")
    Sql(ended).run(connection, lane.scope | stamp.columns, memory_id=memory_id, valid_to=valid_to)


@dataclass(frozen=True, slots=True)
class Edge:
    """From a later memory to an earlier one. weight: of a similar one, the cosine of the two."""

    from_id: UUID
    to_id: UUID
    kind: Literal["similar", "contradicts", "replaces"]
    weight: float | None = None


def join(connection: Connection, lane: LaneRef, edges: Sequence[Edge], stamp: Stamp) -> None:
    """Make edges; those that are there already stay."""
    rows = [{**lane.scope, **stamp.begun, **asdict(one)} for one in edges]
    insert(connection, "memory_edges", rows, conflict="do nothing")
