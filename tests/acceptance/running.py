"""A whole machine for a test: real Postgres and Redis, and the Procfile's processes as separate processes."""

import base64
import json
import os
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg

from config.settings import Settings
from mosshead import Memory
from tests.machine_given import put_database
from workers.local import Addresses, Processes, flower_answers, processes, servers, wait_until
from workers.local.processes import PROCFILE

STAGES = ("extract", "score_salience", "embed", "consolidate", "refresh_profiles")


class Running:
    """A running machine, as its user, operator and observers see it."""

    def __init__(self, addresses: Addresses, kept: Processes) -> None:
        self.addresses = addresses
        self.kept = kept
        self.memory = Memory.connect(
            database_url=addresses.database_url, broker_url=addresses.broker_url, read_timeout=60
        )

    def flower(self, path: str) -> str:
        """Return a page of Flower as text."""
        login = base64.b64encode(f"{self.addresses.flower_user}:{self.addresses.flower_password}".encode()).decode()
        request = urllib.request.Request(self.addresses.flower_url + path, headers={"Authorization": f"Basic {login}"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(response.read().decode())

    def flower_tasks(self) -> dict[str, dict[str, Any]]:
        """Return the tasks known to Flower, by id."""
        tasks: dict[str, dict[str, Any]] = json.loads(self.flower("/api/tasks?limit=10000"))
        return tasks

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a query as the superuser, who sees all rows."""
        assert self.addresses.admin_url is not None
        with psycopg.connect(self.addresses.admin_url) as connection:
            return connection.execute(statement.encode()).fetchall()

    def pid(self, name: str) -> int | None:
        """Return the current process id of a Procfile entry."""
        return self.kept.pids()[name]

    def kill(self, name: str) -> None:
        """Kill a process with SIGKILL; it is restarted."""
        pid = self.pid(name)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

    def log(self, name: str) -> str:
        """Return a process's log."""
        return (self.addresses.data_dir / "logs" / f"{name}.log").read_text(errors="replace")

    def logs(self) -> str:
        """Return the logs of all processes, including the servers."""
        files = sorted((self.addresses.data_dir / "logs").iterdir())
        assert {file.stem for file in files} >= {*self.kept.pids(), "postgres", "redis"}
        return "\n".join(file.read_text(errors="replace") for file in files)

    def eventually(self, predicate: Callable[[], bool], what: str, timeout: float = 90) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + timeout
        while not predicate():
            assert time.monotonic() < deadline, f"not within {timeout} s: {what}"
            time.sleep(0.1)


@contextmanager
def machine(
    data_dir: Path,
    environment: Mapping[str, str],
    *,
    flower: bool = False,
    worker: str = "workers.celery_app",
    through: Callable[[Addresses], AbstractContextManager[Addresses]] = nullcontext,
) -> Iterator[Running]:
    """Run a machine in its own folder, with a short debounce; ``environment`` is added for its processes.

    flower: also run Flower, which takes seconds to start. worker: the module of its Celery app. through: a proxy between its
    servers and all clients.
    """
    quick = {
        "MOSSHEAD_DEBOUNCE_SECONDS": "0.2",
        "MOSSHEAD_PROFILE_DEBOUNCE_SECONDS": "0",
        "MOSSHEAD_SWEEP_SECONDS": "0.1",
        "MOSSHEAD_LOG_FORMAT": "json",
    }
    if "MOSSHEAD_DATABASE_URL" not in environment:
        put_database(data_dir)
    with (
        patch.dict("os.environ", {**quick, **environment}),
        servers(Settings(data_dir=data_dir, flower_port=0, console_port=0)) as straight,
        through(straight) as addresses,
    ):
        procfile = _procfile(data_dir, flower=flower, worker=worker)
        # Killed at the end, since nothing is asked of them any more.
        with processes(addresses, to_logs=True, procfile=procfile, grace=0.0) as kept:
            if flower:
                wait_until(lambda: flower_answers(addresses), timeout=60, what="Flower")
            wait_until(lambda: _ready(addresses), timeout=60, what="the worker and the intake")
            running = Running(addresses, kept)
            try:
                yield running
            finally:
                running.memory.close()


def _procfile(folder: Path, *, flower: bool, worker: str) -> Path:
    procfile = folder / PROCFILE.name
    lines = (
        PROCFILE.read_text(encoding="utf-8").replace("workers.celery_app worker", f"{worker} worker").splitlines(True)
    )
    procfile.write_text("".join(line for line in lines if flower or not line.startswith("flower:")), encoding="utf-8")
    return procfile


def _ready(addresses: Addresses) -> bool:
    logs = addresses.data_dir / "logs"
    ready = {"worker": " ready.", "intake": "intake_started", "scheduler": "scheduler_started"}
    return all(
        (logs / f"{name}.log").exists() and word in (logs / f"{name}.log").read_text() for name, word in ready.items()
    )
