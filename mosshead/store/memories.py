"""The read side's SQL about memories, now and as of a time: it selects from the views of version 1, and nothing else.

Functions take a connection inside a transaction that has set its tenant (`mosshead.store.connection`), and never commit.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection, Row, text

from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.models.memories import (
    Action,
    Decision,
    DecisionCandidate,
    Entity,
    Occurrence,
    Profile,
    Progress,
    Related,
    Source,
    StoredMemory,
)
from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql, Statement, same_namespace
from mosshead.timestamps import in_zone


def live_models(connection: psycopg.Connection[Any]) -> list[str]:
    """The models that there are vectors of, of all that is known: the active one first. None before the service first ran.

    connection: the driver's, as it was opened, for this belongs to no tenant and is asked before anything else.
    """
    rows: list[Any] = connection.cursor(row_factory=namedtuple_row).execute(_MODELS).fetchall()
    # The column came later than the view: tables that are older than this library have one model.
    return [row.model for row in rows if row.active or getattr(row, "ready", False)]


def memories(
    connection: Connection,
    path: NamespacePath,
    limit: int,
    *,
    kind: str | None = None,
    state: str = "active",
    about: UUID | None = None,
) -> list[StoredMemory]:
    """The memories in a state, most salient first; of a kind, or about an entity, where these are given."""
    which = f"""memory.state = :state
          and (cast(:kind as text) is null or memory.kind = :kind)
          and (cast(:about as uuid) is null or exists (
              select from mosshead_read_v1.memory_entities as link
              where {same_namespace("link", "memory")} and link.memory_id = memory.memory_id and link.entity_id = :about))
        order by memory.salience desc, memory.memory_id limit :limit"""
    return memories_where(connection, path, which, limit=limit, kind=kind, state=state, about=about)


def memories_where(connection: Connection, path: NamespacePath, which: str, **parameters: Any) -> list[StoredMemory]:
    """Memories as they are now. which: a condition on ``memory``, and the order."""
    rows = Sql(f"""
        select {MEMORY_COLUMNS} from mosshead_read_v1.memories as memory where {known_now("memory")} and {which}
    """).run(connection, path.ids, **parameters)
    return [StoredMemory(**memory_fields(row)) for row in rows]


def entities(connection: Connection, path: NamespacePath) -> list[Entity]:
    """Every entity of the namespace, those with the most memories first."""
    rows = Sql(f"""
        select {_ENTITY_COLUMNS} from {_ENTITY_TABLES} where entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id
        order by memories desc, entity.name, entity.entity_id
    """).run(connection, path.ids)
    return [entity_of(row) for row in rows]


def profiles(connection: Connection, path: NamespacePath, *, entity_ids: Iterable[UUID]) -> list[Profile]:
    """The profiles of some entities, in no order."""
    rows = Sql(f"""
        select {_ENTITY_COLUMNS}, profile.summary, profile.refreshed_at from {_ENTITY_TABLES}
        left join mosshead_read_v1.profiles as profile
          on {same_namespace("profile", "entity")} and profile.entity_id = entity.entity_id
        where entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.entity_id = any(:entity_ids)
    """).run(connection, path.ids, entity_ids=list(entity_ids))
    return [Profile(entity=entity_of(row), summary=row.summary or "", refreshed_at=row.refreshed_at) for row in rows]


def entities_named(connection: Connection, path: NamespacePath, names: Sequence[str]) -> dict[UUID, str]:
    """The entities that bear one of the names (normalised), each with the name that it was found by; the longest, if several."""
    return Sql("""
        select entity_id, normalised from mosshead_read_v1.aliases
        where tenant_id = :tenant_id and namespace_id = :namespace_id and normalised = any(:names)
        order by length(normalised), normalised, entity_id
    """).pairs(connection, path.ids, names=list(names))


def progress_statement(path: NamespacePath) -> Statement:
    """The statement that asks how far the namespace's events have come; its rows are for `progress_of`."""
    return _PROGRESS, path.ids


def progress_of(rows: Sequence[Any]) -> Progress:
    """What the rows of `progress_statement` say."""
    return Progress(
        pending=max((row.pending for row in rows), default=0),
        at_work=any(row.at_work for row in rows),
        received={row.publisher_id: row.received_up_to for row in rows},
        consolidated={row.publisher_id: row.consolidated_up_to for row in rows},
    )


def received(
    connection: Connection, tenant_id: UUID, namespace_ids: Sequence[UUID], publisher_id: UUID
) -> dict[UUID, int]:
    """By namespace, the number up to which all of a publisher's events are in the inbox. The transaction is the tenant's."""
    return Sql("""
        select namespace_id, received_up_to from mosshead_read_v1.progress
        where tenant_id = :tenant_id and namespace_id = any(cast(:namespace_ids as uuid[])) and publisher_id = :publisher_id
    """).pairs(connection, tenant_id=tenant_id, namespace_ids=list(namespace_ids), publisher_id=publisher_id)


_MODELS: LiteralString = "select * from mosshead_read_v1.models order by active desc, model"

_AS_STORED = "version content tier state superseded_by said_by marked record_name record key".split()
_TIMES = (
    "valid_from occurred_from occurred_to valid_from_offset occurred_from_offset occurred_to_offset granularity".split()
)
OWN_COLUMNS = ", ".join(
    f"memory.{name}" for name in ("memory_id", "kind", "salience", "confidence", *_AS_STORED, *_TIMES)
)
"""What `memory_fields` reads of the alias ``memory``; beside these it reads ``about``."""

NAMES_IN_ORDER = (
    "array_agg(entity.name order by array_position(array['subject', 'object', 'about'], link.role), entity.name)"
)


def memory_columns(holds: Callable[[str], str] | None = None) -> str:
    """What `memory_fields` reads of the alias ``memory``. holds: SQL for an alias's rows of a time; of now by default."""
    over_time, then = ("", "") if holds is None else ("_over_time", f"and {holds('link')} and {holds('entity')}")
    return f"""{OWN_COLUMNS},
    (select {NAMES_IN_ORDER}
     from mosshead_read_v1.memory_entities{over_time} as link
     join mosshead_read_v1.entities{over_time} as entity using (tenant_id, namespace_id, entity_id)
     where {same_namespace("link", "memory")} and link.memory_id = memory.memory_id {then}) as about
"""


MEMORY_COLUMNS = memory_columns()

_ENTITY_COLUMNS = f"""
    entity.entity_id, entity.key, entity.name, entity.entity_type, entity.description, entity.is_user, parent.name as parent,
    (select array_agg(alias.alias order by alias.alias) from mosshead_read_v1.aliases as alias
     where {same_namespace("alias", "entity")} and alias.entity_id = entity.entity_id) as aliases,
    (select count(*) from mosshead_read_v1.memory_entities as link
     join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
     where {same_namespace("link", "entity")}
       and link.entity_id = entity.entity_id and memory.known_to is null and memory.state = 'active') as memories
"""

_ENTITY_TABLES = f"""
    mosshead_read_v1.entities as entity
    left join mosshead_read_v1.entities as parent
      on {same_namespace("parent", "entity")} and parent.entity_id = entity.parent_id
"""

_PROGRESS = """
    select publisher_id, received_up_to, consolidated_up_to, pending, at_work from mosshead_read_v1.progress
    where tenant_id = %(tenant_id)s and namespace_id = %(namespace_id)s
"""


def memory(
    connection: Connection, path: NamespacePath, wanted: UUID | str, *, as_of: datetime | None = None
) -> StoredMemory | None:
    """One memory with its sources, superseded and withdrawn ones included; None where none was known at that time.

    wanted: its id, or the key under which it was imported.
    """
    row = Sql(f"""
        select {memory_columns(known)} from mosshead_read_v1.memories as memory
        where {known("memory")} and memory.{"key" if isinstance(wanted, str) else "memory_id"} = :wanted
    """).row(connection, scope(path, as_of), wanted=wanted)
    if row is None:
        return None
    rows = Sql(f"""
        select source.message_id, source.quote, source.stance, message.role, message.speaker, message.occurred_at,
               message.occurred_at_offset
        from mosshead_read_v1.provenance_over_time as source
        left join mosshead_read_v1.messages as message
          on {same_namespace("message", "source")} and message.message_id = source.message_id
        where {known("source")} and source.memory_id = :memory_id
        order by source.stance desc, message.occurred_at, source.message_id
    """).run(connection, scope(path, as_of), memory_id=row.memory_id)
    sources = tuple(
        Source(
            message_id=one.message_id,
            quote=one.quote,
            stance=one.stance,
            role=Role(one.role) if one.role else None,
            speaker=one.speaker,
            said_at=one.occurred_at and in_zone(one.occurred_at, one.occurred_at_offset),
        )
        for one in rows
    )
    return StoredMemory(**memory_fields(row), sources=sources)


def memories_from(connection: Connection, path: NamespacePath, message_id: UUID) -> list[StoredMemory]:
    """What was taken from a message, as it is known now, superseded ones included."""
    which = """memory.memory_id in (
            select source.memory_id from mosshead_read_v1.provenance as source
            where source.tenant_id = :tenant_id and source.namespace_id = :namespace_id and source.message_id = :message_id
              and source.stance = 'for')
        order by memory.memory_id"""
    return memories_where(connection, path, which, message_id=message_id)


def decisions(connection: Connection, path: NamespacePath, memory_id: UUID) -> list[Decision]:
    """What was decided about a memory, in order."""
    concerned = "join mosshead_read_v1.decision_memories as concerned using (tenant_id, namespace_id, decision_id)"
    which = "concerned.memory_id = :memory_id order by position"
    return decisions_where(connection, path, which, joined=concerned, memory_id=memory_id)


def decision(connection: Connection, path: NamespacePath, decision_id: UUID) -> Decision | None:
    """One decision; None where there is no such one."""
    found = decisions_where(connection, path, "decision_id = :decision_id", decision_id=decision_id)
    return found[0] if found else None


def latest_decisions(
    connection: Connection, path: NamespacePath, limit: int, *, action: Action | None = None
) -> list[Decision]:
    """What was decided last, the latest first; of one kind, where it is given."""
    condition = "true" if action is None else "action = :action"
    which = f"{condition} order by position desc limit :limit"
    return decisions_where(connection, path, which, action=action, limit=limit)


def decisions_where(
    connection: Connection, path: NamespacePath, which: str, *, joined: str = "", **parameters: Any
) -> list[Decision]:
    """Decisions with what they saw. which: a condition, and the order. joined: another view, by its join."""
    # With a star, what is prepared would fail once the view gains a column.
    rows = Sql(f"""
        select decision_id as id, action, reason, decision.memory_id, target_id, target_version, fact, candidates, extracted_by,
               decided_by, prompt_version, decided_at, undoes, in_effect, refused
        from mosshead_read_v1.decisions as decision {joined}
        where tenant_id = :tenant_id and namespace_id = :namespace_id and {which}
    """).rows(connection, path.ids, **parameters)
    return [Decision(**{**row._asdict(), "fact": row.fact or {}, "candidates": _seen(row.candidates)}) for row in rows]


def _seen(candidates: Iterable[Mapping[str, Any]]) -> tuple[DecisionCandidate, ...]:
    return tuple(
        DecisionCandidate(memory_id=UUID(one["memory_id"]), version=one["version"], similarity=one["similarity"])
        for one in candidates
    )


def later_decisions(connection: Connection, path: NamespacePath, decision_id: UUID) -> list[UUID]:
    """The decisions in effect that changed, after one, what it had written of a memory or a document; the latest first."""
    return list(connection.execute(_LATER, {**path.ids, "decision_id": decision_id}).scalars())


def related(connection: Connection, path: NamespacePath, memory_id: UUID, limit: int) -> list[Related]:
    """How other memories of now stand to one, the strongest first of each kind."""
    rows = Sql("""
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
            select *, row_number() over (partition by kind order by weight desc nulls last, memory_id, entity_id) as place
            from found
        ) as ranked
        where place <= :limit order by kind, place
    """).run(connection, path.ids, memory_id=memory_id, limit=limit)
    return [Related(kind=row.kind, memory_id=row.memory_id, entity_id=row.entity_id, weight=row.weight) for row in rows]


def scope(path: NamespacePath, as_of: datetime | None) -> dict[str, Any]:
    """The parameters of `known`: whose rows, and of which time; None for now."""
    return {**path.ids, "as_of": as_of}


TIME = "coalesce(cast(:as_of as timestamptz), 'infinity')"
"""SQL for the time that a read of the past is about."""


def known(alias: str) -> str:
    """SQL for the rows of a namespace, under an alias, that were known at a time."""
    return f"{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id and {held(alias, TIME)}"


def held(alias: str, time: str) -> str:
    """SQL for the rows under an alias that were known at a time."""
    return f"{alias}.known_from <= {time} and ({alias}.known_to is null or {alias}.known_to > {time})"


def known_now(alias: str) -> str:
    """The SQL condition that a namespace's row is current. Unlike `known`, it can use the indexes on current rows."""
    return f"{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id and {alias}.known_to is null"


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


def memory_fields(row: Row[Any]) -> dict[str, Any]:
    """The fields of a `StoredMemory`, or of a `Hit` but for its similarity."""
    occurred = None
    if row.occurred_from is not None:
        occurred = Occurrence(
            start=in_zone(row.occurred_from, row.occurred_from_offset),
            end=in_zone(row.occurred_to, row.occurred_to_offset),
            granularity=Granularity(row.granularity),
        )
    return {
        **{name: getattr(row, name) for name in _AS_STORED},
        "id": row.memory_id,
        "kind": MemoryKind(row.kind),
        "salience": round(row.salience, 2),
        "confidence": round(row.confidence, 2),
        "said_at": in_zone(row.valid_from, row.valid_from_offset),
        "occurred": occurred,
        "about": tuple(row.about or ()),
    }


def entity_of(row: Row[Any]) -> Entity:
    """An entity with its names and the number of memories about it."""
    return Entity(id=row.entity_id, memories=row.memories, **entity_fields(row))


def entity_fields(row: Any) -> dict[str, Any]:
    """What `Entity` and `RegisteredEntity` have in common."""
    return {
        "key": row.key,
        "name": row.name,
        "entity_type": EntityType(row.entity_type),
        "description": row.description,
        "aliases": tuple(alias for alias in row.aliases or () if alias != row.name),
        "parent": row.parent,
        "is_user": row.is_user,
    }


@dataclass(frozen=True, slots=True)
class CurrentMemory:
    """A memory as it is now. state: "active", "superseded" or "withdrawn"."""

    memory_id: UUID
    version: int
    state: str
    content: str


def standing(connection: Connection, path: NamespacePath, memory_ids: Collection[UUID]) -> dict[UUID, CurrentMemory]:
    """The latest versions of some memories, by id; of those that there are in this namespace."""
    rows = Sql("""
        select memory_id, version, state, content from mosshead_read_v1.memories
        where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = any(cast(:memory_ids as uuid[]))
          and known_to is null
    """).run(connection, path.ids, memory_ids=list(memory_ids))
    return {row.memory_id: CurrentMemory(*row) for row in rows}


def content_of(connection: Connection, path: NamespacePath, memory_id: UUID, version: int) -> str | None:
    """What a version of a memory said; None where there was no such version."""
    content: str | None = Sql("""
        select content from mosshead_read_v1.memories
        where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = :memory_id and version = :version
    """).scalar(connection, path.ids, memory_id=memory_id, version=version)
    return content
