"""All of the service on this machine, each process of it to be killed: two servers, intake, scheduler, two Celery workers.

Worker b and the intake reach Redis, and worker b Postgres, through proxies that can do to connections what networks do.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.faults.llm import PaidModel
from benchmarks.faults.proxy import Proxy, proxied
from benchmarks.faults.servers import (
    SOCKET,
    postgres_answers,
    postgres_program,
    prepare_database,
    redis_answers,
    redis_program,
    replicate,
)
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from workers.local.ports import LOOPBACK
from workers.local.postgres import url
from workers.local.supervisor import Program

LEASE_SECONDS = 3.0
WORKERS = ("worker-a", "worker-b")
READY_WORDS = {"worker": " ready.", "intake": "intake_started", "sweep": "scheduler_started"}
QUEUES = "extract,score,embed,consolidate,profile,reflect"
READY_SECONDS = 60.0

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("mosshead", "config", "db", "pipeline", "workers", "benchmarks", "tests")
_QUICK = {
    "MOSSHEAD_LEASE_SECONDS": str(LEASE_SECONDS),
    "MOSSHEAD_STAGE_SECONDS": "60",
    "MOSSHEAD_LLM_TIMEOUT": "4",
    "MOSSHEAD_DEBOUNCE_SECONDS": "0.2",
    "MOSSHEAD_DEBOUNCE_MOST_SECONDS": "1",
    "MOSSHEAD_PROFILE_DEBOUNCE_SECONDS": "0",
    "MOSSHEAD_SWEEP_SECONDS": "0.1",
    "MOSSHEAD_BATCH_MESSAGES": "8",
    "MOSSHEAD_LOG_FORMAT": "json",
    "MOSSHEAD_EMBEDDER": "openai:fake@256",  # a model on this machine would cost each process a second at its start
}
_LLM_PAUSE = 0.2
_AS_SHIPPED = {"MOSSHEAD_LOG_FORMAT": "json", "MOSSHEAD_EMBEDDER": "openai:fake@256"}


@dataclass(frozen=True, slots=True)
class Layout:
    """What a cluster is made of. Each worker has two slots.

    proxied: the processes that reach Redis through a proxy. uses_llm: without, the offline rules find the facts.
    settings: of the environment.
    """

    workers: tuple[str, ...] = WORKERS
    proxied: tuple[str, ...] = ("intake", "worker-b")
    uses_llm: bool = True
    settings: Mapping[str, str] = field(default_factory=lambda: _QUICK)

    @property
    def service(self) -> tuple[str, ...]:
        """The service's processes."""
        return ("intake", "sweep", *self.workers)


PROMISE = Layout()
"""Where nothing may be lost, whatever dies."""

SENDERS = Layout(workers=("worker-a",), proxied=(), uses_llm=False, settings=_AS_SHIPPED)
"""Where no sender may stop the others: two slots, default settings, and the rules, whose cost grows with what a message says."""

EFFECTS = """
    create schema benchmark;
    -- No unique key: what took effect twice stands here twice.
    create table benchmark.effects (
        position bigint generated always as identity, tenant_id uuid, namespace_id uuid, event_id uuid, batch_id uuid,
        publisher_id uuid, publisher_sequence bigint, at timestamptz not null default clock_timestamp());
    create table benchmark.naive_effects (
        position bigint generated always as identity, event_id uuid, at timestamptz not null default clock_timestamp());
    create index on benchmark.effects (event_id);
    grant usage on schema benchmark to mosshead_worker;
    grant insert on benchmark.effects to mosshead_worker;
"""


class Admin:
    """The superuser's connection, which is made again after Postgres was away."""

    def __init__(self, *sockets: Path) -> None:
        self._url = f"{addresses(sockets, 'postgres')}&target_session_attrs=primary"
        self._connection: psycopg.Connection | None = None

    def rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """What a statement finds. Raises psycopg.OperationalError."""
        if self._connection is not None:
            try:
                return self._connection.execute(statement.encode(), parameters).fetchall()
            except psycopg.OperationalError:
                self.close()
        self._connection = psycopg.connect(self._url, connect_timeout=5, autocommit=True)
        return self._connection.execute(statement.encode(), parameters).fetchall()

    def execute(self, script: str) -> None:
        """Run statements that find nothing."""
        with psycopg.connect(self._url, connect_timeout=5, autocommit=True) as connection:
            connection.execute(script.encode())

    def close(self) -> None:
        """Give the connection back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def addresses(sockets: Sequence[Path], role: str) -> str:
    """The URL of several servers, the first of which is the primary for as long as it lives."""
    return url(Path(",".join(map(str, sockets))), role)


@dataclass(frozen=True, slots=True)
class Replica:
    """An asynchronous replica of the cluster's Postgres."""

    cluster: "Cluster"
    server: Supervised

    def fall_behind(self) -> None:
        """Hear nothing more from the primary, which does not notice."""
        streaming = self.cluster.rows("select pid from pg_stat_replication where state = 'streaming'")
        for (pid,) in streaming:
            os.kill(pid, signal.SIGSTOP)

    def promote(self) -> None:
        """Become the primary, with what it knows."""
        with psycopg.connect(url(self.cluster.second), autocommit=True) as connection:
            connection.execute("select pg_promote()")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster. armed: where failpoints are armed (`benchmarks.faults.failpoints`)."""

    layout: Layout
    folder: Path
    socket: Path
    redis_port: int
    admin: Admin
    llm: PaidModel
    redis_proxy: Proxy
    database_proxy: Proxy
    postgres: Supervised
    redis: Supervised
    service: Mapping[str, Supervised]

    @property
    def armed(self) -> Path:
        """The folder in which failpoints are armed."""
        return self.folder / "armed"

    @property
    def second(self) -> Path:
        """The folder of the second Postgres that all processes are told of: there is one while `replica` runs."""
        return self.folder / "replica"

    @property
    def code(self) -> Path:
        """A copy of the code, for a process that is started again must be the one that it was, whoever edits meanwhile."""
        return self.folder / "code"

    @property
    def broker_url(self) -> str:
        """Redis, without a proxy."""
        return f"redis://{LOOPBACK}:{self.redis_port}/0"

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a statement finds, as the superuser, who sees all. Raises psycopg.OperationalError while Postgres is away."""
        return self.admin.rows(statement, parameters)

    def execute(self, script: str) -> None:
        """Run statements that find nothing, as the superuser. Raises as ``rows`` does."""
        self.admin.execute(script)

    @contextmanager
    def replica(self) -> Iterator[Replica]:
        """A replica that streams, and inside the block may be promoted; then it takes the first one's place afterwards."""
        program = replicate(self.socket, self.second, self.folder / "logs" / "replica.log")
        with supervised([program]) as servers:
            made = Replica(self, servers["postgres"])
            streaming = "select 1 from pg_stat_replication where state = 'streaming'"
            eventually(lambda: bool(self.rows(streaming)), within=READY_SECONDS, what="the replica")
            yield made
        if self.postgres.pid is None:
            shutil.rmtree(self.socket)
            self.second.rename(self.socket)
            self.postgres.start()
            eventually(lambda: postgres_answers(self.socket), within=READY_SECONDS, what="Postgres")
        else:
            shutil.rmtree(self.second)

    def wait_until_ready(self) -> None:
        """Wait until all of the service runs. Raises WaitTimeout."""
        for name, process in self.service.items():
            words = READY_WORDS.get(name, READY_WORDS["worker"])
            eventually(partial(process.said, words), within=READY_SECONDS, what=name)

    def environment(self, *, proxied: bool = False) -> dict[str, str]:
        """What a process of the service, or an app, is told."""
        broker = self.redis_proxy.port if proxied else self.redis_port
        database = self.folder / "proxied" if proxied else self.socket
        own = {name: value for name, value in os.environ.items() if not name.startswith(("MOSSHEAD_", "OPENAI_"))}
        return {
            **own,
            **self.layout.settings,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            "PYTHONUNBUFFERED": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "REMAP_SIGTERM": "SIGQUIT",
            "OPENAI_BASE_URL" if self.layout.uses_llm else "MOSSHEAD_EMBEDDING_URL": self.llm.base_url,
            "MOSSHEAD_BROKER_URL": f"redis://{LOOPBACK}:{broker}/0",
            "MOSSHEAD_DATABASE_URL": addresses([self.socket, self.second], "mosshead_reader"),
            "MOSSHEAD_INGEST_URL": addresses([self.socket, self.second], "mosshead_ingest"),
            "MOSSHEAD_WORKER_URL": addresses([database, self.second], "mosshead_worker"),
            "MOSSHEAD_SPOOL_DIR": str(self.folder / "spools"),
            "BENCHMARK_FAILPOINTS": str(self.armed),
        }

    def program(self, name: str, *command: str, env: Mapping[str, str] | None = None) -> Program:
        """A Python program of ours, which logs into the folder."""
        return Program(
            name=name,
            command=[sys.executable, "-m", *command],
            env={**(self.environment() if env is None else env), "BENCHMARK_PROCESS": name},
            cwd=self.code,
            log=self.folder / "logs" / f"{name}.log",
        )

    def command(self, *command: str, check: bool = True) -> str:
        """Run one of the service's commands; returns what it says. Raises CalledProcessError where it fails and ``check``."""
        run = [sys.executable, "-m", *command]
        done = subprocess.run(run, env=self.environment(), cwd=self.code, check=check, capture_output=True, text=True)
        return done.stdout

    def service_program(self, name: str) -> Program:
        """One of the service's processes."""
        env = self.environment(proxied=name.startswith(self.layout.proxied))
        if name not in WORKERS:
            return self.program(name, "benchmarks.faults.service", name.split("-", maxsplit=1)[0], env=env)
        options = [f"--queues={QUEUES}", "--concurrency=2", "--without-gossip", "--without-mingle"]
        celery = ["celery", "-A", "benchmarks.faults.worker", "worker", f"--hostname={name}@benchmark", *options]
        return self.program(name, *celery, env=env)


@contextmanager
def cluster(layout: Layout = PROMISE, *, put_database: Callable[[Path], None] | None = None) -> Iterator[Cluster]:
    """A cluster in a folder of its own, which is removed afterwards. Its service's processes run, and are ready.

    put_database: puts the data of a migrated Postgres into that folder, as ``postgres``; without, they are made there.
    """
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="rf-"))  # short: a socket's path has a limit
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        if put_database is not None:
            put_database(folder)
        yield _started(stack, folder, layout)


def _started(stack: ExitStack, folder: Path, layout: Layout) -> Cluster:
    for name in ("logs", "armed", "proxied", "spools"):
        (folder / name).mkdir()
    for package in _PACKAGES:
        # What Python compiled comes along, but for what it is just writing: seven processes would compile it all anew.
        shutil.copytree(_ROOT / package, folder / "code" / package, ignore=shutil.ignore_patterns("*.pyc.*"))
    socket = prepare_database(folder)
    redis, redis_port = redis_program(folder / "redis", folder / "logs" / "redis.log")
    servers = stack.enter_context(supervised([postgres_program(socket, folder / "logs" / "postgres.log"), redis]))
    eventually(lambda: postgres_answers(socket), within=READY_SECONDS, what="Postgres")
    eventually(lambda: redis_answers(redis_port), within=READY_SECONDS, what="Redis")
    with psycopg.connect(url(socket)) as connection:
        connection.execute(EFFECTS)
    service: dict[str, Supervised] = {}
    made = Cluster(
        layout=layout,
        folder=folder,
        socket=socket,
        redis_port=redis_port,
        admin=stack.enter_context(closing(Admin(socket, folder / "replica"))),
        llm=stack.enter_context(PaidModel(_LLM_PAUSE)),
        redis_proxy=stack.enter_context(proxied(redis_port)),
        database_proxy=stack.enter_context(proxied(socket / SOCKET, folder / "proxied" / SOCKET)),
        postgres=servers["postgres"],
        redis=servers["redis"],
        service=service,
    )
    service.update(stack.enter_context(supervised(map(made.service_program, layout.service))))
    made.wait_until_ready()
    return made
