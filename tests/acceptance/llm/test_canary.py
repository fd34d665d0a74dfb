"""No conversation text in Flower, task arguments, `inspect`, Celery's queues or any log, whatever goes wrong."""

import base64
import json
from collections.abc import Callable, Iterator

import psycopg
import pytest
from celery import Celery
from kombu.messaging import Producer
from redis import Redis

from mosshead import Namespace
from mosshead.publishing.broker import EXCHANGE, QUEUE, broker_at
from tests.acceptance.running import STAGES, Running
from tests.fake_answers import Json
from tests.fake_openai import FakeOpenAI, Fault, Request

CANARIES = ("quetzalcoatlus", "zanzibarella", "xylophagist", "brobdingnag")
SECRET = f"My {CANARIES[0]} is called {CANARIES[1]}, and I work as a {CANARIES[2]} in {CANARIES[3].title()}"
FLOWER_PAGES = ("/tasks", "/workers", "/broker", "/api/tasks?limit=1000", "/api/workers", "/metrics")
DATATABLE = (
    "/tasks/datatable?draw=1&start=0&length=100&search%5Bvalue%5D=&order%5B0%5D%5Bcolumn%5D=0&order%5B0%5D%5Bdir%5D=asc"
)


@pytest.fixture(scope="module")
def celery(running: Running) -> Iterator[Celery]:
    app = Celery("onlooker", broker=running.addresses.broker_url)
    app.conf.broker_transport_options = {"global_keyprefix": "mosshead:tasks:"}
    yield app
    app.close()


def seen_by_an_onlooker(running: Running, celery: Celery) -> str:
    """Return everything that an operator can see."""
    inspect = celery.control.inspect(timeout=10, limit=1)
    inspected = [inspect.active(), inspect.reserved(), inspect.scheduled(), inspect.stats(), inspect.registered()]
    tasks = running.flower_tasks()
    pages = [running.flower(path) for path in (*FLOWER_PAGES, DATATABLE, *(f"/task/{task_id}" for task_id in tasks))]
    return "\n".join([json.dumps(inspected, default=str), *pages, queued_tasks(running), running.logs()])


def queued_tasks(running: Running) -> str:
    """Return Celery's data in Redis, queued and unacknowledged, with base64 decoded as far as possible."""
    with Redis.from_url(running.addresses.broker_url) as redis:
        keys = [key for key in redis.scan_iter("mosshead:tasks:*")]  # noqa: C416
        dumped = b"\n".join(redis.dump(key) or b"" for key in keys)
        lists = [redis.lrange(key, 0, -1) for key in keys if redis.type(key) == b"list"]
        bodies = [json.loads(element)["body"] for elements in lists for element in elements]
    return "\n".join([dumped.decode(errors="replace"), *(base64.b64decode(body).decode() for body in bodies)])


def assert_no_canary(text: str) -> None:
    lowered = text.casefold()
    found = [
        (word, lowered[max(0, lowered.index(word) - 200) : lowered.index(word) + 60])
        for word in CANARIES
        if word in lowered
    ]
    assert not found, found


def in_state(running: Running, state: str, namespace: Namespace) -> set[str]:
    """Return the names of a namespace's tasks that Flower lists in a state."""
    own = str(namespace.path.namespace_id)
    return {
        task["name"] for task in running.flower_tasks().values() if task["state"] == state and own in str(task["args"])
    }


def test_canary_search_finds_a_planted_canary() -> None:
    with pytest.raises(AssertionError):
        assert_no_canary(f"… {SECRET} …")


def test_no_canary_while_tasks_succeed(running: Running, celery: Celery) -> None:
    namespace = running.memory.namespace("acme", "success")
    namespace.publish(SECRET, conversation="c1")
    namespace.wait(timeout=90)
    assert any(CANARIES[1] in memory.content for memory in namespace.memories())
    five = {f"mosshead.{stage}" for stage in STAGES}
    running.eventually(
        lambda: in_state(running, "SUCCESS", namespace) >= five, "Flower lists the five stages as successful"
    )

    assert_no_canary(seen_by_an_onlooker(running, celery))


def test_no_canary_while_tasks_are_active_and_reserved(running: Running, celery: Celery, fake: FakeOpenAI) -> None:
    namespaces = [running.memory.namespace("acme", f"slow-{number}") for number in range(3)]
    inspect = celery.control.inspect(timeout=10, limit=1)

    def busy() -> bool:
        return any((inspect.active() or {}).values()) and bool(
            any((inspect.reserved() or {}).values()) or queued_tasks(running)
        )

    with fake.silent("ExtractionAnswer"):
        for namespace in namespaces:
            namespace.publish(SECRET, conversation="c1")
        running.eventually(busy, "one task is active and more wait")

        assert_no_canary(seen_by_an_onlooker(running, celery))
    for namespace in namespaces:
        namespace.wait(timeout=90)


@pytest.mark.parametrize(
    "answers",
    [
        [Fault("refusal")],
        [Fault("invalid_json")] * 4,
        [Fault("truncated")] * 3,  # for the message, and for each half of it
        [Fault("html")],
        [lambda request: {"facts": [{"remark": request.prompt, "kind": SECRET}]}] * 4,
    ],
    ids=["refusal", "invalid-json", "truncated", "html", "not-the-schema"],
)
def test_no_canary_while_tasks_fail(
    running: Running,
    celery: Celery,
    fake: FakeOpenAI,
    answers: list[Fault | Callable[[Request], Json]],
    request: pytest.FixtureRequest,
) -> None:
    """After an unusable answer, the message is retried in halves; the task fails if those get none either."""
    fake.script("ExtractionAnswer", *answers)
    namespace = running.memory.namespace("acme", f"failing-{request.node.callspec.id}")
    namespace.publish(SECRET, conversation="c1")
    namespace.wait(timeout=90)
    running.eventually(lambda: bool(in_state(running, "FAILURE", namespace)), "Flower has seen this failure")

    assert_no_canary(seen_by_an_onlooker(running, celery))


def test_no_canary_when_the_database_rejects_a_row(running: Running, celery: Celery) -> None:
    """Postgres's error shows the failing row, which must not leave the worker."""
    assert running.addresses.admin_url is not None
    with psycopg.connect(running.addresses.admin_url, autocommit=True) as connection:
        connection.execute(
            "alter table mosshead.memories add constraint refuse check (content not like '%xylophagist%') not valid"
        )
        try:
            namespace = running.memory.namespace("acme", "refused")
            namespace.publish(SECRET, conversation="c1")
            running.eventually(
                lambda: "CheckViolation" in running.logs() or "23514" in running.logs(), "the constraint bit"
            )
            seen = seen_by_an_onlooker(running, celery)
        finally:
            connection.execute("alter table mosshead.memories drop constraint refuse")
    assert_no_canary(seen)
    namespace.wait(timeout=90)
    assert any(CANARIES[2] in memory.content for memory in namespace.memories())


def test_no_canary_when_a_task_is_unknown(running: Running, celery: Celery) -> None:
    namespace = running.memory.namespace("acme", "success")
    ids = [str(namespace.path.tenant_id), str(namespace.path.namespace_id), "00000000-0000-0000-0000-000000000000"]
    celery.send_task("mosshead.no_such_stage", args=ids, queue="extract")
    running.eventually(lambda: "no_such_stage" in running.logs(), "the worker has said that it does not know the task")

    assert_no_canary(seen_by_an_onlooker(running, celery))


def test_no_canary_when_the_intake_rejects_an_event(running: Running, celery: Celery) -> None:
    before = running.logs().count("event_refused")
    with broker_at(running.addresses.broker_url).open() as connection:
        producer = Producer(connection.channel(), exchange=EXCHANGE)
        for body in (
            SECRET,
            json.dumps({"type": "message", "content": SECRET, CANARIES[0]: SECRET}),
            json.dumps([SECRET]),
        ):
            producer.publish(
                body, routing_key=QUEUE.routing_key, content_type="application/json", content_encoding="utf-8"
            )
    running.eventually(lambda: running.logs().count("event_refused") >= before + 3, "three events were refused")

    assert_no_canary(seen_by_an_onlooker(running, celery))
