"""The SQL of the read side about what was and why: memories as of a time, where they came from, and what was decided.

As in `mosshead.views`, functions take a connection inside a transaction that has set its tenant, and never commit. Without
``as_of`` they speak of now.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from mosshead.decisions import Action, Decision, Related
from mosshead.embedders.embedder import Vectors
from mosshead.namespaces import NamespacePath
from mosshead.results import Hit, StoredMemory
from mosshead.rows import DECISION_COLUMNS, decision_of, memory_fields, source_of


def memory(
    connection: Connection, path: NamespacePath, memory_id: UUID, *, as_of: datetime | None = None
) -> StoredMemory | None:
    """One memory with its sources, superseded and withdrawn ones included; None where none was known at that time."""
    parameters = {**scope(path, as_of), "memory_id": memory_id}
    row = connection.execute(_MEMORY, parameters).one_or_none()
    if row is None:
        return None
    sources = tuple(source_of(source) for source in connection.execute(_SOURCES, parameters))
    return StoredMemory(**memory_fields(row), sources=sources)


def memory_by_key(
    connection: Connection, path: NamespacePath, key: str, *, as_of: datetime | None = None
) -> UUID | None:
    """The id of the memory that was imported under a key; None where there was none at that time."""
    return connection.execute(_BY_KEY, {**scope(path, as_of), "key": key}).scalar_one_or_none()


def similar_memories(
    connection: Connection,
    path: NamespacePath,
    *,
    model: str,
    vector: Vectors,
    limit: int,
    threshold: float | None,
    as_of: datetime,
) -> list[Hit]:
    """The memories of that time nearest to a vector, by their texts of that time; most similar first."""
    from pgvector import HalfVector  # it brings numpy

    asked = {"model": model, "vector": HalfVector(vector).to_text(), "limit": limit, "threshold": threshold}
    rows = connection.execute(_SIMILAR, {**scope(path, as_of), **asked})
    return [Hit(**memory_fields(row), similarity=round(row.similarity, 4)) for row in rows]


def memories_from(connection: Connection, path: NamespacePath, message_id: UUID) -> list[StoredMemory]:
    """What was taken from a message, as it is known now, superseded ones included."""
    rows = connection.execute(_FROM_MESSAGE, {**scope(path, None), "message_id": message_id})
    return [StoredMemory(**memory_fields(row)) for row in rows]


def decisions(connection: Connection, path: NamespacePath, memory_id: UUID) -> list[Decision]:
    """What was decided about a memory, in order."""
    return [decision_of(row) for row in connection.execute(_DECISIONS, {**scope(path, None), "memory_id": memory_id})]


def decision(connection: Connection, path: NamespacePath, decision_id: UUID) -> Decision | None:
    """One decision; None where there is no such one."""
    row = connection.execute(_DECISION, {**scope(path, None), "decision_id": decision_id}).one_or_none()
    return decision_of(row) if row else None


def latest_decisions(connection: Connection, path: NamespacePath, limit: int) -> list[Decision]:
    """What was decided last, the latest first."""
    return [decision_of(row) for row in connection.execute(_LATEST, {**scope(path, None), "limit": limit})]


def later_decisions(connection: Connection, path: NamespacePath, decision_id: UUID) -> list[UUID]:
    """The decisions in effect that changed, after one, what it had written of a memory or a document; the latest first."""
    return list(connection.execute(_LATER, {**scope(path, None), "decision_id": decision_id}).scalars())


def decisions_to(connection: Connection, path: NamespacePath, action: Action, limit: int) -> list[Decision]:
    """The latest decisions of one kind, the latest first."""
    parameters = {**scope(path, None), "action": action, "limit": limit}
    return [decision_of(row) for row in connection.execute(_LATEST_OF_KIND, parameters)]


def related(connection: Connection, path: NamespacePath, memory_id: UUID, limit: int) -> list[Related]:
    """How other memories of now stand to one, the strongest first of each kind."""
    rows = connection.execute(_RELATED, {**scope(path, None), "memory_id": memory_id, "limit": limit})
    return [Related(kind=row.kind, memory_id=row.memory_id, entity_id=row.entity_id, weight=row.weight) for row in rows]


def scope(path: NamespacePath, as_of: datetime | None) -> dict[str, Any]:
    """The parameters of `known`: whose rows, and of which time; None for now."""
    return {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "as_of": as_of}


TIME = "coalesce(cast(:as_of as timestamptz), 'infinity')"
"""SQL for the time that a read of the past is about."""


def known(alias: str) -> str:
    """SQL for the rows of a namespace, under an alias, that were known at a time."""
    return f"""{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id
        and {alias}.known_from <= {TIME} and ({alias}.known_to is null or {alias}.known_to > {TIME})"""


_COLUMNS = f"""
    memory.memory_id, memory.version, memory.kind, memory.content, memory.salience, memory.confidence, memory.tier,
    memory.state, memory.superseded_by, memory.occurred_from, memory.occurred_to, memory.granularity, memory.valid_from,
    memory.said_by, memory.marked, memory.record_name, memory.record, memory.key,
    memory.valid_from_offset, memory.occurred_from_offset, memory.occurred_to_offset,
    (select array_agg(entity.name order by array_position(array['subject', 'object', 'about'], link.role), entity.name)
     from mosshead_read_v1.memory_entities_over_time as link
     join mosshead_read_v1.entities_over_time as entity on entity.entity_id = link.entity_id
     where {known("link")} and {known("entity")} and link.memory_id = memory.memory_id) as about
"""

_MEMORY = text(f"""
    select {_COLUMNS} from mosshead_read_v1.memories as memory where {known("memory")} and memory.memory_id = :memory_id
""")

_BY_KEY = text(f"""
    select memory.memory_id from mosshead_read_v1.memories as memory where {known("memory")} and memory.key = :key
""")

_SOURCES = text(f"""
    select source.message_id, source.quote, source.stance, message.role, message.speaker, message.occurred_at,
           message.occurred_at_offset
    from mosshead_read_v1.provenance_over_time as source
    left join mosshead_read_v1.messages as message
      on message.tenant_id = source.tenant_id and message.namespace_id = source.namespace_id
     and message.message_id = source.message_id
    where {known("source")} and source.memory_id = :memory_id
    order by source.stance desc, message.occurred_at, source.message_id
""")

_SIMILAR = text(f"""
    select {_COLUMNS}, 1 - (vector.embedding <=> cast(:vector as halfvec)) as similarity
    from mosshead_read_v1.memories as memory cross join lateral (
        select embedding from mosshead_read_v1.embeddings as vector
        where vector.tenant_id = :tenant_id and vector.namespace_id = :namespace_id and vector.model = :model
          and vector.owner_kind in ('memory', 'past_memory') and vector.owner_id = memory.memory_id
          and vector.version <= memory.version
        order by vector.version desc limit 1
    ) as vector
    where {known("memory")} and memory.state = 'active'
      and (cast(:threshold as float8) is null or 1 - (vector.embedding <=> cast(:vector as halfvec)) > :threshold)
    order by vector.embedding <=> cast(:vector as halfvec), memory.memory_id limit :limit
""")

_FROM_MESSAGE = text(f"""
    select {_COLUMNS} from mosshead_read_v1.memories as memory
    where {known("memory")} and memory.memory_id in (
        select source.memory_id from mosshead_read_v1.provenance as source
        where source.tenant_id = :tenant_id and source.namespace_id = :namespace_id and source.message_id = :message_id
          and source.stance = 'for')
    order by memory.memory_id
""")

_DECISIONS_OF_NAMESPACE = "decision.tenant_id = :tenant_id and decision.namespace_id = :namespace_id"

_DECISIONS = text(f"""
    select {DECISION_COLUMNS} from mosshead_read_v1.decisions as decision
    join mosshead_read_v1.decision_memories as concerned using (tenant_id, namespace_id, decision_id)
    where {_DECISIONS_OF_NAMESPACE} and concerned.memory_id = :memory_id order by decision.position
""")

_DECISION = text(f"""
    select {DECISION_COLUMNS} from mosshead_read_v1.decisions as decision
    where {_DECISIONS_OF_NAMESPACE} and decision_id = :decision_id
""")

_LATEST = text(f"""
    select {DECISION_COLUMNS} from mosshead_read_v1.decisions as decision where {_DECISIONS_OF_NAMESPACE}
    order by position desc limit :limit
""")

# All rows of a decision carry its time, where they begin and where they end: by that one sees that two wrote the same part of a
# memory. That both changed the memory is not enough: that it is said again changes nothing of whom it is about.
_LATER = text("""
    with decision as (
        select decision_id, action, target_id, position, decided_at from mosshead_read_v1.decisions
        where tenant_id = :tenant_id and namespace_id = :namespace_id and decision_id = :decision_id
    ),
    own as (
        select memory_id from mosshead_read_v1.decision_memories
        where tenant_id = :tenant_id and namespace_id = :namespace_id and decision_id = :decision_id and changed
    ),
    written as (
        select memory_id, cast(null as uuid) as part, known_from, known_to from mosshead_read_v1.memories
        where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id in (select memory_id from own)
        union all
        select memory_id, entity_id, known_from, known_to from mosshead_read_v1.memory_entities_over_time
        where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id in (select memory_id from own)
        union all
        select memory_id, relation_id, known_from, known_to from mosshead_read_v1.relations_over_time
        where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id in (select memory_id from own)
    )
    select later.decision_id, later.position
    from decision
    join written as mine on decision.decided_at in (mine.known_from, mine.known_to)
    join written as others on others.memory_id = mine.memory_id and others.part is not distinct from mine.part
    join mosshead_read_v1.decision_memories as concerned
      on concerned.tenant_id = :tenant_id and concerned.namespace_id = :namespace_id and concerned.memory_id = mine.memory_id
     and concerned.changed
    join mosshead_read_v1.decisions as later
      on later.tenant_id = :tenant_id and later.namespace_id = :namespace_id and later.decision_id = concerned.decision_id
     and later.decided_at in (others.known_from, others.known_to)
    where later.position > decision.position and later.in_effect and later.action <> 'undo'
    union
    select later.decision_id, later.position
    from decision
    join mosshead_read_v1.decisions as later
      on later.tenant_id = :tenant_id and later.namespace_id = :namespace_id and later.target_id = decision.target_id
     and later.action = decision.action
    where decision.action = 'document' and later.position > decision.position and later.in_effect
    order by position desc
""")

_LATEST_OF_KIND = text(f"""
    select {DECISION_COLUMNS} from mosshead_read_v1.decisions as decision where {_DECISIONS_OF_NAMESPACE} and action = :action
    order by position desc limit :limit
""")

_RELATED = text("""
    with stored as (
        select kind, to_id as memory_id, weight from mosshead_read_v1.edges
        where tenant_id = :tenant_id and namespace_id = :namespace_id and from_id = :memory_id
        union
        select case kind when 'replaces' then 'replaced_by' else kind end, from_id, weight from mosshead_read_v1.edges
        where tenant_id = :tenant_id and namespace_id = :namespace_id and to_id = :memory_id
    ),
    shared as (
        select 'shares_entity' as kind, other.memory_id, count(*) as weight
        from mosshead_read_v1.memory_entities as own
        join mosshead_read_v1.memory_entities as other using (tenant_id, namespace_id, entity_id)
        where tenant_id = :tenant_id and namespace_id = :namespace_id and own.memory_id = :memory_id
          and other.memory_id <> :memory_id
        group by other.memory_id
    ),
    found as (
        select both_kinds.kind, both_kinds.memory_id, cast(null as uuid) as entity_id, weight
        from (select * from stored union all select * from shared) as both_kinds
        join mosshead_read_v1.memories as memory on memory.memory_id = both_kinds.memory_id
        where memory.tenant_id = :tenant_id and memory.namespace_id = :namespace_id and memory.known_to is null
          and (memory.state = 'active' or both_kinds.kind in ('replaces', 'replaced_by')) and memory.state <> 'withdrawn'
        union all
        select 'summary', null, profile.entity_id, null
        from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.profiles as profile using (tenant_id, namespace_id, entity_id)
        where tenant_id = :tenant_id and namespace_id = :namespace_id and link.memory_id = :memory_id and profile.version > 0
    )
    select * from (
        select *, row_number() over (partition by kind order by weight desc nulls last, memory_id, entity_id) as place from found
    ) as ranked
    where place <= :limit order by kind, place
""")
