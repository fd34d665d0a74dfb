"""Workers that must not start."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from redis import Redis
from sqlalchemy import Engine, text

from config.settings import Settings, settings
from workers import worker
from workers.local import Addresses, wait_until
from workers.local.processes import ROOT

CELERY = [sys.executable, "-m", "celery", "--app=workers.celery_app", "worker"]


@pytest.fixture
def evicting(addresses: Addresses) -> Iterator[None]:
    with Redis.from_url(addresses.broker_url) as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        yield
        redis.config_set("maxmemory-policy", "noeviction")


def test_worker_does_not_start_with_a_redis_that_evicts(service: Settings, evicting: None) -> None:
    command = [*CELERY, "--pool=solo", "--hostname=refused@%h"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("mosshead: MOSSHEAD_BROKER_URL: ")
    assert "allkeys-lru" in ended.stderr.splitlines()[-1]


def test_worker_does_not_start_as_superuser(service: Settings, admin_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls what Celery calls when a worker starts, in this process; the test above starts a worker."""
    monkeypatch.setenv("MOSSHEAD_WORKER_URL", admin_url)
    settings.cache_clear()
    with pytest.raises(SystemExit, match="mosshead: MOSSHEAD_WORKER_URL: the login 'postgres' is a superuser"):
        worker._check()


def test_worker_with_a_growing_pool_reports_its_maximum_of_tasks(service: Settings, admin_engine: Engine) -> None:
    """Reporting only the current number, it would never grow. `test_hostile_tasks` covers a fixed pool."""

    def told() -> list[int]:
        with admin_engine.connect() as connection:
            rows = connection.execute(text("select slots from mosshead.workers where worker like 'scaled@%'"))
            return [row.slots for row in rows]

    options = ("--pool=prefork", "--autoscale=3,1", "--hostname=scaled@%h", "--queues=nobodys")
    command = [*CELERY, *options, "--without-gossip", "--without-mingle"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: told() == [3], 60, "the worker's heartbeat")
    finally:
        running.terminate()
        running.wait(60)
    wait_until(lambda: told() == [], 60, "the worker's leave")
