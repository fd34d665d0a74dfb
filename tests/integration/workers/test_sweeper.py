"""The sweeper: claims what is due, hints what nobody was told of, and is safe in several copies."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, text

from config.settings import Settings
from db import lanes
from db.refs import LaneRef
from recollect.namespaces import NamespacePath
from tests.given import Hint, Publishing
from workers.sweeper import sweep

Hints = Callable[[], list[Hint]]


@pytest.fixture
def settled(worker_engine: Engine, service: Settings, admin_engine: Engine) -> None:
    """Nothing is left to do of what earlier tests left behind."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("update recollect.lanes set ready_at = null")
        connection.exec_driver_sql("update recollect.batches set stage = 'done'")


def hinted(hints: Hints, tenants: set[UUID]) -> Counter[tuple[str, str]]:
    """How often each lane and stage was hinted, of some tenants."""
    return Counter((hint.arguments[0], hint.task) for hint in hints() if UUID(hint.arguments[0]) in tenants)


@pytest.mark.usefixtures("settled")
def test_two_copies_claim_and_hint_each_lane_once(
    worker_engine: Engine, ingest_engine: Engine, admin_engine: Engine, service: Settings, hints: Hints
) -> None:
    paths = [NamespacePath.of((f"tenant-{uuid4().hex}", "sarah")) for _ in range(12)]
    for path in paths:
        Publishing(ingest_engine, path).say("I like coffee")
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(sweep, worker_engine, service) for _ in range(4)]:
            done.result()

    tenants = {path.tenant_id for path in paths}
    assert hinted(hints, tenants) == Counter((str(tenant), "recollect.extract") for tenant in tenants)
    with admin_engine.connect() as connection:
        statement = text(
            "select tenant_id, count(*) from recollect.batches where tenant_id = any(:ids) group by tenant_id"
        )
        assert {row[0]: row[1] for row in connection.execute(statement, {"ids": list(tenants)})} == dict.fromkeys(
            tenants, 1
        )


@pytest.mark.usefixtures("settled")
def test_a_hint_that_was_lost_is_given_again(
    *,
    worker_engine: Engine,
    admin_engine: Engine,
    service: Settings,
    hints: Hints,
    publishing: Publishing,
    lane: LaneRef,
) -> None:
    publishing.say("I like coffee")
    sweep(worker_engine, service)
    sweep(worker_engine, service)
    assert len(hints()) == 1

    with admin_engine.begin() as connection:
        lost = text("update recollect.batches set hinted_at = now() - interval '1 minute' where tenant_id = :id")
        connection.execute(lost, {"id": lane.tenant_id})
    sweep(worker_engine, service)
    assert [hint.task for hint in hints()] == ["recollect.extract", "recollect.extract"]


@pytest.mark.usefixtures("settled")
def test_the_size_of_a_batch_is_what_the_settings_say(
    worker_engine: Engine, admin_engine: Engine, service: Settings, publishing: Publishing, lane: LaneRef
) -> None:
    publishing.say("one", "two", "three")
    sweep(worker_engine, service.model_copy(update={"batch_messages": 2}))

    with admin_engine.connect() as connection:
        statement = text("select count(*) from recollect.events where tenant_id = :id and batch_id is not null")
        assert connection.execute(statement, {"id": lane.tenant_id}).scalar_one() == 2


@pytest.mark.usefixtures("settled")
def test_a_lane_that_is_not_due_is_left_alone(
    worker_engine: Engine, service: Settings, hints: Hints, publishing: Publishing, lane: LaneRef
) -> None:
    publishing.send(publishing.message(), quiet=timedelta(hours=1), most=timedelta(hours=1))
    sweep(worker_engine, service)

    assert hints() == []
    with worker_engine.begin() as connection:
        assert lanes.due_lanes(connection, 10) == []
