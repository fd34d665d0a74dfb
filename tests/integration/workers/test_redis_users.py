"""The logins shipped for Redis: each part of the service works with its own, and an app's reaches only the event queue."""

import base64
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis
from redis.exceptions import NoPermissionError
from sqlalchemy import Engine, text

from config.settings import Settings
from mosshead import Memory
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from tests.given import nothing_at_work
from tests.integration.workers.test_hostile_tasks import HOSTILE, WORD, element
from workers.broker import check_broker
from workers.local import Addresses, wait_until
from workers.local.ports import free_port
from workers.local.processes import ROOT
from workers.local.redis import redis_server

SOON_SECONDS = 300
SHIPPED = ROOT / "config" / "redis-users.acl"
PASSWORDS = {
    "app": ("REDIS_APP_PASSWORD", "of-the-app"),
    "service": ("REDIS_PASSWORD", "of-the-service"),
    "flower": ("REDIS_FLOWER_PASSWORD", "of-flower"),
}
EVENTS = "mosshead:events:mosshead.events"
TASKS = "mosshead:tasks:"


class Logins:
    """A Redis with the shipped logins, and one more with which the test inspects it."""

    def __init__(self, port: int, admin: Redis) -> None:
        self.port = port
        self.admin = admin

    def url(self, user: str) -> str:
        return f"redis://{user}:{PASSWORDS[user][1]}@127.0.0.1:{self.port}/0"

    def denied(self) -> list[str]:
        """Return what Redis logged as refused. redis-py tries CLIENT commands that some servers lack, and goes on."""
        log = self.admin.acl_log()
        return [f"{one['username']} {one['reason']} {one['object']}" for one in log if one["object"] != "client"]


def filled_in() -> str:
    """Return the shipped file as docker compose passes it to Redis."""
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    (program,) = re.findall(r"awk '(.*)'", compose)
    done = subprocess.run(
        ["awk", program.replace("$$", "$"), SHIPPED],
        env={"PATH": os.defpath, **dict(PASSWORDS.values())},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "PASSWORD" not in done.stdout
    return done.stdout.strip()


@pytest.fixture(scope="module")
def logins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Logins]:
    folder = tmp_path_factory.mktemp("redis-users")
    (folder / "users.acl").write_text(f"{filled_in()}\nuser test on >test ~* &* +@all\n")
    port = free_port()
    options = [
        "--port",
        str(port),
        "--aclfile",
        "users.acl",
        "--save",
        "",
        "--appendonly",
        "no",
        "--loglevel",
        "warning",
    ]
    process = subprocess.Popen([str(redis_server()), *options], cwd=folder, stdout=subprocess.DEVNULL)
    try:
        with Redis(port=port, username="test", password="test") as admin:

            def answers() -> bool:
                try:
                    return bool(admin.ping())
                except OSError:
                    return False

            wait_until(answers, SOON_SECONDS, "Redis")
            yield Logins(port, admin)
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def clean(logins: Logins) -> Logins:
    logins.admin.flushall()
    logins.admin.acl_log_reset()
    return logins


def test_app_publishes_and_reads_the_length_of_the_queue(clean: Logins) -> None:
    with closing(EventQueue(clean.url("app"))) as queue:
        queue.publish(["{}", "{}", "{}"])
        assert queue.length() == 3
    assert clean.admin.llen(EVENTS) == 3
    assert clean.denied() == []


@pytest.mark.parametrize(
    "command",
    [
        ("LRANGE", EVENTS, 0, -1),
        ("RPOP", EVENTS),
        ("BRPOP", EVENTS, 1),
        ("LINDEX", EVENTS, 0),
        ("LTRIM", EVENTS, 1, 0),
        ("DEL", EVENTS),
        ("UNLINK", EVENTS),
        ("RENAME", EVENTS, f"{EVENTS}.mine"),
        ("DUMP", EVENTS),
        ("COPY", EVENTS, f"{EVENTS}.mine"),
        ("EXPIRE", EVENTS, 1),
        ("SET", EVENTS, "x"),
        ("GET", "mosshead:working:x"),
        ("SCAN", 0),
        ("KEYS", "*"),
        ("FLUSHALL",),
        ("FLUSHDB",),
        ("SHUTDOWN", "NOSAVE"),
        ("CONFIG", "GET", "*"),
        ("CONFIG", "SET", "maxmemory", "1"),
        ("ACL", "LIST"),
        ("ACL", "SETUSER", "app", "allkeys"),
        ("CLIENT", "KILL", "TYPE", "normal"),
        ("CLIENT", "PAUSE", "100000"),
        ("EVAL", "return 1", 0),
        ("EVALSHA", "0" * 40, 0),
        ("SCRIPT", "LOAD", "return 1"),
        ("MONITOR",),
        ("DEBUG", "SLEEP", "1"),
        ("REPLICAOF", "127.0.0.1", "1"),
        ("MEMORY", "PURGE"),
        ("LPUSH", f"{TASKS}extract", "{}"),
        ("LLEN", f"{TASKS}extract"),
        ("SADD", f"{TASKS}_kombu.binding.extract", "x"),
        ("HSET", f"{TASKS}unacked", "x", "{}"),
        ("PUBLISH", f"{TASKS}/0.celery.pidbox", "{}"),
        ("PUBLISH", f"{TASKS}/0.celeryev/task.sent", "{}"),
        ("PSUBSCRIBE", "*"),
    ],
    ids=lambda command: " ".join(map(str, command[:2])),
)
def test_app_may_only_publish(clean: Logins, command: tuple[Any, ...]) -> None:
    clean.admin.lpush(EVENTS, "{}")
    with Redis.from_url(clean.url("app")) as redis, pytest.raises(NoPermissionError):
        redis.execute_command(*command)
    assert clean.admin.llen(EVENTS) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("LPUSH", f"{TASKS}extract", "{}"),
        ("LRANGE", EVENTS, 0, -1),
        ("BRPOP", EVENTS, 1),
        ("LPUSH", EVENTS, "{}"),
        ("DEL", EVENTS),
        ("LRANGE", f"{TASKS}extract", 0, -1),
        ("FLUSHALL",),
        ("CONFIG", "GET", "*"),
        ("EVAL", "return 1", 0),
    ],
    ids=lambda command: " ".join(map(str, command[:2])),
)
def test_flower_may_put_nothing_into_a_queue_and_read_no_event(clean: Logins, command: tuple[Any, ...]) -> None:
    with Redis.from_url(clean.url("flower")) as redis, pytest.raises(NoPermissionError):
        redis.execute_command(*command)


@pytest.mark.parametrize(
    "command",
    [("FLUSHALL",), ("CONFIG", "GET", "*"), ("ACL", "LIST"), ("GET", "somebody:else"), ("SHUTDOWN",), ("EVAL", "x", 0)],
    ids=lambda command: command[0],
)
def test_service_may_not_touch_keys_of_others(clean: Logins, command: tuple[Any, ...]) -> None:
    with Redis.from_url(clean.url("service")) as redis, pytest.raises(NoPermissionError):
        redis.execute_command(*command)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:{}/0", "redis://:of-the-service@127.0.0.1:{}/0"])
def test_connection_without_a_login_is_refused(clean: Logins, url: str) -> None:
    with Redis.from_url(url.format(clean.port)) as redis, pytest.raises(Exception, match=r"(?i)auth|password"):
        redis.ping()


def test_service_sees_whether_redis_may_evict(clean: Logins, capsys: pytest.CaptureFixture[str]) -> None:
    check_broker(clean.url("service"))
    assert "eviction_policy_unseen" not in capsys.readouterr().out


@contextmanager
def processes(url: Callable[[str], str], folder: Path, flower_port: int) -> Iterator[Callable[[], str]]:
    """Run intake, scheduler, worker and Flower, each with its login; yield a function that reads their logs."""
    celery = [sys.executable, "-m", "celery", "--app=workers.celery_app"]
    flower = [sys.executable, "-m", "celery", "--app=workers.flower", "flower", "--address=127.0.0.1"]
    queues = "--queues=extract,score,embed,consolidate,profile,reflect"
    options = [queues, "--concurrency=1", "--without-gossip", "--without-mingle", "--task-events", "--loglevel=info"]
    commands = {
        "intake": ("service", [sys.executable, "-m", "workers", "intake"]),
        "scheduler": ("service", [sys.executable, "-m", "workers", "sweep"]),
        "worker": ("service", [*celery, "worker", *options, f"--hostname=users-{uuid4().hex}@%h"]),
        "flower": ("flower", [*flower, f"--port={flower_port}"]),
    }
    more = {"FLOWER_BASIC_AUTH": "me:secret", "FLOWER_READ_ONLY": "true", "REMAP_SIGTERM": "SIGQUIT"}
    started: list[subprocess.Popen[bytes]] = []
    try:
        for name, (user, command) in commands.items():
            environment = {**os.environ, **more, "MOSSHEAD_BROKER_URL": url(user)}
            with (folder / f"{name}.log").open("wb") as output:
                started.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output))
        yield lambda: "\n".join((folder / f"{name}.log").read_text(errors="replace") for name in commands)
    finally:
        for one in started:
            one.terminate()
        for one in started:
            one.wait(60)


def ask_flower(port: int, path: str) -> Any:
    login = base64.b64encode(b"me:secret").decode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Basic {login}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read())


def status_of(port: int, path: str) -> int:
    """Return the status of a page requested without a login."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


@pytest.mark.usefixtures("settled")  # batches of earlier tests would take the worker's only slot
def test_everything_works_with_the_shipped_logins(
    clean: Logins,
    service: Settings,
    addresses: Addresses,
    admin_engine: Engine,
    fresh_namespace: NamespacePath,
    *,
    tmp_path: Path,
) -> None:
    """From publishing to a memory, with Flower watching, and the spool cut once the event is in the database."""
    assert service
    port = free_port()
    with admin_engine.begin() as connection:
        connection.execute(text("delete from mosshead.refused_tasks"))
    with processes(clean.url, tmp_path, port) as logs:
        with Memory.connect(
            database_url=addresses.database_url,
            broker_url=clean.url("app"),
            spool_dir=tmp_path / "spool",
            read_timeout=60,
        ) as memory:
            sarah = memory.namespace(*fresh_namespace.parts)
            sarah.publish("I moved to Seattle.", role="user", conversation="c1")
            sarah.wait(timeout=SOON_SECONDS)
            assert [hit.content for hit in sarah.query("Where does she live?")] == ["User moved to Seattle"]
            with closing(EventQueue(clean.url("app"))) as queue:
                assert queue.length() == 0

            def seen_by_flower() -> bool:
                """Flower does not know tasks from before its start."""
                sarah.publish("I like tea.", role="user", conversation="c1")
                sarah.wait(timeout=SOON_SECONDS)
                try:
                    found = ask_flower(port, "/api/workers?refresh=true")
                    tasks = ask_flower(port, "/api/tasks")
                    length = ask_flower(port, "/api/queues/length")
                except OSError:
                    return False
                return bool(tasks and length["active_queues"] and any("stats" in one for one in found.values()))

            wait_until(seen_by_flower, SOON_SECONDS, "Flower")
            for message in HOSTILE.values():
                for kind in ("worker.heartbeat", "task.sent"):
                    assert clean.admin.publish(f"{TASKS}/0.celeryev/{kind}", element(message)) == 1
            before = len(ask_flower(port, "/api/tasks"))
            sarah.publish("I like figs.", role="user", conversation="c1")
            sarah.wait(timeout=SOON_SECONDS)
            wait_until(
                lambda: len(ask_flower(port, "/api/tasks")) > before, SOON_SECONDS, "Flower after what is no event"
            )
        assert status_of(port, "/healthcheck") == HTTPStatus.OK
        assert status_of(port, "/metrics") == HTTPStatus.UNAUTHORIZED, "figures name workers and tasks"
        said = logs()
    denied = clean.denied()
    nothing_at_work(admin_engine)
    assert denied == []
    assert "Failed to capture events" not in said
    assert WORD not in said
    assert not re.findall(r"NOPERM|NoPermission|no permissions", said), said
    with admin_engine.connect() as connection:
        assert connection.execute(text("select count(*) from mosshead.refused_tasks")).scalar_one() == 0
