"""What was said last and has not taken effect yet: one statement, over the views of version 1."""

from mosshead.namespaces import NamespacePath
from mosshead.tenancy import Statement


def latest_statement(path: NamespacePath, limit: int) -> Statement:
    """The statement, as the driver takes it, and its parameters; its rows, the last first, are for `around_sql.stored`.

    limit: so many messages at most, of users and assistants, in any conversation.
    """
    return _AHEAD, {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id, "limit": limit}


# Their numbers go on where those of the conversation's messages in effect end.
_AHEAD = """
    select ahead.message_id, ahead.conversation_id, ahead.occurred_at as said_at, ahead.role, ahead.speaker, ahead.content,
           ahead.occurred_at_offset, ahead.metadata,
           row_number() over (partition by ahead.conversation_id order by ahead.occurred_at, ahead.position) - 1 + (
               select count(distinct turn.message_id) from mosshead_read_v1.turns as turn
               where turn.tenant_id = ahead.tenant_id and turn.namespace_id = ahead.namespace_id
                 and turn.conversation_id = (select coalesce(ahead.conversation_id, ''))) as place
    from mosshead_read_v1.messages_ahead as ahead
    where ahead.tenant_id = %(tenant_id)s and ahead.namespace_id = %(namespace_id)s
      and ahead.role in ('user', 'assistant') and ahead.content <> ''
    order by ahead.occurred_at desc, ahead.position desc limit %(limit)s
"""
