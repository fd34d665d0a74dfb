"""Hints: ids sent to a worker, and the cost of a missing Redis for the sender."""

import json
from collections.abc import Callable, Iterator
from typing import cast
from uuid import uuid4

import pytest
from kombu import pools
from redis import Redis
from sqlalchemy import Engine, text
from structlog.testing import capture_logs

from benchmarks.faults.proxy import Proxy, proxied
from config.settings import Settings
from db.keys import BatchRef, LaneRef
from tests.given import Hint, Publishing, claimed
from workers import scheduler
from workers.celery_app import app
from workers.local import wait_until
from workers.scheduler import dispatch, hint
from workers.transport import QUEUES, RefusedTask, read_task

BATCH = BatchRef(LaneRef(uuid4(), uuid4()), uuid4())


@pytest.fixture(autouse=True)
def _rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep one test's failure from affecting the next."""
    monkeypatch.setattr(scheduler, "_rest", scheduler._Rest())


@pytest.fixture
def proxy(service: Settings) -> Iterator[Proxy]:
    """Yield a proxy between the sender and Redis."""
    port = service.broker().rpartition(":")[2].partition("/")[0]
    with proxied(int(port)) as started:
        app.conf.broker_url = service.broker().replace(f":{port}/", f":{started.port}/")
        reconnect()
        yield started
    app.conf.broker_url = service.broker()
    reconnect()


def reconnect() -> None:
    """Make the app open connections to the current address."""
    pools.reset()
    app._pool = None
    app.amqp._producer_pool = None


def test_hint_is_a_task_with_ids(hints: Callable[[], list[Hint]]) -> None:
    assert hint((BATCH, "score_salience"))
    (given,) = hints()
    assert given.task == "mosshead.score_salience"
    assert given.arguments == (str(BATCH.lane.tenant_id), str(BATCH.lane.namespace_id), str(BATCH.batch_id))


def test_worker_whose_clock_is_ahead_still_takes_the_hint(service: Settings) -> None:
    hint((BATCH, "extract"))
    with Redis.from_url(service.broker()) as broker:
        (message,) = cast("list[bytes]", broker.lrange("mosshead:tasks:extract", 0, -1))
    assert json.loads(message)["headers"]["expires"] is None


def test_hanging_redis_is_tried_once_and_then_left_alone_for_a_moment(
    proxy: Proxy, hints: Callable[[], list[Hint]]
) -> None:
    assert hint((BATCH, "extract"))
    proxy.blackhole()
    with capture_logs() as logs:
        assert not any(hint((BATCH, "extract")) for _ in range(50))
    assert [entry["event"] for entry in logs] == ["hint_not_sent"]

    proxy.heal()
    wait_until(lambda: hint((BATCH, "extract")), 10, "a hint that is sent")
    assert len(hints()) == 2


def test_batch_whose_hint_could_not_be_sent_is_hinted_as_soon_as_redis_is_back(
    *,
    proxy: Proxy,
    hints: Callable[[], list[Hint]],
    slots: Callable[[int], None],
    service: Settings,
    worker_engine: Engine,
    admin_engine: Engine,
    publishing: Publishing,
    lane: LaneRef,
) -> None:
    """However long it has waited: hints become rarer only where they are queued in Redis."""
    publishing.say("I like coffee")
    claimed(worker_engine, lane)
    with admin_engine.begin() as connection:
        waiting = text(
            "update mosshead.batches set due_at = now() - interval '1 hour', hinted_at = null where tenant_id = :id"
        )
        connection.execute(waiting, {"id": lane.tenant_id})
    slots(1)
    proxy.blackhole()
    dispatch(worker_engine, service)
    assert hints() == []
    proxy.heal()

    def sent() -> bool:
        dispatch(worker_engine, service)
        return bool(hints())

    wait_until(sent, 10, "a hint that is sent")


def test_worker_takes_every_hint(service: Settings) -> None:
    assert hint(*((BATCH, stage) for stage in QUEUES))
    with Redis.from_url(service.broker()) as broker:
        elements = [one for queue in set(QUEUES.values()) for one in broker.lrange(f"mosshead:tasks:{queue}", 0, -1)]
    assert len(elements) == len(QUEUES)
    assert [read for one in elements if isinstance(read := read_task(one), RefusedTask)] == []
