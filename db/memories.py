"""Memories on the write side: what a batch's facts resemble, and the changes that consolidation makes.

A row is one version. A change ends the current row and begins the next version, and nothing is overwritten or deleted. What it
changes is marked with the decision that did (`db.decisions.Stamp`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, TextClause, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.decisions import Stamp
from db.keys import OF_LANE, LaneRef
from mosshead.timestamps import offset_of

Vector = NDArray[np.float32]


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
    given = [
        with_offsets(stamp.columns | {name: getattr(one, name) for name in NewMemory.__slots__}) for one, stamp in new
    ]
    rows = [{name: _plain(value) for name, value in row.items()} for row in given]
    if rows:
        connection.execute(_ADD, {**lane.scope, "rows": rows})


def change(connection: Connection, lane: LaneRef, memory_id: UUID, version: int, stamp: Stamp, **changes: Any) -> None:
    """The next version of a memory, with some columns changed (`CHANGEABLE`). Raises VersionConflict where it moved on."""
    changes = with_offsets(changes)
    row = {**lane.scope, **stamp.columns, "memory_id": memory_id, "version": version}
    if connection.execute(_END, row).rowcount != 1:
        raise VersionConflict(f"memory {memory_id} is no longer at version {version}")
    connection.execute(_next_version(frozenset(changes)), {**row, **changes})


def retire_vector(connection: Connection, lane: LaneRef, memory_id: UUID) -> None:
    """A memory is not found by its vector any more, but as of a time before."""
    connection.execute(_RETIRE_VECTOR, {**lane.scope, "memory_id": memory_id})


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
    rows = [
        {**lane.scope, **stamp.columns, "memory_id": memory_id, "message_id": key, "quote": quote, "stance": stance}
        for key, quote in quotes.items()
    ]
    if rows:
        connection.execute(_ADD_SOURCE, rows)


def quotes_for(connection: Connection, lane: LaneRef, memory_id: UUID) -> dict[UUID, str]:
    """The messages that speak for a memory, each with its quote."""
    rows = connection.execute(_QUOTES_FOR, {**lane.scope, "memory_id": memory_id})
    return {row.message_id: row.quote for row in rows}


def set_vectors(
    connection: Connection, lane: LaneRef, model: str, kind: str, vectors: Mapping[UUID, Vector], *, version: int = 1
) -> None:
    """The embeddings of memories or profiles (``kind``), by id. version: of a memory, that which began with the text."""
    rows = [{"owner_id": str(owner), "vector": HalfVector(vector).to_text()} for owner, vector in vectors.items()]
    if rows:
        connection.execute(_SET_VECTORS, {**lane.scope, "model": model, "kind": kind, "version": version, "rows": rows})


def with_offsets(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns, and beside each time that is kept with its zone that zone's offset."""
    times = {name: columns[name] for name in _ZONED if name in columns}
    return {**columns, **{f"{name}_offset": None if at is None else offset_of(at) for name, at in times.items()}}


def _plain(value: Any) -> Any:
    """A column's value as JSON has it."""
    return str(value) if isinstance(value, UUID | datetime) else value


_ZONED: Final = ("valid_from", "occurred_from", "occurred_to")
_OFFSETS: Final = tuple(f"{name}_offset" for name in _ZONED)

CHANGEABLE: Final = frozenset(
    {
        *("content", "value", "salience", "confidence", "tier", "reinforced", "state", "superseded_by", "valid_to"),
        *("occurred_from", "occurred_to", "granularity", "record_name", "record", "marked", "factors"),
        *("occurred_from_offset", "occurred_to_offset"),
    }
)

_NEW_COLUMNS = f"""
    memory_id, kind, content, salience, factors, confidence, tier, attribute, value, occurred_from, occurred_to, granularity,
    valid_from, said_by, marked, record_name, record, key, {", ".join(_OFFSETS)}
"""

_JSON: Final = {"factors": JSONB(), "record": JSONB(none_as_null=True)}

# One statement however many they are: what triggers do, they do once.
_ADD = text(f"""
    insert into mosshead.memories (tenant_id, namespace_id, version, state, known_from, made_by, {_NEW_COLUMNS})
    select :tenant_id, :namespace_id, 1, 'active', at, decision_id, {_NEW_COLUMNS}
    from jsonb_to_recordset(:rows) as one
        (at timestamptz, decision_id uuid, memory_id uuid, kind text, content text, salience real, factors jsonb, confidence real,
         tier text, attribute text, value text, occurred_from timestamptz, occurred_to timestamptz, granularity text,
         valid_from timestamptz, said_by text, marked boolean, record_name text, record jsonb, key text,
         {", ".join(f"{name} smallint" for name in _OFFSETS)})
""").bindparams(bindparam("rows", type_=JSONB))

_END = text(f"""
    update mosshead.memories set known_to = :at, ended_by = :decision_id
    where {OF_LANE} and memory_id = :memory_id and version = :version and known_to is null
""")

IMAGE: Final = (
    *("kind", "content", "salience", "factors", "confidence", "tier", "reinforced", "attribute", "value", "state"),
    *("superseded_by", "occurred_from", "occurred_to", "granularity", "valid_from", "valid_to", "said_by", "marked"),
    *("record_name", "record", "key", *_OFFSETS),
)
"""What a version says, without who made it and when."""


@cache
def _next_version(changed: frozenset[str]) -> TextClause:
    """Copies the row that _END ended in this transaction, with what changes."""
    unknown = changed - CHANGEABLE
    if unknown:
        raise ValueError(f"a memory's {', '.join(sorted(unknown))} cannot change")
    values = ", ".join(f":{column}" if column in changed else column for column in IMAGE)
    statement = text(f"""
        insert into mosshead.memories
            (tenant_id, namespace_id, memory_id, version, known_from, made_by, {", ".join(IMAGE)})
        select tenant_id, namespace_id, memory_id, version + 1, :at, :decision_id, {values}
        from mosshead.memories where {OF_LANE} and memory_id = :memory_id and version = :version
    """)
    return statement.bindparams(*(bindparam(name, type_=kind) for name, kind in _JSON.items() if name in changed))


_RETIRE_VECTOR = text(f"""
    update mosshead.embeddings set owner_kind = 'past_memory'
    where {OF_LANE} and owner_kind = 'memory' and owner_id = :memory_id
""")

_ADD_SOURCE = text("""
    insert into mosshead.memory_sources
        (tenant_id, namespace_id, memory_id, message_id, quote, stance, known_from, made_by)
    values (:tenant_id, :namespace_id, :memory_id, :message_id, :quote, :stance, :at, :decision_id) on conflict do nothing
""")

_QUOTES_FOR = text(f"""
    select message_id, quote from mosshead.memory_sources
    where {OF_LANE} and memory_id = :memory_id and stance = 'for' and known_to is null order by message_id
""")

_SET_VECTORS = text("""
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select :tenant_id, :namespace_id, :model, :kind, owner_id, :version, cast(vector as halfvec)
    from jsonb_to_recordset(:rows) as one (owner_id uuid, vector text)
    on conflict (tenant_id, namespace_id, model, owner_kind, owner_id, version) do update set embedding = excluded.embedding
""").bindparams(bindparam("rows", type_=JSONB))


@dataclass(frozen=True, slots=True)
class MemoryState:
    """A memory as it is now. state: "active", "superseded" or "withdrawn"."""

    memory_id: UUID
    version: int
    state: str
    content: str


def memory_states(connection: Connection, lane: LaneRef, memory_ids: Sequence[UUID]) -> dict[UUID, MemoryState]:
    """The latest versions of some memories, by id; of those that there are."""
    rows = connection.execute(_STANDING, {**lane.scope, "memory_ids": list(memory_ids)})
    return {row.memory_id: MemoryState(row.memory_id, row.version, row.state, row.content) for row in rows}


def content_of(connection: Connection, lane: LaneRef, memory_id: UUID, version: int) -> str | None:
    """What a version of a memory said; None where there was no such version."""
    content: str | None = connection.execute(
        _CONTENT, {**lane.scope, "memory_id": memory_id, "version": version}
    ).scalar()
    return content


_STANDING = text(f"""
    select memory_id, version, state, content from mosshead.memories
    where {OF_LANE} and memory_id = any(cast(:memory_ids as uuid[])) and known_to is null order by memory_id
""")

_CONTENT = text(f"""
    select content from mosshead.memories where {OF_LANE} and memory_id = :memory_id and version = :version
""")
