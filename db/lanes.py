"""Lanes: which are due, and claiming a batch of one. Ids and times only, all by the database's clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from uuid import UUID, uuid4

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, as_jsonb, ids_of
from mosshead.store.connection import OF_NAMESPACE, Sql

STAGES = ("extract", "score_salience", "embed", "consolidate", "refresh_profiles")
"""The stages of every batch of events, in order; the last only if a profile is due."""

REFLECT = "reflect"
"""The stage after those if a reflection is due; the only stage of a batch made for a reflection."""

DONE = "done"

_LOCK_DISPATCHING = 0x6469737061746368  # "dispatch"


@dataclass(frozen=True, slots=True)
class Slots:
    """How many tasks the live workers can run at once, and how many more they can take now.

    of_one_tenant: whether all lanes belong to one tenant, or there are none.
    """

    all: int
    free: int
    of_one_tenant: bool


def dispatch_alone(connection: Connection) -> bool:
    """Return whether this transaction is the only one dispatching, until it ends: otherwise slots would be assigned twice."""
    return Sql("select pg_try_advisory_xact_lock(%(lock)s)").holds(connection, lock=_LOCK_DISPATCHING)


def slots(connection: Connection, *, alive: timedelta, again: timedelta) -> Slots:
    """Return the workers' slots. alive: how old a heartbeat may be. again: after how long a hint counts as lost."""
    # Of all lanes, the first and the last row of the primary key tell, however many there are.
    row = Sql(f"""
        select (select coalesce(sum(slots), 0) from mosshead.workers where seen_at > now() - %(alive)s::interval) as slots,
               (select count(*)
                from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
                where {_OPEN} and ({_LEASED} or batch.due_at <= now() and {_TOLD})) as busy,
               (select tenant_id from mosshead.lanes order by tenant_id limit 1)
                   is not distinct from (select tenant_id from mosshead.lanes order by tenant_id desc limit 1) as of_one_tenant
    """).one(connection, alive=alive, again=again)
    return Slots(row.slots, max(0, row.slots - row.busy), row.of_one_tenant)


def due_lanes(connection: Connection, *, limit: int, of_tenant: int) -> list[LaneRef]:
    """Return lanes that are ready and not running. Sees all tenants: the table has no policy.

    Tenants take turns: those with the fewest running batches come first, and within a tenant the lanes ready for longest. If more
    are ready than one call reads, a tenant hidden behind a crowd of lanes is found at random, within a few calls.

    of_tenant: how many batches of one tenant may run at once.
    """
    # Everything read is bounded, however many tenants and lanes there are. The crowd may be one tenant's import.
    looked_at = limit + _LOOKED_AT
    found = Sql(f"""
        select tenant_id, namespace_id, ready_at from mosshead.lanes where {_RESTING} and ready_at <= now()
        order by ready_at limit %(looked_at)s
    """).rows(connection, looked_at=looked_at)
    if len(found) == looked_at:
        drawn = uuid4()
        # Lanes with events are ready soon. The others rest until a profile or a reflection is due, most of them later.
        for kind in ("lanes_with_events", "lanes_without_events"):
            found += Sql(f"""
                select tenant_id, namespace_id, ready_at from mosshead.{kind}(%(drawn)s, %(walked)s, %(limit)s)
            """).rows(connection, drawn=drawn, limit=limit, walked=_LOOKED_AT)
    # A stage that failed and waits for its next try does not count as running: the tenant's other lanes need not wait for it.
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


def batches_to_hint(
    connection: Connection, *, limit: int, again: timedelta, but_not: Sequence[str] = ()
) -> list[tuple[BatchRef, str]]:
    """Return batches with due stages that were not hinted lately, with these stages; mark them as hinted.

    again: after how long the first hint counts as lost; twice that for the next, and so on up to half a minute. A lapsed lease
    shows at once that its hint is lost. but_not: stages to leave out. Sees all tenants.
    """
    found = Sql(f"""
        select batch.tenant_id, batch.namespace_id, batch.batch_id, batch.hinted_at
        from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
        where {_OPEN} and batch.due_at <= now() and not {_LEASED} and not {_TOLD} and not batch.stage = any(%(but_not)s)
        order by batch.due_at limit %(looked_at)s
    """).rows(connection, looked_at=limit + _LOOKED_AT, again=again, but_not=list(but_not))
    due = [LaneRef(row.tenant_id, row.namespace_id) for row in found]
    batches, hinted = [row.batch_id for row in found], [row.hinted_at for row in found]
    rows = Sql("""
        select * from mosshead.hint(%(tenants)s, %(namespaces)s, %(batches)s, %(hinted)s::timestamptz[], %(limit)s)
    """).run(connection, **ids_of(due), batches=batches, hinted=hinted, limit=limit)
    return [(BatchRef(LaneRef(*row[:2]), row.batch_id), row.stage) for row in rows]


def forget_hints(connection: Connection, batches: Sequence[BatchRef]) -> None:
    """Let some batches be hinted again at once: their hints were not sent."""
    Sql(f"""
        update mosshead.batches set hinted_at = null where {OF_BATCH}
    """).run_each(connection, [batch.scope for batch in batches])


def to_erase(connection: Connection, *, limit: int, again: timedelta) -> list[LaneRef]:
    """Return lanes with a waiting erasure that nobody is running; mark them as taken. Sees all tenants.

    again: after how long such a lane is due again if it is not erased by then.
    """
    # Many more than requested: an app may hold lanes in its own transactions, and those behind them must not wait for it.
    due = Sql(f"""
        select tenant_id, namespace_id from mosshead.lanes where erase_due_at <= now() order by erase_due_at limit {_MOST_ERASED}
    """).rows(connection)
    rows = Sql("""
        select * from mosshead.take_to_erase(%(tenants)s, %(namespaces)s, %(limit)s, %(again)s)
    """).rows(connection, **ids_of([LaneRef(*row) for row in due]), limit=limit, again=again)
    return [LaneRef(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class LockedLane:
    """A due lane, locked for a claim. without_events: the stage of a batch without events, if one is due."""

    lane: LaneRef
    without_events: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a locked lane does next. stage: the first of its batch; None if it makes none. event_ids: in order."""

    batch: BatchRef
    stage: str | None = None
    event_ids: Sequence[UUID] = ()


def lock_due(connection: Connection, lanes: Sequence[LaneRef]) -> list[LockedLane]:
    """Lock some lanes for a claim, in this order, without those that are locked by others or not due."""
    rows = Sql("""
        select tenant_id, namespace_id, case when profiles then %(refresh)s when reflections then %(reflect)s end
        from mosshead.lock_due(%(tenants)s, %(namespaces)s)
    """).rows(connection, **ids_of(lanes), refresh=STAGES[-1], reflect=REFLECT)
    return [LockedLane(LaneRef(*ids), without_events) for *ids, without_events in rows]


def claim(connection: Connection, claims: Sequence[Claim], *, gap: timedelta) -> None:
    """Make the batches of some locked lanes. The rest of a lane is due as soon as its batch is done.

    A lane without a batch is due again when the gap before its events has lasted long enough, or a profile or a reflection is
    due. Leaves no tenant set.
    """
    rows = [{**one.batch.scope, "stage": one.stage, "event_ids": list(one.event_ids)} for one in claims]
    Sql("select mosshead.claim(%(claims)s, %(gap)s)").run(connection, claims=as_jsonb(rows), gap=gap)


def quarantine(connection: Connection, lane: LaneRef, *, dead: int, within: timedelta) -> bool:
    """Stop a lane if that many of its events died lately, until an operator resumes it; return whether it was stopped now."""
    return Sql(f"""
        update mosshead.lanes set quarantined_at = now(), quarantined_for = 'many dead letters'
        where {OF_NAMESPACE} and quarantined_at is null and %(dead)s <= (
            select count(*) from mosshead.dead_letters
            where {OF_NAMESPACE} and origin = 'stage' and died_at > now() - %(within)s::interval)
    """).changes(connection, lane.scope, dead=dead, within=within)


def set_aside(connection: Connection, lane: LaneRef, why: str) -> bool:
    """Quarantine a lane because of its rows; return whether it was stopped now. why: in words, without text of an event."""
    return Sql(f"""
        update mosshead.lanes set quarantined_at = now(), quarantined_for = %(why)s
        where {OF_NAMESPACE} and quarantined_at is null
    """).changes(connection, lane.scope, why=why)


def look_again(connection: Connection, lane: LaneRef, *, after: timedelta) -> None:
    """Let a due lane that is not running be tried again after a while."""
    Sql(f"""
        update mosshead.lanes set ready_at = now() + %(after)s::interval where {OF_NAMESPACE} and {_RESTING} and ready_at <= now()
    """).run(connection, lane.scope, after=after)


_OPEN = "batch.finished_at is null"

# A hint was sent for this try of the stage. If a lease has lapsed since, its task is gone. Hints that nobody takes lie in Redis,
# so each waits twice as long as the one before: hanging workers must not return to a million hints.
_TOLD = """(coalesce(batch.hinted_at >= batch.due_at, false)
            and batch.hinted_at > now() - greatest(%(again)s::interval, least(batch.hinted_at - batch.due_at, '30 seconds'))
            and (lane.lease_until is null or batch.hinted_at > lane.lease_until))"""
_LEASED = "(lane.lease_until is not null and lane.lease_until >= now())"

_RESTING = "batch_id is null and ready_at is not null and quarantined_at is null and erase_due_at is null"

_MOST_ERASED = 1_000

_LOOKED_AT = 50
"""How many more lanes or batches than requested are read, since some may be locked, and how many tenants of each kind."""
