"""Summaries of conversations that apps ask for: their content and progress."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import Connection

from db import reflections
from db.keys import LaneRef, VersionConflict, insert
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace

KIND = "summary"
"""The kind of reflection that makes summaries; its subjects are the conversations."""


def ask_for(connection: Connection, lane: LaneRef, conversation: str) -> None:
    """Request the summary of a conversation: its messages so far at once, later ones as they come.

    A repeated request summarizes new messages at once.
    """
    wanted = {**lane.scope, "conversation": conversation, "kind": KIND}
    row = {**lane.scope, "conversation_id": conversation}
    if insert(connection, "summaries", [row], conflict="do nothing"):
        Sql(f"""
            insert into mosshead.reflections (tenant_id, namespace_id, kind, subject, dirty_since, due_at)
            select %(tenant_id)s, %(namespace_id)s, %(kind)s, %(conversation)s, now(), now()
            where exists (
                select from mosshead.events
                where {_CONVERSATION} and type = 'message' and state = 'done')
            on conflict do nothing;

            insert into mosshead.reflection_batches (tenant_id, namespace_id, kind, subject, batch_id)
            select %(tenant_id)s, %(namespace_id)s, %(kind)s, %(conversation)s, batch_id from mosshead.events
            where {_CONVERSATION} and type = 'message' and state = 'done' and batch_id is not null
            group by batch_id order by min(position)
            on conflict do nothing
        """).run(connection, wanted)
        reflections.set_timer(connection, lane)
    else:
        reflections.hasten(connection, lane, kind=KIND, subject=conversation, again=True)


def summary(connection: Connection, lane: LaneRef, conversation: str) -> tuple[str, int]:
    """Return the text of a conversation's summary, "" if it is not made yet, and its version."""
    row = Sql(f"""
        select content, version from mosshead.summaries where {_CONVERSATION}
    """).row(connection, lane.scope, conversation=conversation)
    return (row.content, row.version) if row else ("", 0)


def of_messages(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> list[str]:
    """Return the conversations of messages that need a summary."""
    return Sql(f"""
        select conversation_id from mosshead.summaries
        where {OF_NAMESPACE} and conversation_id in (
            select conversation_id from mosshead.messages where {OF_NAMESPACE} and message_id = any(%(messages)s::uuid[]))
        order by conversation_id
    """).scalars(connection, lane.scope, messages=list(messages))


def delete(connection: Connection, lane: LaneRef, conversation: str) -> None:
    """Delete a summary for good, as if nobody had asked for it."""
    Sql(f"delete from mosshead.summaries where {_CONVERSATION}").run(connection, lane.scope, conversation=conversation)


def save(connection: Connection, lane: LaneRef, conversation: str, content: str, *, up_to: UUID, version: int) -> None:
    """Save a summary's next version. version: the one that was read. Raises VersionConflict if it has changed since."""
    saved = Sql(f"""
        update mosshead.summaries set content = %(content)s, up_to = %(up_to)s, version = version + 1, updated_at = now()
        where {_CONVERSATION} and version = %(version)s
    """).changes(connection, lane.scope, conversation=conversation, content=content, up_to=up_to, version=version)
    if not saved:
        raise VersionConflict(f"the summary is no longer at version {version}")


def most_telling(connection: Connection, lane: LaneRef, conversation: str, limit: int) -> list[str]:
    """Return the most salient current memories from a conversation, in the order of its messages."""
    return Sql(f"""
        select content from (
            select memory.content, memory.salience, memory.memory_id, min(message.occurred_at) as said_at
            from mosshead.messages as message
            join mosshead.memory_sources as source
              on {of_namespace("source")} and source.message_id = message.message_id
            join mosshead.memories as memory
              on {of_namespace("memory")} and memory.memory_id = source.memory_id
            where {of_namespace("message")}
              and message.conversation_id = %(conversation)s and source.known_to is null and source.stance = 'for'
              and memory.known_to is null and memory.state = 'active'
            group by memory.memory_id, memory.content, memory.salience
            order by memory.salience desc, said_at, memory.memory_id limit %(limit)s
        ) as told
        order by said_at, memory_id
    """).scalars(connection, lane.scope, conversation=conversation, limit=limit)


_CONVERSATION = f"{OF_NAMESPACE} and conversation_id = %(conversation)s"
