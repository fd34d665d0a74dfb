"""The service with a failing network and a dying Redis: each process resumes consuming within seconds.

Events and tasks are sent directly to Redis, so that only the service must recover. They are resent, as by the spool and
scheduler, because Redis loses whatever it sends to a dead connection.
"""

from redis import Redis

from tests.acceptance.faults.conftest import Connected
from tests.acceptance.test_probes import PROCESSES, eventually_answers, probe

# Takes about 13 s on two busy cores; it once took more than 40 s beside two other tests.
BACK_SECONDS = 75


def test_all_processes_consume_again_after_connections_went_silent(connected: Connected) -> None:
    connected.proxy.blackhole()
    connected.proxy.heal()  # for new connections; existing ones stay silent
    connected.all_consume_again_within(BACK_SECONDS)


def test_all_processes_consume_again_after_connections_were_reset(connected: Connected) -> None:
    assert connected.proxy.reset() >= 3
    connected.all_consume_again_within(BACK_SECONDS)
    eventually_answers(connected.running, "worker", "/readyz", 200)  # its loop runs again


def test_workers_wait_for_redis_at_start_and_after_losing_it(connected: Connected) -> None:
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


def test_read_only_redis_during_a_failover_stops_no_process(connected: Connected) -> None:
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


def test_worker_rejects_malformed_messages_and_continues(connected: Connected) -> None:
    worker = connected.running.pid("worker")
    with Redis.from_url(connected.url) as broker:
        broker.lpush("mosshead:tasks:extract", "no JSON at all")
    connected.work_is_done_within(BACK_SECONDS)
    assert '"reason": "not a task message"' in connected.running.log("worker")
    assert connected.running.pid("worker") == worker


def test_unknown_task_is_dropped_and_reported(connected: Connected) -> None:
    worker = connected.running.pid("worker")
    connected.send("mosshead.of_another_version")
    connected.work_is_done_within(BACK_SECONDS)
    assert '"task": "mosshead.of_another_version", "event": "task_refused"' in connected.running.log("worker")
    assert connected.running.pid("worker") == worker
