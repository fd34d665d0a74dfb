"""The service behind a network that fails, and before a Redis that dies: each process consumes again by itself, within seconds.

What is sent meanwhile goes straight to Redis, so that nothing but the service has to come back. It is sent again and again, as by
the spool and the scheduler: what Redis gives to a connection that died unseen is lost.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis

from benchmarks.faults.proxy import Proxy, proxied
from db.engine import open_engine
from mosshead.events import parse_event
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from tests.acceptance.running import Running, machine
from tests.given import Publishing, event
from workers.celery_app import app
from workers.local.data_dir import DataFolder, held
from workers.local.redis import redis

# It takes some 13 on two busy cores; beside two other tests it took more than 40 once.
BACK_SECONDS = 75


class Connected:
    """A machine that reaches its Redis through a proxy, and its Redis."""

    def __init__(self, folder: DataFolder, stack: ExitStack, data_dir: Path) -> None:
        self._folder = folder
        self._redis = ExitStack()
        stack.callback(self._redis.close)
        self.url = self._redis.enter_context(redis(folder))
        port = int(self.url.rpartition(":")[2].partition("/")[0])
        self.proxy: Proxy = stack.enter_context(proxied(port))
        environment = {
            "MOSSHEAD_BROKER_URL": self.url.replace(f":{port}/", f":{self.proxy.port}/"),
            "OPENAI_API_KEY": "",
            "OPENAI_BASE_URL": "",
        }
        self.running: Running = stack.enter_context(machine(data_dir, environment))
        self._ingest = open_engine(self.running.addresses.ingest_url, setting="MOSSHEAD_INGEST_URL")
        stack.callback(self._ingest.dispose)

    def stop_redis(self) -> None:
        """As an operator would; it keeps what it has in its append-only file."""
        self._redis.close()

    def start_redis(self) -> None:
        """On its port and its data."""
        assert self._redis.enter_context(redis(self._folder)) == self.url

    def intake_takes_an_event_within(self, seconds: float) -> None:
        """Publish to the queue, again and again, as the spool does, and find one of the events in the inbox."""
        tenant, namespace = fresh_path()

        def taken() -> bool:
            text = parse_event(event((tenant, namespace))).model_dump_json(exclude_none=True)
            queue = EventQueue(self.url)
            queue.publish([text])
            queue.close()
            return bool(self.running.rows(f"select 1 from mosshead.tenants where name = '{tenant}'"))

        self.running.eventually(taken, "the intake took an event", seconds)

    def worker_takes_a_task_within(self, seconds: float) -> None:
        """Send tasks of a batch that there is not, again and again, as the scheduler does, and find one in the worker's log."""
        sent: list[str] = []

        def taken() -> bool:
            sent.append(self.send("mosshead.extract", str(uuid4()), str(uuid4()), str(uuid4())))
            log = self.running.log("worker")
            return any(f"mosshead.extract[{task_id}] succeeded" in log for task_id in sent)

        self.running.eventually(taken, "the worker took a task", seconds)

    def work_is_done_within(self, seconds: float) -> None:
        """Put an event into the inbox, and see it through scheduler and worker."""
        publishing = Publishing(self._ingest, NamespacePath.of(fresh_path()))
        publishing.say("I like coffee")
        statement = f"select stage from mosshead.batches where tenant_id = '{publishing.lane.tenant_id}'"
        self.running.eventually(lambda: self.running.rows(statement) == [("done",)], "the event took effect", seconds)

    def send(self, task: str, *arguments: Any) -> str:
        """Send a Celery task straight to Redis; returns its id."""
        with app.connection_for_write(self.url) as connection:
            return str(app.send_task(task, args=arguments, queue="extract", connection=connection).id)

    def all_consume_again_within(self, seconds: float) -> None:
        """Intake, scheduler and worker."""
        self.worker_takes_a_task_within(seconds)
        self.intake_takes_an_event_within(seconds)
        self.work_is_done_within(seconds)


def fresh_path() -> tuple[str, str]:
    return f"tenant-{uuid4().hex}", "sarah"


@pytest.fixture(scope="module")
def connected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    with ExitStack() as stack:
        folder = stack.enter_context(held(tmp_path_factory.mktemp("redis")))
        started = Connected(folder, stack, tmp_path_factory.mktemp("connected"))
        started.all_consume_again_within(60)
        yield started


def test_after_connections_went_silent_all_consume_again(connected: Connected) -> None:
    connected.proxy.blackhole()
    connected.proxy.heal()  # for new connections; those of now stay silent
    connected.all_consume_again_within(BACK_SECONDS)


def test_after_connections_were_reset_all_consume_again(connected: Connected) -> None:
    assert connected.proxy.reset() >= 3
    connected.all_consume_again_within(BACK_SECONDS)


def test_a_worker_that_starts_without_redis_and_those_that_lose_it_wait_for_it(connected: Connected) -> None:
    seen = connected.running.log("worker").count("broker_away")
    connected.stop_redis()
    worker = connected.running.pid("worker")
    connected.running.kill("worker")
    connected.running.eventually(
        lambda: connected.running.log("worker").count("broker_away") > seen, "the new worker looks for Redis"
    )
    connected.start_redis()
    connected.all_consume_again_within(BACK_SECONDS)
    assert connected.running.pid("worker") != worker


def test_a_redis_that_may_only_be_read_for_a_while_as_in_a_failover_ends_nobody(connected: Connected) -> None:
    worker = connected.running.pid("worker")
    with Redis.from_url(connected.url) as broker:
        broker.replicaof("127.0.0.1", "1")
        try:
            connected.running.eventually(
                lambda: connected.running.log("worker").count("read only replica") > 3, "the worker tries again"
            )
        finally:
            broker.replicaof("no", "one")
    connected.all_consume_again_within(BACK_SECONDS)
    assert connected.running.pid("worker") == worker


def test_worker_refuses_what_is_no_message_and_goes_on(connected: Connected) -> None:
    worker = connected.running.pid("worker")
    with Redis.from_url(connected.url) as broker:
        broker.lpush("mosshead:tasks:extract", "no JSON at all")
    connected.work_is_done_within(BACK_SECONDS)
    assert '"reason": "not a task message"' in connected.running.log("worker")
    assert connected.running.pid("worker") == worker


def test_a_task_that_the_worker_does_not_know_is_dropped_and_reported(connected: Connected) -> None:
    worker = connected.running.pid("worker")
    connected.send("mosshead.of_another_version")
    connected.work_is_done_within(BACK_SECONDS)
    assert '"task": "mosshead.of_another_version", "event": "task_refused"' in connected.running.log("worker")
    assert connected.running.pid("worker") == worker
