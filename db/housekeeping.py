"""Delete old finished batches; keep the heartbeats of workers, and counts of the messages they refused."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from sqlalchemy import Connection

from db.keys import BatchRef, LaneRef, as_jsonb, insert
from mosshead.store.connection import Sql


def finished_batches(connection: Connection, *, age: timedelta, limit: int) -> list[BatchRef]:
    """Return batches that ended longer ago than ``age``, oldest first. Sees all tenants."""
    rows = Sql("""
        select tenant_id, namespace_id, batch_id from mosshead.batches
        where finished_at < now() - %(age)s::interval order by finished_at limit %(limit)s
    """).run(connection, age=age, limit=limit)
    return [BatchRef(LaneRef(*row[:2]), row.batch_id) for row in rows]


def clear_finished(connection: Connection, batches: Sequence[BatchRef], *, age: timedelta) -> int:
    """Delete finished batches of one tenant, which must be set, with their candidate facts and cached answers.

    Returns how many; batches that another process is deleting are skipped.
    """
    tenant_id, named = batches[0].lane.tenant_id, as_jsonb([batch.scope for batch in batches])
    # A lane works on one batch at a time, so no later batch asked for answers from before this one ended.
    return Sql("""
        with ended as materialized (
            select batch.tenant_id, batch.namespace_id, batch.batch_id, batch.finished_at
            from jsonb_to_recordset(%(named)s) as named (namespace_id uuid, batch_id uuid)
            join mosshead.batches as batch using (namespace_id, batch_id)
            where batch.tenant_id = %(tenant_id)s and batch.finished_at < now() - %(age)s::interval
            for update of batch skip locked
        ),
        facts as (
            delete from mosshead.candidate_facts as fact using ended
            where (fact.tenant_id, fact.namespace_id, fact.batch_id) = (ended.tenant_id, ended.namespace_id, ended.batch_id)
        ),
        answers as (
            delete from mosshead.step_results as answer using ended
            where (answer.tenant_id, answer.namespace_id) = (ended.tenant_id, ended.namespace_id)
              and answer.created_at <= ended.finished_at
        ),
        cleared as (
            delete from mosshead.batches as batch using ended
            where (batch.tenant_id, batch.namespace_id, batch.batch_id) = (ended.tenant_id, ended.namespace_id, ended.batch_id)
            returning 1
        )
        select count(*) from cleared
    """).number(connection, tenant_id=tenant_id, named=named, age=age)


def clear_workers(connection: Connection, *, age: timedelta) -> int:
    """Delete workers not seen for longer than ``age``; return how many."""
    return Sql("""
        delete from mosshead.workers where seen_at < now() - %(age)s::interval
    """).changed(connection, age=age)


ALIVE = timedelta(seconds=30)
"""How old a heartbeat may be for its worker to count as alive; they come every few seconds."""


def beat(connection: Connection, worker: str, slots: int, model: str) -> None:
    """Note that a worker is alive.

    worker: its unique node name. slots: how many tasks it can run at once. model: its embedding model.
    """
    known = "(worker) do update set slots = excluded.slots, model = excluded.model, seen_at = excluded.seen_at"
    row = {"worker": worker, "slots": slots, "model": model}
    insert(connection, "workers", [row], conflict=known, seen_at="now()")


def leave(connection: Connection, worker: str) -> None:
    """Note that a worker takes no more tasks, instead of counting it until its last heartbeat is old."""
    Sql("delete from mosshead.workers where worker = %(worker)s").run(connection, worker=worker)


def add_refusals(connection: Connection, counts: Mapping[str, int]) -> None:
    """Add what one process refused from Celery's queues and channels, by reason, to the counts of this hour."""
    # Ordered by reason: two workers that store theirs at once would otherwise deadlock.
    rows = [{"reason": reason, "times": counts[reason]} for reason in sorted(counts)]
    known = "(hour, reason) do update set times = refused_tasks.times + excluded.times"
    insert(connection, "refused_tasks", rows, conflict=known, hour="date_trunc('hour', now())")


def refusals(connection: Connection, *, within: timedelta) -> Mapping[str, int]:
    """Return what workers refused within this time, rounded to hours, by reason, most frequent first."""
    return Sql("""
        select reason, cast(sum(times) as bigint) as times from mosshead.refused_tasks
        where hour > now() - %(within)s::interval - interval '1 hour'
        group by reason order by times desc, reason
    """).pairs(connection, within=within)


def clear_refusals(connection: Connection, *, age: timedelta) -> int:
    """Delete older counts; return how many rows there were."""
    return Sql("""
        delete from mosshead.refused_tasks where hour < now() - %(age)s::interval
    """).changed(connection, age=age)
