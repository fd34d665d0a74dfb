"""A worker that should not start."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from redis import Redis

from config.settings import Settings
from workers.machine import Addresses
from workers.machine.processes import ROOT

WORKER = [sys.executable, "-m", "celery", "--app=workers.app", "worker", "--pool=solo", "--hostname=refused@%h"]


@pytest.fixture
def evicting(addresses: Addresses) -> Iterator[None]:
    with Redis.from_url(addresses.broker_url) as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
        yield
        redis.config_set("maxmemory-policy", "noeviction")


def start(**environment: str) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, **environment}
    return subprocess.run(WORKER, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=60)


def test_a_worker_does_not_start_before_a_redis_that_evicts(service: Settings, evicting: None) -> None:
    ended = start()
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("recollect: RECOLLECT_BROKER_URL: ")
    assert "allkeys-lru" in ended.stderr.splitlines()[-1]


def test_a_worker_does_not_start_as_superuser(service: Settings, admin_url: str) -> None:
    ended = start(RECOLLECT_WORKER_URL=admin_url)
    assert ended.returncode == 1
    assert "recollect: RECOLLECT_WORKER_URL: the login 'postgres' is a superuser" in ended.stderr
