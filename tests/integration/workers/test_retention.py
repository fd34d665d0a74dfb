"""Clearing across all tenants, as the scheduler does it."""

from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from config.settings import Settings
from db.keys import LaneRef
from mosshead.paths import NamespacePath
from tests.given import Publishing, Worker, claimed
from workers.scheduler import clear


def batches(engine: Engine, lane: LaneRef) -> int:
    with engine.connect() as connection:
        statement = text("select count(*) from mosshead.batches where tenant_id = :tenant_id")
        return int(connection.execute(statement, lane.scope).scalar_one())


def test_old_batches_of_every_tenant_are_cleared_after_the_setting(
    service: Settings,
    worker_engine: Engine,
    ingest_engine: Engine,
    admin_engine: Engine,
    fresh_namespace: NamespacePath,
) -> None:
    tenant, name = fresh_namespace.parts
    publishers = [Publishing(ingest_engine, NamespacePath.of((f"{tenant}-{number}", name))) for number in range(3)]
    for publishing in publishers:
        publishing.say("one")
        Worker(worker_engine, publishing.lane).finish(claimed(worker_engine, publishing.lane))
    with admin_engine.begin() as connection:
        statement = text(
            "update mosshead.batches set finished_at = now() - interval '2 days' where tenant_id = :tenant_id"
        )
        connection.execute(statement, [publishing.lane.scope for publishing in publishers[:2]])

    clear(worker_engine, service.model_copy(update={"retention_days": 3.0}))  # leftovers of other tests
    assert clear(worker_engine, service.model_copy(update={"retention_days": 3.0})) == 0
    assert clear(worker_engine, service.model_copy(update={"retention_days": 1.0})) == 2
    assert [batches(admin_engine, publishing.lane) for publishing in publishers] == [0, 0, 1]


def test_batch_that_cannot_be_cleared_does_not_stop_the_others(
    service: Settings,
    worker_engine: Engine,
    ingest_engine: Engine,
    admin_engine: Engine,
    fresh_namespace: NamespacePath,
) -> None:
    publishing = Publishing(ingest_engine, fresh_namespace)
    neighbour = Publishing(ingest_engine, NamespacePath.of((f"{fresh_namespace.parts[0]}-neighbour", "one")))
    made = []
    for publisher in (publishing, publishing, publishing, neighbour):
        publisher.say("one")
        made.append(claimed(worker_engine, publisher.lane))
        Worker(worker_engine, publisher.lane).finish(made[-1])
    clear(worker_engine, service)  # leftovers of other tests
    with admin_engine.begin() as connection:
        for batch in made:
            statement = text(
                "update mosshead.batches set finished_at = now() - interval '1000 days' where batch_id = :id"
            )
            connection.execute(statement, {"id": batch.batch_id})
        connection.exec_driver_sql(f"""
            create function public.keep() returns trigger language plpgsql as $$
            begin raise exception 'kept' using errcode = '23503'; end $$;
            create trigger keep before delete on mosshead.batches
            for each row when (old.batch_id = '{made[1].batch_id}') execute function public.keep()
        """)
    try:
        with capture_logs() as logs:
            assert clear(worker_engine, service) == 3
    finally:
        with admin_engine.begin() as connection:
            connection.exec_driver_sql("drop trigger keep on mosshead.batches; drop function public.keep()")
    assert [batches(admin_engine, one.lane) for one in (publishing, neighbour)] == [1, 0]
    assert [one["batch_id"] for one in logs if one["event"] == "batch_not_cleared"] == [str(made[1].batch_id)]
    assert clear(worker_engine, service) == 1
