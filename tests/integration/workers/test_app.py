"""A worker that should not start."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from redis import Redis
from sqlalchemy import Engine, text

from config.settings import Settings, settings
from workers import celery_app
from workers.local import Addresses, wait_until
from workers.local.processes import ROOT

WORKER = [sys.executable, "-m", "celery", "--app=workers.celery_app", "worker", "--pool=solo", "--hostname=refused@%h"]


@pytest.fixture
def evicting(addresses: Addresses) -> Iterator[None]:
    with Redis.from_url(addresses.broker_url) as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        yield
        redis.config_set("maxmemory-policy", "noeviction")


def test_a_worker_does_not_start_before_a_redis_that_evicts(service: Settings, evicting: None) -> None:
    ended = subprocess.run(WORKER, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("mosshead: MOSSHEAD_BROKER_URL: ")
    assert "allkeys-lru" in ended.stderr.splitlines()[-1]


def test_a_worker_does_not_start_as_superuser(
    service: Settings, admin_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Celery calls when a worker starts, in this process: the test above starts one."""
    monkeypatch.setenv("MOSSHEAD_WORKER_URL", admin_url)
    settings.cache_clear()
    with pytest.raises(SystemExit, match="mosshead: MOSSHEAD_WORKER_URL: the login 'postgres' is a superuser"):
        celery_app._check()


@pytest.mark.parametrize(("pool", "slots"), [("--concurrency=2", 2), ("--autoscale=3,1", 3)])
def test_worker_tells_how_many_tasks_it_can_run_at_most(
    service: Settings, admin_engine: Engine, pool: str, slots: int
) -> None:
    """Also one that grows its pool with its work: it would never grow, were it given no more than it can run now."""

    def told() -> list[int]:
        with admin_engine.connect() as connection:
            rows = connection.execute(text("select slots from mosshead.workers where worker like 'scaled@%'"))
            return [row.slots for row in rows]

    command = [*WORKER[:-2], "--pool=prefork", pool, "--hostname=scaled@%h", "--queues=nobodys"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: told() == [slots], 60, "the worker's heartbeat")
    finally:
        running.terminate()
        running.wait(60)
    wait_until(lambda: told() == [], 60, "the worker's leave")
