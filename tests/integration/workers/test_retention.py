"""Clearing over all tenants, as the sweeper does it."""

from sqlalchemy import Engine, text

from config.settings import Settings
from db.refs import LaneRef
from recollect.namespaces import NamespacePath
from tests.given import Publishing, Worker, claimed
from workers.sweeper.retention import clear


def batches(engine: Engine, lane: LaneRef) -> int:
    with engine.connect() as connection:
        statement = text("select count(*) from recollect.batches where tenant_id = :tenant_id")
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
            "update recollect.batches set finished_at = now() - interval '2 days' where tenant_id = :tenant_id"
        )
        connection.execute(statement, [publishing.lane.scope for publishing in publishers[:2]])

    clear(worker_engine, service.model_copy(update={"retention_days": 3.0}))  # what other tests left
    assert clear(worker_engine, service.model_copy(update={"retention_days": 3.0})) == 0
    assert clear(worker_engine, service.model_copy(update={"retention_days": 1.0})) == 2
    assert [batches(admin_engine, publishing.lane) for publishing in publishers] == [0, 0, 1]
