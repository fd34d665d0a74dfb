"""A completely full Redis: the service drains it, and nothing that was published properly is lost."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError
from sqlalchemy import Engine, text

from config.settings import Settings
from db.keys import LaneRef
from mosshead import Memory, Namespace
from mosshead.paths import NamespacePath
from mosshead.publishing import queue as queue_of_events
from tests.integration.workers.test_intake import LIST, intake
from workers.local import wait_until

ROOM = 2 * 2**20
MINUTE = 60


@contextmanager
def little_memory(broker: Redis) -> Iterator[None]:
    """Leave Redis only two megabytes of free memory."""
    broker.config_set("maxmemory", broker.info("memory")["used_memory"] + ROOM)
    try:
        yield
    finally:
        broker.config_set("maxmemory", 0)


def fill(broker: Redis) -> None:
    """Do what a publisher's login allows: push until Redis accepts nothing more, then ever smaller items."""
    for size in (20_000, 1_000, 10):
        try:
            while True:
                broker.lpush(LIST, b"x" * size)
        except OutOfMemoryError:
            pass


@pytest.fixture
def broker(service: Settings) -> Iterator[Redis]:
    with Redis.from_url(service.broker()) as opened:
        yield opened


@pytest.fixture
def app(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """Return a chat app that publishes through its spool."""
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def stored(admin_engine: Engine, lane: LaneRef) -> Callable[[], list[str]]:
    """Return the texts of the inbox's messages, in the order in which they take effect."""
    statement = text("""
        select payload ->> 'content' from mosshead.events where tenant_id = :id order by publisher_sequence, position
    """)

    def read() -> list[str]:
        with admin_engine.connect() as connection:
            return list(connection.execute(statement, {"id": lane.tenant_id}).scalars())

    return read


def test_full_broker_is_drained_and_events_of_apps_arrive_once_and_in_order(
    service: Settings, broker: Redis, app: Namespace, stored: Callable[[], list[str]]
) -> None:
    with little_memory(broker):
        app.publish_conversation([{"role": "user", "content": f"before {number}"} for number in range(30)])
        wait_until(lambda: broker.llen(LIST) == 30, MINUTE, "the first events in the queue")
        fill(broker)
        app.publish_conversation([{"role": "user", "content": f"after {number}"} for number in range(30)])
        with intake(service):
            wait_until(lambda: len(stored()) == 60, MINUTE, "all events in the inbox")
            wait_until(lambda: broker.llen(LIST) == 0, MINUTE, "an empty queue")

    assert stored() == [f"{when} {number}" for when in ("before", "after") for number in range(30)]
    assert broker.keys("mosshead:events:*unacked*") == []


def test_events_held_by_a_killed_intake_come_again_from_the_spool(
    *,
    service: Settings,
    broker: Redis,
    app: Namespace,
    stored: Callable[[], list[str]],
    admin_engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queue_of_events, "_LOST_SECONDS", 0.5)
    monkeypatch.setattr(queue_of_events, "_SLOW_SECONDS", 1.0)
    function = "function mosshead_write_v1.publish"
    contents = [str(number) for number in range(20)]
    with little_memory(broker):
        app.publish_conversation([{"role": "user", "content": content} for content in contents])
        wait_until(lambda: broker.llen(LIST) == 20, MINUTE, "the events in the queue")
        fill(broker)
        with admin_engine.begin() as connection:
            connection.exec_driver_sql(f"revoke execute on {function} from mosshead_ingest")
        try:
            killed = subprocess.Popen([sys.executable, "-m", "workers", "intake"], stderr=subprocess.PIPE)
            assert killed.stderr is not None
            assert any(b"intake_interrupted" in line for line in killed.stderr), "it has events, and stores none"
            killed.kill()
            killed.communicate()
        finally:
            with admin_engine.begin() as connection:
                connection.exec_driver_sql(f"grant execute on {function} to mosshead_ingest")
        assert stored() == []
        with intake(service):
            wait_until(lambda: stored() == contents, MINUTE, "what the killed intake had in hand")

    assert stored() == contents
