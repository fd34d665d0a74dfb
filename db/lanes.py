"""Lanes: which may be worked on, and the claim of a batch. Ids and times only; the database's clock alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from uuid import UUID, uuid4

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, as_jsonb, ids_of
from mosshead.store.connection import OF_NAMESPACE, Sql

STAGES = ("extract", "score_salience", "embed", "consolidate", "refresh_profiles")
"""What every batch of events goes through, in order; the last where a profile is due."""

REFLECT = "reflect"
"""What a batch goes through after that where a reflection is due; the only stage of a batch that is made for one."""

DONE = "done"

_LOCK_DISPATCHING = 0x6469737061746368  # "dispatch"


@dataclass(frozen=True, slots=True)
class Slots:
    """How many tasks the workers that are alive can run at once, and how many of those are free."""

    all: int
    free: int


def dispatch_alone(connection: Connection) -> bool:
    """Whether this transaction is the only one that dispatches, until it ends: else slots would be given out twice."""
    return Sql("select pg_try_advisory_xact_lock(%(lock)s)").holds(connection, lock=_LOCK_DISPATCHING)


def slots(connection: Connection, *, alive: timedelta, again: timedelta) -> Slots:
    """The workers' slots. alive: how old a worker's heartbeat may be. again: after how long a hint counts as lost."""
    row = Sql(f"""
        select (select coalesce(sum(slots), 0) from mosshead.workers where seen_at > now() - %(alive)s::interval) as slots,
               (select count(*)
                from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
                where {_OPEN} and ({_LEASED} or batch.due_at <= now() and {_TOLD})) as busy
    """).one(connection, alive=alive, again=again)
    return Slots(row.slots, max(0, row.slots - row.busy))


def due_lanes(connection: Connection, *, limit: int, of_tenant: int) -> list[LaneRef]:
    """Lanes that are ready and at rest. Sees all tenants: the table has no policy.

    Tenants take turns: first those with the fewest batches at work, within a tenant the longest ready. Where more are ready than
    are looked at, a tenant whose lanes a crowd keeps out of sight is found by chance, within some calls.
    of_tenant: how many batches of one tenant may be at work at once.
    """
    # All that is read is bounded, however many tenants and lanes there are. The crowd may be one tenant's import.
    looked_at = limit + _LOOKED_AT
    found = Sql(f"""
        select tenant_id, namespace_id, ready_at from mosshead.lanes where {_RESTING} and ready_at <= now()
        order by ready_at limit %(looked_at)s
    """).rows(connection, looked_at=looked_at)
    if len(found) == looked_at:
        drawn = uuid4()
        for events in (True, False):  # lanes with events are ready soon; most of the others rest, and are due later
            found += Sql("""
                select tenant_id, namespace_id, ready_at from mosshead.first_lanes(%(drawn)s, %(walked)s, %(limit)s, %(events)s)
            """).rows(connection, drawn=drawn, limit=limit, walked=_LOOKED_AT, events=events)
    # What failed and waits for its next try is not at work: it may wait for long, and the tenant's other lanes need not.
    turns = Sql(f"""
        select tenant_id, count(*)
        from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
        where {_OPEN} and batch.due_at <= now() and (batch.error is null or {_LEASED}) group by tenant_id
    """).pairs(connection)
    due: list[tuple[int, datetime, LaneRef]] = []
    for ready_at, lane in sorted({(ready_at, LaneRef(*lane)) for *lane, ready_at in found}, key=itemgetter(0)):
        turns[lane.tenant_id] = turn = turns.get(lane.tenant_id, 0) + 1
        if turn <= of_tenant:
            due.append((turn, ready_at, lane))
    return [lane for *_, lane in sorted(due, key=itemgetter(0, 1))[:limit]]


def of_one_tenant(connection: Connection) -> bool:
    """Whether all lanes are of one tenant, or there is none."""
    # The first and the last of the primary key, whatever the number of lanes.
    return Sql("""
        select (select tenant_id from mosshead.lanes order by tenant_id limit 1)
            is not distinct from (select tenant_id from mosshead.lanes order by tenant_id desc limit 1)
    """).holds(connection)


def batches_to_hint(
    connection: Connection, *, limit: int, again: timedelta, but_not: Sequence[str] = ()
) -> list[tuple[BatchRef, str]]:
    """Batches whose stage is due and that nobody was told of lately, with that stage; marks them as told.

    again: after how long the first hint counts as lost; the next after twice that, and so on to half a minute. A lease that
    lapsed shows at once that it is. but_not: stages to leave alone. Sees all tenants.
    """
    found = Sql(f"""
        select batch.tenant_id, batch.namespace_id, batch.batch_id
        from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
        where {_OPEN} and batch.due_at <= now() and not {_LEASED} and not {_TOLD} and not batch.stage = any(%(but_not)s)
        order by batch.due_at limit %(limit)s
    """).rows(connection, limit=limit, again=again, but_not=list(but_not))
    due = [LaneRef(*ids) for *ids, _ in found]
    rows = Sql("""
        select * from mosshead.hint(%(tenants)s, %(namespaces)s, %(batches)s)
    """).run(connection, **ids_of(due), batches=[row.batch_id for row in found])
    return [(BatchRef(LaneRef(*row[:2]), row.batch_id), row.stage) for row in rows]


def forget_hints(connection: Connection, batches: Sequence[BatchRef]) -> None:
    """Have some batches hinted anew at once: what should have told of them was not sent."""
    Sql(f"""
        update mosshead.batches set hinted_at = null where {OF_BATCH}
    """).run_each(connection, [batch.scope for batch in batches])


def to_erase(connection: Connection, *, limit: int, again: timedelta) -> list[LaneRef]:
    """Lanes in which something waits to be erased and at which nobody is; marks them as taken. Sees all tenants.

    again: after how long such a lane is due again, where it is not erased by then.
    """
    due = Sql("""
        select tenant_id, namespace_id from mosshead.lanes where erase_due_at <= now() order by erase_due_at limit %(limit)s
    """).rows(connection, limit=limit)
    rows = Sql("""
        select * from mosshead.take_to_erase(%(tenants)s, %(namespaces)s, %(again)s)
    """).rows(connection, **ids_of([LaneRef(*row) for row in due]), again=again)
    return [LaneRef(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class LockedLane:
    """A lane that is due, locked for a claim. without_events: the stage of a batch that needs no event, where one is due."""

    lane: LaneRef
    without_events: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a locked lane does next. stage: where its batch begins; None: it makes none. event_ids: in their order."""

    batch: BatchRef
    stage: str | None = None
    event_ids: Sequence[UUID] = ()


def lock_due(connection: Connection, lanes: Sequence[LaneRef]) -> list[LockedLane]:
    """Lock some lanes for a claim, in this order; without those that others have, or that are not due."""
    rows = Sql("""
        select tenant_id, namespace_id, case when profiles then %(refresh)s when reflections then %(reflect)s end
        from mosshead.lock_due(%(tenants)s, %(namespaces)s)
    """).rows(connection, **ids_of(lanes), refresh=STAGES[-1], reflect=REFLECT)
    return [LockedLane(LaneRef(*ids), without_events) for *ids, without_events in rows]


def claim(connection: Connection, claims: Sequence[Claim], *, gap: timedelta) -> None:
    """Make the batches of some locked lanes. What is left of a lane is due as soon as its batch is done.

    A lane without a batch is looked at again when the gap that holds its events has lasted long enough, or a profile or a
    reflection is due. Leaves no tenant set.
    """
    rows = [{**one.batch.scope, "stage": one.stage, "event_ids": list(one.event_ids)} for one in claims]
    Sql("select mosshead.claim(%(claims)s, %(gap)s)").run(connection, claims=as_jsonb(rows), gap=gap)


def quarantine(connection: Connection, lane: LaneRef, *, dead: int, within: timedelta) -> bool:
    """Stop a lane where so many of its events died of late, until an operator resumes it; returns whether it was stopped now."""
    return Sql(f"""
        update mosshead.lanes set quarantined_at = now(), quarantined_for = 'many dead letters'
        where {OF_NAMESPACE} and quarantined_at is null and %(dead)s <= (
            select count(*) from mosshead.dead_letters
            where {OF_NAMESPACE} and origin = 'stage' and died_at > now() - %(within)s::interval)
    """).changes(connection, lane.scope, dead=dead, within=within)


def set_aside(connection: Connection, lane: LaneRef, why: str) -> bool:
    """Quarantine a lane for what stands in it; returns whether it was stopped now. why: in words without a text of an event's."""
    return Sql(f"""
        update mosshead.lanes set quarantined_at = now(), quarantined_for = %(why)s
        where {OF_NAMESPACE} and quarantined_at is null
    """).changes(connection, lane.scope, why=why)


def look_again(connection: Connection, lane: LaneRef, *, after: timedelta) -> None:
    """Have a lane that is due and at rest looked at again after a while."""
    Sql(f"""
        update mosshead.lanes set ready_at = now() + %(after)s::interval where {OF_NAMESPACE} and {_RESTING} and ready_at <= now()
    """).run(connection, lane.scope, after=after)


_OPEN = "batch.finished_at is null"

# A task is on its way for this try of the stage. A lease that lapsed since shows that its task is gone. While nobody takes hints
# they lie in Redis, and each one waits twice as long for the next: workers that hang must not find a million.
_TOLD = """(coalesce(batch.hinted_at >= batch.due_at, false)
            and batch.hinted_at > now() - greatest(%(again)s::interval, least(batch.hinted_at - batch.due_at, '30 seconds'))
            and (lane.lease_until is null or batch.hinted_at > lane.lease_until))"""
_LEASED = "(lane.lease_until is not null and lane.lease_until >= now())"

_RESTING = "batch_id is null and ready_at is not null and quarantined_at is null and erase_due_at is null"

_LOOKED_AT = 100
"""So many lanes more than are asked for, and so many tenants of each kind."""
