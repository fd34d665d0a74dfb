"""Turns: the messages that reading scans, with their vectors and words. A message gets its row when it takes effect.

Until then the results of the stage "embed" wait in ``candidate_turns``. Turns of a conversation are ordered by time, then id. A
row is written once: a late message gets its own, and later rows stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pgvector import HalfVector
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, Row

from db.keys import OF_BATCH, BatchRef, LaneRef, as_jsonb
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace, same_namespace
from mosshead.timestamps import in_zone


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """The row of a message for reading. said: its words. embedding: of these. with_before: of these and the turn before."""

    message_id: UUID
    said: str
    embedding: Vector
    with_before: Vector


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as stored. conversation: None if the app named none."""

    message_id: UUID
    conversation: str | None
    role: str
    speaker: str | None
    content: str
    said_at: datetime


def turns_before(
    connection: Connection, lane: LaneRef, model: str, message_ids: Sequence[UUID]
) -> dict[UUID, MessageRow]:
    """Map messages to the latest stored turn before them in their conversation, if there is one."""
    rows = Sql(f"""
        select asked.message_id as of_id, {_COLUMNS} from mosshead.messages as asked
        cross join lateral (
            select turn.message_id from mosshead.turns as turn
            where {of_namespace("turn")} and turn.model = %(model)s
              and turn.conversation_id = (select coalesce(asked.conversation_id, ''))
              and (turn.said_at, turn.message_id) < (asked.occurred_at, asked.message_id)
            order by turn.said_at desc, turn.message_id desc limit 1
        ) as before
        join mosshead.messages as message on {of_namespace("message")} and message.message_id = before.message_id
        where {of_namespace("asked")} and asked.message_id = any(%(ids)s::uuid[])
    """).run(connection, lane.scope, model=model, ids=list(message_ids))
    return {row.of_id: _message(row) for row in rows}


def keep_candidates(connection: Connection, batch: BatchRef, model: str, turns: Sequence[NewTurn]) -> None:
    """Store the results for a batch's messages; replaces those of an earlier attempt."""
    Sql(f"""
        delete from mosshead.candidate_turns where {OF_NAMESPACE} and batch_id = %(batch_id)s;

        insert into mosshead.candidate_turns
            (tenant_id, namespace_id, batch_id, message_id, model, embedding, with_before, words)
        select tenant_id, namespace_id, %(batch_id)s, message_id, %(model)s, embedding, with_before, words from {_GIVEN}
        returning 1
    """).run(connection, batch.scope, model=model, rows=_rows(turns))


def note_language(connection: Connection, batch: BatchRef, *, in_english: bool | None) -> None:
    """Store whether a batch's messages are in English."""
    Sql(f"""
        update mosshead.batches set in_english = %(in_english)s where {OF_BATCH}
    """).run(connection, batch.scope, in_english=in_english)


def take_effect(connection: Connection, batch: BatchRef) -> None:
    """Turn the stored results of a batch's messages into turns."""
    Sql(f"""
        insert into mosshead.turns ({_TURN})
        select message.tenant_id, message.namespace_id, taken.model, message.message_id, coalesce(message.conversation_id, ''),
               message.occurred_at, message.role, message.speaker, taken.embedding, taken.with_before, taken.words
        from mosshead.candidate_turns as taken
        join mosshead.messages as message on {of_namespace("message")} and message.message_id = taken.message_id
        where {of_namespace("taken")} and taken.batch_id = %(batch_id)s
        on conflict do nothing;

        delete from mosshead.candidate_turns where {OF_NAMESPACE} and batch_id = %(batch_id)s
    """).run(connection, batch.scope)


def add(connection: Connection, lane: LaneRef, model: str, turns: Sequence[NewTurn]) -> int:
    """Add turns for messages already in effect; return how many are new."""
    return Sql(f"""
        insert into mosshead.turns ({_TURN})
        select tenant_id, namespace_id, %(model)s, message_id, coalesce(conversation_id, ''), occurred_at, role, speaker,
               embedding, with_before, words
        from {_GIVEN}
        on conflict do nothing
    """).changed(connection, lane.scope, model=model, rows=_rows(turns))


def lanes_without(connection: Connection, tenant_id: UUID, model: str) -> list[LaneRef]:
    """Return a tenant's namespaces with messages in effect that have no turn of this model."""
    rows = Sql(f"""
        select distinct message.namespace_id {_LACKING} order by message.namespace_id
    """).scalars(connection, tenant_id=tenant_id, model=model)
    return [LaneRef(tenant_id, namespace_id) for namespace_id in rows]


def without_turn(connection: Connection, lane: LaneRef, model: str) -> list[UUID]:
    """Return the messages in effect without a turn of this model, in order within each conversation."""
    return Sql(f"""
        select message.message_id {_LACKING} and message.namespace_id = %(namespace_id)s
        order by coalesce(message.conversation_id, ''), message.occurred_at, message.message_id
    """).scalars(connection, lane.scope, model=model)


def messages(connection: Connection, lane: LaneRef, message_ids: Sequence[UUID]) -> list[MessageRow]:
    """Return messages by id."""
    rows = Sql(f"""
        select {_COLUMNS} from mosshead.messages as message
        where {of_namespace("message")} and message.message_id = any(%(ids)s::uuid[])
    """).run(connection, lane.scope, ids=list(message_ids))
    return [_message(row) for row in rows]


def _rows(turns: Sequence[NewTurn]) -> Jsonb:
    rows = [{name: getattr(turn, name) for name in NewTurn.__slots__} for turn in turns]
    vectors = ("embedding", "with_before")
    return as_jsonb([row | {name: HalfVector(row[name]).to_text() for name in vectors} for row in rows])


def _message(row: Row[tuple[UUID, str | None, str, str | None, str, datetime, int | None]]) -> MessageRow:
    said_at = in_zone(row.occurred_at, row.occurred_at_offset)
    return MessageRow(row.message_id, row.conversation_id, row.role, row.speaker, row.content, said_at)


_COLUMNS = (
    "message.message_id, message.conversation_id, message.role, message.speaker, message.content, message.occurred_at, "
    "message.occurred_at_offset"
)

# The words, their date and their speaker: a question may ask for "8 May 2023", or for what somebody said. The day is in the
# speaker's time zone.
_GIVEN = f"""
    (select message.*, cast(one.embedding as halfvec) as embedding, cast(one.with_before as halfvec) as with_before,
            to_tsvector('english', concat_ws(' ',
                to_char(message.occurred_at at time zone 'UTC' + make_interval(mins => coalesce(message.occurred_at_offset, 0)),
                        'FMDD FMMonth YYYY'), message.speaker, one.said)) as words
     from jsonb_to_recordset(%(rows)s) as one (message_id uuid, said text, embedding text, with_before text)
     join mosshead.messages as message on {of_namespace("message")} and message.message_id = one.message_id) as given
"""

_TURN = (
    "tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, speaker, embedding, with_before, words"
)

_LACKING = f"""
    from mosshead.messages as message
    join mosshead.events as event on {same_namespace("event", "message")}
      and event.event_id = message.message_id and event.state = 'done'
    where message.tenant_id = %(tenant_id)s and message.role in ('user', 'assistant') and message.content <> '' and not exists (
        select from mosshead.turns as turn
        where {same_namespace("turn", "message")} and turn.message_id = message.message_id and turn.model = %(model)s)
"""
