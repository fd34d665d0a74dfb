"""Lanes, batches and leases: who may work on what, and when. Ids and times only; the database's clock alone."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Connection, Row, text

from db.refs import BatchRef, LaneRef

STAGES = ("extract", "score_salience", "embed", "consolidate", "refresh_profiles")
DONE = "done"


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to store the result of one stage of one batch, as long as no later epoch was given out."""

    batch: BatchRef
    stage: str
    epoch: int
    attempts: int


def due_lanes(connection: Connection, limit: int) -> list[LaneRef]:
    """Lanes that are ready and at rest, longest ready first. Sees all tenants: the table has no policy."""
    return [LaneRef(row.tenant_id, row.namespace_id) for row in connection.execute(_DUE_LANES, {"limit": limit})]


def claim(
    connection: Connection, lane: LaneRef, batch_id: UUID, *, messages: int, characters: int, gap: timedelta
) -> BatchRef | None:
    """Make a batch of a lane's contiguous backlog; None where another claimed it, or nothing may be taken yet.

    messages, characters: the size of a batch at most; one event is always taken. gap: how long a missing event is waited for.
    The lane's tenant must be set.
    """
    if connection.execute(_LOCK_LANE, lane.scope).one_or_none() is None:
        return None
    batch = BatchRef(lane, batch_id)
    limits = {"messages": messages, "characters": characters, "gap": gap}
    taken = connection.execute(_TAKE_EVENTS, {**batch.scope, **limits}).rowcount
    if taken:
        connection.execute(_MAKE_BATCH, batch.scope)
        connection.execute(_PASS_GAPS, batch.scope)
    connection.execute(_SET_LANE, {**batch.scope, "taken": taken, "gap": gap})
    return batch if taken else None


def batches_to_hint(connection: Connection, *, limit: int, again: timedelta) -> list[tuple[BatchRef, str]]:
    """Batches whose stage is due and that nobody was told of lately, with that stage; marks them as told.

    again: after how long a hint counts as lost. Sees all tenants.
    """
    rows = connection.execute(_TO_HINT, {"limit": limit, "again": again})
    return [(_batch(row), row.stage) for row in rows]


def take_lease(connection: Connection, batch: BatchRef, stage: str, lease: timedelta) -> Lease | None:
    """The lease of a batch's stage; None where the stage is not due, is done, or is leased to another: the hint was doubled."""
    row = connection.execute(_TAKE_LEASE, {**batch.scope, "stage": stage, "lease": lease}).one_or_none()
    return Lease(batch, stage, row.epoch, row.attempts) if row else None


def holds(connection: Connection, lease: Lease) -> bool:
    """Whether a lease is still the latest; locks its lane for the rest of the transaction, so that it stays so."""
    return connection.execute(_HOLDS, {**lease.batch.scope, "epoch": lease.epoch}).one_or_none() is not None


def advance(connection: Connection, lease: Lease) -> str:
    """Give a lease back with its stage done; returns the next stage, which may be hinted after the commit."""
    following = (*STAGES, DONE)[STAGES.index(lease.stage) + 1]
    _set_stage(connection, lease.batch, following)
    return following


def give_up(connection: Connection, lease: Lease, error: str) -> None:
    """End a batch whose stage failed for good; the lane goes on."""
    _set_stage(connection, lease.batch, "dead", error)


def put_off(connection: Connection, lease: Lease, *, error: str, delay: timedelta, counts: bool) -> None:
    """Give a lease back with its stage to be tried again after a delay. counts: it was the batch's fault."""
    parameters = {**lease.batch.scope, "error": error, "delay": delay, "counted": int(counts)}
    connection.execute(_PUT_OFF, parameters)
    connection.execute(_FREE_LEASE, lease.batch.scope)


def _set_stage(connection: Connection, batch: BatchRef, stage: str, error: str | None = None) -> None:
    connection.execute(_SET_STAGE, {**batch.scope, "stage": stage, "error": error})
    connection.execute(_FREE_LANE if stage in {DONE, "dead"} else _FREE_LEASE, batch.scope)


def _batch(row: Row[tuple[UUID, UUID, UUID]]) -> BatchRef:
    return BatchRef(LaneRef(row.tenant_id, row.namespace_id), row.batch_id)


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_BATCH = f"{_LANE} and batch_id = :batch_id"

_DUE_LANES = text("""
    select tenant_id, namespace_id from recollect.lanes
    where batch_id is null and ready_at <= now() order by ready_at limit :limit
""")

_LOCK_LANE = text(f"""
    select 1 from recollect.lanes where {_LANE} and batch_id is null and ready_at <= now()
    for update skip locked
""")

# Contiguous: nothing behind a gap in its publisher's numbers, until the gap was waited for long enough.
_TAKE_EVENTS = text(f"""
    update recollect.events set batch_id = :batch_id
    where {_LANE} and event_id in (
        select event_id from (
            select event.event_id, row_number() over arrived as place,
                   sum(length(event.payload ->> 'content')) over arrived as characters
            from recollect.events as event
            join recollect.publishers as publisher using (tenant_id, namespace_id, publisher_id)
            where event.tenant_id = :tenant_id and event.namespace_id = :namespace_id
              and event.state = 'received' and event.batch_id is null
              and (event.publisher_sequence <= publisher.received_up_to or event.received_at < now() - cast(:gap as interval))
            window arrived as (order by event.position)
            order by event.position limit :messages
        ) as backlog
        where place = 1 or coalesce(characters, 0) <= :characters
    )
""")

_MAKE_BATCH = text("""
    insert into recollect.batches (tenant_id, namespace_id, batch_id, stage, hinted_at)
    values (:tenant_id, :namespace_id, :batch_id, 'extract', now())
""")

# A gap that was waited out is waited out once: what comes after it is not held again.
_PASS_GAPS = text(f"""
    update recollect.publishers as publisher set received_up_to = greatest(publisher.received_up_to, taken.up_to)
    from (
        select publisher_id, max(publisher_sequence) as up_to from recollect.events where {_BATCH} group by publisher_id
    ) as taken
    where publisher.tenant_id = :tenant_id and publisher.namespace_id = :namespace_id
      and publisher.publisher_id = taken.publisher_id and publisher.received_up_to < taken.up_to
""")

# What is left is due as soon as this batch is done. Where nothing could be taken, a gap is waited for.
_SET_LANE = text(f"""
    update recollect.lanes set
        batch_id = case when :taken > 0 then cast(:batch_id as uuid) end,
        (ready_at, first_pending_at) = (
            select case when :taken > 0 then now() else min(received_at) + cast(:gap as interval) end, min(received_at)
            from recollect.events where {_LANE} and state = 'received' and batch_id is null
            having count(*) > 0
        )
    where {_LANE}
""")

_TO_HINT = text("""
    update recollect.batches set hinted_at = now()
    where (tenant_id, namespace_id, batch_id) in (
        select batch.tenant_id, batch.namespace_id, batch.batch_id
        from recollect.batches as batch join recollect.lanes as lane using (tenant_id, namespace_id, batch_id)
        where batch.stage not in ('done', 'dead') and batch.due_at <= now()
          and (lane.lease_until is null or lane.lease_until < now())
          and (batch.hinted_at is null or batch.hinted_at < batch.due_at or batch.hinted_at < now() - cast(:again as interval))
        order by batch.due_at limit :limit for update of batch skip locked
    )
    returning tenant_id, namespace_id, batch_id, stage
""")

_TAKE_LEASE = text("""
    update recollect.lanes as lane set epoch = lane.epoch + 1, lease_until = now() + cast(:lease as interval)
    from recollect.batches as batch
    where lane.tenant_id = :tenant_id and lane.namespace_id = :namespace_id and lane.batch_id = :batch_id
      and batch.tenant_id = :tenant_id and batch.namespace_id = :namespace_id and batch.batch_id = :batch_id
      and batch.stage = :stage and batch.due_at <= now()
      and (lane.lease_until is null or lane.lease_until < now())
    returning lane.epoch, batch.attempts
""")

_HOLDS = text(f"select 1 from recollect.lanes where {_BATCH} and epoch = :epoch for update")

_SET_STAGE = text(f"""
    update recollect.batches
    set stage = :stage, due_at = now(), hinted_at = now(), attempts = 0, error = :error,
        finished_at = case when :stage in ('done', 'dead') then now() end
    where {_BATCH}
""")

_FREE_LEASE = text(f"update recollect.lanes set lease_until = null where {_BATCH}")

_FREE_LANE = text(f"update recollect.lanes set lease_until = null, batch_id = null where {_BATCH}")

_PUT_OFF = text(f"""
    update recollect.batches
    set due_at = now() + cast(:delay as interval), attempts = attempts + :counted, error = :error
    where {_BATCH}
""")
