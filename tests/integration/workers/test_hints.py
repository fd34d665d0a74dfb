"""Hints: ids on their way to a worker, and what a Redis that is away costs the sender."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import cast
from uuid import uuid4

import pytest
from redis import Redis
from structlog.testing import capture_logs

from benchmarks.faults.proxy import Proxy, proxied
from config.settings import Settings
from db.refs import BatchRef, LaneRef
from tests.given import Hint
from workers import hints as hinting
from workers.app import app
from workers.hints import hint
from workers.machine import wait_until

BATCH = BatchRef(LaneRef(uuid4(), uuid4()), uuid4())


@pytest.fixture(autouse=True)
def _rested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of one test is not the next one's."""
    monkeypatch.setattr(hinting, "_rest", hinting._Rest())


@pytest.fixture
def proxy(service: Settings) -> Iterator[Proxy]:
    """Between the sender and Redis."""
    port = service.broker().rpartition(":")[2].partition("/")[0]
    with proxied(int(port)) as started:
        app.conf.broker_url = service.broker().replace(f":{port}/", f":{started.port}/")
        reconnect()
        yield started
    app.conf.broker_url = service.broker()
    reconnect()


def reconnect() -> None:
    """Have the app open connections to the address of now."""
    app.pool.force_close_all()
    app._pool = None
    app.amqp._producer_pool = None


def test_a_hint_is_a_task_with_ids(hints: Callable[[], list[Hint]]) -> None:
    assert hint(BATCH, "score_salience", expires=3)
    (given,) = hints()
    assert given.task == "recollect.score_salience"
    assert given.arguments == (str(BATCH.lane.tenant_id), str(BATCH.lane.namespace_id), str(BATCH.batch_id))


def test_a_worker_whose_clock_is_minutes_ahead_still_takes_it(service: Settings) -> None:
    hint(BATCH, "extract", expires=3)
    with Redis.from_url(service.broker()) as broker:
        (message,) = cast("list[bytes]", broker.lrange("recollect:tasks:extract", 0, -1))
    expires = datetime.fromisoformat(json.loads(message)["headers"]["expires"])
    assert expires > datetime.now(UTC) + timedelta(minutes=4)


def test_a_redis_that_hangs_is_tried_once_and_then_left_alone_for_a_moment(
    proxy: Proxy, hints: Callable[[], list[Hint]]
) -> None:
    assert hint(BATCH, "extract", expires=3)
    proxy.blackhole()
    with capture_logs() as logs:
        assert not any(hint(BATCH, "extract", expires=3) for _ in range(50))
    assert [entry["event"] for entry in logs] == ["hint_not_sent"]

    proxy.heal()
    wait_until(lambda: hint(BATCH, "extract", expires=3), 10, "a hint that is sent")
    assert len(hints()) == 2
