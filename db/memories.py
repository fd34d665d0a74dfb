"""Memories on the write side: what a batch's facts resemble, and the changes that consolidation makes.

A row is one version. A change closes the current row and opens the next version; nothing is overwritten but the counters of
reinforcement, and nothing is deleted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.refs import BatchRef, LaneRef

Vector = NDArray[np.float32]


class VersionConflict(Exception):
    """A memory changed between being read and being written; the stage is done again with what is there now."""


@dataclass(frozen=True, slots=True)
class SimilarRow:
    """A memory that a candidate fact may be about. subject_ids: the entities that it describes."""

    fact_number: int
    memory_id: UUID
    version: int
    content: str
    attribute: str | None
    value: str | None
    said_at: datetime
    subject_ids: tuple[UUID, ...]
    similarity: float


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What a row of a new memory holds; see the table for the meaning of each."""

    memory_id: UUID
    kind: str
    content: str
    salience: float
    factors: Mapping[str, float]
    confidence: float
    tier: str
    attribute: str | None
    value: str | None
    occurred_from: datetime | None
    occurred_to: datetime | None
    granularity: str | None
    valid_from: datetime


def similar_to_batch(
    connection: Connection, batch: BatchRef, model: str, *, limit: int, least: float
) -> list[SimilarRow]:
    """For each candidate fact of a batch, the memories nearest to it and those that hold the same attribute; nearest first.

    limit: nearest memories per fact. least: cosine below which a memory is not near.
    """
    parameters = {**batch.scope, "model": model, "limit": limit, "least": least}
    return [
        SimilarRow(
            fact_number=row.number,
            memory_id=row.memory_id,
            version=row.version,
            content=row.content,
            attribute=row.attribute,
            value=row.value,
            said_at=row.valid_from,
            subject_ids=tuple(row.subject_ids or ()),
            similarity=float(row.similarity),
        )
        for row in connection.execute(_SIMILAR, parameters)
    ]


def add(connection: Connection, lane: LaneRef, memory: NewMemory) -> None:
    """A new memory, version 1."""
    connection.execute(_ADD, {**lane.scope, **{field: getattr(memory, field) for field in NewMemory.__slots__}})


def update(
    connection: Connection,
    lane: LaneRef,
    memory_id: UUID,
    version: int,
    *,
    content: str,
    value: str | None,
    salience: float,
) -> None:
    """The next version of a memory, with a new content. Raises VersionConflict where it is not at ``version`` any more."""
    _close(connection, lane, memory_id, version)
    changes = {"memory_id": memory_id, "version": version, "content": content, "value": value, "salience": salience}
    connection.execute(_NEXT_CONTENT, {**lane.scope, **changes})


def supersede(
    connection: Connection, lane: LaneRef, memory_id: UUID, version: int, *, superseded_by: UUID, valid_to: datetime
) -> None:
    """Close a memory in valid time and point it to what replaced it. Raises VersionConflict, as `update` does."""
    _close(connection, lane, memory_id, version)
    changes = {"memory_id": memory_id, "version": version, "superseded_by": superseded_by, "valid_to": valid_to}
    connection.execute(_SUPERSEDE, {**lane.scope, **changes})
    connection.execute(_RETIRE_VECTOR, {**lane.scope, "memory_id": memory_id})


def reinforce(connection: Connection, lane: LaneRef, memory_id: UUID, *, step: float, solid: float) -> None:
    """Count that a memory was said again: confidence grows by ``step`` up to 1, and is solid from ``solid`` on."""
    connection.execute(_REINFORCE, {**lane.scope, "memory_id": memory_id, "step": step, "solid": solid})


def add_sources(connection: Connection, lane: LaneRef, memory_id: UUID, quotes: Mapping[UUID, str]) -> None:
    """The messages that a memory was taken from, each with its quote."""
    rows = [{**lane.scope, "memory_id": memory_id, "message_id": key, "quote": quote} for key, quote in quotes.items()]
    if rows:
        connection.execute(_ADD_SOURCE, rows)


def set_vectors(connection: Connection, lane: LaneRef, model: str, kind: str, vectors: Mapping[UUID, Vector]) -> None:
    """The embeddings of memories or profiles (``kind``), by id."""
    rows = [
        {**lane.scope, "model": model, "kind": kind, "owner_id": owner, "vector": HalfVector(vector).to_text()}
        for owner, vector in vectors.items()
    ]
    if rows:
        connection.execute(_SET_VECTOR, rows)


def log_decisions(connection: Connection, batch: BatchRef, decisions: Sequence[Mapping[str, Any]]) -> None:
    """What consolidation decided, with what it saw; keys as the columns of the table."""
    if decisions:
        connection.execute(_LOG, [{**batch.scope, **decision} for decision in decisions])


def _close(connection: Connection, lane: LaneRef, memory_id: UUID, version: int) -> None:
    closed = connection.execute(_CLOSE, {**lane.scope, "memory_id": memory_id, "version": version}).rowcount
    if closed != 1:
        raise VersionConflict(f"memory {memory_id} is no longer at version {version}")


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_SIMILAR = text("""
    with fact as (
        select tenant_id, namespace_id, number, embedding, fact ->> 'attribute' as attribute from recollect.candidate_facts
        where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id and embedding is not null
    ),
    near as (
        select fact.number, found.memory_id, found.similarity from fact cross join lateral (
            select vector.owner_id as memory_id, 1 - (vector.embedding <=> fact.embedding) as similarity
            from recollect.embeddings as vector
            where vector.tenant_id = fact.tenant_id and vector.namespace_id = fact.namespace_id
              and vector.model = :model and vector.owner_kind = 'memory'
            order by vector.embedding <=> fact.embedding limit :limit
        ) as found
        where found.similarity >= :least
        union
        select fact.number, memory.memory_id, 1 - (vector.embedding <=> fact.embedding)
        from fact
        join recollect.memories as memory using (tenant_id, namespace_id, attribute)
        join recollect.embeddings as vector
          on vector.tenant_id = memory.tenant_id and vector.namespace_id = memory.namespace_id
         and vector.model = :model and vector.owner_kind = 'memory' and vector.owner_id = memory.memory_id
        where memory.known_to is null and memory.state = 'active'
    )
    select near.number, near.similarity, memory.memory_id, memory.version, memory.content, memory.attribute, memory.value,
           memory.valid_from,
           (select array_agg(link.entity_id) from recollect.memory_entities as link
            where link.tenant_id = memory.tenant_id and link.namespace_id = memory.namespace_id
              and link.memory_id = memory.memory_id and link.role = 'subject') as subject_ids
    from near
    join recollect.memories as memory
      on memory.tenant_id = :tenant_id and memory.namespace_id = :namespace_id and memory.memory_id = near.memory_id
     and memory.known_to is null
    order by near.number, near.similarity desc, memory.memory_id
""")

_ADD = text("""
    insert into recollect.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, attribute, value,
         state, occurred_from, occurred_to, granularity, valid_from)
    values (:tenant_id, :namespace_id, :memory_id, 1, :kind, :content, :salience, :factors, :confidence, :tier, :attribute,
            :value, 'active', :occurred_from, :occurred_to, :granularity, :valid_from)
""").bindparams(bindparam("factors", type_=JSONB))

_CLOSE = text(f"""
    update recollect.memories set known_to = now()
    where {_LANE} and memory_id = :memory_id and version = :version and known_to is null and state = 'active'
""")

# Copies the row that _CLOSE closed in this transaction, with what changes.
_NEXT_VERSION = """
    insert into recollect.memories
        (tenant_id, namespace_id, memory_id, version, kind, content, salience, factors, confidence, tier, reinforced,
         attribute, value, state, superseded_by, occurred_from, occurred_to, granularity, valid_from, valid_to)
    select tenant_id, namespace_id, memory_id, version + 1, kind, {content}, {salience}, factors, confidence, tier, reinforced,
           attribute, {value}, {state}, {superseded_by}, occurred_from, occurred_to, granularity, valid_from, {valid_to}
    from recollect.memories
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = :memory_id and version = :version
"""
_NEXT_CONTENT = text(
    _NEXT_VERSION.format(
        content=":content",
        salience="greatest(salience, :salience)",
        value="coalesce(:value, value)",
        state="state",
        superseded_by="superseded_by",
        valid_to="valid_to",
    )
)
_SUPERSEDE = text(
    _NEXT_VERSION.format(
        content="content",
        salience="salience",
        value="value",
        state="'superseded'",
        superseded_by=":superseded_by",
        valid_to=":valid_to",
    )
)

_RETIRE_VECTOR = text(f"""
    update recollect.embeddings set owner_kind = 'past_memory'
    where {_LANE} and owner_kind = 'memory' and owner_id = :memory_id
""")

_REINFORCE = text(f"""
    update recollect.memories
    set reinforced = reinforced + 1, confidence = least(1, confidence + :step),
        tier = case when least(1, confidence + :step) >= :solid then 'solid' else tier end
    where {_LANE} and memory_id = :memory_id and known_to is null
""")

_ADD_SOURCE = text("""
    insert into recollect.memory_sources (tenant_id, namespace_id, memory_id, message_id, quote)
    values (:tenant_id, :namespace_id, :memory_id, :message_id, :quote) on conflict do nothing
""")

_SET_VECTOR = text("""
    insert into recollect.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, embedding)
    values (:tenant_id, :namespace_id, :model, :kind, :owner_id, cast(:vector as halfvec))
    on conflict (tenant_id, namespace_id, model, owner_kind, owner_id) do update set embedding = excluded.embedding
""")

_LOG = text("""
    insert into recollect.decisions
        (tenant_id, namespace_id, decision_id, batch_id, action, memory_id, target_id, target_version, fact, candidates,
         decided_by, prompt_version, reason)
    values (:tenant_id, :namespace_id, :decision_id, :batch_id, :action, :memory_id, :target_id, :target_version, :fact,
            :candidates, :decided_by, :prompt_version, :reason)
""").bindparams(bindparam("fact", type_=JSONB), bindparam("candidates", type_=JSONB))
