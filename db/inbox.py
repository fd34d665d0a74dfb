"""The inbox: store arriving events, and read the events of a batch."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, ids_of
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


class AlreadyInEffect(RuntimeError):
    """An event of a batch to be marked is already in effect or given up."""


def publish(connection: Connection, events: Sequence[str], *, quiet: timedelta, most: timedelta) -> int:
    """Put checked events (JSON texts) into the inbox and make their lanes ready; return how many were new.

    quiet, most: the debounce. The function sets each tenant itself; no tenant need be set.
    """
    return Sql("""
        select mosshead_write_v1.publish(%(events)s::jsonb, %(quiet)s, %(most)s)
    """).number(connection, events=f"[{','.join(events)}]", quiet=quiet, most=most)


def waiting_events(
    connection: Connection, lanes: Sequence[LaneRef], *, gap: timedelta, limit: int
) -> dict[LaneRef, list[dict[str, Any]]]:
    """Return each publisher's next events of some lanes, at most ``limit``, without text, up to a gap in its numbers.

    gap: how long to wait for a missing event. Returns by lane rows with the columns of the pipeline's WaitingEvent. Leaves no
    tenant set.
    """
    rows = Sql("""
        select * from mosshead.waiting_events(%(tenants)s::uuid[], %(namespaces)s::uuid[], %(gap)s, %(limit)s)
    """).run(connection, **ids_of(lanes), gap=gap, limit=limit)
    found: dict[LaneRef, list[dict[str, Any]]] = {lane: [] for lane in lanes}
    for row in rows.mappings():
        columns = dict(row)
        found[LaneRef(columns.pop("tenant_id"), columns.pop("namespace_id"))].append(columns)
    return found


def events_of_batch(connection: Connection, batch: BatchRef) -> list[Mapping[str, Any]]:
    """Return the payloads of a batch's events, in the order of its claim, without those erased since."""
    return Sql(f"""
        select payload from mosshead.events where {OF_BATCH} and type <> 'erased' order by place
    """).scalars(connection, batch.scope)


def earlier_messages(connection: Connection, batch: BatchRef, limit: int) -> list[Mapping[str, Any]]:
    """Return the payloads of the messages just before a batch, oldest first: context that is not extracted again."""
    return Sql(_BEFORE).scalars(connection, batch.scope, limit=limit)[::-1]


def earlier_speakers(connection: Connection, batch: BatchRef, limit: int) -> list[str]:
    """Return the names of users in the messages before a batch, from a limited number of messages."""
    return Sql(f"""
        select distinct payload ->> 'speaker' from ({_BEFORE}) as before
        where payload ->> 'role' = 'user' and payload ->> 'speaker' is not null
    """).scalars(connection, batch.scope, limit=limit)


def mark_done(connection: Connection, batch: BatchRef) -> None:
    """Mark a batch's events as in effect, and move their publishers' watermarks. Raises AlreadyInEffect."""
    # Marked events no longer count as pending in their lane.
    marked = Sql(f"""
        with marked as (
            update mosshead.events
            set state = 'done', formed_by = (select formed_by from mosshead.batches where {OF_BATCH}),
                effective_at = (select statement_timestamp() + place * interval '1 microsecond')
            where {OF_BATCH} and state = 'received' returning event_id
        ),
        counted as (
            update mosshead.lanes set pending = pending - (select count(*) from marked) where {OF_NAMESPACE}
        )
        select count(*) from marked
    """).number(connection, batch.scope)
    if marked != Sql(f"select count(*) from mosshead.events where {OF_BATCH}").number(connection, batch.scope):
        raise AlreadyInEffect
    Sql(_MOVE_WATERMARK).run(connection, batch.scope)


def mark_dead(connection: Connection, batch: BatchRef, reason: str) -> None:
    """Move a batch's events to the dead letters, with the reason, so that the lane continues."""
    Sql(f"""
        with marked as (
            update mosshead.events set state = 'dead', reason = %(reason)s
            where {OF_BATCH} and state = 'received' returning event_id
        ),
        counted as (
            update mosshead.lanes set pending = pending - (select count(*) from marked) where {OF_NAMESPACE}
        )
        {BURY};
        {_MOVE_WATERMARK}
    """).run(connection, batch.scope, reason=reason)


def give_back(connection: Connection, batch: BatchRef) -> None:
    """Return a batch's events to their lane as suspects, to be processed one by one. Deletes what was found in them so far."""
    Sql(f"""
        update mosshead.events set batch_id = null, place = null, suspect = true where {OF_BATCH} and state = 'received';
        delete from mosshead.candidate_facts where {OF_BATCH};

        update mosshead.lanes set ready_at = now(), first_pending_at = (
            select received_at from mosshead.events where {OF_NAMESPACE} and state = 'received' and batch_id is null
            order by position limit 1)
        where {OF_NAMESPACE}
    """).run(connection, batch.scope)


def refuse(connection: Connection, letters: Sequence[str]) -> None:
    """Put messages that the intake refuses into the dead letters; letters: JSON texts in the form of
    ``mosshead_write_v1.refuse``.

    The function sets each tenant itself; no tenant need be set.
    """
    Sql("select mosshead_write_v1.refuse(%(letters)s::jsonb)").run(connection, letters=f"[{','.join(letters)}]")


_BEFORE = f"""
    select payload from mosshead.events
    where {OF_NAMESPACE} and type = 'message' and state = 'done'
      and position < (select min(position) from mosshead.events where {OF_BATCH})
    order by position desc limit %(limit)s
"""

BURY = """
    insert into mosshead.dead_letters as dead (tenant_id, namespace_id, letter_id, origin, reason)
    select %(tenant_id)s, %(namespace_id)s, event_id, 'stage', %(reason)s from marked
    on conflict (tenant_id, namespace_id, letter_id) do update
        set times = dead.times + 1, died_at = excluded.died_at, reason = excluded.reason
"""
"""Insert a dead letter for each event in ``marked``."""

_MOVE_WATERMARK = f"""
    update mosshead.publishers as publisher
    set consolidated_up_to = greatest(publisher.consolidated_up_to, reached.up_to)
    from (
        select publisher_id, max(publisher_sequence) as up_to from mosshead.events where {OF_BATCH} group by publisher_id
    ) as reached
    where {of_namespace("publisher")} and publisher.publisher_id = reached.publisher_id
"""
