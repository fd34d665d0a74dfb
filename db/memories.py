"""Memories on the write side: the changes by consolidation, their entities, and their relations to each other.

A row is one version. A change ends the current row and begins the next version; nothing is overwritten or deleted. Changed rows
are marked with their decision (`db.decisions.Stamp`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from pgvector import HalfVector
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, Row

from db.decisions import Stamp
from db.keys import MEMORIES, LaneRef, VersionConflict, insert, renew
from mosshead.embeddings.protocol import Vector
from mosshead.language.retractions import says_no_more
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace
from mosshead.store.memories import CurrentMemory
from mosshead.timestamps import offset_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """The columns of a new memory; the table explains them."""

    memory_id: UUID
    kind: str
    content: str
    salience: float
    factors: Mapping[str, Any]
    confidence: float
    tier: str
    attribute: str | None = None
    value: str | None = None
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None
    granularity: str | None = None
    valid_from: datetime
    said_by: str | None = None
    marked: bool = False
    record_name: str | None = None
    record: Mapping[str, Any] | None = None
    key: str | None = None


Link = tuple[UUID, UUID, str, str]
"""A memory, an entity, its role there, and how certain that is."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from a later memory to an earlier one. weight: for similar memories, their cosine."""

    from_id: UUID
    to_id: UUID
    kind: Literal["similar", "contradicts", "replaces"]
    weight: float | None = None


def add(connection: Connection, lane: LaneRef, memory: NewMemory, stamp: Stamp) -> None:
    """Add a new memory, version 1."""
    add_all(connection, lane, [(memory, stamp)])


def add_all(connection: Connection, lane: LaneRef, new: Sequence[tuple[NewMemory, Stamp]]) -> None:
    """Add new memories, version 1 of each, in one statement."""
    begun = {**lane.scope, "version": 1, "state": "active"}
    rows = [
        begun | stamp.begun | with_offsets({name: getattr(one, name) for name in NewMemory.__slots__})
        for one, stamp in new
    ]
    insert(connection, "memories", rows)


def change(connection: Connection, lane: LaneRef, memory_id: UUID, version: int, stamp: Stamp, **changes: Any) -> None:
    """Write the next version of a memory, with some columns changed (`CHANGEABLE`). Raises VersionConflict if it has changed
    since.
    """
    changes = with_offsets(changes)
    unknown = changes.keys() - CHANGEABLE
    if unknown:
        raise ValueError(f"a memory's {', '.join(sorted(unknown))} cannot change")
    of_version = "row.memory_id = %(memory_id)s and row.version = %(version)s"
    renewed = renew("memories", of_version, version="version + 1", **{column: f"%({column})s" for column in changes})
    data = {name: Jsonb(changes[name]) for name in ("factors", "record") if changes.get(name) is not None}
    row = {**lane.scope, **stamp.columns, "memory_id": memory_id, "version": version, **changes, **data}
    if not Sql(renewed).changes(connection, row):
        raise VersionConflict(f"memory {memory_id} is no longer at version {version}")


def memory_states(connection: Connection, lane: LaneRef, memory_ids: Sequence[UUID]) -> dict[UUID, CurrentMemory]:
    """Return the latest versions of memories, by id; unknown ids are left out."""
    rows = Sql(f"""
        select memory_id, version, state, content from mosshead.memories
        where {OF_NAMESPACE} and memory_id = any(%(memory_ids)s::uuid[]) and known_to is null order by memory_id
    """).run(connection, lane.scope, memory_ids=list(memory_ids))
    return {row.memory_id: CurrentMemory(*row) for row in rows}


def content_of(connection: Connection, lane: LaneRef, memory_id: UUID, version: int) -> str | None:
    """Return the content of a version of a memory; None if there was no such version."""
    content: str | None = Sql(f"""
        select content from mosshead.memories where {OF_NAMESPACE} and memory_id = %(memory_id)s and version = %(version)s
    """).scalar(connection, lane.scope, memory_id=memory_id, version=version)
    return content


def messages_of_withdrawn(connection: Connection, lane: LaneRef, memory_ids: Sequence[UUID]) -> list[UUID]:
    """Return the messages that support only withdrawn memories."""
    rows = Sql(f"""
        select message.message_id, message.content, array_agg(source.quote) as quotes
        from mosshead.messages as message
        join mosshead.memory_sources as source
          on {both_of_namespace("source", "message")} and source.message_id = message.message_id and source.known_to is null
         and source.stance = 'for'
        join mosshead.memories as memory
          on {both_of_namespace("memory", "source")} and memory.memory_id = source.memory_id and memory.known_to is null
        where {of_namespace("message")} and message.message_id = any(array(
            select message_id from mosshead.memory_sources
            where {OF_NAMESPACE} and memory_id = any(%(memory_ids)s::uuid[]) and known_to is null and stance = 'for'))
        group by message.message_id, message.content having bool_and(memory.state = 'withdrawn') order by message.message_id
    """).run(connection, lane.scope, memory_ids=list(memory_ids))
    return [row.message_id for row in rows if says_no_more(row.content, row.quotes)]


def retire_vector(connection: Connection, lane: LaneRef, memory_id: UUID) -> None:
    """Retire a memory's vector, which then finds it only as of an earlier time."""
    Sql(f"""
        update mosshead.embeddings set owner_kind = 'past_memory'
        where {OF_NAMESPACE} and owner_kind = 'memory' and owner_id = %(memory_id)s
    """).run(connection, lane.scope, memory_id=memory_id)


def set_vectors(
    connection: Connection, lane: LaneRef, model: str, kind: str, vectors: Mapping[UUID, Vector], *, version: int = 1
) -> None:
    """Store embeddings of memories or profiles (``kind``), by id. version: of a memory, the one that introduced the text."""
    shared = {**lane.scope, "model": model, "owner_kind": kind, "version": version}
    rows = [shared | {"owner_id": owner, "embedding": HalfVector(one).to_text()} for owner, one in vectors.items()]
    key = "(tenant_id, namespace_id, model, owner_kind, owner_id, version)"
    insert(connection, "embeddings", rows, conflict=f"{key} do update set embedding = excluded.embedding")


def add_sources(
    connection: Connection,
    lane: LaneRef,
    memory_id: UUID,
    quotes: Mapping[UUID, str],
    stamp: Stamp,
    *,
    stance: Literal["for", "against"] = "for",
) -> None:
    """Add messages that support or contradict a memory, each with its quote."""
    shared = {**lane.scope, **stamp.begun, "memory_id": memory_id, "stance": stance}
    rows = [{**shared, "message_id": key, "quote": quote} for key, quote in quotes.items()]
    insert(connection, "memory_sources", rows, conflict="do nothing")


def quotes_for(connection: Connection, lane: LaneRef, memory_id: UUID) -> dict[UUID, str]:
    """Return the messages that support a memory, each with its quote."""
    return Sql(f"""
        select message_id, quote from mosshead.memory_sources
        where {OF_NAMESPACE} and memory_id = %(memory_id)s and stance = 'for' and known_to is null order by message_id
    """).pairs(connection, lane.scope, memory_id=memory_id)


def link(
    connection: Connection, lane: LaneRef, memory_id: UUID, links: Mapping[UUID, tuple[str, str]], stamp: Stamp
) -> None:
    """Link a memory to its entities, each with its role and certainty. Existing links stay."""
    link_all(connection, lane, [((memory_id, entity_id, *how), stamp) for entity_id, how in links.items()])


def link_all(connection: Connection, lane: LaneRef, links: Sequence[tuple[Link, Stamp]]) -> None:
    """Link memories to their entities in one statement."""
    columns = ("memory_id", "entity_id", "role", "certainty")
    rows = [{**lane.scope, **stamp.begun, **dict(zip(columns, link, strict=True))} for link, stamp in links]
    insert(connection, "memory_entities", rows, conflict="do nothing")


def entities_of_memory(connection: Connection, lane: LaneRef, *memory_ids: UUID) -> list[UUID]:
    """Return the entities that one or more memories are about."""
    return Sql(f"""
        select distinct entity_id from mosshead.memory_entities
        where {OF_NAMESPACE} and memory_id = any(%(memory_ids)s::uuid[]) and known_to is null
    """).scalars(connection, lane.scope, memory_ids=list(memory_ids))


def sure_of_memory(connection: Connection, lane: LaneRef, memory_id: UUID) -> Sequence[Row[Any]]:
    """Return the entities that a memory is surely about, as they are now. Columns: entity_id, entity_type, role."""
    return Sql(f"""
        select link.entity_id, entity.entity_type, link.role
        from mosshead.memory_entities as link join mosshead.entities as entity using (tenant_id, namespace_id, entity_id)
        where {of_namespace("link")} and link.memory_id = %(memory_id)s
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
    """Add the relations (id, subject, predicate, object) that a memory states."""
    shared = {**lane.scope, **stamp.begun, "memory_id": memory_id, "valid_from": valid_from}
    columns = ("relation_id", "subject_id", "predicate", "object_id")
    rows = [shared | dict(zip(columns, edge, strict=True)) for edge in edges]
    insert(connection, "relations", rows, conflict="do nothing")


def end_relations(connection: Connection, lane: LaneRef, memory_id: UUID, stamp: Stamp, *, valid_to: datetime) -> None:
    """End the relations that a superseded memory stated."""
    ended = renew("relations", "row.memory_id = %(memory_id)s and row.valid_to is null", valid_to="%(valid_to)s")
    Sql(ended).run(connection, lane.scope | stamp.columns, memory_id=memory_id, valid_to=valid_to)


def join(connection: Connection, lane: LaneRef, edges: Sequence[Edge], stamp: Stamp) -> None:
    """Add edges; existing ones stay."""
    rows = [{**lane.scope, **stamp.begun, **asdict(one)} for one in edges]
    insert(connection, "memory_edges", rows, conflict="do nothing")


def with_offsets(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns, with the offset after each time that is stored with its zone."""
    times = {name: columns[name] for name in ("valid_from", "occurred_from", "occurred_to") if name in columns}
    return {**columns, **{f"{name}_offset": None if at is None else offset_of(at) for name, at in times.items()}}


CHANGEABLE: Final = frozenset(MEMORIES.says.split()) - {
    *("kind", "attribute", "valid_from", "valid_from_offset", "said_by", "key")
}
