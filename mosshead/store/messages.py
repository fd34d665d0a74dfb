"""The read side's SQL about single messages: those around one, and the latest of a conversation."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from mosshead.fencing import strip_fences
from mosshead.models.kinds import Role
from mosshead.models.messages import StoredMessage
from mosshead.paths import NamespacePath
from mosshead.store.connection import Statement, of_namespace, same_namespace
from mosshead.timestamps import in_zone


def statement_for(path: NamespacePath, *, model: str, messages: Collection[UUID], before: int, after: int) -> Statement:
    """The statement, as the driver takes it, and its parameters; its rows are for `message_of`."""
    return _AROUND, {**path.ids, "model": model, "messages": list(messages), "before": before, "after": after}


def message_of(row: Any) -> StoredMessage:
    """A row with the columns of a message as a value."""
    return StoredMessage(
        id=row.message_id,
        conversation=row.conversation_id or None,
        place=row.place,
        role=Role(row.role),
        speaker=row.speaker,
        content=strip_fences(row.content),  # what an app published with its whole prompt was not said
        said_at=in_zone(row.said_at, row.occurred_at_offset),
        metadata=row.metadata or {},
    )


_AROUND = f"""
    with placed as materialized (
        select turn.message_id, turn.conversation_id, turn.said_at,
               row_number() over (partition by turn.conversation_id order by turn.said_at, turn.message_id) - 1 as place
        from mosshead_read_v1.turns as turn
        where {of_namespace("turn")} and turn.model = %(model)s and turn.conversation_id in (
            select one.conversation_id from mosshead_read_v1.turns as one
            where {of_namespace("one")} and one.model = %(model)s
              and one.message_id = any(cast(%(messages)s as uuid[])))
    )
    select distinct near.message_id, near.conversation_id, near.said_at, near.place,
           message.role, message.speaker, message.content, message.occurred_at_offset, message.metadata
    from placed as hit
    join placed as near on near.conversation_id = hit.conversation_id
     and near.place between hit.place - %(before)s and hit.place + %(after)s
    join mosshead_read_v1.messages as message on {of_namespace("message")} and message.message_id = near.message_id
    where hit.message_id = any(cast(%(messages)s as uuid[]))
    order by near.conversation_id, near.place
"""


def latest_statement(path: NamespacePath, conversation: str, limit: int) -> Statement:
    """The statement that asks what was said last in a conversation; its rows are for `latest_of`."""
    return _LATEST, {**path.ids, "conversation_id": conversation, "limit": limit}


def latest_of(rows: Sequence[Any]) -> list[str]:
    """What was said, oldest first. Notes that were published with a prompt were not said."""
    return [said for row in reversed(rows) if (said := strip_fences(row.content))]


_LATEST = """
    select content from mosshead_read_v1.messages
    where tenant_id = %(tenant_id)s and namespace_id = %(namespace_id)s and conversation_id = %(conversation_id)s
      and role in ('user', 'assistant') and content <> ''
    order by occurred_at desc, message_id desc limit %(limit)s
"""


def ahead_statement(path: NamespacePath, limit: int) -> Statement:
    """The statement that asks what was said last and has not taken effect; its rows, the last first, are for `message_of`.

    limit: so many messages at most, of users and assistants, in any conversation.
    """
    return _AHEAD, {**path.ids, "limit": limit}


# Their numbers go on where those of the conversation's messages in effect end.
_AHEAD = f"""
    select ahead.message_id, ahead.conversation_id, ahead.occurred_at as said_at, ahead.role, ahead.speaker, ahead.content,
           ahead.occurred_at_offset, ahead.metadata,
           row_number() over (partition by ahead.conversation_id order by ahead.occurred_at, ahead.position) - 1 + (
               select count(distinct turn.message_id) from mosshead_read_v1.turns as turn
               where {same_namespace("turn", "ahead")}
                 and turn.conversation_id = (select coalesce(ahead.conversation_id, ''))) as place
    from mosshead_read_v1.messages_ahead as ahead
    where {of_namespace("ahead")}
      and ahead.role in ('user', 'assistant') and ahead.content <> ''
    order by ahead.occurred_at desc, ahead.position desc limit %(limit)s
"""
