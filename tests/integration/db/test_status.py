"""The service's state across all tenants, as an operator sees it."""

from datetime import timedelta

from sqlalchemy import Engine, text

from db import inbox, leases, status
from db.status import ServiceFigures
from tests.given import LONG, Publishing, Worker, as_text, claimed

WITHIN = timedelta(minutes=10)


def read(
    engine: Engine, *, within: timedelta = WITHIN, reasons: int = 1_000, alive: timedelta = timedelta(seconds=30)
) -> ServiceFigures:
    with engine.begin() as connection:
        return status.figures(connection, within=within, reasons=reasons, alive=alive)


def lag(found: ServiceFigures) -> tuple[float | None, float | None, float | None]:
    return found.lag_p50, found.lag_p95, found.lag_max


def bury(worker: Worker, reason: str) -> None:
    batch = claimed(worker.engine, worker.lane)
    with worker.transaction() as connection:
        lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
        assert lease is not None
        inbox.mark_dead(connection, batch, reason)
        leases.end(connection, lease, "dead", error=reason)


def test_status_counts_waiting_and_running_events(
    worker_engine: Engine, publishing: Publishing, worker: Worker
) -> None:
    before = read(worker_engine)
    publishing.say("one", "two")
    waiting = read(worker_engine)
    batch = claimed(worker_engine, publishing.lane, messages=1)
    working = read(worker_engine)
    lease = worker.leased(batch)
    worker.put_off(lease)
    failing = read(worker_engine)
    worker.finish(batch)
    ended = read(worker_engine)

    def since(found: ServiceFigures) -> tuple[int, int, int, int]:
        return (
            found.backlog - before.backlog,
            found.waiting_lanes - before.waiting_lanes,
            found.at_work.get("extract", 0) - before.at_work.get("extract", 0),
            found.failing.get("ValueError", 0) - before.failing.get("ValueError", 0),
        )

    assert [since(found) for found in (waiting, working, failing, ended)] == [
        (2, 1, 0, 0),
        (2, 0, 1, 0),
        (2, 0, 1, 1),
        (1, 1, 0, 0),
    ]
    assert waiting.oldest_waiting > 0
    assert ended.at_work.keys().isdisjoint({"done", "dead", "split"})


def test_quarantined_lane_is_counted_and_does_not_count_as_waiting(
    worker_engine: Engine, publishing: Publishing, admin_engine: Engine
) -> None:
    publishing.say("one")
    before = read(worker_engine)
    with admin_engine.begin() as connection:
        statement = text("update mosshead.lanes set quarantined_at = now() where tenant_id = :tenant_id")
        connection.execute(statement, publishing.lane.scope)
    after = read(worker_engine)

    assert after.quarantined_lanes - before.quarantined_lanes == 1
    assert after.waiting_lanes - before.waiting_lanes == -1
    assert after.backlog == before.backlog


def test_lag_runs_from_arrival_to_effect(
    worker_engine: Engine, publishing: Publishing, worker: Worker, admin_engine: Engine
) -> None:
    def lag_of(*seconds: float) -> tuple[float | None, float | None, float | None]:
        """Return the lag of batches that took effect in a year without any others."""
        with admin_engine.begin() as connection:
            connection.execute(text("update mosshead.batches set applied_at = null where applied_at > '2100-01-01'"))
            for lasted in seconds:
                connection.execute(
                    text("""
                        insert into mosshead.batches
                            (tenant_id, namespace_id, batch_id, stage, waiting_since, applied_at, finished_at)
                        values (:tenant_id, :namespace_id, gen_random_uuid(), 'done',
                                timestamptz '2100-06-01' - make_interval(secs => :lasted), '2100-06-01', now())
                    """),
                    {**publishing.lane.scope, "lasted": lasted},
                )
        return lag(read(worker_engine, within=-timedelta(days=50 * 365)))

    assert lag_of() == (None, None, None)
    assert lag_of(*range(101)) == (50.0, 95.0, 100.0)
    assert lag_of() == (None, None, None)


def test_event_in_effect_shows_its_lag(worker_engine: Engine, publishing: Publishing, worker: Worker) -> None:
    publishing.say("one")
    worker.finish(claimed(worker_engine, publishing.lane))
    found = read(worker_engine)
    with worker_engine.begin() as connection:
        assert status.moves(connection, within=WITHIN)
        assert not status.moves(connection, within=-timedelta(hours=1))

    assert found.lag_max is not None
    assert found.lag_p50 is not None
    assert 0 <= found.lag_p50 <= found.lag_max


def test_dead_letters_are_counted_by_reason(
    worker_engine: Engine, ingest_engine: Engine, publishing: Publishing, worker: Worker
) -> None:
    before = read(worker_engine)
    publishing.say("one", "two")
    bury(worker, "reason of this test")
    bad = publishing.message("bad")
    with ingest_engine.begin() as connection:
        inbox.refuse(connection, [f'{{"reason": "another", "digest": "", "event": {as_text(bad)}}}'])
    after = read(worker_engine)

    assert after.dead_letters - before.dead_letters == 3
    assert after.refused_last_hour - before.refused_last_hour == 1
    assert after.dead_by_reason["reason of this test"] == 2
    assert after.newest_dead_letter is not None
    assert 0 <= after.newest_dead_letter < 60
    assert len(read(worker_engine, reasons=1).dead_by_reason) == 1


def test_workers_count_while_they_send_heartbeats(settled: None, worker_engine: Engine) -> None:
    statement = text("insert into mosshead.workers values (:worker, :slots, now() - make_interval(secs => :age))")
    workers = [{"worker": "a", "slots": 2, "age": 1}, {"worker": "b", "slots": 3, "age": 20}]
    before = read(worker_engine)
    with worker_engine.begin() as connection:
        connection.execute(statement, [*workers, {"worker": "c", "slots": 5, "age": 40}])
    after = read(worker_engine)
    with worker_engine.begin() as connection:
        connection.execute(text("delete from mosshead.workers"))

    assert [(found.workers, found.slots) for found in (before, after)] == [(0, 0), (2, 5)]
