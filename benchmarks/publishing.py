"""How long `publish` holds up an app, while Redis and Postgres are up, down and hung; and whether anything is lost by that.

    python -m benchmarks.publishing [--json]

Starts a Postgres, a Redis without persistence and an intake of its own, publishes through the spool and in the app's own
transaction ("inbox"), paced like a busy app (a thousand publishes, at most one each millisecond) and in a tight loop, and takes
one of the servers away at a time. Then all come back, and every event that `publish` took must stand in the inbox. Prints a
table, and one JSON object last.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal
from uuid import UUID

import psycopg
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError

from benchmarks.faults.servers import (
    postgres_answers,
    postgres_program,
    prepare_database,
    redis_answers,
    redis_program,
)
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from config.logging import configure_logging
from config.settings import Settings
from mosshead import Memory, SpoolFull, SpoolUnavailable
from mosshead.urls import sqlalchemy_url
from workers.local.ports import LOOPBACK
from workers.local.postgres import url
from workers.local.supervisor import Program

Mode = Literal["spool", "inbox"]
State = Literal["all up", "Redis down", "Redis hung", "Postgres down"]

STATES: tuple[State, ...] = ("all up", "Redis down", "Redis hung", "Postgres down")
MODES: tuple[Mode, ...] = ("spool", "inbox")
P50_MS, P99_MS = 0.5, 5.0
"""What the spool is to keep in every state."""

_PUBLISHES = 1000
_REFUSED_ENOUGH = 3
_PACE_SECONDS = 0.001
_WARM_UP = 200
_PATIENCE_SECONDS = 300.0
_NAMESPACES = [(f"tenant-{number % 4}", f"user-{number}") for number in range(20)]
_REFUSALS = (SpoolFull, SpoolUnavailable, DBAPIError)


@dataclass(frozen=True, slots=True)
class Row:
    """What publishing took in one mode and state. paced: at most one each millisecond. refused: those that raised an error."""

    mode: Mode
    state: State
    paced: bool
    publishes: int
    refused: int
    p50_ms: float
    p99_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows. lost: events that `publish` took and that the inbox lacks, by mode.

    within: whether the spool kept its times in every state when paced.
    """

    rows: list[Row]
    published: dict[str, int]
    lost: dict[str, int]
    drained_seconds: float
    within: bool

    @property
    def sound(self) -> bool:
        """Whether nothing was lost."""
        return not any(self.lost.values())


@dataclass(slots=True)
class App:
    """An app that publishes in one mode. taken: the ids of the events that `publish` returned."""

    mode: Mode
    memory: Memory
    engine: Engine
    taken: list[UUID] = field(default_factory=list)

    def publish(self, number: int) -> None:
        """One message, with what the app's own commit costs in mode "inbox"."""
        namespace = self.memory.namespace(*_NAMESPACES[number % len(_NAMESPACES)])
        content = f"Message {number}: I moved to Seattle last week, and Peter helps me with the boxes on Sunday."
        if self.mode == "inbox":
            with self.engine.begin() as connection:
                event_id = namespace.publish(content, conversation="c1", session=connection)
        else:
            event_id = namespace.publish(content, conversation="c1")
        self.taken.append(event_id)


def main(
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Publish while servers go away and come back; measure, and count what is lost."""
    console = Console(stderr=True, quiet=json_only)
    # A short path: Postgres's socket stands in it.
    folder = Path(tempfile.mkdtemp(prefix="mosshead-publishing-"))
    try:
        result = _run(folder, console)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(_table(result))
    print(json.dumps(asdict(result)))
    sys.exit(0 if result.sound else 1)


def measure(mode: Mode, state: State, publish: Callable[[int], object], *, paced: bool, publishes: int) -> Row:
    """Publish, and say how long each took. Where it is refused, a few times are enough."""
    times: list[float] = []
    refused = 0
    for number in range(publishes):
        started = time.perf_counter()
        try:
            publish(number)
        except _REFUSALS:
            refused += 1
        times.append(1000 * (time.perf_counter() - started))
        if refused >= _REFUSED_ENOUGH:
            break
        if paced:
            time.sleep(max(0.0, _PACE_SECONDS - times[-1] / 1000))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return Row(mode, state, paced, len(times), refused, *(round(one, 3) for one in (cuts[49], cuts[98], max(times))))


def within(row: Row) -> bool:
    """Whether the spool kept its times; the other mode has none to keep, and a tight loop is no app."""
    return row.mode != "spool" or not row.paced or (row.p50_ms <= P50_MS and row.p99_ms <= P99_MS and not row.refused)


def _run(folder: Path, console: Console) -> Result:
    configure_logging(Settings(log_level="error"))
    socket = prepare_database(folder / "db")
    redis, port = redis_program(folder / "redis", folder / "redis.log")
    environment = {
        "MOSSHEAD_DATABASE_URL": url(socket, "mosshead_reader"),
        "MOSSHEAD_BROKER_URL": f"redis://{LOOPBACK}:{port}/0",
        "MOSSHEAD_SPOOL_DIR": str(folder / "spool"),
    }
    programs = [postgres_program(socket, folder / "postgres.log"), redis, _intake(environment, folder)]
    with supervised(programs) as servers:
        _all_up(servers, socket, port)
        with _apps(environment, socket) as apps:
            rows = [row for app in apps for row in _rows(app, servers, socket, port, console)]
            started = time.monotonic()
            lost: dict[str, int] = {app.mode: _lost(app, socket, console) for app in apps}
            drained = time.monotonic() - started
        published: dict[str, int] = {app.mode: len(app.taken) for app in apps}
    return Result(rows, published, lost, round(drained, 1), all(within(row) for row in rows))


def _intake(environment: dict[str, str], folder: Path) -> Program:
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOSSHEAD_")} | environment
    command = [sys.executable, "-m", "workers", "intake"]
    return Program(name="intake", command=command, env=env, cwd=Path.cwd(), log=folder / "intake.log")


@contextmanager
def _apps(environment: dict[str, str], socket: Path) -> Iterator[list[App]]:
    with ExitStack() as stack:
        engine = create_engine(
            sqlalchemy_url(url(socket, "mosshead_ingest"), "MOSSHEAD_INGEST_URL"), pool_pre_ping=True
        )
        stack.callback(engine.dispose)
        memory = stack.enter_context(
            Memory.connect(
                database_url=environment["MOSSHEAD_DATABASE_URL"],
                broker_url=environment["MOSSHEAD_BROKER_URL"],
                spool_dir=environment["MOSSHEAD_SPOOL_DIR"],
            )
        )
        yield [App(mode, memory, engine) for mode in MODES]


def _rows(app: App, servers: dict[str, Supervised], socket: Path, port: int, console: Console) -> Iterator[Row]:
    for number in range(_WARM_UP):
        app.publish(number)
    for state in STATES:
        for paced in (True, False):
            with _state(state, servers):
                console.print(f"{app.mode}, {state}, {'paced' if paced else 'in a tight loop'} …")
                yield measure(app.mode, state, app.publish, paced=paced, publishes=_PUBLISHES)
            _all_up(servers, socket, port)


@contextmanager
def _state(state: State, servers: dict[str, Supervised]) -> Iterator[None]:
    """Something is away inside the block, and back after it."""
    away = servers["postgres" if state == "Postgres down" else "redis"]
    if state == "all up":
        yield
    elif state == "Redis hung":
        away.freeze()
        try:
            yield
        finally:
            away.thaw()
    else:
        away.hold()
        try:
            yield
        finally:
            away.start()


def _all_up(servers: dict[str, Supervised], socket: Path, port: int) -> None:
    eventually(lambda: postgres_answers(socket), within=60, what="Postgres answers")
    eventually(lambda: redis_answers(port), within=60, what="Redis answers")
    eventually(lambda: servers["intake"].pid is not None, within=60, what="the intake runs")


def _lost(app: App, socket: Path, console: Console) -> int:
    """How many of the events that were taken the inbox lacks, when nothing more is on its way."""
    wanted = set(app.taken)
    deadline = time.monotonic() + (_PATIENCE_SECONDS if app.mode == "spool" else 10.0)
    while missing := wanted - _arrived(socket):
        if time.monotonic() >= deadline:
            break
        console.print(f"{app.mode}: {len(missing)} of {len(wanted)} are on their way …")
        time.sleep(1.0)
    return len(missing)


def _arrived(socket: Path) -> set[UUID]:
    with psycopg.connect(url(socket)) as connection:
        return {event_id for (event_id,) in connection.execute("select event_id from mosshead.events")}


def _table(result: Result) -> Table:
    table = Table(title="publish, in ms", title_justify="left", box=None, pad_edge=False)
    for column in ("mode", "state", "pace"):
        table.add_column(column)
    for column in ("p50", "p99", "max", "publishes", "refused"):
        table.add_column(column, justify="right")
    for row in result.rows:
        figures = (f"{one:.2f}" for one in (row.p50_ms, row.p99_ms, row.max_ms))
        pace = "1 each ms" if row.paced else "tight loop"
        table.add_row(row.mode, row.state, pace, *figures, str(row.publishes), str(row.refused or ""))
    table.caption = ", ".join(f"{mode}: {lost} of {result.published[mode]} lost" for mode, lost in result.lost.items())
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
