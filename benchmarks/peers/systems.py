"""The systems side by side: each told the whole conversation by itself, then all asked each question in turns."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from psycopg import sql
from psycopg.conninfo import make_conninfo

from benchmarks.peers.answering import answer, prompt_tokens
from benchmarks.peers.conversation import Conversation, Turn, pairs
from benchmarks.peers.conversing import Process, running
from benchmarks.peers.endpoint import Endpoint
from benchmarks.peers.scoring import Row, rows_of
from benchmarks.peers.telling import COUNTED_IN, Cost, Found, Job, Message
from benchmarks.rig import Rig, rig
from mosshead.embeddings import MiniLM
from workers.local.processes import ROOT

TOP = 10
_OTHERS_SETTINGS = ("OPENAI_", "OPENROUTER_", "MEM0_", "LANGCHAIN_", "LANGSMITH_", "LANGGRAPH_")
_AT_HOME = {
    "MEM0_TELEMETRY": "False",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "DO_NOT_TRACK": "1",
    "HTTP_PROXY": "http://127.0.0.1:9",  # whoever would call home all the same finds nobody
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
    "PYTHONWARNINGS": "ignore",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """A system and how much it is told at a time. module: what hands it to an app."""

    module: str
    by_pairs: bool

    def sessions(self, conversation: Conversation) -> list[list[tuple[Turn, ...]]]:
        """The turns of each call, session by session."""
        return [pairs(session) if self.by_pairs else [session] for session in conversation.sessions]


PEERS: Mapping[str, Peer] = {
    f"{name}_{way}": Peer(f"benchmarks.peers.{name}_teller", by_pairs=way == "pairs")
    for name in ("mem0", "langmem")
    for way in ("pairs", "sessions")
}


class PeersMissing(Exception):
    """The environment of the peers is not there, or not whole."""


@dataclass(frozen=True, slots=True)
class _System:
    """One that was told, and is now to be asked. prompts: the tokens of each. embedding_calls: outside of its process."""

    name: str
    process: Process
    cost: Cost
    prompts: list[int]
    embedding_calls: int

    def found(self, question: str) -> dict[str, Found]:
        return {way: Found(**one) for way, one in self.process.ask(question).items()}


def check_peers(python: Path) -> None:
    """Raises PeersMissing where that interpreter cannot import the peers; it says what to install."""
    imports = "import mem0, langmem, langgraph.store.postgres, langchain_openai, mosshead.embeddings.local.minilm"
    if not (python.exists() and _runs(python, imports)):
        raise PeersMissing(
            f"{python} has not all of mem0, langmem and their Postgres store. Run 'make peers', which installs "
            "requirements-peers.lock into .venv-peers, or name another environment with --python"
        )


def environment(folder: Path) -> dict[str, str]:
    """What the peers run with: nothing of the machine's settings for them, no telemetry, and a folder for their files."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS_SETTINGS)}
    return {**own, **_AT_HOME, "MEM0_DIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}


def run(
    conversation: Conversation, *, python: Path, llm_seconds: float, on_start: Callable[[str], object]
) -> dict[str, Row]:
    """The figures of each system, by name: ``mosshead``, and those of PEERS.

    The questions are asked in turns, so that whatever else the machine does slows all systems alike.
    python: the interpreter of the peers' environment. on_start: called with the name of what begins. Raises SystemFailed.
    """
    endpoint = partial(Endpoint, partial(answer, conversation.told), llm_seconds)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="peers-")))
        own, counted = stack.enter_context(endpoint()), folder / "embeddings"
        made = stack.enter_context(_service(own, counted))
        on_start("mosshead")
        systems = [stack.enter_context(_mosshead(made, conversation, own, counted))]
        for name in PEERS:
            on_start(name)
            asked = stack.enter_context(endpoint())
            peer = _peer(name, made, conversation, asked, python=python, folder=folder)
            systems.append(stack.enter_context(peer))
        on_start("questions")
        found = [[system.found(one.question) for system in systems] for one in conversation.questions]
    rows: dict[str, Row] = {}
    for system, its in zip(systems, zip(*found, strict=True), strict=True):
        rows |= rows_of(
            system.name,
            system.cost,
            its,
            conversation,
            prompts=system.prompts,
            embedding_calls=system.embedding_calls,
        )
    return rows


@contextmanager
def _service(endpoint: Endpoint, counted: Path) -> Iterator[Rig]:
    counted.touch()
    settings = {"OPENAI_BASE_URL": endpoint.base_url, COUNTED_IN: str(counted)}
    with rig(concurrency=2, pause=None, app="benchmarks.peers.counted_worker", settings=settings) as made:
        yield made


@contextmanager
def _mosshead(made: Rig, conversation: Conversation, endpoint: Endpoint, counted: Path) -> Iterator[_System]:
    where = made.addresses
    by_message = [[(turn,) for turn in session] for session in conversation.sessions]
    job = _job(by_message, endpoint, where.database_url, where.broker_url)
    with running(Path(sys.executable), "benchmarks.peers.mosshead_teller", os.environ) as process:
        cost = Cost(**process.ask(asdict(job)))
        yield _System("mosshead", process, cost, _prompts(endpoint), counted.stat().st_size)


@contextmanager
def _peer(
    name: str, made: Rig, conversation: Conversation, endpoint: Endpoint, *, python: Path, folder: Path
) -> Iterator[_System]:
    peer = PEERS[name]
    with (
        _database(made, f"peers_{name}") as url,
        running(python, peer.module, environment(folder)) as process,
    ):
        cost = Cost(**process.ask(asdict(_job(peer.sessions(conversation), endpoint, url))))
        yield _System(name, process, cost, _prompts(endpoint), embedding_calls=0)


def _job(
    sessions: Sequence[Sequence[Sequence[Turn]]], endpoint: Endpoint, database_url: str, broker_url: str = ""
) -> Job:
    calls = [[[Message(**asdict(turn)) for turn in call] for call in session] for session in sessions]
    return Job(database_url, broker_url, endpoint.base_url, calls, TOP)


def _prompts(endpoint: Endpoint) -> list[int]:
    """The tokens of each so far, counted while nobody waits for an answer."""
    count = MiniLM().count_tokens
    return [prompt_tokens(body, count) for body in endpoint.asked]


@contextmanager
def _database(made: Rig, name: str) -> Iterator[str]:
    """A database of its own on the server; how its owner, the superuser, logs in."""
    assert made.addresses.admin_url is not None
    with made.database() as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    yield make_conninfo(made.addresses.admin_url, dbname=name)


def _runs(python: Path, code: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [python, "-c", code], cwd=ROOT, env=environment(Path(folder)), capture_output=True, check=False
        )
    return ran.returncode == 0
