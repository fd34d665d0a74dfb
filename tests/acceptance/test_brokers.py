"""The service on a broker with several servers: an event's whole way, and no loss when a server is killed.

Sentinel runs with the other tests' Redis. RabbitMQ is skipped if it is not installed (`apt-get install rabbitmq-server`, or
RABBITMQ_SERVER with its command). Its three nodes start within about ten seconds on a quiet machine. Each of the two brokers
takes less than a minute, so these tests are no benchmark and have no marker.
"""

import gc
import json
import os
import re
import signal
import time
import urllib.request
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from kombu.messaging import Producer

from benchmarks.faults.checker import check
from benchmarks.faults.cluster import EFFECTS
from benchmarks.faults.history import Effect, Sent
from config.settings import Settings
from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.events import parse_event
from mosshead.paths import NamespacePath
from mosshead.publishing.broker import QUEUE_NAME, BrokerConnection, broker_at
from mosshead.publishing.queue import EventQueue
from tests.acceptance.brokers import QUOTED, RABBITMQ, Cluster, RabbitNodes, RedisWithSentinels
from tests.acceptance.running import Running, machine
from tests.given import event
from workers.broker import check_broker
from workers.celery_app import app
from workers.cli.status import Status, read_status
from workers.local import Addresses
from workers.transport import QUEUES

CLUSTERS: dict[str, Callable[[Path], Cluster]] = {"sentinel": RedisWithSentinels, "rabbitmq": RabbitNodes}
CONVERSATIONS, MESSAGES = 6, 45
PUBLISHED = 2_100
"""Copies of one event: more than an intake of RabbitMQ has in hand, and quickly processed."""


@contextmanager
def recording_effects(addresses: Addresses) -> Iterator[Addresses]:
    """Yield the addresses, after creating the table in which the fault runs' worker records effects."""
    assert addresses.admin_url is not None
    with psycopg.connect(addresses.admin_url) as connection:
        connection.execute(EFFECTS.encode())
    yield addresses


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if request.param == "rabbitmq" and RABBITMQ is None:
        pytest.skip("RabbitMQ is not installed: apt-get install rabbitmq-server, or set RABBITMQ_SERVER to its command")
    with closing(CLUSTERS[request.param](tmp_path_factory.mktemp(request.param))) as running:
        yield running
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # py-amqp leaves connections to killed nodes to the collector
        gc.collect()


@pytest.fixture(scope="module")
def running(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    environment = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "MOSSHEAD_GAP_SECONDS": "3600"}
    with machine(
        tmp_path_factory.mktemp("clustered"),
        {**environment, "MOSSHEAD_BROKER_URL": cluster.url},
        flower=True,
        worker="benchmarks.faults.worker",
        through=recording_effects,
    ) as started:
        yield started


def test_published_message_is_remembered(running: Running) -> None:
    sarah = running.memory.namespace("acme", "sarah")
    sarah.publish("I just moved to Leeds.")
    sarah.wait(timeout=90)
    assert "Leeds" in sarah.context("Where does she live?").text


def test_status_metrics_and_flower_count_waiting_events_and_tasks(running: Running) -> None:
    running.eventually(lambda: queued(running) == 0, "the queue is empty")
    running.flower("/api/workers?refresh=1")  # Flower learns the queues from the workers
    running.eventually(lambda: "reflect" in lengths(running), "Flower knows the queues")
    with stopped(running, "intake"), stopped(running, "worker"):
        queue, path = EventQueue(running.addresses.broker_url), NamespacePath.of(("acme", "waiting"))
        again = parse_event(event(path.parts)).model_dump_json(exclude_none=True)
        for _ in range(PUBLISHED // 100):
            queue.publish([again] * 100)
        assert queue.bytes() > 0
        running.eventually(lambda: 0 < queued(running) == queue.length() <= PUBLISHED, "status counts the events", 20)
        running.eventually(lambda: scraped(running, "queued_events") == queue.length(), "so do the metrics", 20)
        assert scraped(running, "measure_failed") == 0
        queue.close()

        send_tasks(running.addresses.broker_url, "reflect", 30)
        running.eventually(lambda: 20 <= lengths(running)["reflect"] <= 30, "Flower counts the tasks", 20)
        assert lengths(running)["profile"] == 0
    running.eventually(lambda: queued(running) == 0, "the queue is empty again")
    running.eventually(lambda: lengths(running)["reflect"] == 0, "the tasks are done")


def queued(running: Running) -> int:
    return status(running).queued_events


def status(running: Running) -> Status:
    addresses = running.addresses
    settings = Settings(
        data_dir=addresses.data_dir,
        database_url=addresses.database_url,
        worker_url=addresses.worker_url,
        broker_url=addresses.broker_url,
    )
    return read_status(settings)


def scraped(running: Running, name: str) -> float | None:
    """Return a figure of the metrics; of several, the broker's."""
    url = f"http://127.0.0.1:{running.addresses.probe_port + 1}/metrics"
    with urllib.request.urlopen(url, timeout=60) as response:
        page = response.read().decode()
    found = re.search(rf'^mosshead_{name}(?:{{measure="broker"}})? (\S+)$', page, re.MULTILINE)
    return float(found[1]) if found else None


def lengths(running: Running) -> dict[str, int]:
    """Return the lengths of the task queues, as Flower shows them."""
    return {one["name"]: one["messages"] for one in json.loads(running.flower("/api/queues/length"))["active_queues"]}


def send_tasks(broker_url: str, task: str, count: int) -> None:
    """Put tasks of nonexistent batches into a queue."""
    broker = broker_at(broker_url)
    options = broker.options(2.0, "mosshead:tasks:")
    with BrokerConnection(broker.address.for_kombu, transport_options=options) as connection:  # type: ignore[no-untyped-call]
        producer = Producer(connection.default_channel, auto_declare=False)
        for _ in range(count):
            message = app.amqp.create_task_message(str(uuid4()), f"mosshead.{task}", args=[str(uuid4()) for _ in "123"])
            producer.publish(message.body, headers=message.headers, routing_key=QUEUES[task], serializer="json")


@contextmanager
def stopped(running: Running, name: str) -> Iterator[None]:
    """Suspend a process inside the block, so that it takes no more from its queue than it already has."""
    pid = running.pid(name)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.thorough
def test_killing_a_server_under_load_loses_doubles_and_misorders_nothing(cluster: Cluster, running: Running) -> None:
    sent: list[Sent] = []
    users = [running.memory.namespace("chats", f"user-{number}") for number in range(CONVERSATIONS)]
    for number in range(1, MESSAGES + 1):
        for user in users:
            begun = time.time()
            event_id = user.publish(f"I visited town number {number}.", conversation="c")
            sent.append(Sent(UUID(str(event_id)), str(user), str(user), number, begun, time.time()))
        if number == MESSAGES // 3:
            cluster.fail()
        time.sleep(0.05)
    for user in users:
        user.wait(timeout=120)
    verdict = check(sent, effects(running))
    assert (verdict.sent, verdict.lost, verdict.doubled, verdict.foreign, verdict.out_of_order) == (
        len(sent),
        0,
        0,
        0,
        0,
    )
    assert running.rows("select count(*) from mosshead.dead_letters") == [(0,)]

    running.eventually(lambda: scraped(running, "measure_failed") == 0, "the metrics are whole again", 30)
    assert queued(running) == 0
    assert set(lengths(running).values()) == {0}

    cluster.revive()
    users[0].publish("I live in York now.")
    users[0].wait(timeout=90)
    assert "York" in users[0].context("Where do I live?").text


def test_no_page_and_no_log_shows_a_password(cluster: Cluster, running: Running) -> None:
    def told() -> bool:
        """Return whether the worker answered; on a busy machine, it may exceed Flower's one second."""
        return all(
            words in running.flower("/api/workers?refresh=1") for words in ("transport_options", "active_queues")
        )

    running.eventually(told, "Flower has heard from the worker")
    shown = [
        running.flower("/api/workers?refresh=1"),
        running.flower("/broker"),
        *(file.read_text() for file in running.addresses.data_dir.glob("logs/*")),
    ]
    assert [secret for secret in cluster.secrets if any(secret in text for text in shown)] == []


def test_hostile_messages_are_refused_and_stop_nothing(running: Running) -> None:
    before = dead_letters(running)
    broker = broker_at(running.addresses.broker_url)
    hostile: list[dict[str, Any]] = [
        {"body": b"os.system", "content_type": "application/x-python-serialize", "content_encoding": "binary"},
        {"body": b"not JSON", "content_type": "application/json", "content_encoding": "utf-8"},
        {"body": b"{}", "content_type": "application/json", "content_encoding": "no-such-encoding"},
        {"body": zlib.compress(b"0" * 10**7), "headers": {"compression": "application/x-gzip"}, "content_type": "x/y"},
        {"body": b"[" * 10_000, "content_type": "application/json", "content_encoding": "utf-8"},
    ]
    for prefix, queue in (("mosshead:tasks:", "extract"), ("mosshead:events:", QUEUE_NAME)):
        options = broker.options(2.0, prefix)
        with BrokerConnection(broker.address.for_kombu, transport_options=options) as connection:  # type: ignore[no-untyped-call]
            producer = Producer(connection.default_channel, auto_declare=False)
            for one in hostile:
                producer.publish(**{"content_encoding": "binary", **one}, routing_key=queue)
    running.eventually(lambda: dead_letters(running) == before + len(hostile), "all five became dead letters")
    running.eventually(lambda: sum(status(running).refused_tasks.values()) == len(hostile), "all five were refused")

    finn = running.memory.namespace("acme", "finn")
    finn.publish("I live in Hull.")
    finn.wait(timeout=90)
    assert "Hull" in finn.context("Where do I live?").text


def dead_letters(running: Running) -> int:
    return int(running.rows("select count(*) from mosshead.dead_letters")[0][0])


def test_wrong_password_is_refused_and_not_shown(cluster: Cluster) -> None:
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_BROKER_URL: .* refuses the login") as refused:
        check_broker(cluster.url.replace(QUOTED, "wr0ng"))
    assert "wr0ng" not in str(refused.value)


def test_event_without_a_queue_does_not_count_as_sent(cluster: Cluster, running: Running) -> None:
    if not isinstance(cluster, RabbitNodes):
        pytest.skip("Redis creates a list with its first element")
    queue = EventQueue(running.addresses.broker_url)
    assert queue.length() == 0
    with stopped(running, "intake"):  # or it would create the queue again
        broker = broker_at(running.addresses.broker_url)
        with broker.open() as connection:
            connection.default_channel.queue_delete(QUEUE_NAME)
        with pytest.raises(QueueUnavailable):
            queue.publish(["{}"])
        queue.publish(['"this created the queue again"'])
    queue.close()
    running.eventually(lambda: status(running).queued_events == 0, "the intake takes from the new queue")


@pytest.mark.parametrize("name", [QUEUE_NAME, QUEUES["reflect"]])
def test_consumer_that_the_server_forgot_subscribes_again(cluster: Cluster, running: Running, name: str) -> None:
    """RabbitMQ forgets some consumers of a queue that is deleted and declared anew, and does not tell them."""
    if not isinstance(cluster, RabbitNodes):
        pytest.skip("a client of Redis asks for each message")
    with broker_at(running.addresses.broker_url).open() as connection:
        channel: Any = connection.default_channel

        def consumers() -> int:
            return int(channel.queue_declare(name, passive=True).consumer_count)

        running.eventually(lambda: consumers() == 1, "there is a consumer")
        for _ in range(100):
            channel.queue_delete(name)
            channel.queue_declare(name, durable=True, auto_delete=False, arguments={"x-queue-type": "quorum"})
            time.sleep(0.1)
            if consumers() == 0:
                break
        running.eventually(lambda: consumers() == 1, "the consumer is back", 30)


def effects(running: Running) -> list[Effect]:
    """Return the effects of the chats' events, in order."""
    rows = running.rows(f"""
        select event_id, publisher_id, publisher_sequence, extract(epoch from at)::float8
        from benchmark.effects where tenant_id = '{NamespacePath.of(("chats", "anyone")).tenant_id}' order by position
    """)
    return [Effect(*row) for row in rows]
