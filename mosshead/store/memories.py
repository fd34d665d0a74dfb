"""The read side's SQL about memories, now and as of a time, and about messages. It only selects from the views of version 1.

Functions take a connection inside a transaction that has set its tenant (`mosshead.store.connection`), and never commit.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row

from mosshead.fencing import strip_fences
from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.models.memories import Entity, Occurrence, Profile, Progress, Source, StoredMemory
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace
from mosshead.timestamps import in_zone


def live_models(connection: Any) -> list[str]:
    """Return the models that have vectors of everything known, the active one first; none before the service first ran.

    connection: the driver's, or SQLAlchemy's equivalent in an event loop, just opened: this belongs to no tenant and is read
    first.
    """
    cursor = connection.cursor()
    cursor.execute(_MODELS)
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    # The column is newer than the view: databases older than this library have one model.
    return [row["model"] for row in rows if row["active"] or row.get("ready")]


def memories(
    connection: Connection,
    path: NamespacePath,
    limit: int,
    *,
    kind: str | None = None,
    state: str = "active",
    about: UUID | None = None,
) -> list[StoredMemory]:
    """Return the memories in a state, most salient first; optionally of a kind, or about an entity."""
    which = f"""memory.state = %(state)s
          and (%(kind)s::text is null or memory.kind = %(kind)s)
          and (%(about)s::uuid is null or exists (
              select from mosshead_read_v1.memory_entities as link
              where {both_of_namespace("link", "memory")} and link.memory_id = memory.memory_id and link.entity_id = %(about)s))
        order by memory.salience desc, memory.memory_id limit %(limit)s"""
    return memories_where(connection, path, which, limit=limit, kind=kind, state=state, about=about)


def lasting_statement(path: NamespacePath, limit: int) -> Sql:
    """Return the statement for memories about the user except events, most salient first; its rows are for `stored_memory`."""
    which = f"""memory.state = 'active' and memory.kind <> 'event' and exists (
            select from mosshead_read_v1.memory_entities as link
            join mosshead_read_v1.entities as entity
              on {both_of_namespace("entity", "link")} and entity.entity_id = link.entity_id
            where {both_of_namespace("link", "memory")} and link.memory_id = memory.memory_id
              and link.role = 'subject' and link.certainty = 'sure' and entity.is_user)
        order by memory.salience desc, memory.memory_id limit %(limit)s"""
    return Sql(_memories_where(which), {**path.ids, "limit": limit})


def memories_where(connection: Connection, path: NamespacePath, which: str, **parameters: Any) -> list[StoredMemory]:
    """Return current memories. which: a condition on ``memory``, and the order."""
    return [stored_memory(row) for row in Sql(_memories_where(which)).run(connection, path.ids, **parameters)]


def _memories_where(which: str) -> str:
    return f"select {MEMORY_COLUMNS} from mosshead_read_v1.memories as memory where {known_now('memory')} and {which}"


def stored_memory(row: Any) -> StoredMemory:
    """Convert a row with the columns of a memory."""
    return StoredMemory(**memory_fields(row))


def memory(
    connection: Connection, path: NamespacePath, wanted: UUID | str, *, as_of: datetime | None = None
) -> StoredMemory | None:
    """Return one memory with its sources, even if superseded or withdrawn; None if none was known at that time.

    wanted: its id, or the key under which it was imported.
    """
    row = Sql(f"""
        select {memory_columns(known)} from mosshead_read_v1.memories as memory
        where {known("memory")} and memory.{"key" if isinstance(wanted, str) else "memory_id"} = %(wanted)s
    """).row(connection, scope(path, as_of), wanted=wanted)
    if row is None:
        return None
    rows = Sql(f"""
        select source.message_id, source.quote, source.stance, message.role, message.speaker, message.occurred_at,
               message.occurred_at_offset
        from mosshead_read_v1.provenance_over_time as source
        left join mosshead_read_v1.messages as message
          on {both_of_namespace("message", "source")} and message.message_id = source.message_id
        where {known("source")} and source.memory_id = %(memory_id)s
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
    """Return the memories from a message as they are now, including superseded ones."""
    which = f"""memory.memory_id in (
            select source.memory_id from mosshead_read_v1.provenance as source
            where {of_namespace("source")} and source.message_id = %(message_id)s
              and source.stance = 'for')
        order by memory.memory_id"""
    return memories_where(connection, path, which, message_id=message_id)


@dataclass(frozen=True, slots=True)
class CurrentMemory:
    """A memory as it is now. state: "active", "superseded" or "withdrawn"."""

    memory_id: UUID
    version: int
    state: str
    content: str


def standing(connection: Connection, path: NamespacePath, memory_ids: Collection[UUID]) -> dict[UUID, CurrentMemory]:
    """Return the latest versions of memories, by id; ids unknown in this namespace are left out."""
    rows = Sql(f"""
        select memory_id, version, state, content from mosshead_read_v1.memories
        where {OF_NAMESPACE} and memory_id = any(%(memory_ids)s::uuid[])
          and known_to is null
    """).run(connection, path.ids, memory_ids=list(memory_ids))
    return {row.memory_id: CurrentMemory(*row) for row in rows}


def sources_of(
    connection: Connection,
    path: NamespacePath,
    *,
    memory_ids: Collection[UUID] = (),
    entity_id: UUID | None = None,
    most: int,
) -> list[UUID]:
    """Return the newest events from which memories came, or those linked to an entity: messages, and what an app remembered."""
    return Sql(f"""
        with wanted as materialized (
            select memory_id from unnest(%(memory_ids)s::uuid[]) as given (memory_id)
            union
            select memory_id from mosshead_read_v1.memory_entities_over_time where {OF_NAMESPACE} and entity_id = %(entity_id)s
        )
        select event_id from (
            select message_id as event_id, max(known_from) as since from mosshead_read_v1.provenance_over_time
            where {OF_NAMESPACE} and memory_id = any(array(select memory_id from wanted)) group by message_id
            union all
            select decision_id, decided_at from mosshead_read_v1.decisions
            where {OF_NAMESPACE} and memory_id = any(array(select memory_id from wanted))
              and decided_by = 'app' and action = 'add'
        ) as found order by since desc limit %(most)s
    """).scalars(connection, path.ids, memory_ids=list(memory_ids), entity_id=entity_id, most=most)


def content_of(connection: Connection, path: NamespacePath, memory_id: UUID, version: int) -> str | None:
    """Return the content of a version of a memory; None if there was no such version."""
    content: str | None = Sql(f"""
        select content from mosshead_read_v1.memories
        where {OF_NAMESPACE} and memory_id = %(memory_id)s and version = %(version)s
    """).scalar(connection, path.ids, memory_id=memory_id, version=version)
    return content


def entities(connection: Connection, path: NamespacePath) -> list[Entity]:
    """Return every entity of the namespace, those with the most memories first."""
    rows = Sql(f"""
        select {_ENTITY_COLUMNS} from {_ENTITY_TABLES} where {of_namespace("entity")}
        order by memories desc, entity.name, entity.entity_id
    """).run(connection, path.ids)
    return [entity_of(row) for row in rows]


def profiles(connection: Connection, path: NamespacePath, *, entity_ids: Iterable[UUID]) -> list[Profile]:
    """Return the profiles of entities, in no particular order."""
    rows = Sql(f"""
        select {_ENTITY_COLUMNS}, profile.summary, profile.refreshed_at from {_ENTITY_TABLES}
        left join mosshead_read_v1.profiles as profile
          on {both_of_namespace("profile", "entity")} and profile.entity_id = entity.entity_id
        where {of_namespace("entity")} and entity.entity_id = any(%(entity_ids)s)
    """).run(connection, path.ids, entity_ids=list(entity_ids))
    return [Profile(entity=entity_of(row), summary=row.summary or "", refreshed_at=row.refreshed_at) for row in rows]


def entities_named(connection: Connection, path: NamespacePath, names: Sequence[str]) -> dict[UUID, str]:
    """Return the entities with one of the (normalised) names, each with the longest name that matched."""
    return Sql(f"""
        select entity_id, normalised from mosshead_read_v1.aliases
        where {OF_NAMESPACE} and normalised = any(%(names)s)
        order by length(normalised), normalised, entity_id
    """).pairs(connection, path.ids, names=list(names))


def messages_around_statement(
    path: NamespacePath, *, model: str, messages: Collection[UUID], before: int, after: int
) -> Sql:
    """Return the statement for messages and those around them; its rows are for `message_of`."""
    return Sql(_AROUND, {**path.ids, "model": model, "messages": list(messages), "before": before, "after": after})


_AROUND = f"""
    with placed as materialized (
        select turn.message_id, turn.conversation_id, turn.said_at,
               row_number() over (partition by turn.conversation_id order by turn.said_at, turn.message_id) - 1 as place
        from mosshead_read_v1.turns as turn
        where {of_namespace("turn")} and turn.model = %(model)s and turn.conversation_id in (
            select one.conversation_id from mosshead_read_v1.turns as one
            where {of_namespace("one")} and one.model = %(model)s
              and one.message_id = any(%(messages)s::uuid[]))
    )
    select distinct near.message_id, near.conversation_id, near.said_at, near.place,
           message.role, message.speaker, message.content, message.occurred_at_offset, message.metadata
    from placed as hit
    join placed as near on near.conversation_id = hit.conversation_id
     and near.place between hit.place - %(before)s and hit.place + %(after)s
    join mosshead_read_v1.messages as message on {of_namespace("message")} and message.message_id = near.message_id
    where hit.message_id = any(%(messages)s::uuid[])
    order by near.conversation_id, near.place
"""


def latest_messages_statement(path: NamespacePath, conversation: str, limit: int) -> Sql:
    """Return the statement for the latest messages of a conversation; its rows are for `latest_said`."""
    return Sql(_LATEST, {**path.ids, "conversation_id": conversation, "limit": limit})


def latest_said(rows: Sequence[Any]) -> list[str]:
    """Convert rows to messages, oldest first, without notes that were published with a prompt."""
    return [said for row in reversed(rows) if (said := strip_fences(row.content))]


_LATEST = f"""
    select content from mosshead_read_v1.messages
    where {OF_NAMESPACE} and conversation_id = %(conversation_id)s
      and role in ('user', 'assistant') and content <> ''
    order by occurred_at desc, message_id desc limit %(limit)s
"""


def latest_in_effect(
    connection: Connection, path: NamespacePath, limit: int, *, model: str, conversation: str | None = None
) -> list[StoredMessage]:
    """Return the messages in effect, newest first; optionally of one conversation."""
    rows = Sql(_LATEST_IN_EFFECT).run(connection, path.ids, model=model, conversation=conversation, limit=limit)
    return [message_of(row) for row in rows]


# Numbers are counted once per conversation on the page, from its oldest message there.
_LATEST_IN_EFFECT = f"""
    with latest as materialized (
        select message.message_id, turn.conversation_id, turn.said_at, message.role, message.speaker, message.content,
               message.occurred_at_offset, message.metadata
        from mosshead_read_v1.messages as message
        join mosshead_read_v1.turns as turn
          on {both_of_namespace("turn", "message")} and turn.message_id = message.message_id and turn.model = %(model)s
        where {of_namespace("message")} and (%(conversation)s::text is null or message.conversation_id = %(conversation)s)
        order by message.occurred_at desc, message.message_id desc limit %(limit)s
    ), oldest as (
        select distinct on (conversation_id) conversation_id, (
            select count(*) from mosshead_read_v1.turns as turn
            where {of_namespace("turn")} and turn.model = %(model)s and turn.conversation_id = latest.conversation_id
              and (turn.said_at, turn.message_id) < (latest.said_at, latest.message_id)) as place
        from latest order by conversation_id, said_at, message_id
    )
    select latest.*, oldest.place - 1 + row_number() over (
        partition by conversation_id order by latest.said_at, latest.message_id) as place
    from latest join oldest using (conversation_id)
    order by latest.said_at desc, latest.message_id desc
"""


def hidden_messages_statement(path: NamespacePath) -> Sql:
    """Return the statement for hidden messages, whose whole content was forgotten or corrected."""
    return Sql(
        f"""
        select unnest(hidden) as message_id from mosshead_read_v1.decisions
        where {OF_NAMESPACE} and in_effect and hidden <> '{{}}'
        """,
        path.ids,
    )


def messages_ahead_statement(path: NamespacePath, limit: int) -> Sql:
    """Return the statement for the latest messages not in effect yet; its rows, latest first, are for `message_of`.

    limit: maximum number of messages of users and assistants, in any conversation.
    """
    return Sql(_AHEAD, {**path.ids, "limit": limit})


# Their numbers continue those of the conversation's messages in effect.
_AHEAD = f"""
    select ahead.message_id, ahead.conversation_id, ahead.occurred_at as said_at, ahead.role, ahead.speaker, ahead.content,
           ahead.occurred_at_offset, ahead.metadata,
           row_number() over (partition by ahead.conversation_id order by ahead.occurred_at, ahead.position) - 1 + (
               select count(distinct turn.message_id) from mosshead_read_v1.turns as turn
               where {both_of_namespace("turn", "ahead")}
                 and turn.conversation_id = (select coalesce(ahead.conversation_id, ''))) as place
    from mosshead_read_v1.messages_ahead as ahead
    where {of_namespace("ahead")}
      and ahead.role in ('user', 'assistant') and ahead.content <> ''
    order by ahead.occurred_at desc, ahead.position desc limit %(limit)s
"""


def progress_statement(path: NamespacePath) -> Sql:
    """Return the statement for the progress of the namespace's events; its rows are for `progress_of`."""
    return Sql(_PROGRESS, path.ids)


def progress_of(rows: Sequence[Any]) -> Progress:
    """Convert the rows of `progress_statement`, of which there is always one; without a publisher if there is none yet."""
    behind_seconds = rows[0].behind_seconds
    rows = [row for row in rows if row.publisher_id is not None]
    return Progress(
        behind_seconds=behind_seconds,
        pending=max((row.pending for row in rows), default=0),
        at_work=any(row.at_work for row in rows),
        received={row.publisher_id: row.received_up_to for row in rows},
        consolidated={row.publisher_id: row.consolidated_up_to for row in rows},
    )


def received(
    connection: Connection, tenant_id: UUID, namespace_ids: Sequence[UUID], publisher_id: UUID
) -> dict[UUID, int]:
    """Return, by namespace, the number up to which all of a publisher's events are in the inbox. The tenant must be set."""
    return Sql("""
        select namespace_id, received_up_to from mosshead_read_v1.progress
        where tenant_id = %(tenant_id)s and namespace_id = any(%(namespace_ids)s::uuid[]) and publisher_id = %(publisher_id)s
    """).pairs(connection, tenant_id=tenant_id, namespace_ids=list(namespace_ids), publisher_id=publisher_id)


_MODELS: Final = "select * from mosshead_read_v1.models order by active desc, model"

_AS_STORED = "version content tier state superseded_by said_by marked record_name record key".split()
_TIMES = (
    "valid_from occurred_from occurred_to valid_from_offset occurred_from_offset occurred_to_offset granularity".split()
)
OWN_COLUMNS = ", ".join(
    f"memory.{name}" for name in ("memory_id", "kind", "salience", "confidence", *_AS_STORED, *_TIMES)
)
"""The columns of the alias ``memory`` that `memory_fields` reads; it also reads ``about``."""

NAMES_IN_ORDER = (
    "array_agg(entity.name order by array_position(array['subject', 'object', 'about'], link.role), entity.name)"
)


def _disputed_by(beside: Callable[[str, str], str]) -> str:
    """Return SQL for the current messages that contradict the alias ``memory``. Few memories are contradicted."""
    return f"""(
    select array_agg(distinct other.said_by order by other.said_by) from mosshead_read_v1.memories as other
    where {beside("other", "memory")} and other.known_to is null and other.state = 'active'
      and other.memory_id = any(array(
        select edge.to_id from mosshead_read_v1.edges as edge
        where {beside("edge", "memory")} and edge.from_id = memory.memory_id and edge.kind = 'contradicts'
        union all
        select edge.from_id from mosshead_read_v1.edges as edge
        where {beside("edge", "memory")} and edge.to_id = memory.memory_id and edge.kind = 'contradicts'
      ))
) as disputed_by"""


def memory_columns(
    holds: Callable[[str], str] | None = None, *, beside: Callable[[str, str], str] = both_of_namespace
) -> str:
    """Return the columns of the alias ``memory`` that `memory_fields` reads.

    holds: SQL for an alias's rows at a time; now by default. beside: SQL for whether two aliases' rows are of one namespace; of
    the statement's by default.
    """
    over_time, then = ("", "") if holds is None else ("_over_time", f"and {holds('link')} and {holds('entity')}")
    disputed = _disputed_by(beside) if holds is None else "null::text[] as disputed_by"
    return f"""{OWN_COLUMNS}, {disputed},
    (select {NAMES_IN_ORDER}
     from mosshead_read_v1.memory_entities{over_time} as link
     join mosshead_read_v1.entities{over_time} as entity using (tenant_id, namespace_id, entity_id)
     where {beside("link", "memory")} and link.memory_id = memory.memory_id {then}) as about
"""


MEMORY_COLUMNS = memory_columns()

_ENTITY_COLUMNS = f"""
    entity.entity_id, entity.key, entity.name, entity.entity_type, entity.description, entity.is_user, parent.name as parent,
    (select array_agg(alias.alias order by alias.alias) from mosshead_read_v1.aliases as alias
     where {both_of_namespace("alias", "entity")} and alias.entity_id = entity.entity_id) as aliases,
    (select count(*) from mosshead_read_v1.memory_entities as link
     join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
     where {both_of_namespace("link", "entity")}
       and link.entity_id = entity.entity_id and memory.known_to is null and memory.state = 'active') as memories
"""

_ENTITY_TABLES = f"""
    mosshead_read_v1.entities as entity
    left join mosshead_read_v1.entities as parent
      on {both_of_namespace("parent", "entity")} and parent.entity_id = entity.parent_id
"""

# A replica that has replayed nothing since its start has at least what its last checkpoint had.
_PROGRESS = f"""
    select publisher_id, received_up_to, consolidated_up_to, pending, at_work, behind_seconds
    from (select case when pg_is_in_recovery() then extract(epoch from clock_timestamp() -
              coalesce(pg_last_xact_replay_timestamp(), (pg_control_checkpoint()).checkpoint_time))::float8
          end as behind_seconds) as server
    left join (
        select publisher_id, received_up_to, consolidated_up_to, pending, at_work from mosshead_read_v1.progress
        where {OF_NAMESPACE}) as progress on true
"""


def scope(path: NamespacePath, as_of: datetime | None) -> dict[str, Any]:
    """Return the parameters of `known`: the namespace and the time; None for now."""
    return {**path.ids, "as_of": as_of}


TIME = "coalesce(%(as_of)s::timestamptz, 'infinity')"
"""SQL for the time of a read of the past."""


def known(alias: str) -> str:
    """Return SQL for the rows of a namespace, under an alias, that were known at a time."""
    return f"{of_namespace(alias)} and {held(alias, TIME)}"


def held(alias: str, time: str) -> str:
    """Return SQL for the rows under an alias that were known at a time."""
    return f"{alias}.known_from <= {time} and ({alias}.known_to is null or {alias}.known_to > {time})"


def known_now(alias: str) -> str:
    """Return the SQL condition that a namespace's row is current. Unlike `known`, it can use the indexes on current rows."""
    return f"{of_namespace(alias)} and {alias}.known_to is null"


def memory_fields(row: Row[Any]) -> dict[str, Any]:
    """Return the fields of a `StoredMemory`, or of a `Hit` without its similarity."""
    return {
        **{name: getattr(row, name) for name in _AS_STORED},
        "id": row.memory_id,
        "kind": MemoryKind(row.kind),
        "salience": round(row.salience, 2),
        "confidence": round(row.confidence, 2),
        "said_at": in_zone(row.valid_from, row.valid_from_offset),
        "occurred": occurrence_of(row),
        "about": tuple(row.about or ()),
        "disputed_by": tuple(one for one in getattr(row, "disputed_by", None) or () if one),
    }


def occurrence_of(row: Any) -> Occurrence | None:
    """Return when a memory's event happened, if known."""
    if row.occurred_from is None:
        return None
    return Occurrence(
        start=in_zone(row.occurred_from, row.occurred_from_offset),
        end=in_zone(row.occurred_to, row.occurred_to_offset),
        granularity=Granularity(row.granularity),
    )


def message_of(row: Any, *, replaced: Iterable[str] = ()) -> StoredMessage:
    """Convert a row with the columns of a message. replaced: its memories that are no longer valid."""
    return StoredMessage(
        id=row.message_id,
        conversation=row.conversation_id or None,
        place=row.place,
        role=Role(row.role),
        speaker=row.speaker,
        content=strip_fences(row.content),  # an app's published prompt is not part of the conversation
        said_at=in_zone(row.said_at, row.occurred_at_offset),
        metadata=row.metadata or {},
        replaced=tuple(replaced),
    )


def entity_of(row: Row[Any]) -> Entity:
    """Convert a row to an entity with its names and the number of memories about it."""
    return Entity(id=row.entity_id, memories=row.memories, **entity_fields(row))


def entity_fields(row: Any) -> dict[str, Any]:
    """Return the common fields of `Entity` and `RegisteredEntity`."""
    return {
        "key": row.key,
        "name": row.name,
        "entity_type": EntityType(row.entity_type),
        "description": row.description,
        "aliases": tuple(alias for alias in row.aliases or () if alias != row.name),
        "parent": row.parent,
        "is_user": row.is_user,
    }
