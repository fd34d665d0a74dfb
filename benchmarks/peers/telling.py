"""How a memory system is told a conversation and asked about it, in a process of its own: JSON in, JSON out.

Standard library alone, apart from the embedder: the peers' environment has nothing else of ours.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from mosshead.embeddings.local.minilm import MiniLM

T = TypeVar("T")

COUNTED_IN = "PEERS_EMBEDDINGS"
"""The variable with the file in which the service's workers count: `benchmarks.peers.counted_worker`."""

BETWEEN_CALLS_SECONDS = 0.05
"""Between two calls that tell. People write slower; but below the debounce of the service, a session is one batch to it."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message as an app has it: `conversation.Turn`."""

    id: str
    role: str
    conversation: str
    speaker: str
    content: str
    occurred_at: str

    @property
    def line(self) -> str:
        """For a system that knows no speakers: the name before the words."""
        return f"{self.speaker}: {self.content}"


@dataclass(frozen=True, slots=True)
class Job:
    """What to tell. sessions: the calls of each, and the messages of each call, in order. top: results of a search later on."""

    database_url: str
    broker_url: str
    llm_url: str
    sessions: list[list[list[Message]]]
    top: int

    @classmethod
    def of(cls, given: str) -> "Job":
        """From its JSON."""
        fields = json.loads(given)
        sessions = [[[Message(**one) for one in call] for call in session] for session in fields["sessions"]]
        return cls(**fields | {"sessions": sessions})


@dataclass(frozen=True, slots=True)
class Cost:
    """What telling took. blocking_ms: what each call, and each end of a session, kept the app.

    embedding_calls: of this process meanwhile.
    """

    blocking_ms: list[float]
    embedding_calls: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one search took, and the texts of its results, best first."""

    ms: float
    texts: list[str]


Search = Callable[[str, int], list[str]]
"""A question and how many results there may be; the texts of the best, best first."""


class Teller(Protocol):
    """A memory system in the hands of an app."""

    def tell(self, messages: Sequence[Message]) -> None:
        """Tell messages; what it takes is what the app waits for."""

    def end(self, conversation: str) -> None:
        """Say that a session is over, where the system wants to know; the app waits for that, too."""

    def settle(self) -> None:
        """Wait until the session has taken effect; no app waits for that."""

    @property
    def ways(self) -> Mapping[str, Search]:
        """How it can be searched; its own way first."""


class CountedEmbedder:
    """The embedder that each system is handed. calls: how often it was asked, whatever the number of texts."""

    def __init__(self) -> None:
        self._embedder = MiniLM()
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector for each text."""
        self.calls += 1
        vectors: list[list[float]] = np.asarray(self._embedder.embed(texts)).tolist()
        return vectors


def serve(opened: Callable[[Job, CountedEmbedder], AbstractContextManager[Teller]]) -> None:
    """Be told, then asked: a line of JSON in, a line of JSON out, until standard input ends.

    The first line is a Job, and its answer a Cost. Each further one is a question, and its answer a Found for each way. What
    else is printed goes to standard error.
    """
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job, embedder = Job.of(next(sys.stdin)), CountedEmbedder()
    with opened(job, embedder) as teller, out:
        print(json.dumps(asdict(tell(job, teller, embedder))), file=out, flush=True)
        for line in sys.stdin:
            found = search(json.loads(line), teller, job.top)
            print(json.dumps({way: asdict(one) for way, one in found.items()}), file=out, flush=True)


def tell(job: Job, teller: Teller, embedder: CountedEmbedder) -> Cost:
    """Tell all. A search before warms up what is opened at the first use, the embedder's weights among it."""
    search("What is there to know?", teller, job.top)
    before, blocking = embedder.calls, []
    for session in job.sessions:
        for call in session:
            blocking.append(_timed(partial(teller.tell, call))[0])
            time.sleep(BETWEEN_CALLS_SECONDS)
        blocking.append(_timed(partial(teller.end, session[-1][-1].conversation))[0])
        teller.settle()
    return Cost(blocking, embedder.calls - before)


def search(question: str, teller: Teller, top: int) -> dict[str, Found]:
    """Ask one question, in every way."""
    return {way: Found(*_timed(partial(searching, question, top))) for way, searching in teller.ways.items()}


def _timed(doing: Callable[[], T]) -> tuple[float, T]:
    """What it took, in milliseconds, and what it returned."""
    started = time.perf_counter()
    returned = doing()
    return 1000 * (time.perf_counter() - started), returned
