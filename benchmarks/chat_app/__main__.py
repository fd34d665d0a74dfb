"""How much slower a chat app of FastAPI is with memory than without, while fifty people talk to it at once.

    python -m benchmarks.chat_app [--seconds N] [--chats N] [--pause SECONDS] [--peers FOLDER] [--json]

Starts a Postgres, a Redis and the service, whose three processes run at a lower priority, and a model that streams each answer
for 300 ms. Each person has a dog with a name of its own and twenty memories more. They talk to the example
(examples/fastapi_chat.py) without memory, with it, and without it again. Every message is new, and comes half a pause to one and
a half after the answer before. Without a pause fifty answers are always under way, and even the app alone is at its limit.
The app's embedder has its own process, whose time counts as the app's. All of it shares the machine's cores. Where the
environment of the peers is there (`make peers`), they talk to the same app with mem0's AsyncMemory, too, which has the same
memories in a database of its own and the same embedder.

Then they talk once more while all of the service and its servers are killed, stay away for a while, and come back. In the end,
when all is at rest, every message that was answered must be among its user's, and nobody was told of another's dog.

Prints a table, and one JSON object last. Ends with 1 where something was lost or told to somebody else, or an answer failed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import psycopg
import typer
from honcho.environ import parse_procfile
from rich.console import Console
from rich.table import Table

from benchmarks.chat_app.known import dog_of, known_of, user_of
from benchmarks.faults.servers import postgres_answers, postgres_program, prepare_database, redis_program
from benchmarks.faults.supervisor import Supervised, eventually, supervised
from benchmarks.lag import Lag, lag_of
from benchmarks.peers.systems import environment as peers_environment
from benchmarks.processor_time import processor_seconds
from config.logging import configure_logging
from config.settings import Settings
from db import embedding_models
from db.engine import open_engine
from db.keys import LaneRef
from mosshead import Memory
from mosshead.embeddings import MiniLM
from mosshead.paths import NamespacePath
from tests.given import Remembering
from workers.local.ports import LOOPBACK, free_port
from workers.local.postgres import url
from workers.local.processes import PROCFILE, ROOT
from workers.local.supervisor import Program

MODEL_SECONDS = 0.3
_LOWER = 10
"""How nice the service is to the app."""

_READY_SECONDS, _FILLED_SECONDS, _REST_SECONDS = 60.0, 300.0, 1_800.0
_PEERS = ROOT / ".venv-peers"
_WARM_UP_SECONDS = 5.0
_SAID = "select content from mosshead.messages where tenant_id = %s and namespace_id = %s"
_KNOWN = "select content from mosshead.memories where tenant_id = %s and namespace_id = %s"


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase. Times in ms; cpu_ms: the app's, for a turn. errors, without_notes: answers; ratio: p50 over the controls'."""

    name: str
    turns: int
    answers: Lag
    loop_lag: Lag
    cpu_ms: float
    errors: int
    without_notes: int
    foreign: int


@dataclass(frozen=True, slots=True)
class Result:
    """What a run shows. lost: messages that were answered and are none of their user's; misplaced: dogs known to another."""

    phases: list[Phase]
    p50_ratio: float
    p95_ratio: float
    without_notes: float
    told: int
    lost: int
    misplaced: int


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the app runs: its servers, its environment, the file of its log."""

    servers: dict[str, Supervised]
    socket: Path
    environment: dict[str, str]
    folder: Path
    seconds: float
    chats: int
    pause: float
    peers: Path


def main(
    seconds: Annotated[float, typer.Option(help="How long a phase takes.")] = 60.0,
    chats: Annotated[int, typer.Option(help="How many talk at once.")] = 50,
    pause: Annotated[float, typer.Option(help="Seconds between an answer and the next message, on average.")] = 1.0,
    peers: Annotated[Path, typer.Option(help="The environment of mem0; without it, that phase is left out.")] = _PEERS,
    json_only: Annotated[bool, typer.Option("--json", help="Print nothing but the JSON object.")] = False,
) -> None:
    """Talk to the app without memory, with it and without it; then with it while the service is killed."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="rb-"))  # short: a socket's path has a limit
    try:
        with _stage(folder, seconds, chats, pause, peers) as stage:
            result = _run(stage)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    Console(stderr=True, quiet=json_only).print(_table(result))
    print(json.dumps(asdict(result)))
    ours = [phase for phase in result.phases if phase.name != "mem0"]
    whole = not (result.lost or result.misplaced or any(phase.errors or phase.foreign for phase in ours))
    sys.exit(0 if whole else 1)


@contextmanager
def _stage(folder: Path, seconds: float, chats: int, pause: float, peers: Path = _PEERS) -> Iterator[Stage]:
    configure_logging(Settings(log_level="error"))
    socket = prepare_database(folder / "db")
    redis, port = redis_program(folder / "redis", folder / "redis.log")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MOSSHEAD_", "OPENAI_"))}
    model = free_port()
    environment = own | {
        "MOSSHEAD_DATABASE_URL": url(socket, "mosshead_reader"),
        "MOSSHEAD_BROKER_URL": f"redis://{LOOPBACK}:{port}/0",
        "MOSSHEAD_SPOOL_DIR": str(folder / "spool"),
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # of the Procfile's python
    }
    service = environment | {
        f"MOSSHEAD_{one}_URL": url(socket, f"mosshead_{one.lower()}") for one in ("INGEST", "WORKER")
    }
    commands = dict(parse_procfile(PROCFILE.read_text()).processes)
    programs = [
        Program(
            name=name,
            command=["nice", "-n", str(_LOWER), "sh", "-c", f"exec {commands[name]}"],
            env=service,
            cwd=ROOT,
            log=folder / f"{name}.log",
        )
        for name in ("intake", "scheduler", "worker")
    ]
    command = [sys.executable, "-m", "benchmarks.chat_app.model", str(model), str(MODEL_SECONDS)]
    programs.append(Program(name="model", command=command, env=own, cwd=ROOT, log=folder / "model.log"))
    database = postgres_program(socket, folder / "postgres.log")
    both = [replace(one, env=own | dict(one.env)) for one in (database, redis)]
    with supervised([*both, *programs]) as servers:
        eventually(lambda: postgres_answers(socket), within=_READY_SECONDS, what="Postgres")
        _fill(socket, chats)
        eventually(lambda: _at_work(socket), within=_READY_SECONDS, what="the worker")
        app = environment | {"OPENAI_BASE_URL": f"http://{LOOPBACK}:{model}/v1", "OPENAI_API_KEY": "none"}
        yield Stage(servers, socket, app, folder, seconds, chats, pause, peers)


def _at_work(socket: Path) -> bool:
    with psycopg.connect(url(socket)) as connection:
        return bool(connection.execute("select 1 from mosshead.workers where slots > 0").fetchone())


def _fill(socket: Path, chats: int) -> None:
    engine, embedder = open_engine(url(socket, "mosshead_worker"), setting="X"), MiniLM()
    with engine.begin() as connection:
        embedding_models.set_active_model(connection, embedder.name, embedder.dimensions)
    for number in range(chats):
        path = NamespacePath.of(("acme", user_of(number)))
        remembering = Remembering(engine, LaneRef(path.tenant_id, path.namespace_id))
        texts = known_of(number)
        user = remembering.entity("User", is_user=True)
        remembering.memories(texts, list(embedder.embed(texts)), about={user: ("subject", "sure")})
    engine.dispose()


def _run(stage: Stage) -> Result:
    told: dict[str, list[str]] = {}
    control = [_phase(stage, "control", memory="no")]
    memory = _phase(stage, "memory", told=told)
    control.append(_phase(stage, "control_again", memory="no"))
    mem0 = [_phase(stage, "mem0", memory="mem0")] if stage.peers.exists() else []
    killed = threading.Thread(target=_kill, args=(stage,))
    dead = _phase(stage, "service_killed", told=told, beside=killed)
    lost, misplaced = _missing(stage, told)
    return Result(
        phases=[control[0], memory, control[1], *mem0, dead],
        p50_ratio=round(2 * memory.answers.p50 / sum(one.answers.p50 for one in control), 2),
        p95_ratio=round(2 * memory.answers.p95 / sum(one.answers.p95 for one in control), 2),
        without_notes=round(memory.without_notes / max(1, memory.turns), 4),
        told=sum(map(len, told.values())),
        lost=lost,
        misplaced=misplaced,
    )


def _phase(
    stage: Stage,
    name: str,
    *,
    memory: str = "yes",
    told: dict[str, list[str]] | None = None,
    beside: threading.Thread | None = None,
) -> Phase:
    with _app(stage, memory=memory) as (process, port):
        warmed = _chats(stage, port, _WARM_UP_SECONDS, f"{name}_warm_up")
        _get(port, "/lag")
        before = processor_seconds({"app": process.pid})["app"]
        if beside:
            beside.start()
        seen = _chats(stage, port, stage.seconds, name)
        spent = processor_seconds({"app": process.pid})["app"] - before
        lag = _get(port, "/lag")
        if beside:
            beside.join()
    for one in (warmed, seen):
        for user, texts in one["told"].items():
            if told is not None:
                told.setdefault(user, []).extend(texts)
    for error in {*seen["errors"]}:
        print(f"{name}: {error}", file=sys.stderr)
    turns = len(seen["ms"])
    return Phase(
        name=name,
        turns=turns,
        answers=lag_of(seen["ms"], digits=1),
        loop_lag=Lag(**lag),
        cpu_ms=round(1000 * spent / max(1, turns), 1),
        errors=len(seen["errors"]),
        without_notes=seen["without_notes"],
        foreign=seen["foreign"],
    )


@contextmanager
def _app(stage: Stage, *, memory: str) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "benchmarks.chat_app.app:app", "--port", str(port)]
    environment = stage.environment | {"CHAT_APP_MEMORY": memory, "MOSSHEAD_EMBEDDER_PROCESS": "true"}
    if memory == "mem0":
        environment = peers_environment(stage.folder) | environment | _for_mem0(stage)
    with ExitStack() as stack:
        log = stack.enter_context((stage.folder / "app.log").open("ab"))
        quiet = ["--log-level", "warning"]
        process = subprocess.Popen([*command, *quiet], env=environment, cwd=ROOT, stdout=log, stderr=log)
        stack.callback(process.wait)
        stack.callback(process.terminate)
        eventually(lambda: _answers(port), within=_FILLED_SECONDS, what="the app")
        yield process, port


def _for_mem0(stage: Stage) -> dict[str, str]:
    with psycopg.connect(url(stage.socket), autocommit=True) as connection:
        connection.execute("create database mem0")
    packages = next(stage.peers.glob("lib/python*/site-packages"))
    database = url(stage.socket, database="mem0")
    return {"CHAT_APP_PEERS": str(packages), "CHAT_APP_DATABASE": database, "CHAT_APP_CHATS": str(stage.chats)}


def _answers(port: int) -> bool:
    try:
        _get(port, "/openapi.json")
    except OSError:
        return False
    return True


def _get(port: int, path: str) -> Any:
    with urllib.request.urlopen(f"http://{LOOPBACK}:{port}{path}", timeout=10) as answer:
        return json.load(answer)


def _chats(stage: Stage, port: int, seconds: float, phase: str) -> dict[str, Any]:
    how = map(str, (port, seconds, stage.chats, stage.pause))
    command = [sys.executable, "-m", "benchmarks.chat_app.chats", *how, phase]
    done = subprocess.run(command, env=stage.environment, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def _kill(stage: Stage) -> None:
    """SIGKILL to all of the service and its servers after a third of the phase; they are back after two thirds."""
    time.sleep(stage.seconds / 3)
    killed = [one for name, one in stage.servers.items() if name != "model"]
    for one in killed:
        one.hold()
    time.sleep(stage.seconds / 3)
    for one in killed:
        one.start()


def _missing(stage: Stage, told: dict[str, list[str]]) -> tuple[int, int]:
    """How many messages are not among their user's when all is at rest, and how many dogs are known to others."""
    eventually(lambda: postgres_answers(stage.socket), within=_READY_SECONDS, what="Postgres")
    names = ("database_url", "broker_url", "spool_dir")
    arguments: Any = {name: stage.environment[f"MOSSHEAD_{name.upper()}"] for name in names}
    with Memory.connect(**arguments) as memory:
        users = {user: memory.namespace("acme", user) for user in told}
        for namespace in users.values():
            namespace.wait(_REST_SECONDS)
    lost = misplaced = 0
    with psycopg.connect(url(stage.socket)) as connection:
        for number in range(stage.chats):
            path = NamespacePath.of(("acme", user_of(number)))
            ids = (path.tenant_id, path.namespace_id)
            said = {one for (one,) in connection.execute(_SAID, ids)}
            lost += len(set(told.get(user_of(number), ())) - said)
            known = " ".join(one for (one,) in connection.execute(_KNOWN, ids))
            misplaced += sum(dog_of(other) in known for other in range(stage.chats) if other != number)
    return lost, misplaced


def _table(result: Result) -> Table:
    table = Table(title="ms; ratios to the two controls", title_justify="left", box=None, pad_edge=False)
    table.add_column("phase")
    for column in (
        "turns",
        "p50",
        "p95",
        "loop lag p95",
        "app's CPU a turn",
        "errors",
        "without notes",
        "another's dog",
    ):
        table.add_column(column, justify="right")
    for one in result.phases:
        numbers = (one.turns, one.answers.p50, one.answers.p95, one.loop_lag.p95, one.cpu_ms, one.errors)
        table.add_row(one.name, *map(str, (*numbers, one.without_notes, one.foreign)))
    table.caption = (
        f"with memory p50 {result.p50_ratio} ×, p95 {result.p95_ratio} × the controls'; {result.without_notes:.2%} of its "
        f"answers without notes; {result.lost} of {result.told} messages lost, {result.misplaced} dogs known to others"
    )
    return table


if __name__ == "__main__":
    cli = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    cli.command()(main)
    cli()
