"""Links from memories to entities, relations between entities, and edges between memories."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, Row, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.decisions import Stamp
from db.keys import OF_LANE, LaneRef
from db.temporal import ENDED, begin

Link = tuple[UUID, UUID, str, str]
"""A memory, an entity, in which role it stands there, and how certain that is."""


def link(
    connection: Connection, lane: LaneRef, memory_id: UUID, links: Mapping[UUID, tuple[str, str]], stamp: Stamp
) -> None:
    """Say whom a memory is about: by entity, its role and how certain that is. What was said of it before stays."""
    link_all(connection, lane, [((memory_id, entity_id, *how), stamp) for entity_id, how in links.items()])


def link_all(connection: Connection, lane: LaneRef, links: Sequence[tuple[Link, Stamp]]) -> None:
    """Say whom memories are about, in one statement, however many they are."""
    rows = [
        {"memory_id": str(memory_id), "entity_id": str(entity_id), "role": role, "certainty": certainty}
        | {"at": str(stamp.at), "decision_id": str(stamp.decision_id)}
        for (memory_id, entity_id, role, certainty), stamp in links
    ]
    if rows:
        connection.execute(_LINK, {**lane.scope, "rows": rows})


def entities_of_memory(connection: Connection, lane: LaneRef, *memory_ids: UUID) -> list[UUID]:
    """Whom a memory is about, or several are."""
    return list(connection.execute(_OF_MEMORY, {**lane.scope, "memory_ids": list(memory_ids)}).scalars())


def sure_of_memory(connection: Connection, lane: LaneRef, memory_id: UUID) -> Sequence[Row[Any]]:
    """Whom a memory is surely about, as the registry has them now. Columns: entity_id, entity_type, role."""
    return connection.execute(_SURE_OF_MEMORY, {**lane.scope, "memory_id": memory_id}).all()


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
    shared = {**lane.scope, **stamp.columns, "memory_id": memory_id, "valid_from": valid_from}
    rows = [
        {**shared, "relation_id": key, "subject_id": subject, "predicate": predicate, "object_id": other}
        for key, subject, predicate, other in edges
    ]
    if rows:
        connection.execute(_RELATE, rows)


def end_relations(connection: Connection, lane: LaneRef, memory_id: UUID, stamp: Stamp, *, valid_to: datetime) -> None:
    """The edges that a superseded memory stated held until then, and no longer."""
    connection.execute(_END_RELATIONS, {**lane.scope, **stamp.columns, "memory_id": memory_id, "valid_to": valid_to})


_LINK = text("""
    insert into mosshead.memory_entities
        (tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from, made_by)
    select :tenant_id, :namespace_id, memory_id, entity_id, role, certainty, at, decision_id
    from jsonb_to_recordset(:rows) as one
        (memory_id uuid, entity_id uuid, role text, certainty text, at timestamptz, decision_id uuid)
    on conflict do nothing
""").bindparams(bindparam("rows", type_=JSONB))

_OF_MEMORY = text(f"""
    select distinct entity_id from mosshead.memory_entities
    where {OF_LANE} and memory_id = any(cast(:memory_ids as uuid[])) and known_to is null
""")

_SURE_OF_MEMORY = text("""
    select link.entity_id, entity.entity_type, link.role
    from mosshead.memory_entities as link join mosshead.entities as entity using (tenant_id, namespace_id, entity_id)
    where link.tenant_id = :tenant_id and link.namespace_id = :namespace_id and link.memory_id = :memory_id
      and link.known_to is null and link.certainty = 'sure' and entity.known_to is null
    order by link.entity_id
""")

_RELATE = text("""
    insert into mosshead.relations
        (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from,
         known_from, made_by)
    values (:tenant_id, :namespace_id, :relation_id, :subject_id, :predicate, :object_id, :memory_id, :valid_from,
            :at, :decision_id)
    on conflict do nothing
""")

_END_RELATIONS = text(f"""
    with ended as (
        update mosshead.relations set {ENDED}
        where {OF_LANE} and memory_id = :memory_id and valid_to is null and known_to is null returning *
    )
    {begin("relations", valid_to=":valid_to")} from ended
""")

EdgeKind = Literal["similar", "contradicts", "replaces"]


@dataclass(frozen=True, slots=True)
class Edge:
    """From a later memory to an earlier one. weight: of a similar one, the cosine of the two."""

    from_id: UUID
    to_id: UUID
    kind: EdgeKind
    weight: float | None = None


def join(connection: Connection, lane: LaneRef, edges: Sequence[Edge], stamp: Stamp) -> None:
    """Make edges; those that are there already stay."""
    rows = [{**lane.scope, **stamp.columns, **asdict(one)} for one in edges]
    if rows:
        connection.execute(_JOIN, rows)


_JOIN = text("""
    insert into mosshead.memory_edges (tenant_id, namespace_id, from_id, to_id, kind, weight, known_from, made_by)
    values (:tenant_id, :namespace_id, :from_id, :to_id, :kind, :weight, :at, :decision_id) on conflict do nothing
""")
