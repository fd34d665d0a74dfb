"""Read what a namespace knows or knew, to find counterparts in the other generation: texts, names, and sources.

``before`` is a time on the database's clock: what was known until then, without that moment's decisions. None: the present.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db.keys import LaneRef
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace

_Rows = Sequence[Row[Any]]


def memories(
    connection: Connection, lane: LaneRef, memory_ids: Collection[UUID], before: datetime | None = None
) -> _Rows:
    """Return memories by id. Columns: memory_id, content, kind, attribute, value, active, sources (messages), vector (text)."""
    return Sql(f"""
        select memory.memory_id, content, kind, attribute, value, state = 'active' as active,
               coalesce(({_SOURCES} and source.memory_id = memory.memory_id), '{{}}') as sources,
               (select cast(vector.embedding as text) from mosshead.embeddings as vector
                where {of_namespace("vector")}
                  and vector.owner_kind in ('memory', 'past_memory') and vector.owner_id = memory.memory_id
                  and vector.version <= memory.version
                  and vector.model = any(array(select model from mosshead.models where active))
                order by vector.version desc limit 1) as vector
        from mosshead.memories as memory
        where {_held("memory")} and memory.memory_id = any(%(ids)s::uuid[])
        order by memory.memory_id
    """).rows(connection, _asked(lane, before, ids=memory_ids))


def known(connection: Connection, lane: LaneRef) -> list[UUID]:
    """Return all active memories."""
    return Sql(f"""
        select memory_id from mosshead.memories where {OF_NAMESPACE} and known_to is null and state = 'active' order by memory_id
    """).scalars(connection, lane.scope)


def memories_of(
    connection: Connection, lane: LaneRef, messages: Collection[UUID], before: datetime | None = None
) -> list[UUID]:
    """Return the memories that rest on one of the messages."""
    return Sql(f"""
        select distinct source.memory_id from mosshead.memory_sources as source
        where {_held("source")} and source.stance = 'for' and source.message_id = any(%(ids)s::uuid[]) order by 1
    """).scalars(connection, _asked(lane, before, ids=messages))


def people(
    connection: Connection, lane: LaneRef, entity_ids: Collection[UUID], before: datetime | None = None
) -> _Rows:
    """Return entities by id. Columns: entity_id, entity_type, is_user, names (normalised), sources (messages about them)."""
    return Sql(f"""
        select entity.entity_id, entity_type, is_user,
               coalesce((select array_agg(distinct alias.normalised) from mosshead.entity_aliases as alias
                         where {_held("alias")} and alias.entity_id = entity.entity_id), '{{}}') as names,
               coalesce(({_SOURCES} and source.memory_id in (
                   select link.memory_id from mosshead.memory_entities as link
                   where {_held("link")} and link.entity_id = entity.entity_id and link.certainty = 'sure')), '{{}}') as sources
        from mosshead.entities as entity
        where {_held("entity")} and entity.entity_id = any(%(ids)s::uuid[]) order by entity.entity_id
    """).rows(connection, _asked(lane, before, ids=entity_ids))


def bearers(connection: Connection, lane: LaneRef, names: Collection[str]) -> list[UUID]:
    """Return the entities with one of the names, and the user."""
    return Sql(f"""
        select entity_id from mosshead.entity_aliases where {OF_NAMESPACE} and known_to is null and normalised = any(%(names)s)
        union select entity_id from mosshead.entities where {OF_NAMESPACE} and known_to is null and is_user order by 1
    """).scalars(connection, lane.scope, names=list(names))


def questions(
    connection: Connection, lane: LaneRef, *, question_ids: Collection[UUID] = (), messages: Collection[UUID] = ()
) -> _Rows:
    """Return questions by id, or of messages. Columns: question_id, mention, message_id, memories."""
    # Includes undone answers, and what waited for them.
    return Sql(f"""
        select question_id, mention, message_id, array_agg(distinct memory_id) as memories from mosshead.questions
        where {OF_NAMESPACE} and (question_id = any(%(ids)s::uuid[]) or message_id = any(%(messages)s::uuid[]))
        group by question_id, mention, message_id order by question_id, message_id
    """).rows(connection, _asked(lane, None, ids=question_ids), messages=list(messages))


def decisions(
    connection: Connection,
    lane: LaneRef,
    *,
    decision_ids: Collection[UUID] = (),
    memory_ids: Collection[UUID] = (),
    event_ids: Collection[UUID] = (),
) -> _Rows:
    """Return decisions by id, of memories, or of imports by event, latest first.

    Columns: decision_id, action, memory_id, event_id (of the command that it carried out, or null), refused, at.
    """
    # A command's decision has its event's id (`db.decisions.stamp_of_event`); an import makes many, in its own batch.
    return Sql(f"""
        with imports as (
            select event_id, batch_id from mosshead.events where {OF_NAMESPACE} and type = 'import' and state = 'done')
        select decision_id, action, memory_id, refused, decided_at as at,
               case when decided_by = 'app' then coalesce(
                   (select event_id from imports where imports.batch_id = decision.batch_id limit 1), decision_id) end as event_id
        from mosshead.decisions as decision
        where {OF_NAMESPACE} and (decision_id = any(%(ids)s::uuid[]) or memory_id = any(%(memories)s::uuid[])
            or batch_id in (select batch_id from imports where event_id = any(%(events)s::uuid[])))
        order by position desc
    """).rows(connection, _asked(lane, None, ids=decision_ids), memories=list(memory_ids), events=list(event_ids))


def _asked(lane: LaneRef, before: datetime | None, *, ids: Collection[UUID]) -> dict[str, Any]:
    return {**lane.scope, "ids": list(ids), "before": before}


def _held(alias: str) -> str:
    """Return SQL for whether a row was known at the given time."""
    return f"""{of_namespace(alias)}
        and case when %(before)s::timestamptz is null then {alias}.known_to is null
            else {alias}.known_from < %(before)s and ({alias}.known_to is null or {alias}.known_to >= %(before)s) end"""


_SOURCES = f"""
    select array_agg(distinct source.message_id) from mosshead.memory_sources as source
    where {_held("source")} and source.stance = 'for'"""
