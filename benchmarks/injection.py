"""How much later an answer comes with memory than without, while memory's servers are up, down, hung or slow.

    python -m benchmarks.injection [--rounds N] [--json]

Starts a Postgres with 200 memories in the namespace that is asked, a Redis, an intake, and an endpoint that answers at once. Asks
by turns by the plain client and by the one with memory: for whole answers, and for streams, of which the first piece is timed.
Every message is new, so that it is embedded. "slow" is half a second for each piece of traffic, to and from both servers. Then
all come back, and every turn must stand in the inbox. Prints a table, and one JSON object last.
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
from typing import Annotated, Any, Literal
from uuid import UUID

import openai
import psycopg
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.faults.proxy import Proxy, proxied
from benchmarks.faults.servers import SOCKET, postgres_answers, postgres_program, prepare_database, redis_program
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from benchmarks.sentences import sentences
from config.logging import configure_logging
from config.settings import Settings
from db import embedding_models
from db.engine import open_engine
from db.keys import LaneRef
from mosshead import Memory, Namespace
from mosshead.contrib.openai_client import with_memory
from mosshead.embeddings import MiniLM
from mosshead.paths import NamespacePath
from tests.fake_openai import CHAT, FakeOpenAI, Fault
from tests.given import Remembering
from workers.local.ports import LOOPBACK
from workers.local.postgres import url
from workers.local.supervisor import Program

State = Literal["up", "down", "hung", "slow"]
STATES: tuple[State, ...] = ("up", "down", "hung", "slow")
LIMIT = 0.3

_WHOSE = ("acme", "sarah")
_MEMORIES = 200
_WARM_UP = 5
_PIECES_APART = 0.005
_BROKEN_PART = 4
_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Row:
    """Times in ms in one state, without memory and with it. what: a whole answer, or the first piece of a stream.

    over_max: the longest with memory over the median without. without_memory: answers that memory was too late for.
    """

    state: State
    what: Literal["answer", "first piece"]
    plain_p50: float
    plain_p99: float
    memory_p50: float
    memory_p99: float
    over_max: float
    without_memory: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows. equal: each answer was the plain one. lost: published turns' events that the inbox lacks."""

    rows: list[Row]
    limit_ms: float
    equal: bool
    events: int
    lost: int


@dataclass(slots=True)
class Told:
    """What the callbacks were told."""

    events: list[UUID] = field(default_factory=list)
    errors: int = 0

    def error(self, _: Exception) -> None:
        """One answer went without memory."""
        self.errors += 1


@dataclass(slots=True)
class Asking:
    """The two clients that are compared. The endpoint answers both the same, so that answers can be compared."""

    fake: FakeOpenAI
    plain: openai.OpenAI
    told: Told = field(default_factory=Told)
    equal: bool = True
    texts: Iterator[str] = field(default_factory=lambda: sentences("asked"))

    def rows(self, state: State, sarah: Namespace, rounds: int) -> Iterator[Row]:
        """Ask in a state."""
        client = with_memory(
            self.plain,
            sarah,
            conversation=state,
            timeout=LIMIT,
            on_extract=self.told.events.extend,
            on_error=self.told.error,
        )
        yield self._row(state, "answer", client, self._answer, rounds)
        yield self._row(state, "first piece", client, self._first_piece, rounds)

    def _row(
        self, state: State, what: Literal["answer", "first piece"], client: Any, ask: Callable[..., float], rounds: int
    ) -> Row:
        before = self.told.errors
        times = [(ask(self.plain, text), ask(client, text)) for text, _ in zip(self.texts, range(rounds), strict=False)]
        plain, remembering = zip(*times, strict=True)
        (plain_p50, plain_p99), (memory_p50, memory_p99) = map(_cuts, (plain, remembering))
        return Row(
            state=state,
            what=what,
            plain_p50=plain_p50,
            plain_p99=plain_p99,
            memory_p50=memory_p50,
            memory_p99=memory_p99,
            over_max=round(max(remembering) - statistics.median(plain), 1),
            without_memory=self.told.errors - before,
            rounds=rounds,
        )

    def _answer(self, client: openai.OpenAI, text: str) -> float:
        started = time.perf_counter()
        answer = client.chat.completions.create(model="any", messages=[{"role": "user", "content": text}])
        took = time.perf_counter() - started
        self.equal = self.equal and answer.choices[0].message.content == "Thank you, noted."
        return 1000 * took

    def _first_piece(self, client: openai.OpenAI, text: str) -> float:
        self.fake.script(CHAT, Fault.drip(_PIECES_APART))
        started = time.perf_counter()
        pieces = client.chat.completions.create(model="any", messages=[{"role": "user", "content": text}], stream=True)
        said = next(pieces).choices[0].delta.content or ""
        took = time.perf_counter() - started
        said += "".join(piece.choices[0].delta.content or "" for piece in pieces)
        self.equal = self.equal and said == "Thank you, noted."
        return 1000 * took


def main(
    rounds: Annotated[int, typer.Option(help="Answers of each kind while all is up; a quarter of it otherwise.")] = 200,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Ask with memory and without while memory's servers go away and come back."""
    console = Console(stderr=True, quiet=json_only)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="rb-"))  # short: a socket's path has a limit
    try:
        result = _run(folder, rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    console.print(_table(result))
    print(json.dumps(asdict(result)))
    sys.exit(0 if result.equal and not result.lost else 1)


def _run(folder: Path, rounds: int) -> Result:
    configure_logging(Settings(log_level="error"))
    socket = prepare_database(folder / "db")
    redis, port = redis_program(folder / "redis", folder / "redis.log")
    broker = f"redis://{LOOPBACK}:{port}/0"
    programs = [postgres_program(socket, folder / "postgres.log"), redis, _intake(socket, broker, folder)]
    with supervised(programs) as servers, ExitStack() as stack:
        eventually(
            lambda: servers["intake"].pid is not None and postgres_answers(socket), within=60, what="the servers"
        )
        _fill(socket)
        fake = stack.enter_context(FakeOpenAI())
        asking = Asking(fake, openai.OpenAI(api_key="none", base_url=fake.base_url))
        near = stack.enter_context(_connected(url(socket, "mosshead_reader"), broker, folder / "near"))
        one, other = (stack.enter_context(proxied(to)) for to in (socket / SOCKET, port))
        far = stack.enter_context(_through(one, other, folder / "far"))
        rows: list[Row] = []
        for state in STATES:
            sarah = (far if state == "slow" else near).namespace(*_WHOSE)
            list(asking.rows("up", sarah, _WARM_UP))
            with _befallen(state, servers, (one, other)):
                rows += asking.rows(state, sarah, rounds if state == "up" else max(2, rounds // _BROKEN_PART))
        lost = _lost(asking.told.events, socket)
    return Result(rows, 1000 * LIMIT, asking.equal, len(asking.told.events), lost)


def _intake(socket: Path, broker: str, folder: Path) -> Program:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MOSSHEAD_")}
    env = own | {"MOSSHEAD_DATABASE_URL": url(socket, "mosshead_reader"), "MOSSHEAD_BROKER_URL": broker}
    env["MOSSHEAD_INGEST_URL"] = url(socket, "mosshead_ingest")
    command = [sys.executable, "-m", "workers", "intake"]
    return Program(name="intake", command=command, env=env, cwd=Path.cwd(), log=folder / "intake.log")


def _fill(socket: Path) -> None:
    path = NamespacePath.of(_WHOSE)
    engine, embedder, told = open_engine(url(socket, "mosshead_worker"), setting="X"), MiniLM(), sentences("known")
    with engine.begin() as connection:
        embedding_models.set_active_model(connection, embedder.name, embedder.dimensions)
    remembering = Remembering(engine, LaneRef(path.tenant_id, path.namespace_id))
    texts = [next(told) for _ in range(_MEMORIES)]
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        remembering.memory(text, vector)
    engine.dispose()


def _connected(database_url: str, broker: str, spool: Path) -> Memory:
    return Memory.connect(database_url=database_url, broker_url=broker, spool_dir=spool)


def _through(postgres: Proxy, redis: Proxy, spool: Path) -> Memory:
    database_url = f"postgresql://mosshead_reader@{LOOPBACK}:{postgres.port}/mosshead"
    return _connected(database_url, f"redis://{LOOPBACK}:{redis.port}/0", spool)


@contextmanager
def _befallen(state: State, servers: dict[str, Supervised], proxies: tuple[Proxy, Proxy]) -> Iterator[None]:
    """The servers in a state inside the block, and up after it."""
    both = [servers[name] for name in ("postgres", "redis")]
    for proxy in proxies if state == "slow" else ():
        proxy.slow(0.5)
    for server in both:
        if state == "down":
            server.hold()
        elif state == "hung":
            server.freeze()
    yield
    for proxy in proxies:
        proxy.heal()
    for server in both:
        if state == "down":
            server.start()
        elif state == "hung":
            server.thaw()
    time.sleep(1.0)


def _lost(events: list[UUID], socket: Path) -> int:
    """How many of the published events the inbox lacks, when all has had time to arrive."""
    deadline, missing = time.monotonic() + _PATIENCE_SECONDS, set(events)
    while missing and time.monotonic() < deadline:
        with psycopg.connect(url(socket)) as connection:
            missing -= {one for (one,) in connection.execute("select event_id from mosshead.events")}
        time.sleep(0.5)
    return len(missing)


def _cuts(times: tuple[float, ...]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return round(cuts[49], 1), round(cuts[98], 1)


def _table(result: Result) -> Table:
    table = Table(title="without memory and with it, in ms", title_justify="left", box=None, pad_edge=False)
    for column in ("state", "what"):
        table.add_column(column)
    for column in ("plain p50", "p99", "memory p50", "p99", "max over plain", "too late for", "of"):
        table.add_column(column, justify="right")
    for row in result.rows:
        table.add_row(*map(str, asdict(row).values()))
    table.caption = f"{result.lost} of {result.events} events lost; answers equal: {result.equal}"
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
