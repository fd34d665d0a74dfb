"""Probes of a process: alive while its loop turns, ready while it can reach what it needs."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection

import pytest
from structlog.testing import capture_logs

from config.settings import Settings
from workers.local import wait_until
from workers.local.ports import LOOPBACK, free_port
from workers.probes import LoopWatch, Probes, ProbeServer, ProcessName, probed, serve_probes

ROOT = Path(__file__).resolve().parents[3]
SOON_SECONDS = 60


@contextmanager
def served(settings: Settings, watch: LoopWatch, name: ProcessName = "intake") -> Iterator[int]:
    """Return the port of a process's probes."""
    server = ProbeServer(Probes(settings, name, watch), LOOPBACK, 0)
    server.start()
    yield server.port
    server.stop()


def ask(port: int, path: str) -> tuple[int, str]:
    with closing(HTTPConnection(LOOPBACK, port, timeout=30)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_process_whose_loop_turns_is_alive_and_ready(service: Settings) -> None:
    for name in ("intake", "scheduler", "worker"):
        with served(service, LoopWatch(), name) as port:
            assert ask(port, "/healthz") == (200, "loop: ok\n")
            assert ask(port, "/readyz") == (200, "loop: ok\npostgres: ok\nbroker: ok\n")
            assert ask(port, "/metrics")[0] == (200 if name == "scheduler" else 404)
            assert ask(port, "/")[0] == 404


def test_stalled_loop_is_neither_alive_nor_ready_until_it_turns(service: Settings) -> None:
    watch = LoopWatch(seconds=0.2)
    with served(service, watch) as port:
        wait_until(lambda: ask(port, "/healthz") == (503, "loop: stands still\n"), SOON_SECONDS, "the end of a turn")
        assert ask(port, "/readyz")[0] == 503

        watch.wait()
        assert ask(port, "/healthz") == (200, "loop: ok\n")
        assert ask(port, "/readyz") == (503, "loop: waits\npostgres: ok\nbroker: ok\n")


@pytest.mark.parametrize(
    ("away", "says"),
    [
        ({"ingest_url": "postgresql://mosshead_ingest:s3cret@127.0.0.1:1/mosshead"}, "postgres: OperationalError"),
        ({"broker_url": "redis://:s3cret@127.0.0.1:1/0"}, "broker: ConnectionError"),
    ],
)
def test_process_that_cannot_reach_its_servers_is_alive_and_not_ready(
    service: Settings, away: dict[str, str], says: str
) -> None:
    with served(service.model_copy(update=away), LoopWatch()) as port:
        assert ask(port, "/healthz")[0] == 200
        status, text = ask(port, "/readyz")

    assert status == 503
    assert says in text
    assert "s3cret" not in text


def test_silent_client_holds_up_no_probe(service: Settings) -> None:
    with served(service, LoopWatch()) as port, create_connection((LOOPBACK, port)):
        assert ask(port, "/healthz")[0] == 200


def test_only_turns_of_the_main_thread_count(service: Settings) -> None:
    watch = LoopWatch(seconds=0.5)
    stopped = watch.watching(lambda: False)
    deadline = time.monotonic() + SOON_SECONDS
    ended = threading.Event()

    def ask_on() -> None:
        while not ended.wait(0.01):
            stopped()

    other = threading.Thread(target=ask_on)
    other.start()
    while watch.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    ended.set()
    other.join()
    assert not watch.alive

    stopped()
    assert watch.alive


def test_port_in_use_keeps_no_process_from_its_work(service: Settings) -> None:
    port = free_port(run=3)
    chosen = service.model_copy(update={"probe_port": port})
    with capture_logs() as logs:
        first = serve_probes(chosen, "worker", LoopWatch())
        second = serve_probes(chosen, "worker", LoopWatch())
    assert first is not None
    assert first.port == port + 2
    first.stop()

    assert second is None
    assert [one["event"] for one in logs] == ["probes_served", "probes_not_served"]


def test_block_passes_on_that_the_process_is_to_stop(service: Settings) -> None:
    asked = [False, True]
    with probed(service.model_copy(update={"probe_port": 0}), "intake", lambda: asked.pop(0)) as stopped:
        assert [stopped(), stopped()] == [False, True]


_PARENT = """
import os, sys
from config.settings import Settings
from workers.probes import LoopWatch, Probes, ProbeServer
server = ProbeServer(Probes(Settings(), "worker", LoopWatch()), "127.0.0.1", 0)
server.start()
if os.fork():
    print(server.port, flush=True)
    os._exit(0)
server.leave_to_parent()
sys.stdin.read()
"""


def test_child_that_outlives_its_worker_does_not_keep_the_port() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline())
        assert parent.wait(30) == 0

        wait_until(lambda: free_port(port) == port, SOON_SECONDS, "the port")
