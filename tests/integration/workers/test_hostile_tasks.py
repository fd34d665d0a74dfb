"""What anybody with Redis's password can send a worker: it refuses and counts it, logs none of its content, and goes on."""

import base64
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis
from sqlalchemy import Engine, text

from tests.given import nothing_at_work
from workers.celery_app import app
from workers.local import Addresses, wait_until
from workers.local.processes import ROOT

SOON_SECONDS = 90
WORD = "zanzibar"
"""Text of these messages that no log may contain."""
TASKS = "mosshead:tasks:"
IDS = [str(uuid4()) for _ in range(3)]
DEEP = b"[" * 100_000


def task(
    body: Any = (IDS, {}, {}), *, encoded: str | None = None, properties: Any = None, **headers: Any
) -> dict[str, Any]:
    """Return a task message as Celery's producer writes it, with some fields changed."""
    return {
        "body": encoded or base64.b64encode(body if isinstance(body, bytes) else json.dumps(body).encode()).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": {"task": "mosshead.extract", "id": str(uuid4()), "lang": "py", **headers},
        "properties": properties
        or {
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),
            "delivery_info": {"exchange": "", "routing_key": "extract"},
            "reply_to": WORD,
        },
    }


def element(message: Any) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode()


HOSTILE: Mapping[str, Any] = {
    "no JSON": WORD.encode(),
    "an empty object": {},
    "an empty list": [],
    "a number of 5,000 digits": b"7" * 5_000,
    "null": b"null",
    "no UTF-8": b"\xff\xfe\x00" + WORD.encode(),
    "very deep": DEEP,
    "2 MB": WORD.encode() * 250_000,
    "a type that kombu makes": {"__type__": "uuid", "__value__": WORD},
    "an empty body": task(b""),
    "a body of {}": task({}),
    "a body that is no JSON": task(WORD.encode()),
    "a body that is not base64": task(encoded=f"{WORD}!"),
    "a deep body": task(DEEP[:9_000]),
    "no properties": {**task(), "properties": {}},
    "null properties": {**task(), "properties": None},
    "no headers": {**task(), "headers": {}},
    "headers that are a list": {**task(), "headers": [WORD]},
    "no delivery tag": {**task(), "properties": {"body_encoding": "utf-8"}},
    "pickle": {**task(b"\x80\x04]\x94."), "content-type": "application/x-python-serialize"},
    "yaml": {**task(f"[{WORD}]".encode()), "content-type": "application/x-yaml"},
    "a compressed bomb": task(gzip.compress(b"0" * 10**7), compression="application/x-gzip"),
    "an unknown task": task(task=f"mosshead.{WORD}!"),
    "a task of Celery's own": task(task="celery.chord_unlock"),
    "a task's name that is a list": task(task=[WORD]),
    "too few arguments": task([IDS[:2], {}, {}]),
    "too many arguments": task([[*IDS, WORD], {}, {}]),
    "arguments that are no ids": task([[WORD] * 3, {}, {}]),
    "arguments that are null": task([[None] * 3, {}, {}]),
    "keywords": task([IDS, {WORD: WORD}, {}]),
    "a chain behind it": task([IDS, {}, {"chain": [{"task": "mosshead.extract", "args": IDS}]}]),
    "callbacks": task([IDS, {}, {"callbacks": [WORD]}]),
    "an eta of the year 9999": task(eta="9999-12-31T23:59:59"),
    "an eta that is none": task(eta=WORD),
    "an expiry that is none": task(expires={WORD: 1}),
    "a time limit of its own": task(timelimit=[WORD, -1]),
    "no id": task(id=None),
    "an id that is an object": task(id={WORD: 1}),
    "an older protocol": {
        **task({"task": "mosshead.extract", "id": WORD, "args": IDS, "kwargs": {}}),
        "headers": {},
    },
}


class Tried:
    """A worker with its own Redis, into which others write."""

    def __init__(self, broker: Redis, process: "subprocess.Popen[bytes]", log: Path, engine: Engine) -> None:
        self.broker = broker
        self.process = process
        self._log = log
        self._engine = engine

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def push(self, message: Any, queue: str = "extract") -> None:
        self.broker.lpush(TASKS + queue, element(message))

    def refused(self) -> int:
        with self._engine.connect() as connection:
            return int(
                connection.execute(text("select coalesce(sum(times), 0) from mosshead.refused_tasks")).scalar_one()
            )

    def slots(self) -> list[int]:
        """Return how many tasks it reported it can run."""
        with self._engine.connect() as connection:
            return list(
                connection.execute(text("select slots from mosshead.workers where worker like 'tried-%'")).scalars()
            )

    def works(self, queue: str = "extract") -> None:
        """Make it run a task of a batch that does not exist."""
        sent = app.send_task("mosshead.extract", args=IDS, queue=queue).id
        wait_until(lambda: f"mosshead.extract[{sent}] succeeded" in self.log(), SOON_SECONDS, f"the task\n{self.log()}")

    def unharmed(self) -> None:
        """Return whether it never stopped or lost its connection, and its log contains none of the messages."""
        assert self.process.poll() is None, self.log()
        log = self.log()
        assert WORD not in log
        assert not [one for one in ("Unrecoverable", "Connection to broker lost", "Traceback") if one in log], log


@contextmanager
def worker(addresses: Addresses, engine: Engine, folder: Path) -> Iterator[Tried]:
    """Start a worker on three queues."""
    command = [
        *(sys.executable, "-m", "celery", "--app=workers.celery_app", "worker", "--queues=extract,embed,consolidate"),
        *("--concurrency=1", "--without-gossip", "--without-mingle", "--task-events", "--loglevel=info"),
        f"--hostname=tried-{uuid4().hex}@%h",
    ]
    environment = {**os.environ, **addresses.environment(), "REMAP_SIGTERM": "SIGQUIT"}
    app.conf.broker_url = addresses.broker_url
    log = folder / "worker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output, env=environment)
    try:
        with Redis.from_url(addresses.broker_url) as broker:
            yield Tried(broker, process, log, engine)
    finally:
        process.terminate()
        process.wait(60)
        nothing_at_work(engine)


@pytest.fixture(scope="module")
def tried(addresses: Addresses, admin_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    """Start a worker that finds unacknowledged tasks of an earlier crash in Redis. It starts slowly and serves all tests."""
    with admin_engine.begin() as connection:
        connection.execute(text("delete from mosshead.refused_tasks"))
    with Redis.from_url(addresses.broker_url) as broker:
        broker.flushdb()
        leave_in_hand(broker)
    with worker(addresses, admin_engine, tmp_path_factory.mktemp("worker")) as started:
        yield started


LEFT_TASK = task()
LEFT_JUNK = [
    *[json.dumps([one, "", "extract"]).encode() for one in HOSTILE.values() if not isinstance(one, bytes)],
    *map(element, HOSTILE.values()),
]


def leave_in_hand(broker: Redis) -> None:
    """Leave a task, much that is no task, and a tag without a message, as a killed worker leaves them."""
    long_ago = time.time() - 10**6
    for number, entry in enumerate([*LEFT_JUNK, json.dumps([LEFT_TASK, "extract", "extract"]).encode()]):
        broker.hset(f"{TASKS}unacked", f"tag {number}", entry)
        broker.zadd(f"{TASKS}unacked_index", {f"tag {number}": long_ago})
    broker.zadd(f"{TASKS}unacked_index", {"of nothing": long_ago})


def command(method: Any, **fields: Any) -> dict[str, Any]:
    body = {"method": method, "arguments": {}, "destination": None, **fields}
    return {**task(body), "headers": {"clock": 1}}


BROADCAST: Mapping[str, Any] = {
    **{name: HOSTILE[name] for name in HOSTILE if name != "an empty body"},
    "shutdown": command("shutdown"),
    "a task struck off": command("revoke", arguments={"task_id": IDS[0], "terminate": True}),
    "fewer processes": command("pool_shrink", arguments={"n": 1}),
    "a queue given up": command("cancel_consumer", arguments={"queue": "extract"}),
    "a limit of no tasks": command("rate_limit", arguments={"task_name": "mosshead.extract", "rate_limit": "1/h"}),
    "a method that is a list": command([WORD]),
    "a method of nobody": command(WORD),
    "arguments that are a list": command("ping", arguments=[WORD]),
    "arguments of nobody": command("ping", arguments={WORD: 1}),
    "an answer into a queue": command("ping", reply_to={"exchange": "", "routing_key": "extract"}, ticket=IDS[0]),
    "a pattern": command("ping", pattern="(a+)+$", matcher="pcre"),
    "a clock of 4,000 digits": {**command("shutdown"), "headers": {"clock": 10**4_000}},
}


def test_worker_runs_tasks_left_by_a_crash_and_refuses_counts_and_survives_all_else(tried: Tried) -> None:
    """The junk is left by an earlier crash, pushed into a queue, or published to the worker's remote control.

    All in one test: a worker stores what it refused with its heartbeat, every five seconds.
    """
    done = f"mosshead.extract[{LEFT_TASK['headers']['id']}] succeeded"
    wait_until(lambda: done in tried.log(), SOON_SECONDS, "the task that was left in hand")
    for message in HOSTILE.values():
        tried.push(message)
        tried.push(message, "embed\x06\x163")  # kombu's queue for messages of lower priority
    for message in BROADCAST.values():
        assert tried.broker.publish(f"{TASKS}/0.celery.pidbox", element(message)) >= 1
    tried.works()

    expected = len(LEFT_JUNK) + 2 * len(HOSTILE) + len(BROADCAST)
    wait_until(lambda: tried.refused() == expected, SOON_SECONDS, f"{expected} counted")
    tried.unharmed()
    assert not tried.broker.exists(*[TASKS + key for key in ("extract", "embed\x06\x163", "unacked", "unacked_index")])
    answers = app.control.inspect(timeout=30, limit=1).ping() or {}
    assert list(answers.values()) == [{"ok": "pong"}]
    assert tried.slots() == [1]


def test_flood_in_one_queue_leaves_the_others_their_turns(tried: Tried) -> None:
    tried.works()
    for _ in range(40):
        tried.broker.lpush(f"{TASKS}extract", *[b"{}"] * 2_000)
    tried.works("consolidate")
    assert tried.broker.llen(f"{TASKS}extract") > 0, "the flood outlasted the task of another queue"
    tried.broker.delete(f"{TASKS}extract")
