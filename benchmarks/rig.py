"""What the benchmarks run on: real servers, and the Procfile's processes but Flower, in a folder that is removed afterwards.

The service runs with its default settings, apart from those that a benchmark names.
"""

import json
import os
import shutil
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString
from unittest.mock import patch

import psutil
import psycopg
from honcho.environ import parse_procfile

from config.logging import configure_logging
from config.settings import Settings
from db.schema.migrate import migrate
from mosshead import Memory
from mosshead.errors import WaitTimeout
from workers.local import Addresses, Processes, processes, servers, wait_until
from workers.local.ports import LOOPBACK, free_port
from workers.local.processes import PROCFILE, ROOT

SERVICE = ("intake", "scheduler", "worker")
_SERVERS = {"postgres": "postgres", "redis-server": "redis"}
_READY_SECONDS = 60.0
_READ_SECONDS = 60.0
_FIRST_MESSAGES = 16
_OWN_SETTINGS = ("MOSSHEAD_", "OPENAI_")
_RECEIVED: LiteralString = "select coalesce(sum(received_up_to), 0) from mosshead.publishers"
_RECEIVED_AND_AT_REST: LiteralString = """
    select (select coalesce(sum(received_up_to), 0) from mosshead.publishers) from mosshead.lanes
    having coalesce(sum(pending), 0) + count(batch_id) = 0
"""
_REFRESHED: LiteralString = """
    select 1 where not exists (select from mosshead.profiles where dirty_since is not null)
               and not exists (select from mosshead.lanes where pending > 0 or batch_id is not null)
"""
_POLL_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Rig:
    """A running service. model_port: where its LLM listens; None for the offline rules."""

    addresses: Addresses
    running: Processes
    model_port: int | None

    def memory(self) -> Memory:
        """An app's connection, with the spool in the rig's folder. A read on a busy machine takes long, and is never cut off."""
        addresses = self.addresses
        return Memory.connect(
            database_url=addresses.database_url, broker_url=addresses.broker_url, read_timeout=_READ_SECONDS
        )

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection]:
        """A connection as the superuser, who sees all."""
        assert self.addresses.admin_url is not None
        with psycopg.connect(self.addresses.admin_url, autocommit=True) as connection:
            yield connection

    def rows(self, statement: LiteralString, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a statement finds, as the superuser."""
        with self.database() as connection:
            return connection.execute(statement, parameters).fetchall()

    def execute(self, script: LiteralString) -> None:
        """Run statements that find nothing, as the superuser."""
        with self.database() as connection:
            connection.execute(script)

    def model_calls(self) -> int:
        """How often the LLM was asked so far, embeddings apart."""
        with urllib.request.urlopen(f"http://{LOOPBACK}:{self.model_port}/calls", timeout=5) as answer:
            calls: dict[str, int] = json.load(answer)
        return sum(count for schema, count in calls.items() if schema.endswith("Answer"))

    def pids(self) -> dict[str, int]:
        """The first process of each part of the service, and of each server."""
        named = {_SERVERS.get(child.name()): child.pid for child in psutil.Process().children()}
        parts = {name: named[name] for name in _SERVERS.values()}
        return {name: pid for name, pid in self.running.pids().items() if name in SERVICE and pid is not None} | parts

    def warm_up(self, memory: Memory) -> int:
        """Have the worker's processes open what they need, as they do at the first message; returns how many events there are."""
        events = self.received() + _FIRST_MESSAGES
        for place in range(_FIRST_MESSAGES):
            memory.namespace("warm_up", f"person_{place}").publish("I speak English.")
        self.await_done(events, within=_READY_SECONDS)
        return events

    def received(self) -> int:
        """How many events the inbox has."""
        return int(self.rows(_RECEIVED)[0][0])

    def await_received(self, events: int, *, within: float) -> None:
        """Wait until the inbox has so many events in all. Raises WaitTimeout."""
        self._await(_RECEIVED, events, within, f"the arrival of {events} messages")

    def await_done(self, events: int, *, within: float) -> None:
        """Wait until so many events in all were received, and nothing waits or is at work. Raises WaitTimeout."""
        self._await(_RECEIVED_AND_AT_REST, events, within, f"the effect of {events} messages")

    def await_refreshed(self, *, within: float) -> None:
        """Wait until the profiles tell what is known, too, and the service has nothing left to do. Raises WaitTimeout."""
        self._await(_REFRESHED, 1, within, "the refresh of all profiles")

    def _await(self, statement: LiteralString, least: int, within: float, what: str) -> None:
        """Ask on one connection, and not often: what is measured here is the service."""
        deadline = time.monotonic() + within
        with self.database() as connection:
            while (connection.execute(statement).fetchone() or (0,)) < (least,):
                if time.monotonic() >= deadline:
                    raise WaitTimeout(f"{what}: not within {within:g} s")
                time.sleep(_POLL_SECONDS)


@contextmanager
def rig(
    *,
    concurrency: int,
    pause: tuple[float, float] | None,
    app: str = "workers.celery_app",
    settings: Mapping[str, str] | None = None,
    postgres: Mapping[str, str] | None = None,
) -> Iterator[Rig]:
    """Run a service inside the block, and take it down afterwards.

    concurrency: of the one Celery worker. pause: least and most seconds of an answer of the LLM; None for the offline rules.
    app: the Celery app that the worker loads. settings: of the environment, such as MOSSHEAD_EMBEDDER; postgres: of that server.
    """
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rb-"))  # short: a socket's path has a limit
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        port = None if pause is None else free_port()
        stack.enter_context(
            patch.dict("os.environ", _environment(folder, concurrency, port, settings or {}), clear=True)
        )
        chosen = Settings(data_dir=folder, flower_port=0)
        configure_logging(chosen.model_copy(update={"log_level": "error"}))
        addresses = stack.enter_context(servers(chosen, postgres))
        assert addresses.admin_url is not None
        migrate(addresses.admin_url, {})
        commands = folder / "Procfile"
        commands.write_text(procfile(app, model=_model(port, pause)))
        running = stack.enter_context(processes(addresses, to_logs=True, procfile=commands))
        made = Rig(addresses, running, port)
        wait_until(lambda: _ready(made, concurrency), _READY_SECONDS, "the service")
        yield made


def _environment(folder: Path, concurrency: int, port: int | None, settings: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}
    model = {} if port is None else {"OPENAI_BASE_URL": f"http://{LOOPBACK}:{port}/v1"}
    return {
        **own,
        **model,
        "PYTHONPATH": str(ROOT),  # the processes start where their Procfile is
        "OPENBLAS_NUM_THREADS": "1",
        "MOSSHEAD_CONCURRENCY": str(concurrency),
        "MOSSHEAD_LOG_FORMAT": "json",
        "MOSSHEAD_SPOOL_DIR": str(folder / "spools"),
        **settings,
    }


def _model(port: int | None, pause: tuple[float, float] | None) -> str | None:
    if pause is None:
        return None
    return f"python -m benchmarks.slow_model --port {port} --least {pause[0]} --most {pause[1]}"


def procfile(app: str, *, model: str | None) -> str:
    """The product's own commands, without Flower. app: what the worker loads. model: the command that runs the LLM."""
    commands: dict[str, str] = dict(parse_procfile(PROCFILE.read_text()).processes)
    named = {name: commands[name].replace("workers.celery_app", app) for name in SERVICE} | (
        {"model": model} if model else {}
    )
    return "".join(f"{name}: {command}\n" for name, command in named.items())


def _ready(made: Rig, concurrency: int) -> bool:
    slots = made.rows("select coalesce(sum(slots), 0) from mosshead.workers")[0][0]
    return slots >= concurrency and (made.model_port is None or _answers(made))


def _answers(made: Rig) -> bool:
    try:
        made.model_calls()
    except urllib.error.URLError:
        return False
    return True
