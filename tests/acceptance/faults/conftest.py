"""The machine that this folder's tests share and break: its network fails, its Redis dies, its workers are killed."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from benchmarks.faults.proxy import Proxy, proxied
from db.engine import open_engine
from mosshead.events import parse_event
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from tests.acceptance.running import Running, machine
from tests.fake_openai import FakeOpenAI
from tests.given import Publishing, event
from workers.celery_app import app
from workers.local.data_dir import DataFolder, held
from workers.local.redis import redis

HANG_SECONDS = 240
"""How long a model hangs and a lease lasts: longer than any wait of a test, so that neither ends it."""


class Connected:
    """A machine that reaches its Redis through a proxy, and that Redis."""

    def __init__(self, folder: DataFolder, stack: ExitStack, data_dir: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._redis = ExitStack()
        stack.callback(self._redis.close)
        self.url = self._redis.enter_context(redis(folder))
        port = int(self.url.rpartition(":")[2].partition("/")[0])
        self.proxy: Proxy = stack.enter_context(proxied(port))
        environment = {**environment, "MOSSHEAD_BROKER_URL": self.url.replace(f":{port}/", f":{self.proxy.port}/")}
        self.running: Running = stack.enter_context(machine(data_dir, environment))
        (data_dir / "logs" / "redis.log").symlink_to(folder.logs / "redis.log")
        self._ingest = open_engine(self.running.addresses.ingest_url, setting="MOSSHEAD_INGEST_URL")
        stack.callback(self._ingest.dispose)

    def stop_redis(self) -> None:
        """Stop Redis as an operator would; its append-only file keeps the data."""
        self._redis.close()

    def start_redis(self) -> None:
        """Start Redis on the same port and data."""
        assert self._redis.enter_context(redis(self._folder)) == self.url

    def intake_takes_an_event_within(self, seconds: float) -> None:
        """Publish to the queue repeatedly, as the spool does, until one of the events is in the inbox."""
        tenant, namespace = fresh_path()

        def taken() -> bool:
            text = parse_event(event((tenant, namespace))).model_dump_json(exclude_none=True)
            queue = EventQueue(self.url)
            queue.publish([text])
            queue.close()
            return bool(self.running.rows(f"select 1 from mosshead.tenants where name = '{tenant}'"))

        self.running.eventually(taken, "the intake took an event", seconds)

    def worker_takes_a_task_within(self, seconds: float) -> None:
        """Send tasks for a missing batch repeatedly, as the scheduler does, until one is in the worker's log."""
        sent: list[str] = []

        def taken() -> bool:
            sent.append(self.send("mosshead.extract", str(uuid4()), str(uuid4()), str(uuid4())))
            log = self.running.log("worker")
            return any(f"mosshead.extract[{task_id}] succeeded" in log for task_id in sent)

        self.running.eventually(taken, "the worker took a task", seconds)

    def work_is_done_within(self, seconds: float) -> None:
        """Put an event into the inbox, and wait until scheduler and worker have processed it."""
        publishing = Publishing(self._ingest, NamespacePath.of(fresh_path()))
        publishing.say("I like coffee")
        statement = f"select stage from mosshead.batches where tenant_id = '{publishing.lane.tenant_id}'"
        self.running.eventually(lambda: self.running.rows(statement) == [("done",)], "the event took effect", seconds)

    def is_at_rest_within(self, seconds: float) -> None:
        """Wait until every event has taken effect: a worker killed while processing one would keep its lease."""
        statement = "select count(*) from mosshead.lanes where pending > 0 or batch_id is not null"
        self.running.eventually(lambda: self.running.rows(statement) == [(0,)], "all has taken effect", seconds)

    def send(self, task: str, *arguments: Any) -> str:
        """Send a Celery task directly to Redis; return its id."""
        with app.connection_for_write(self.url) as connection:
            return str(app.send_task(task, args=arguments, queue="extract", connection=connection).id)

    def all_consume_again_within(self, seconds: float) -> None:
        """Check intake, scheduler and worker."""
        self.worker_takes_a_task_within(seconds)
        self.intake_takes_an_event_within(seconds)
        self.work_is_done_within(seconds)


def fresh_path() -> tuple[str, str]:
    """A namespace of a new tenant."""
    return f"tenant-{uuid4().hex}", "sarah"


@pytest.fixture(scope="package")
def fake() -> Iterator[FakeOpenAI]:
    """The model."""
    with FakeOpenAI() as server:
        yield server


@pytest.fixture(scope="package")
def connected(fake: FakeOpenAI, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    """The machine, with a proxy before its Redis."""
    environment = {
        "OPENAI_BASE_URL": fake.base_url,
        "OPENAI_API_KEY": "sk-test",
        "MOSSHEAD_LEASE_SECONDS": str(HANG_SECONDS),
        "MOSSHEAD_LLM_TIMEOUT": str(HANG_SECONDS),
        "MOSSHEAD_CONCURRENCY": "2",
    }
    with ExitStack() as stack:
        folder = stack.enter_context(held(tmp_path_factory.mktemp("redis")))
        started = Connected(folder, stack, tmp_path_factory.mktemp("connected"), environment)
        started.all_consume_again_within(60)
        yield started


@pytest.fixture(scope="package")
def running(connected: Connected) -> Running:
    """The machine."""
    return connected.running
