"""The inbox: where events come in, and what a batch reads of them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, ids_of
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


class AlreadyInEffect(RuntimeError):
    """An event of a batch that is about to be marked took effect, or was given up, before."""


def publish(connection: Connection, events: Sequence[str], *, quiet: timedelta, most: timedelta) -> int:
    """Put events (each JSON text, checked) into the inbox and make their lanes ready; returns how many were new.

    quiet, most: the debounce. The function sets each tenant itself; no tenant need be set.
    """
    return Sql("""
        select mosshead_write_v1.publish(%(events)s::jsonb, %(quiet)s, %(most)s)
    """).number(connection, events=f"[{','.join(events)}]", quiet=quiet, most=most)


def waiting_events(
    connection: Connection, lanes: Sequence[LaneRef], *, gap: timedelta, limit: int
) -> dict[LaneRef, list[dict[str, Any]]]:
    """Each publisher's next events of some lanes, at most ``limit``, without their text; nothing behind a gap in its numbers.

    gap: how long a missing event is waited for. By lane, rows with the columns of the pipeline's WaitingEvent. Leaves no tenant
    set.
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
    """The payloads of a batch's events, in the order that its claim gave them, without what was erased since."""
    return Sql(f"""
        select payload from mosshead.events where {OF_BATCH} and type <> 'erased' order by place
    """).scalars(connection, batch.scope)


def earlier_messages(connection: Connection, batch: BatchRef, limit: int) -> list[Mapping[str, Any]]:
    """The payloads of the messages just before a batch, oldest first: they explain it, and are not extracted again."""
    return Sql(_BEFORE).scalars(connection, batch.scope, limit=limit)[::-1]


def earlier_speakers(connection: Connection, batch: BatchRef, limit: int) -> list[str]:
    """The names under which users spoke in the messages before a batch, of so many at most."""
    return Sql(f"""
        select distinct payload ->> 'speaker' from ({_BEFORE}) as before
        where payload ->> 'role' = 'user' and payload ->> 'speaker' is not null
    """).scalars(connection, batch.scope, limit=limit)


def mark_done(connection: Connection, batch: BatchRef) -> None:
    """Mark a batch's events as in effect, and move their publishers' watermarks. Raises AlreadyInEffect."""
    # What is marked leaves what its lane counts as pending.
    marked = Sql(f"""
        with marked as (
            update mosshead.events
            set state = 'done', formed_by = (select formed_by from mosshead.batches where {OF_BATCH}),
                effective_at = statement_timestamp() + place * interval '1 microsecond'
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
    """Give a batch's events up as dead letters, with the reason, so that the lane goes on."""
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
    """Return a batch's events to their lane as suspects, each to be taken alone. Forgets what was found in them so far."""
    Sql(f"""
        update mosshead.events set batch_id = null, place = null, suspect = true where {OF_BATCH} and state = 'received';
        delete from mosshead.candidate_facts where {OF_BATCH};

        update mosshead.lanes set ready_at = now(), first_pending_at = (
            select received_at from mosshead.events where {OF_NAMESPACE} and state = 'received' and batch_id is null
            order by position limit 1)
        where {OF_NAMESPACE}
    """).run(connection, batch.scope)


def refuse(connection: Connection, letters: Sequence[str]) -> None:
    """Put what the intake cannot take into the dead letters; letters: JSON texts, as ``mosshead_write_v1.refuse`` has them.

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
        set times = dead.times + 1, died_at = now(), reason = excluded.reason
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
