"""A real worker whose child is killed, and one that is stopped, both during a task: another run repeats the task.

The lease and the hanging model outlast every wait of the tests, so that no test succeeds because a lease lapsed or the model call
timed out.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil
import psycopg
import pytest
from redis import Redis
from redis.exceptions import OutOfMemoryError

from mosshead import Namespace
from tests.acceptance.faults.conftest import HANG_SECONDS, Connected
from tests.acceptance.running import Running
from tests.fake_openai import FakeOpenAI, Fault

SOON_SECONDS = 90
ALIVE = "select slots from mosshead.workers"


@pytest.fixture(scope="module", autouse=True)
def _nothing_else_asks_the_model(connected: Connected) -> None:
    connected.is_at_rest_within(SOON_SECONDS)


@contextmanager
def during_a_call_of_the_model(running: Running, fake: FakeOpenAI, namespace: Namespace) -> Iterator[psutil.Process]:
    """Yield the worker while one of its children waits for an answer about the namespace's event; the event then takes effect."""
    calls = fake.calls["ExtractionAnswer"]
    fake.script("ExtractionAnswer", Fault.hang(HANG_SECONDS))
    namespace.publish("I play the oboe")
    running.eventually(lambda: fake.calls["ExtractionAnswer"] == calls + 1, "the model is asked")
    yield psutil.Process(running.pid("worker"))
    namespace.wait(timeout=SOON_SECONDS)
    assert [memory.content for memory in namespace.memories()] == ["User plays the oboe"]
    assert fake.calls["ExtractionAnswer"] == calls + 2


def test_killed_child_releases_its_lane_at_once(running: Running, fake: FakeOpenAI) -> None:
    namespace = running.memory.namespace("acme", "killed")
    with during_a_call_of_the_model(running, fake, namespace) as worker:
        for child in worker.children():
            child.kill()
    assert worker.is_running()
    running.eventually(lambda: '"event": "worker_lost"' in running.log("worker"), "it is said")


def test_stopping_worker_hands_over_unfinished_tasks_and_exits(running: Running, fake: FakeOpenAI) -> None:
    running.eventually(lambda: running.rows(ALIVE) == [(2,)], "the worker's two slots count")
    namespace = running.memory.namespace("acme", "stopped")
    with during_a_call_of_the_model(running, fake, namespace) as worker:
        worker.terminate()
        running.eventually(lambda: running.rows(ALIVE) == [], "its slots count no more")
        running.eventually(lambda: not worker.is_running() or running.pid("worker") != worker.pid, "it is gone")
    assert running.rows(ALIVE) == [(2,)]


def test_workers_recover_when_redis_was_full_during_their_work(running: Running, fake: FakeOpenAI) -> None:
    namespace = running.memory.namespace("acme", "full")
    calls, worker = fake.calls["ExtractionAnswer"], psutil.Process(running.pid("worker"))
    intake = psutil.Process(running.pid("intake"))
    fake.script("ExtractionAnswer", Fault.drip(0.03))
    namespace.publish("I play the oboe")
    running.eventually(lambda: fake.calls["ExtractionAnswer"] == calls + 1, "the model is asked")
    with Redis.from_url(running.addresses.broker_url) as broker:
        intake.suspend()
        try:
            broker.config_set("maxmemory", broker.info("memory")["used_memory"] + 2**20)
            for size in (20_000, 100):  # small ones last, so that not even a hint fits
                with suppress(OutOfMemoryError):
                    while True:
                        broker.lpush("mosshead:events:mosshead.events", b"x" * size)
            at_extract = "select count(*) from mosshead.batches where stage = 'extract'"
            running.eventually(lambda: running.rows(at_extract) == [(0,)], "the task is done, and to be acknowledged")
            time.sleep(5)  # time for a worker that dies of it to be restarted and die repeatedly
            assert worker.is_running(), "it waits for Redis, and does not die of it"
        finally:
            intake.resume()
        try:
            namespace.wait(timeout=SOON_SECONDS)
            running.eventually(lambda: broker.llen("mosshead:events:mosshead.events") == 0, "the queue is drained")
        finally:
            broker.config_set("maxmemory", 0)
    assert running.pid("worker") == worker.pid
    assert [memory.content for memory in namespace.memories()] == ["User plays the oboe"]


def test_erasure_is_finished_by_the_next_scheduler_if_the_first_is_killed(running: Running) -> None:
    namespace = running.memory.namespace("acme", "half erased")
    namespace.publish("I play the quuxophone", conversation="c")
    namespace.wait(timeout=SOON_SECONDS)
    assert running.addresses.admin_url is not None
    with psycopg.connect(running.addresses.admin_url) as holding:
        holding.execute("select from mosshead.memories where content like '%quuxophone%' for update")
        erased = namespace.erase(everything=True)
        blocked = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from mosshead.%'"
        running.eventually(lambda: running.rows(blocked) == [(1,)], "it is in the midst of it")
        psutil.Process(running.pid("scheduler")).kill()
        assert namespace.erasures.get(erased) is None
        assert [one.content for one in namespace.memories()] == ["User plays the quuxophone"], "all of it, or nothing"
        holding.rollback()

    running.eventually(lambda: namespace.erasures.get(erased) is not None, "it is erased")
    assert namespace.memories() == []
    assert len(namespace.erasures.list()) == 1


def test_erasure_does_not_wait_for_a_model_that_hangs_in_every_slot(running: Running, fake: FakeOpenAI) -> None:
    running.eventually(lambda: running.rows(ALIVE) == [(2,)], "the worker's two slots count")
    namespace = running.memory.namespace("acme", "erased")
    # Of two tenants, because none may take all slots from the others.
    others = [running.memory.namespace(tenant, "user") for tenant in ("north", "south")]
    namespace.publish("I play the quuxophone", conversation="c")
    namespace.wait(timeout=SOON_SECONDS)
    calls = fake.calls["ExtractionAnswer"]
    with fake.silent("ExtractionAnswer"):
        for other in others:
            other.publish("I like figs", conversation="c")
        running.eventually(lambda: fake.calls["ExtractionAnswer"] == calls + 2, "the model is asked by both slots")
        namespace.publish("I sold the quuxophone", conversation="c")

        erased = namespace.erase(conversation="c")

        running.eventually(lambda: namespace.erasures.get(erased) is not None, "it is erased")
        assert all(other.progress().partial for other in others), "both slots still wait"
    for table, said in (("events", "payload"), ("messages", "content"), ("step_results", "result")):
        statement = f"select count(*) from mosshead.{table} where cast({said} as text) like '%quuxophone%'"
        assert running.rows(statement) == [(0,)]
    assert "quuxophone" not in running.logs()
    running.eventually(lambda: '"event": "erased"' in running.log("scheduler"), "it is said")
