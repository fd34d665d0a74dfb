"""Memories on the write side: what a batch's facts resemble, and the changes that consolidation makes.

A row is one version. A change ends the current row and begins the next version, and nothing is overwritten or deleted. What it
changes is marked with the decision that did (`db.decisions.Stamp`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from pgvector import HalfVector
from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.decisions import Stamp
from db.keys import MEMORIES, OF_LANE, LaneRef, insert, renew
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import Sql
from mosshead.store.memories import CurrentMemory
from mosshead.timestamps import offset_of


class VersionConflict(Exception):
    """A memory changed between being read and being written; the stage is done again with what is there now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """What a row of a new memory holds; see the table for the meaning of each."""

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


def add(connection: Connection, lane: LaneRef, memory: NewMemory, stamp: Stamp) -> None:
    """A new memory, version 1."""
    add_all(connection, lane, [(memory, stamp)])


def add_all(connection: Connection, lane: LaneRef, new: Sequence[tuple[NewMemory, Stamp]]) -> None:
    """New memories, version 1 of each, in one statement."""
    begun = {**lane.scope, "version": 1, "state": "active"}
    rows = [
        begun | stamp.begun | with_offsets({name: getattr(one, name) for name in NewMemory.__slots__})
        for one, stamp in new
    ]
    insert(connection, "memories", rows)


def change(connection: Connection, lane: LaneRef, memory_id: UUID, version: int, stamp: Stamp, **changes: Any) -> None:
    """The next version of a memory, with some columns changed (`CHANGEABLE`). Raises VersionConflict where it moved on."""
    changes = with_offsets(changes)
    unknown = changes.keys() - CHANGEABLE
    if unknown:
        raise ValueError(f"a memory's {', '.join(sorted(unknown))} cannot change")
    of_version = "row.memory_id = :memory_id and row.version = :version"
    renewed = renew("memories", of_version, version="version + 1", **{column: f":{column}" for column in changes})
    data = {name: Jsonb(changes[name]) for name in ("factors", "record") if changes.get(name) is not None}
    row = {**lane.scope, **stamp.columns, "memory_id": memory_id, "version": version, **changes, **data}
    if not Sql(renewed).changes(connection, row):
        raise VersionConflict(f"memory {memory_id} is no longer at version {version}")


def retire_vector(connection: Connection, lane: LaneRef, memory_id: UUID) -> None:
    """A memory is not found by its vector any more, but as of a time before."""
    Sql(f"""
        update mosshead.embeddings set owner_kind = 'past_memory'
        where {OF_LANE} and owner_kind = 'memory' and owner_id = :memory_id
    """).run(connection, lane.scope, memory_id=memory_id)


def add_sources(
    connection: Connection,
    lane: LaneRef,
    memory_id: UUID,
    quotes: Mapping[UUID, str],
    stamp: Stamp,
    *,
    stance: Literal["for", "against"] = "for",
) -> None:
    """The messages that speak for a memory, or against it, each with its quote."""
    shared = {**lane.scope, **stamp.begun, "memory_id": memory_id, "stance": stance}
    rows = [{**shared, "message_id": key, "quote": quote} for key, quote in quotes.items()]
    insert(connection, "memory_sources", rows, conflict="do nothing")


def quotes_for(connection: Connection, lane: LaneRef, memory_id: UUID) -> dict[UUID, str]:
    """The messages that speak for a memory, each with its quote."""
    return Sql(f"""
        select message_id, quote from mosshead.memory_sources
        where {OF_LANE} and memory_id = :memory_id and stance = 'for' and known_to is null order by message_id
    """).pairs(connection, lane.scope, memory_id=memory_id)


def set_vectors(
    connection: Connection, lane: LaneRef, model: str, kind: str, vectors: Mapping[UUID, Vector], *, version: int = 1
) -> None:
    """The embeddings of memories or profiles (``kind``), by id. version: of a memory, that which began with the text."""
    shared = {**lane.scope, "model": model, "owner_kind": kind, "version": version}
    rows = [shared | {"owner_id": owner, "embedding": HalfVector(one).to_text()} for owner, one in vectors.items()]
    key = "(tenant_id, namespace_id, model, owner_kind, owner_id, version)"
    insert(connection, "embeddings", rows, conflict=f"{key} do update set embedding = excluded.embedding")


def with_offsets(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns, and beside each time that is kept with its zone that zone's offset."""
    times = {name: columns[name] for name in ("valid_from", "occurred_from", "occurred_to") if name in columns}
    return {**columns, **{f"{name}_offset": None if at is None else offset_of(at) for name, at in times.items()}}


CHANGEABLE: Final = frozenset(MEMORIES.says.split()) - {
    *("kind", "attribute", "valid_from", "valid_from_offset", "said_by", "key")
}


def memory_states(connection: Connection, lane: LaneRef, memory_ids: Sequence[UUID]) -> dict[UUID, CurrentMemory]:
    """The latest versions of some memories, by id; of those that there are."""
    rows = Sql(f"""
        select memory_id, version, state, content from mosshead.memories
        where {OF_LANE} and memory_id = any(cast(:memory_ids as uuid[])) and known_to is null order by memory_id
    """).run(connection, lane.scope, memory_ids=list(memory_ids))
    return {row.memory_id: CurrentMemory(*row) for row in rows}


def content_of(connection: Connection, lane: LaneRef, memory_id: UUID, version: int) -> str | None:
    """What a version of a memory said; None where there was no such version."""
    content: str | None = Sql(f"""
        select content from mosshead.memories where {OF_LANE} and memory_id = :memory_id and version = :version
    """).scalar(connection, lane.scope, memory_id=memory_id, version=version)
    return content
