"""The probes of the service's real processes, as an orchestrator calls them."""

import re
import subprocess
import urllib.request
from pathlib import Path
from urllib.error import HTTPError, URLError

from tests.acceptance.running import Running

PROCESSES = ("intake", "scheduler", "worker")


def probe(running: Running, name: str, path: str) -> int | None:
    """Return the status of an answer; None without one."""
    port = running.addresses.probe_port + PROCESSES.index(name)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
    except (URLError, OSError):
        return None


def eventually_answers(running: Running, name: str, path: str, status: int) -> None:
    """Wait until a probe returns a status."""
    running.eventually(lambda: probe(running, name, path) == status, f"the {name} answers {status} to {path}")


def test_each_process_reports_alive_and_ready(running: Running) -> None:
    for name in PROCESSES:
        eventually_answers(running, name, "/readyz", 200)
        assert probe(running, name, "/healthz") == 200


def test_killed_worker_leaves_its_port_to_its_successor(running: Running) -> None:
    eventually_answers(running, "worker", "/readyz", 200)
    before = running.pid("worker")
    running.kill("worker")
    running.eventually(lambda: running.pid("worker") not in {None, before}, "the next worker starts")
    eventually_answers(running, "worker", "/readyz", 200)


def test_container_health_check_detects_a_process_that_does_not_answer(running: Running) -> None:
    compose = (Path(__file__).parents[2] / "docker-compose.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"- '(exec 3<>.*)'", compose)
    eventually_answers(running, "intake", "/readyz", 200)

    for port, well in ((running.addresses.probe_port, True), (1, False)):
        check = ["bash", "-c", command.replace("$$", "$")]
        done = subprocess.run(check, env={"PROBE": str(port)}, capture_output=True, check=False)
        assert (done.returncode == 0) is well, done.stderr
