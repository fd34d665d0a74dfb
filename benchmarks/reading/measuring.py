"""Times the reads and their floors in turn, a text at a time, so that whatever else the machine does befalls all of them."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TypeVar
from uuid import UUID

from benchmarks.entities.latency import Times
from benchmarks.reading.floors import Bare, truth
from benchmarks.reading.layout import Space
from benchmarks.reading.loading import Known
from mosshead import Memory, Namespace
from mosshead.embeddings import Embedder

_T = TypeVar("_T")
_WARM = 12
"""Reads before the first that counts: psycopg and Postgres prepare, and pages come into memory."""
_COMPARED = 20
"""Contexts that are asked for once more without indexes."""


@dataclass(slots=True)
class Sized:
    """What reading one namespace took, and found.

    recall: of `query` against an exact search. context_recall: the part of an exact context's memories that is in one by indexes.
    """

    memories: int
    taken: dict[str, list[float]] = field(default_factory=dict)
    recall: list[float] = field(default_factory=list)
    context_recall: list[float] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)

    def times(self, name: str) -> Times:
        """Milliseconds of one of the calls."""
        return Times.of(self.taken[name])


def measure(
    space: Space,
    known: Known,
    texts: Iterator[str],
    *,
    memory: Memory,
    embedder: Embedder,
    bare: Bare,
    rounds: int,
    indexed: bool,
) -> Sized:
    """Ask so many new texts. embedder: one that remembers nothing. indexed: the namespace has an index."""
    sized = Sized(space.memories)
    namespace = memory.namespace(*space.path.parts)
    for turn in range(_WARM + rounds):
        kept = sized if turn >= _WARM else Sized(0)
        vector = _timed(kept, "embed", lambda: embedder.embed([next(texts)])[0])
        _timed(kept, "select1", bare.round_trip)
        _timed(kept, "exact", lambda: bare.exact(space, vector))  # noqa: B023 - called at once
        if indexed:
            _timed(kept, "index", lambda: bare.by_index(space, vector))  # noqa: B023
        asked = next(texts)
        hits = _timed(kept, "query", lambda: namespace.query(asked, on_timeout="raise"))  # noqa: B023
        context = _timed(kept, "context", lambda: namespace.context(next(texts)))
        kept.shown.append(len(context.memories))
        best = truth(known, embedder.embed([asked])[0])
        kept.recall.append(len(best & {hit.id for hit in hits}) / len(best))
    if indexed:
        sized.context_recall.extend(_agreeing(namespace, list(islice(texts, _COMPARED)), space, bare))
    return sized


def _agreeing(namespace: Namespace, texts: Sequence[str], space: Space, bare: Bare) -> Iterator[float]:
    now = datetime.now(UTC)

    def shown() -> list[set[UUID]]:
        return [{hit.id for hit in namespace.context(text, now=now).memories} for text in texts]

    by_index = shown()
    bare.tell(space, indexed=False)
    exact = shown()
    bare.tell(space, indexed=True)
    return (len(one & best) / max(1, len(best)) for one, best in zip(by_index, exact, strict=True))


def _timed(into: Sized, name: str, call: Callable[[], _T]) -> _T:
    started = time.perf_counter()
    answer = call()
    into.taken.setdefault(name, []).append(time.perf_counter() - started)
    return answer
