"""How the service is doing, over all tenants: from the tables that hold ids and times only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits, and what is at work. Times in seconds.

    backlog: events that neither took effect nor died. waiting_lanes: namespaces that are ready and at rest; oldest_waiting: since
    the first became ready. at_work: batches by stage; oldest_due: since the first of them could go on that nobody is at. failing:
    batches by what went wrong the last time. quarantined_by_reason: lanes by what they were stopped for. clocks_ahead: publishers
    from which an event came within 24 hours that said it happened more than a day later.
    """

    backlog: int
    waiting_lanes: int
    oldest_waiting: float
    quarantined_lanes: int
    quarantined_by_reason: Mapping[str, int]
    at_work: Mapping[str, int]
    oldest_due: float
    failing: Mapping[str, int]
    clocks_ahead: int


@dataclass(frozen=True, slots=True)
class Lag:
    """From the arrival of a batch's first event until it took effect, in seconds; None where nothing did of late."""

    lag_p50: float | None
    lag_p95: float | None
    lag_max: float | None


@dataclass(frozen=True, slots=True)
class DeadLetters:
    """What was given up. newest_dead_letter: seconds since the last came. refused_last_hour: those of the intake."""

    dead_letters: int
    dead_by_reason: Mapping[str, int]
    newest_dead_letter: float | None
    refused_last_hour: int


@dataclass(frozen=True, slots=True)
class Workforce:
    """The workers that are alive, and the tasks that they can run at once."""

    workers: int
    slots: int


def backlog(connection: Connection) -> Backlog:
    """Read the backlog."""
    lanes = Sql("""
        select coalesce(sum(pending), 0) as pending, count(*) filter (where ready) as waiting,
               coalesce(extract(epoch from now() - min(ready_at) filter (where ready)), 0) as oldest,
               count(*) filter (where quarantined_at is not null) as quarantined
        from (select *, batch_id is null and ready_at <= now() and quarantined_at is null as ready from mosshead.lanes) as lane
    """).one(connection)
    # Nobody is at a batch whose lane has no lease: a task that is takes one, and renews it.
    oldest_due = Sql(f"""
        select coalesce(extract(epoch from now() - min(batch.due_at)), 0)
        from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
        where {_OPEN} and batch.due_at <= now() and (lane.lease_until is null or lane.lease_until < now())
    """).value(connection)
    return Backlog(
        backlog=int(lanes.pending),
        waiting_lanes=lanes.waiting,
        oldest_waiting=float(lanes.oldest),
        quarantined_lanes=lanes.quarantined,
        quarantined_by_reason=_by(
            connection, "coalesce(quarantined_for, '')", "lanes where quarantined_at is not null"
        ),
        at_work=dict(sorted(_by(connection, "stage", f"batches where {_OPEN}").items())),
        oldest_due=float(oldest_due),
        failing=_by(connection, "error", f"batches where {_OPEN} and error is not null"),
        clocks_ahead=Sql("""
            select count(*) from mosshead.publishers where clock_ahead_at > now() - interval '24 hours'
        """).number(connection),
    )


def lag(connection: Connection, *, within: timedelta) -> Lag:
    """The lag of what took effect within this time."""
    found = Sql("""
        select percentile_cont(array[0.5, 0.95, 1]) within group (order by extract(epoch from applied_at - waiting_since)::float8)
        from mosshead.batches where applied_at > now() - cast(:within as interval)
    """).value(connection, within=within)
    return Lag(*(found or (None, None, None)))


def dead_letters(connection: Connection, *, reasons: int) -> DeadLetters:
    """Count the dead letters, by as many reasons as asked for, the most frequent first."""
    counted = Sql("""
        select count(*) as letters, extract(epoch from now() - max(died_at)) as newest,
               count(*) filter (where origin = 'intake' and died_at > now() - interval '1 hour') as refused
        from mosshead.dead_letters
    """).one(connection)
    return DeadLetters(
        dead_letters=counted.letters,
        dead_by_reason=_by(connection, "reason", "dead_letters", limit=reasons),
        newest_dead_letter=float(counted.newest) if counted.newest is not None else None,
        refused_last_hour=counted.refused,
    )


def workforce(connection: Connection, *, alive: timedelta) -> Workforce:
    """Count the workers whose heartbeat is not older than this."""
    row = Sql("""
        select count(*) as workers, coalesce(sum(slots), 0) as slots
        from mosshead.workers where seen_at > now() - cast(:alive as interval)
    """).one(connection, alive=alive)
    return Workforce(*row)


def moves(connection: Connection, *, within: timedelta) -> bool:
    """Whether any batch ended within this time."""
    return Sql("""
        select exists (select from mosshead.batches where finished_at > now() - cast(:within as interval))
    """).holds(connection, within=within)


def _by(connection: Connection, column: str, rows: str, *, limit: int | None = None) -> dict[str, int]:
    """Count rows by a column, the most frequent value first. column: or an expression. rows: a table, with a condition."""
    return Sql(f"""
        select {column} as value, count(*) from mosshead.{rows} group by 1 order by count(*) desc, value limit :limit
    """).pairs(connection, limit=limit)


_OPEN = "stage not in ('done', 'dead', 'split')"
