"""Leases and breakers: who may run a stage now.

A lease is the right to store the result of a batch's stage, and to end the stage. It is short, renewed while its task lives, and
fenced. A breaker keeps all workers away from a failing provider for a while. It belongs to no tenant, and holds no text.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef
from db.lanes import DONE, REFLECT, STAGES
from mosshead.store.connection import Sql, of_namespace


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to store the result of one stage of one batch, as long as there is no later epoch.

    owner: the task run that holds it. attempts: counted failures of the stage so far. crashes: earlier leases of the stage that
    were never returned. overruns: how often the stage exceeded its time limit. events: the number in the batch.
    """

    batch: BatchRef
    stage: str
    owner: str
    epoch: int
    attempts: int = 0
    crashes: int = 0
    events: int = 1
    overruns: int = 0


def take(connection: Connection, batch: BatchRef, stage: str, *, owner: str, lasting: timedelta) -> Lease | None:
    """Take the lease of a batch's stage; None if the stage is not due, done, or leased to another: the hint was a duplicate.

    Counts the start: a lease that is never returned was a crash. The batch's tenant must be set, here and below.
    """
    # Row by row: a single statement would judge a stage by its state before another task that is just ending it.
    free = Sql(f"""
        select 1 from mosshead.lanes where {OF_BATCH} and (lease_until is null or lease_until < now()) for update
    """).exists(connection, batch.scope)
    if not free:
        return None
    started = Sql(f"""
        update mosshead.batches as batch set starts = starts + 1
        where {OF_BATCH} and stage = %(stage)s and due_at <= now()
        returning attempts, starts, overruns, (
            select count(*) from mosshead.events
            where {of_namespace("events")} and events.batch_id = %(batch_id)s) as events
    """).row(connection, batch.scope, stage=stage)
    if started is None:
        return None
    # By the clock, not from the transaction's start: an app's long publishing transaction may have locked the lane's row
    # meanwhile.
    epoch = Sql(f"""
        update mosshead.lanes
        set epoch = epoch + 1, lease_owner = %(owner)s, lease_until = (select clock_timestamp()) + %(lasting)s::interval
        where {OF_BATCH} returning epoch
    """).value(connection, batch.scope, owner=owner, lasting=lasting)
    return Lease(batch, stage, owner, epoch, started.attempts, started.starts - 1, started.events, started.overruns)


def renew(connection: Connection, lease: Lease, *, lasting: timedelta) -> bool:
    """Extend a lease from now; False if it was returned, released or taken over."""
    return Sql(f"""
        update mosshead.lanes set lease_until = (select clock_timestamp()) + %(lasting)s::interval
        where {OF_BATCH} and epoch = %(epoch)s and lease_owner = %(owner)s
    """).changes(connection, _scope(lease), lasting=lasting)


def holds(connection: Connection, lease: Lease) -> bool:
    """Return whether a lease is still the latest and its stage is not stored; locks its lane for the rest of the transaction."""
    latest = Sql(f"""
        select 1 from mosshead.lanes where {OF_BATCH} and epoch = %(epoch)s for update
    """).exists(connection, _scope(lease))
    return latest and Sql(f"""
        select 1 from mosshead.batches where {OF_BATCH} and stage = %(stage)s
    """).exists(connection, lease.batch.scope, stage=lease.stage)


def advance(connection: Connection, lease: Lease) -> str:
    """Return a lease with its stage done; returns the next stage, which may be hinted after the commit.

    Profiles and reflections follow if they are due.
    """
    following = DONE
    if lease.stage in STAGES[:-2]:
        following = STAGES[STAGES.index(lease.stage) + 1]
    elif lease.stage != REFLECT:
        # Also after a batch of events: in a busy lane none would be made for a profile or a reflection only.
        due = Sql(f"""
            select profiles_due_at <= clock_timestamp() as profiles, reflections_due_at <= now() as reflections
            from mosshead.lanes where {OF_BATCH}
        """).one(connection, lease.batch.scope)
        if due.profiles and lease.stage != STAGES[-1]:
            following = STAGES[-1]
        elif due.reflections:
            following = REFLECT
    end(connection, lease, following)
    return following


def end(connection: Connection, lease: Lease, stage: str, *, error: str | None = None) -> None:
    """Return a lease with its batch at another stage; ``done``, ``dead`` and ``split`` free the lane."""
    Sql(f"""
        update mosshead.batches
        set stage = %(stage)s, due_at = now(), hinted_at = now(), attempts = 0, starts = 0, overruns = 0, error = %(error)s,
            applied_at = case when %(from)s::text = 'consolidate' and %(stage)s not in ('dead', 'split') then (select now())
                         else applied_at end,
            finished_at = case when %(stage)s in ('done', 'dead', 'split') then (select now()) end
        where {OF_BATCH};
        {_FREE_LANE if stage in {DONE, "dead", "split"} else _FREE_LEASE}
    """).run(connection, {**lease.batch.scope, "from": lease.stage, "stage": stage, "error": error})


def put_off(connection: Connection, lease: Lease, *, error: str, delay: timedelta, counts: bool) -> None:
    """Return a lease with its stage to be retried after a delay. counts: the batch was at fault."""
    Sql(f"""
        update mosshead.batches
        set due_at = now() + %(delay)s::interval, attempts = attempts + %(counted)s, starts = 0, error = %(error)s
        where {OF_BATCH};
        {_FREE_LEASE}
    """).run(connection, lease.batch.scope, error=error, delay=delay, counted=int(counts))


def forgive(connection: Connection, lease: Lease) -> None:
    """Stop counting a lease that another took over as a crash: its task lives. Does nothing if the stage has ended since."""
    # The successor's start stays counted.
    Sql(f"""
        update mosshead.batches set starts = starts - 1 where {OF_BATCH} and stage = %(stage)s and starts > 1
    """).run(connection, lease.batch.scope, stage=lease.stage)


def overrun(connection: Connection, lease: Lease, *, error: str) -> bool:
    """Let the lease of an overrunning stage lapse, and count the overrun, not a crash; False if another holds it.

    Its task may still store its result until another takes the stage.
    """
    # Without an owner, so that the death of its task by the time limit is not counted too.
    lapsed = Sql(f"""
        update mosshead.lanes set lease_until = now() - interval '1 millisecond', lease_owner = null
        where {OF_BATCH} and epoch = %(epoch)s and lease_owner = %(owner)s
    """).changes(connection, _scope(lease))
    if lapsed:
        Sql(f"""
            update mosshead.batches set overruns = overruns + 1, starts = greatest(starts - 1, 0), error = %(error)s
            where {OF_BATCH} and stage = %(stage)s
        """).run(connection, lease.batch.scope, stage=lease.stage, error=error)
    return lapsed


def release(connection: Connection, batch: BatchRef, owner: str) -> bool:
    """Let the lease of a dead task lapse at once, so that its stage is due again; this counts as a crash."""
    return Sql(f"""
        update mosshead.lanes set lease_until = now() - interval '1 millisecond', lease_owner = null
        where {OF_BATCH} and lease_owner = %(owner)s
    """).changes(connection, batch.scope, owner=owner)


def _scope(lease: Lease) -> dict[str, object]:
    return {**lease.batch.scope, "epoch": lease.epoch, "owner": lease.owner}


_FREE_LEASE = f"update mosshead.lanes set lease_until = null, lease_owner = null where {OF_BATCH}"

# Waiting profiles and reflections are the lane's next work unless events wait: those have their own time.
_FREE_LANE = f"""
    update mosshead.lanes
    set lease_until = null, lease_owner = null, batch_id = null,
        ready_at = coalesce(ready_at, least(profiles_due_at, reflections_due_at))
    where {OF_BATCH}
"""

LLM = "llm"
EMBEDDER = "embedder"
"""The external providers that stages ask."""


def answers_to(question: str) -> str:
    """Return an LLM's answers to one kind of question as a provider: they may fail separately. question: a prompt's name."""
    return f"{LLM} ({question})"


@dataclass(frozen=True, slots=True)
class Breaker:
    """A provider that failed lately. seconds: until it may be tried again, 0 for now. failures: in a row."""

    provider: str
    seconds: float
    failures: int
    reason: str


def paused_providers(connection: Connection) -> list[str]:
    """Return the providers that nobody may ask now."""
    return Sql("""
        select provider from mosshead.breakers where greatest(open_until, probe_until) > now()
    """).scalars(connection)


def admit(connection: Connection, provider: str, *, probe: timedelta) -> bool:
    """Return whether a provider may be asked. After a failure one asks and the others wait, for ``probe`` at most."""
    row = Sql("select 1 from mosshead.breakers where provider = %(provider)s").row(connection, provider=provider)
    if row is None:
        return True
    return Sql("""
        update mosshead.breakers set probe_until = now() + %(probe)s::interval
        where provider = %(provider)s and greatest(open_until, probe_until) <= now()
    """).changes(connection, provider=provider, probe=probe)


def leave_providers(connection: Connection, providers: Collection[str]) -> None:
    """Release providers that a task reserved for a try but did not ask: another may try them at once."""
    if providers:
        Sql("""
            update mosshead.breakers set probe_until = null where provider = any(%(providers)s) and probe_until is not null
        """).run(connection, providers=list(providers))


def trip_breaker(
    connection: Connection,
    provider: str,
    reason: str,
    *,
    pause: timedelta | None,
    first: timedelta = timedelta(seconds=2),
    most: timedelta = timedelta(minutes=5),
) -> timedelta:
    """Pause a provider; return for how long.

    pause: what it asked for; otherwise ``first``, doubled with each failure in a row, up to ``most``.
    """
    # A failure during the pause was already running: it belongs to the same outage and is not counted again.
    found = Sql("""
        insert into mosshead.breakers as breaker (provider, open_until, failures, reason)
        values (%(provider)s, now() + coalesce(%(pause)s::interval, %(first)s::interval), 1, %(reason)s)
        on conflict (provider) do update set
            reason = excluded.reason, probe_until = null,
            failures = breaker.failures + case when breaker.open_until <= now() then 1 else 0 end,
            open_until = greatest(breaker.open_until, now() + coalesce(%(pause)s::interval,
                case when breaker.open_until > now() then '0'
                else least(%(first)s::interval * power(2, least(breaker.failures, 10)), %(most)s::interval) end))
        returning extract(epoch from open_until - now())
    """).value(connection, provider=provider, reason=reason, pause=pause, first=first, most=most)
    return timedelta(seconds=float(found))


def long_outages(connection: Connection, after: timedelta) -> Sequence[str]:
    """Return the providers that have failed for that long, and are paused now."""
    return Sql("""
        select provider from mosshead.breakers where since <= now() - %(after)s::interval and open_until > now()
    """).scalars(connection, after=after)


def close_breaker(connection: Connection, provider: str) -> None:
    """Let all ask a provider again, since it answered."""
    Sql("delete from mosshead.breakers where provider = %(provider)s").run(connection, provider=provider)


def breakers(connection: Connection) -> list[Breaker]:
    """Return the providers that failed and have not answered since."""
    rows = Sql("""
        select provider, greatest(extract(epoch from greatest(open_until, probe_until) - now()), 0) as seconds, failures, reason
        from mosshead.breakers order by provider
    """).run(connection)
    return [Breaker(row.provider, float(row.seconds), row.failures, row.reason) for row in rows]
