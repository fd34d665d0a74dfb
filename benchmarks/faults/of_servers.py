"""Faults of what the service depends on: Redis, Postgres, the network between, the LLM.

Recovery is measured on what was on its way when the fault began: of an outage, from its end until all of that took effect.
"""

import time
from contextlib import ExitStack, suppress

import psycopg
import redis

from benchmarks.faults.llm import EXTRACTION
from benchmarks.faults.runs import Inject, Run
from tests.fake_openai import Fault
from workers.local.postgres import url

_KNOWN = "select count(*) from mosshead.events"
_CUT = """
    select pg_terminate_backend(pid) from pg_stat_activity where usename in ('mosshead_worker', 'mosshead_ingest')
"""


def redis_killed(times: int) -> Inject:
    """SIGKILL to Redis; it comes back at once, and empty."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.pause(0.5, 1.5)
            waiting = run.under_way()
            run.cluster.redis.kill()
            run.kills["redis"] += 1
            run.recover(time.time(), waiting)

    return inject


def redis_down(seconds: float) -> Inject:
    """Redis is away for a while, and comes back empty. The time counts from its return."""

    def inject(run: Run) -> None:
        run.pause(0.5, 1.0)
        waiting = run.under_way()
        run.cluster.redis.hold()
        run.kills["redis"] += 1
        time.sleep(seconds)
        run.cluster.redis.start()
        run.recover(time.time(), waiting)

    return inject


def redis_hung(seconds: float) -> Inject:
    """Redis takes connections and answers none. The time counts from its return."""

    def inject(run: Run) -> None:
        run.pause(0.5, 1.0)
        waiting = run.under_way()
        run.cluster.redis.freeze()
        time.sleep(seconds)
        run.cluster.redis.thaw()
        run.recover(time.time(), waiting)

    return inject


def redis_full(seconds: float) -> Inject:
    """Redis has no memory left, and refuses whatever is sent to it. The time counts from when it has."""

    def inject(run: Run) -> None:
        waiting = run.under_way()
        with redis.Redis.from_url(run.cluster.broker_url) as broker:
            broker.config_set("maxmemory", "1")
            time.sleep(seconds)
            broker.config_set("maxmemory", "0")
        run.recover(time.time(), waiting)

    return inject


def connections_reset(seconds: float) -> Inject:
    """Every 0.2 seconds the network resets all connections to Redis, and to Postgres."""

    def inject(run: Run) -> None:
        waiting, until = run.under_way(), time.time() + seconds
        while time.time() < until:
            run.cluster.redis_proxy.reset()
            run.cluster.database_proxy.reset()
            time.sleep(0.2)
        run.recover(time.time(), waiting)

    return inject


def connections_swallowed(seconds: float) -> Inject:
    """The network drops all connections to Redis without a word; new ones pass again after a while."""

    def inject(run: Run) -> None:
        run.pause(0.5, 1.0)
        waiting = run.under_way()
        run.cluster.redis_proxy.blackhole()
        time.sleep(seconds)
        run.cluster.redis_proxy.heal()
        run.recover(time.time(), waiting)

    return inject


def postgres_killed(times: int) -> Inject:
    """SIGKILL to Postgres and all of its processes; it comes back at once, and recovers."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.pause(0.5, 1.5)
            waiting = run.under_way()
            run.cluster.postgres.kill()
            run.kills["postgres"] += 1
            run.recover(time.time(), waiting)

    return inject


def postgres_promoted(lag: float) -> Inject:
    """The primary is killed for good, and a replica that lags some seconds behind is promoted: what it never heard of is lost.

    The time counts from the promotion. Afterwards it moves to the first one's address, as in a switchover.
    """

    def inject(run: Run) -> None:
        with run.cluster.replica() as replica:
            run.pause(0.5, 1.0)
            replica.fall_behind()
            time.sleep(lag)
            known = run.cluster.rows(_KNOWN)
            run.cluster.postgres.hold()
            run.kills["postgres"] += 1
            replica.promote()
            since, left = time.time(), run.cluster.rows(_KNOWN)
            if left >= known:
                run.broken.append("the replica that was promoted had lost nothing")
            run.recover(since, run.under_way())

    return inject


def postgres_hung(seconds: float) -> Inject:
    """Postgres answers nobody, for longer than a lease. The time counts from its return."""

    def inject(run: Run) -> None:
        run.pause(0.5, 1.0)
        waiting = run.under_way()
        run.cluster.postgres.freeze()
        time.sleep(seconds)
        run.cluster.postgres.thaw()
        run.recover(time.time(), waiting)

    return inject


def postgres_slow(seconds: float) -> Inject:
    """Each piece to and from Postgres takes 0.2 seconds, for one worker."""

    def inject(run: Run) -> None:
        waiting = run.under_way()
        run.cluster.database_proxy.slow(0.2)
        time.sleep(seconds)
        run.cluster.database_proxy.heal()
        run.recover(time.time(), waiting)

    return inject


def postgres_crowded(seconds: float) -> Inject:
    """Somebody takes all connections to Postgres, and those of the service are cut. The time counts from the end."""

    def inject(run: Run) -> None:
        waiting = run.under_way()
        with ExitStack() as stack:
            with suppress(psycopg.OperationalError):
                while True:
                    stack.enter_context(psycopg.connect(url(run.cluster.socket, "mosshead_reader")))
            run.cluster.rows(_CUT)
            time.sleep(seconds)
        run.recover(time.time(), waiting)

    return inject


def commit_cut_off(times: int) -> Inject:
    """A COMMIT reaches Postgres and its answer does not come back: nobody knows whether it took place."""

    def inject(run: Run) -> None:
        for _ in range(times):
            run.pause(0.2, 0.6)
            run.cluster.database_proxy.cut_after(b"COMMIT")
        run.recover(time.time(), run.under_way())
        run.cluster.database_proxy.heal()
        if not run.cluster.database_proxy.cuts:
            run.broken.append("no COMMIT was cut off")

    return inject


def llm_failing(faults: tuple[Fault, ...]) -> Inject:
    """The LLM's endpoint misbehaves, in one way after the other. The time counts from the first."""

    def inject(run: Run) -> None:
        for fault in faults:
            waiting, since = run.under_way(), time.time()
            run.cluster.llm.script(EXTRACTION, fault)
            run.recover(since, waiting)

    return inject
