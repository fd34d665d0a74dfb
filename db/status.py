"""The state of the service over all tenants, from tables that hold only ids and times."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from db.keys import seconds
from mosshead.store.connection import Sql


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """Waiting, running and failed work, and the workers. Times in seconds.

    backlog: events that neither took effect nor died. waiting_lanes: namespaces that are ready and idle; oldest_waiting: since
        the first became ready. quarantined_by_reason: lanes by the reason for stopping them. at_work: batches by stage;
        oldest_due: since the first idle one of them could continue. failing: batches by their latest failure. clocks_ahead:
        publishers whose event within 24 hours had a time more than a day ahead.
    lag_p50, lag_p95, lag_max: from the arrival of a batch's first event until it took effect; None if nothing did lately.
    newest_dead_letter: since the last one. refused_last_hour: dead letters of the intake.
    workers, slots: live workers, and the tasks that they can run at once. other_languages: share of non-English batches among
        those of the last day with a known language; None if there are fewer than three.
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
    lag_p50: float | None
    lag_p95: float | None
    lag_max: float | None
    dead_letters: int
    dead_by_reason: Mapping[str, int]
    newest_dead_letter: float | None
    refused_last_hour: int
    workers: int
    slots: int
    other_languages: float | None


def figures(connection: Connection, *, within: timedelta, reasons: int, alive: timedelta) -> ServiceFigures:
    """Read the figures.

    within: the period for the lag. reasons: how many reasons of dead letters to return, most frequent first.
    alive: how old a worker's heartbeat may be.
    """
    # A batch whose lane has no lease is idle: a running task takes one and renews it.
    row = Sql(f"""
        select * from (
            select cast(coalesce(sum(pending), 0) as bigint) as backlog, count(*) filter (where ready) as waiting_lanes,
                   coalesce({seconds("now() - min(ready_at) filter (where ready)")}, 0) as oldest_waiting,
                   count(*) filter (where quarantined_at is not null) as quarantined_lanes
            from (select *, batch_id is null and ready_at <= now() and quarantined_at is null as ready
                  from mosshead.lanes) as lane
        ) as waiting, (
            select coalesce({seconds("now() - min(batch.due_at)")}, 0) as oldest_due
            from mosshead.batches as batch join mosshead.lanes as lane using (tenant_id, namespace_id, batch_id)
            where {_OPEN} and batch.due_at <= now() and (lane.lease_until is null or lane.lease_until < now())
        ) as due, (
            select count(*) as clocks_ahead from mosshead.publishers where clock_ahead_at > now() - interval '24 hours'
        ) as clocks, (
            select lag[1] as lag_p50, lag[2] as lag_p95, lag[3] as lag_max from (
                select percentile_cont(array[0.5, 0.95, 1]) within group (order by {seconds("applied_at - waiting_since")}) as lag
                from mosshead.batches where applied_at > now() - %(within)s::interval) as lasted
        ) as lag, (
            select count(*) as dead_letters, {seconds("now() - max(died_at)")} as newest_dead_letter,
                   count(*) filter (where origin = 'intake' and died_at > now() - interval '1 hour') as refused_last_hour
            from mosshead.dead_letters
        ) as dead, (
            select count(*) as workers, coalesce(sum(slots), 0) as slots
            from mosshead.workers where seen_at > now() - %(alive)s::interval
        ) as working, (
            select case when count(in_english) >= 3 then round(avg((not in_english)::integer), 3)::float8 end as other_languages
            from mosshead.batches where applied_at > now() - interval '1 day'
        ) as languages
    """).one(connection, within=within, alive=alive)
    return ServiceFigures(
        **row._asdict(),
        quarantined_by_reason=_by(
            connection, "coalesce(quarantined_for, '')", "lanes where quarantined_at is not null"
        ),
        at_work=dict(sorted(_by(connection, "stage", f"batches where {_OPEN}").items())),
        failing=_by(connection, "error", f"batches where {_OPEN} and error is not null"),
        dead_by_reason=_by(connection, "reason", "dead_letters", limit=reasons),
    )


def moves(connection: Connection, *, within: timedelta) -> bool:
    """Whether any batch ended within this time."""
    return Sql("""
        select exists (select from mosshead.batches where finished_at > now() - %(within)s::interval)
    """).holds(connection, within=within)


def _by(connection: Connection, column: str, rows: str, *, limit: int | None = None) -> dict[str, int]:
    """Count rows by a column, most frequent value first. column: may be an expression. rows: a table with a condition."""
    return Sql(f"""
        select {column} as value, count(*) from mosshead.{rows} group by 1 order by count(*) desc, value limit %(limit)s
    """).pairs(connection, limit=limit)


_OPEN = "finished_at is null"
