"""Erasures: the next in a lane, the fence before anything is deleted, and the receipt afterwards.

The fence is a short, separate transaction: events published before it and arriving later are kept out, and a worker in the lane
can store nothing more. The deletion may then take long; publishers do not wait for it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.inbox import BURY
from db.keys import LaneRef
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace

_LOCK_ERASING = 0x6572617365  # "erase"


def next_in(connection: Connection, lane: LaneRef) -> tuple[UUID, Mapping[str, Any]] | None:
    """Return a lane's oldest waiting erasure, if any: the id of its event and its payload."""
    row = Sql(f"""
        select event_id, payload from mosshead.events
        where {OF_NAMESPACE} and type = 'erase' and state = 'received' order by position limit 1
    """).row(connection, lane.scope)
    return (row.event_id, row.payload) if row else None


def nothing_waits(connection: Connection, lane: LaneRef) -> None:
    """Clear the erasure timer of a lane without waiting erasures. The lane must have been locked before that check."""
    Sql(f"update mosshead.lanes set erase_due_at = null where {OF_NAMESPACE}").run(connection, lane.scope)


def bury(connection: Connection, lane: LaneRef, erasure_id: UUID, reason: str) -> None:
    """Move an unreadable erasure to the dead letters. The lane, which must be locked, continues with what waits."""
    Sql(f"""
        with marked as (
            update mosshead.events set state = 'dead', reason = %(reason)s where {OF_NAMESPACE} and event_id = %(erasure_id)s
            returning event_id
        )
        {BURY};
        {_GO_ON}
    """).run(connection, lane.scope, erasure_id=erasure_id, reason=reason)


def put_up(
    connection: Connection,
    lane: LaneRef,
    erasure_id: UUID,
    scope: str,
    *,
    conversation: str | None = None,
    events: Sequence[UUID] = (),
) -> None:
    """Keep out what an erasure covers, and take the lane, which must be locked, from its worker.

    Safe to repeat. The running batch ends; another takes its events again. conversation: set if that is the scope. events: single
    ones that are covered.
    """
    # Events without a number are numbered on arrival, which does not show when they were published.
    Sql(f"""
        insert into mosshead.erasures
            (tenant_id, namespace_id, erasure_id, scope, conversation, asked_at, position, publisher_id, publisher_sequence)
        select tenant_id, namespace_id, event_id, %(of_scope)s, sha256(convert_to(%(conversation)s, 'UTF8')),
               coalesce(mosshead.made_at(event_id), received_at), position,
               nullif(publisher_id, (select mosshead.derived_id('publisher', path) from mosshead.namespaces as named
                                     where {both_of_namespace("named", "event")})),
               publisher_sequence
        from mosshead.events as event
        where {OF_NAMESPACE} and event_id = %(erasure_id)s
        on conflict do nothing;

        -- A single event is kept out by its id, for it may be on its way.
        insert into mosshead.tombstones (tenant_id, namespace_id, digest)
        select distinct %(tenant_id)s::uuid, %(namespace_id)s::uuid, sha256(uuid_send(covered_id))
        from unnest(%(events)s::uuid[]) as covered (covered_id)
        on conflict do nothing;

        update mosshead.events set batch_id = null, place = null
        where {OF_NAMESPACE} and state = 'received' and batch_id = (select batch_id from mosshead.lanes where {OF_NAMESPACE});

        update mosshead.batches set stage = 'split', finished_at = now()
        where {OF_NAMESPACE} and finished_at is null and batch_id = (select batch_id from mosshead.lanes where {OF_NAMESPACE});

        update mosshead.lanes set epoch = epoch + 1, batch_id = null, lease_until = null, lease_owner = null where {OF_NAMESPACE}
    """).run(
        connection, lane.scope, erasure_id=erasure_id, of_scope=scope, conversation=conversation, events=list(events)
    )


def alone(connection: Connection, lane: LaneRef) -> bool:
    """Whether this transaction is the only one erasing in a lane, until it ends."""
    return Sql("""
        select pg_try_advisory_xact_lock(hashtextextended(%(of)s, %(lock)s))
    """).holds(connection, lock=_LOCK_ERASING, of=str(lane.namespace_id))


def take_time(connection: Connection) -> None:
    """Lift the statement timeout in this transaction, so that large parts can be deleted."""
    Sql("set local statement_timeout = 0").run(connection)


def done(connection: Connection, lane: LaneRef, erasure_id: UUID, rows: Mapping[str, int]) -> None:
    """Mark an erasure as done and empty its event. The lane, which must be locked, continues with what waits.

    rows: how many were deleted or emptied, by table.
    """
    Sql(f"""
        update mosshead.erasures set erased_at = (select clock_timestamp()), rows = %(rows)s
        where {OF_NAMESPACE} and erasure_id = %(erasure_id)s;

        update mosshead.events set state = 'done', type = 'erased', payload = '{{"type": "erase"}}', conversation_id = null
        where {OF_NAMESPACE} and event_id = %(erasure_id)s;
        {_GO_ON}
    """).run(connection, lane.scope, erasure_id=erasure_id, rows=Jsonb(dict(rows)))


def clock(connection: Connection) -> datetime:
    """Return the database's time."""
    now: datetime = Sql("select clock_timestamp()").value(connection)
    return now


def to_rewrite(connection: Connection, tenant_id: UUID) -> bool:
    """Whether files may still hold a tenant's erased content. The tenant must be set, here and below."""
    return Sql("""
        select from mosshead.erasures where tenant_id = %(tenant_id)s and erased_at is not null and rewritten_at is null limit 1
    """).exists(connection, tenant_id=tenant_id)


def tables_with_content(connection: Connection) -> list[str]:
    """Return the tables with text of conversations, or derived from it: their files may still hold old versions of rows."""
    return Sql("""
        select relname from pg_class
        where relnamespace = to_regnamespace('mosshead') and relkind = 'r' and relforcerowsecurity order by relname
    """).scalars(connection)


def transactions(connection: Connection) -> set[str]:
    """Return the other open transactions of the whole server: each holds a lock on itself, which everyone may see."""
    found = Sql("""
        select virtualtransaction from pg_locks where locktype = 'virtualxid' and granted and pid <> pg_backend_pid()
    """).scalars(connection)
    return set(found)


def mark_rewritten(connection: Connection, tenant_id: UUID, *, before: datetime) -> int:
    """Mark erasures before a time as removed from the files; return how many receipts were marked."""
    return Sql("""
        update mosshead.erasures set rewritten_at = (select clock_timestamp())
        where tenant_id = %(tenant_id)s and erased_at < %(before)s and rewritten_at is null
    """).changed(connection, tenant_id=tenant_id, before=before)


def lock_lane(connection: Connection, lane: LaneRef) -> None:
    """Lock a lane against arrivals until this transaction ends. Keep it short: publishers wait for it."""
    Sql(f"select from mosshead.lanes where {OF_NAMESPACE} for update").run(connection, lane.scope)


_GO_ON = f"""
    update mosshead.lanes as lane
    set (pending, first_pending_at, ready_at, erase_due_at) = (
        select count(*), min(received_at),
               case when count(*) > 0 then now() else least(lane.profiles_due_at, lane.reflections_due_at) end,
               case when bool_or(type = 'erase') then now() end
        from mosshead.events where {OF_NAMESPACE} and state = 'received')
    where {OF_NAMESPACE};
    select mosshead.settle_watermarks(%(tenant_id)s, %(namespace_id)s)
"""
