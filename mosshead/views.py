"""The SQL of the read side about what is: selects from the views of version 1, and nothing else. `mosshead.past` has what was.

Functions take a connection inside a transaction that has set its tenant (`mosshead.tenancy`), and never commit.
"""

from collections.abc import Iterable, Sequence
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection, text

from mosshead.fence import strip_fences
from mosshead.namespaces import NamespacePath
from mosshead.results import Entity, Profile, Progress, StoredMemory
from mosshead.rows import entity_of, memory_fields
from mosshead.tenancy import Statement


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
    asked = {**_scope(path), "limit": limit, "kind": kind, "state": state, "about": about}
    return [StoredMemory(**memory_fields(row)) for row in connection.execute(_MEMORIES, asked)]


def entities(connection: Connection, path: NamespacePath) -> list[Entity]:
    """Every entity of the namespace, those with the most memories first."""
    return [entity_of(row) for row in connection.execute(_ENTITIES, _scope(path))]


def profiles(connection: Connection, path: NamespacePath, *, entity_ids: Iterable[UUID]) -> list[Profile]:
    """The profiles of some entities, in no order."""
    rows = connection.execute(_PROFILES, {**_scope(path), "entity_ids": list(entity_ids)})
    return [Profile(entity=entity_of(row), summary=row.summary or "", refreshed_at=row.refreshed_at) for row in rows]


def entities_named(connection: Connection, path: NamespacePath, names: Sequence[str]) -> dict[UUID, str]:
    """The entities that bear one of the names (normalised), each with the name that it was found by; the longest, if several."""
    rows = connection.execute(_NAMED, {**_scope(path), "names": list(names)})
    return {row.entity_id: row.normalised for row in rows}


def latest_messages(connection: Connection, path: NamespacePath, conversation: str, limit: int) -> list[str]:
    """What was said last in a conversation, oldest first."""
    return latest_of(connection.exec_driver_sql(*latest_messages_statement(path, conversation, limit)).all())


def latest_messages_statement(path: NamespacePath, conversation: str, limit: int) -> Statement:
    """The statement that asks what was said last in a conversation; its rows are for `latest_of`."""
    return _LATEST_MESSAGES, {**_scope(path), "conversation_id": conversation, "limit": limit}


def latest_of(rows: Sequence[Any]) -> list[str]:
    """What the rows of `latest_messages_statement` say, oldest first. Notes that were published with a prompt were not said."""
    return [said for row in reversed(rows) if (said := strip_fences(row.content))]


def progress(connection: Connection, path: NamespacePath) -> Progress:
    """How far the namespace's events have come."""
    return progress_of(connection.exec_driver_sql(*progress_statement(path)).all())


def progress_statement(path: NamespacePath) -> Statement:
    """The statement that asks how far the namespace's events have come; its rows are for `progress_of`."""
    return _PROGRESS, _scope(path)


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
    parameters = {"tenant_id": tenant_id, "namespace_ids": list(namespace_ids), "publisher_id": publisher_id}
    return {row.namespace_id: row.received_up_to for row in connection.execute(_RECEIVED, parameters)}


def _scope(path: NamespacePath) -> dict[str, UUID]:
    return {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}


_MODELS: LiteralString = "select * from mosshead_read_v1.models order by active desc, model"

MEMORY_COLUMNS = """
    memory.memory_id, memory.version, memory.kind, memory.content, memory.salience, memory.confidence, memory.tier,
    memory.state, memory.superseded_by, memory.occurred_from, memory.occurred_to, memory.granularity, memory.valid_from,
    memory.said_by, memory.marked, memory.record_name, memory.record, memory.key,
    memory.valid_from_offset, memory.occurred_from_offset, memory.occurred_to_offset,
    (select array_agg(entity.name order by array_position(array['subject', 'object', 'about'], link.role), entity.name)
     from mosshead_read_v1.memory_entities as link
     join mosshead_read_v1.entities as entity using (tenant_id, namespace_id, entity_id)
     where link.tenant_id = memory.tenant_id and link.namespace_id = memory.namespace_id
       and link.memory_id = memory.memory_id) as about
"""
_OF_NAMESPACE = "memory.tenant_id = :tenant_id and memory.namespace_id = :namespace_id"
_SIMILARITY = "1 - (vector.embedding <=> cast(:vector as halfvec))"
# The vectors of superseded memories are of another kind, so that what is nearest needs no look at the memories themselves.
_VECTORS_OF_NOW = """
    vector.tenant_id = :tenant_id and vector.namespace_id = :namespace_id
    and vector.model = :model and vector.owner_kind = 'memory'
"""

_MEMORIES = text(f"""
    select {MEMORY_COLUMNS} from mosshead_read_v1.memories as memory
    where {_OF_NAMESPACE} and memory.known_to is null and memory.state = :state
      and (cast(:kind as text) is null or memory.kind = :kind)
      and (cast(:about as uuid) is null or exists (
          select from mosshead_read_v1.memory_entities as link
          where link.tenant_id = memory.tenant_id and link.namespace_id = memory.namespace_id
            and link.memory_id = memory.memory_id and link.entity_id = :about))
    order by memory.salience desc, memory.memory_id limit :limit
""")

_ENTITY_COLUMNS = """
    entity.entity_id, entity.key, entity.name, entity.entity_type, entity.description, entity.is_user, parent.name as parent,
    (select array_agg(alias.alias order by alias.alias) from mosshead_read_v1.aliases as alias
     where alias.tenant_id = entity.tenant_id and alias.namespace_id = entity.namespace_id
       and alias.entity_id = entity.entity_id) as aliases,
    (select count(*) from mosshead_read_v1.memory_entities as link
     join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
     where link.tenant_id = entity.tenant_id and link.namespace_id = entity.namespace_id
       and link.entity_id = entity.entity_id and memory.known_to is null and memory.state = 'active') as memories
"""
_ENTITY_TABLES = """
    mosshead_read_v1.entities as entity
    left join mosshead_read_v1.entities as parent
      on parent.tenant_id = entity.tenant_id and parent.namespace_id = entity.namespace_id
     and parent.entity_id = entity.parent_id
"""
_ENTITY_OF_NAMESPACE = "entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id"

_ENTITIES = text(f"""
    select {_ENTITY_COLUMNS} from {_ENTITY_TABLES}
    where {_ENTITY_OF_NAMESPACE} order by memories desc, entity.name, entity.entity_id
""")

_PROFILES = text(f"""
    select {_ENTITY_COLUMNS}, profile.summary, profile.refreshed_at from {_ENTITY_TABLES}
    left join mosshead_read_v1.profiles as profile
      on profile.tenant_id = entity.tenant_id and profile.namespace_id = entity.namespace_id
     and profile.entity_id = entity.entity_id
    where {_ENTITY_OF_NAMESPACE} and entity.entity_id = any(:entity_ids)
""")

_NAMED = text("""
    select normalised, entity_id from mosshead_read_v1.aliases
    where tenant_id = :tenant_id and namespace_id = :namespace_id and normalised = any(:names)
    order by length(normalised), normalised, entity_id
""")

_LATEST_MESSAGES = """
    select content from mosshead_read_v1.messages
    where tenant_id = %(tenant_id)s and namespace_id = %(namespace_id)s and conversation_id = %(conversation_id)s
      and role in ('user', 'assistant') and content <> ''
    order by occurred_at desc, message_id desc limit %(limit)s
"""

_PROGRESS = """
    select publisher_id, received_up_to, consolidated_up_to, pending, at_work from mosshead_read_v1.progress
    where tenant_id = %(tenant_id)s and namespace_id = %(namespace_id)s
"""

_RECEIVED = text("""
    select namespace_id, received_up_to from mosshead_read_v1.progress
    where tenant_id = :tenant_id and namespace_id = any(cast(:namespace_ids as uuid[])) and publisher_id = :publisher_id
""")
