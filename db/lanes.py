"""Lanes: which may be worked on, and the claim of a batch. Ids and times only; the database's clock alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from uuid import UUID, uuid4

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, insert
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace, same_namespace

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
        for waits in ("first_pending_at is not null", "first_pending_at is null"):
            found += _first_lanes(waits).rows(connection, drawn=drawn, limit=limit, walked=_LOOKED_AT)
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


def _first_lanes(waits: str) -> Sql:
    """The lanes that are due of some tenants, from an id that is drawn on: from tenant to tenant by the index, round and round.

    waits: what for. Lanes with events are ready soon. The others rest until a profile or a reflection is due, most of them later.
    """
    resting = f"from mosshead.lanes as next where {_RESTING} and {waits}"
    return Sql(f"""
        with recursive tenant as (
            select %(drawn)s::uuid as tenant_id
            union
            select coalesce(
                (select next.tenant_id {resting} and next.tenant_id > tenant.tenant_id order by next.tenant_id limit 1),
                (select next.tenant_id {resting} order by next.tenant_id limit 1))
            from tenant where tenant_id is not null
        )
        select lane.* from (select tenant_id from tenant limit %(walked)s) as tenant cross join lateral (
            select tenant_id, namespace_id, ready_at from mosshead.lanes
            where lanes.tenant_id = tenant.tenant_id and {_RESTING} and {waits} and ready_at <= now()
            order by ready_at limit %(limit)s
        ) as lane
    """)


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
    rows = Sql(f"""
        update mosshead.batches set hinted_at = now()
        where (tenant_id, namespace_id, batch_id) in (
            select batch.tenant_id, batch.namespace_id, batch.batch_id
            from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
            where {_OPEN} and batch.due_at <= now() and not {_LEASED} and not {_TOLD} and not batch.stage = any(%(but_not)s)
            order by batch.due_at limit %(limit)s for update of batch skip locked
        )
        returning tenant_id, namespace_id, batch_id, stage
    """).run(connection, limit=limit, again=again, but_not=list(but_not))
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
    rows = Sql("""
        update mosshead.lanes set erase_due_at = now() + %(again)s::interval
        where (tenant_id, namespace_id) in (
            select tenant_id, namespace_id from mosshead.lanes where erase_due_at <= now()
            order by erase_due_at limit %(limit)s for update skip locked)
        returning tenant_id, namespace_id
    """).run(connection, limit=limit, again=again)
    return [LaneRef(*row) for row in rows]


def lock_due(connection: Connection, lane: LaneRef) -> bool:
    """Lock a lane for a claim; False where another has it, or it is not due. The lane's tenant must be set, here and below."""
    return Sql(f"""
        select 1 from mosshead.lanes where {OF_NAMESPACE} and {_RESTING} and ready_at <= now() for update skip locked
    """).exists(connection, lane.scope)


def make_batch(connection: Connection, batch: BatchRef, event_ids: Sequence[UUID], *, gap: timedelta) -> None:
    """Make a batch of some events, in this order. What is left of the lane is due as soon as this batch is done.

    An event that a successor of its conversation or of its publisher preceded into effect is marked as late.
    A gap that was waited out is waited out once: what comes after it is not held again.
    """
    Sql(f"""
        update mosshead.events as event set batch_id = %(batch_id)s, place = taken.place, late = event.late
            or event.publisher_sequence < (
                select consolidated_up_to from mosshead.publishers as publisher
                where {same_namespace("publisher", "event")} and publisher.publisher_id = event.publisher_id)
            or exists (
                select from mosshead.events as done
                where {same_namespace("done", "event")} and done.state = 'done'
                  and done.conversation_id = event.conversation_id and done.sequence > event.sequence
                  and done.publisher_id <> event.publisher_id)
            or exists (
                select from mosshead.events as done
                where {same_namespace("done", "event")} and done.state = 'done'
                  and done.conversation_id = event.conversation_id and done.occurred_at > event.occurred_at
                  and (done.sequence is null or event.sequence is null) and done.publisher_id <> event.publisher_id)
        from unnest(%(event_ids)s::uuid[]) with ordinality as taken (event_id, place)
        where {of_namespace("event")} and event.event_id = taken.event_id;

        insert into mosshead.batches (tenant_id, namespace_id, batch_id, stage, hinted_at, waiting_since)
        select %(tenant_id)s, %(namespace_id)s, %(batch_id)s, 'extract', now(), min(received_at)
        from mosshead.events where {OF_BATCH};

        with taken as (
            select publisher_id, max(publisher_sequence) as up_to from mosshead.events where {OF_BATCH} group by publisher_id
        ),
        passed as (
            update mosshead.publishers as publisher set passed_up_to = taken.up_to from taken
            where {of_namespace("publisher")} and publisher.publisher_id = taken.publisher_id
              and greatest(publisher.received_up_to, publisher.passed_up_to) < taken.up_to
            returning publisher.publisher_id, taken.up_to
        )
        select mosshead.move_watermark(%(tenant_id)s, %(namespace_id)s, array_agg(publisher_id), array_agg(up_to)) from passed
        having count(*) > 0;

        {_SET_LANE}
    """).run(connection, batch.scope, event_ids=list(event_ids), claimed=True, gap=gap)


def due_without_events(connection: Connection, lane: LaneRef) -> str | None:
    """Lock a lane for a batch without events; returns the stage at which it begins: profiles first, then reflections.

    None where another has the lane, it is not due, or there is nothing to do.
    """
    stage: str | None = Sql(f"""
        select case when profiles_due_at <= now() then %(refresh)s else '{REFLECT}' end from mosshead.lanes
        where {OF_NAMESPACE} and {_RESTING} and ready_at <= now() and least(profiles_due_at, reflections_due_at) <= now()
        for update skip locked
    """).scalar(connection, lane.scope, refresh=STAGES[-1])
    return stage


def make_empty_batch(connection: Connection, batch: BatchRef, stage: str, *, gap: timedelta) -> None:
    """Make a batch without events that begins at a stage. Events that come meanwhile are due when it is done."""
    insert(connection, "batches", [{**batch.scope, "stage": stage}], hinted_at="now()")
    Sql(_SET_LANE).run(connection, batch.scope, claimed=True, gap=gap)


def wait_for_gap(connection: Connection, lane: LaneRef, *, gap: timedelta) -> None:
    """Look at a lane again when the gap that holds its events has lasted long enough, or a profile or a reflection is due.

    Never, where there is none of them.
    """
    Sql(_SET_LANE).run(connection, lane.scope, batch_id=None, claimed=False, gap=gap)


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


_OPEN = "batch.stage not in ('done', 'dead', 'split')"

# A task is on its way for this try of the stage. A lease that lapsed since shows that its task is gone. While nobody takes hints
# they lie in Redis, and each one waits twice as long for the next: workers that hang must not find a million.
_TOLD = """(coalesce(batch.hinted_at >= batch.due_at, false)
            and batch.hinted_at > now() - greatest(%(again)s::interval, least(batch.hinted_at - batch.due_at, '30 seconds'))
            and (lane.lease_until is null or batch.hinted_at > lane.lease_until))"""
_LEASED = "(lane.lease_until is not null and lane.lease_until >= now())"

_RESTING = "batch_id is null and ready_at is not null and quarantined_at is null and erase_due_at is null"

_LOOKED_AT = 100
"""So many lanes more than are asked for, and so many tenants of each kind."""

_SET_LANE = f"""
    update mosshead.lanes as lane set
        batch_id = %(batch_id)s::uuid,
        (ready_at, first_pending_at) = (
            select case when not %(claimed)s then least(min(received_at) + %(gap)s::interval, lane.profiles_due_at,
                                                          lane.reflections_due_at)
                        when count(*) > 0 then now() end, min(received_at)
            from (select received_at from mosshead.events where {OF_NAMESPACE} and state = 'received' and batch_id is null
                  order by position limit 1) as next
        )
    where {OF_NAMESPACE}
"""
