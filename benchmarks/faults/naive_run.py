"""The same traffic and the same kills for the naive tasks, which must lose some: else the harness is broken."""

import random
import threading
import time
from collections import Counter
from functools import partial
from uuid import UUID, uuid4

from benchmarks.faults import naive
from benchmarks.faults.checker import Verdict, check
from benchmarks.faults.cluster import READY_SECONDS, Cluster
from benchmarks.faults.history import Effect, Sent
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from mosshead.publishing.broker import BROKER_ERRORS
from workers.local.postgres import url

_RATE = 40.0
_NAMESPACES = 5
_QUIET_SECONDS = 6.0
_NOBODY = UUID(int=0)


def run_naive(cluster: Cluster, *, seed: int, events: int, kills: int) -> Verdict:
    """Publish so many events while the worker and Redis are killed in turns, wait until nothing comes any more, and check."""
    naive.app.conf.broker_url = cluster.broker_url
    env = {
        **cluster.environment(),
        "NAIVE_BROKER_URL": cluster.broker_url,
        "NAIVE_DATABASE_URL": url(cluster.socket),
    }
    celery = ("celery", "-A", "benchmarks.faults.naive", "worker", "--concurrency=2", "--loglevel=info")
    programs = [cluster.program(name, *celery, env=env) for name in ("naive-a", "naive-b")]
    with supervised(programs) as workers:
        for worker in workers.values():
            eventually(partial(worker.said, " ready."), within=READY_SECONDS, what="a naive worker")
        sent: list[Sent] = []
        publisher = threading.Thread(target=_publish, args=(sent, events))
        publisher.start()
        _kill(random.Random(seed), [*workers.values(), cluster.redis], kills, events / _RATE)  # noqa: S311 - no secret
        publisher.join()
        effects = _settled(cluster)
    return check(sent, effects)


def _publish(sent: list[Sent], events: int) -> None:
    numbers: Counter[int] = Counter()
    for place in range(events):
        event_id, lane = uuid4(), place % _NAMESPACES
        numbers[lane] += 1
        begun = time.time()
        try:
            naive.remember.delay(str(event_id), "I need a plan")
        except BROKER_ERRORS:
            done = None
        else:
            done = time.time()
        sent.append(Sent(event_id, f"naive/{lane}", "naive", numbers[lane], begun, done))
        time.sleep(1 / _RATE)


def _kill(chance: random.Random, victims: list[Supervised], kills: int, seconds: float) -> None:
    """Spread over the time of publishing; each victim in turn, so that no seed spares one of them."""
    for number in range(kills):
        time.sleep(seconds / kills * chance.uniform(0.5, 1.0))
        victims[number % len(victims)].kill()


def _settled(cluster: Cluster) -> list[Effect]:
    """The effects, once no more have come for a while: what Celery holds back for an hour is lost for this purpose."""
    before, since = -1, time.monotonic()
    while time.monotonic() - since < _QUIET_SECONDS:
        effects = cluster.rows("select event_id, extract(epoch from at) from benchmark.naive_effects order by position")
        if len(effects) != before:
            before, since = len(effects), time.monotonic()
        time.sleep(0.2)
    return [Effect(event_id, _NOBODY, 0, float(at)) for event_id, at in effects]
