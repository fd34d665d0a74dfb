"""The service behind a network that fails, and before a Redis that dies: each process consumes again by itself, within seconds.

What is sent meanwhile goes straight to Redis, so that nothing but the service has to come back. It is sent again and again, as by
the spool and the scheduler: what Redis gives to a connection that died unseen is lost.
"""

from redis import Redis

from tests.acceptance.faults.conftest import Connected
from tests.acceptance.test_probes import PROCESSES, eventually_answers, probe

# It takes some 13 on two busy cores; beside two other tests it took more than 40 once.
BACK_SECONDS = 75


def test_after_connections_went_silent_all_consume_again(connected: Connected) -> None:
    connected.proxy.blackhole()
    connected.proxy.heal()  # for new connections; those of now stay silent
    connected.all_consume_again_within(BACK_SECONDS)


def test_after_connections_were_reset_all_consume_again(connected: Connected) -> None:
    assert connected.proxy.reset() >= 3
    connected.all_consume_again_within(BACK_SECONDS)
    eventually_answers(connected.running, "worker", "/readyz", 200)  # its loop turns again


def test_a_worker_that_starts_without_redis_and_those_that_lose_it_wait_for_it(connected: Connected) -> None:
    running = connected.running
    seen = running.log("worker").count("broker_away")
    connected.is_at_rest_within(BACK_SECONDS)
    connected.stop_redis()
    for name in PROCESSES:
        eventually_answers(running, name, "/readyz", 503)
        assert probe(running, name, "/healthz") == 200
    worker = connected.running.pid("worker")
    connected.running.kill("worker")
    connected.running.eventually(
        lambda: connected.running.log("worker").count("broker_away") > seen, "the new worker looks for Redis"
    )
    connected.start_redis()
    connected.all_consume_again_within(BACK_SECONDS)
    assert connected.running.pid("worker") != worker
    for name in PROCESSES:
        eventually_answers(running, name, "/readyz", 200)


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
