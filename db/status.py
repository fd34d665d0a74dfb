"""How the service is doing, over all tenants: from the tables that hold ids and times only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, text


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
    lanes = connection.execute(_LANES).one()
    return Backlog(
        backlog=int(lanes.pending),
        waiting_lanes=lanes.waiting,
        oldest_waiting=float(lanes.oldest),
        quarantined_lanes=lanes.quarantined,
        quarantined_by_reason={row.reason: row.lanes for row in connection.execute(_QUARANTINED)},
        at_work={row.stage: row.batches for row in connection.execute(_AT_WORK)},
        oldest_due=float(connection.execute(_OLDEST_DUE).scalar_one()),
        failing={row.error: row.batches for row in connection.execute(_FAILING)},
        clocks_ahead=connection.execute(_CLOCKS_AHEAD).scalar_one(),
    )


def lag(connection: Connection, *, within: timedelta) -> Lag:
    """The lag of what took effect within this time."""
    found = connection.execute(_LAG, {"within": within}).scalar()
    return Lag(*(found or (None, None, None)))


def dead_letters(connection: Connection, *, reasons: int) -> DeadLetters:
    """Count the dead letters, by as many reasons as asked for, the most frequent first."""
    counted = connection.execute(_DEAD).one()
    return DeadLetters(
        dead_letters=counted.letters,
        dead_by_reason={row.reason: row.letters for row in connection.execute(_REASONS, {"reasons": reasons})},
        newest_dead_letter=float(counted.newest) if counted.newest is not None else None,
        refused_last_hour=counted.refused,
    )


def workforce(connection: Connection, *, alive: timedelta) -> Workforce:
    """Count the workers whose heartbeat is not older than this."""
    row = connection.execute(_WORKERS, {"alive": alive}).one()
    return Workforce(row.workers, row.slots)


def moves(connection: Connection, *, within: timedelta) -> bool:
    """Whether any batch ended within this time."""
    return bool(connection.execute(_MOVES, {"within": within}).scalar_one())


_OPEN = "stage not in ('done', 'dead', 'split')"

_LANES = text("""
    select coalesce(sum(pending), 0) as pending, count(*) filter (where ready) as waiting,
           coalesce(extract(epoch from now() - min(ready_at) filter (where ready)), 0) as oldest,
           count(*) filter (where quarantined_at is not null) as quarantined
    from (select *, batch_id is null and ready_at <= now() and quarantined_at is null as ready from mosshead.lanes) as lane
""")

_QUARANTINED = text("""
    select coalesce(quarantined_for, '') as reason, count(*) as lanes from mosshead.lanes where quarantined_at is not null
    group by reason order by lanes desc, reason
""")

_AT_WORK = text(f"select stage, count(*) as batches from mosshead.batches where {_OPEN} group by stage order by stage")

# Nobody is at a batch whose lane has no lease: a task that is takes one, and renews it.
_OLDEST_DUE = text(f"""
    select coalesce(extract(epoch from now() - min(batch.due_at)), 0)
    from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
    where {_OPEN} and batch.due_at <= now() and (lane.lease_until is null or lane.lease_until < now())
""")

_FAILING = text(f"""
    select error, count(*) as batches from mosshead.batches where {_OPEN} and error is not null
    group by error order by batches desc, error
""")

_CLOCKS_AHEAD = text("select count(*) from mosshead.publishers where clock_ahead_at > now() - interval '24 hours'")

_LAG = text("""
    select percentile_cont(array[0.5, 0.95, 1]) within group (order by extract(epoch from applied_at - waiting_since)::float8)
    from mosshead.batches where applied_at > now() - cast(:within as interval)
""")

_DEAD = text("""
    select count(*) as letters, extract(epoch from now() - max(died_at)) as newest,
           count(*) filter (where origin = 'intake' and died_at > now() - interval '1 hour') as refused
    from mosshead.dead_letters
""")

_REASONS = text("""
    select reason, count(*) as letters from mosshead.dead_letters group by reason order by letters desc, reason limit :reasons
""")

_WORKERS = text("""
    select count(*) as workers, coalesce(sum(slots), 0) as slots
    from mosshead.workers where seen_at > now() - cast(:alive as interval)
""")

_MOVES = text("""
    select exists (select from mosshead.batches where finished_at > now() - cast(:within as interval))
""")
