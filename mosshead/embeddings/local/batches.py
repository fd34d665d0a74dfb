"""Embed texts of several threads together: in a batch of sixteen, a short text takes less than half the time it takes alone."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import accumulate, chain
from threading import Lock
from typing import Final, NamedTuple

from mosshead.embeddings.protocol import Vectors
from mosshead.errors import EmbedderUnavailable
from mosshead.fork_safety import Forkable, watch

MOST_TEXTS: Final = 16
"""The most texts in a shared batch. Larger batches gain little and delay the first caller; longer requests run alone."""


class _Waiting(NamedTuple):
    texts: Sequence[str]
    vectors: "Future[Vectors]"


class EmbeddingBatches(Forkable):
    """Embeds the texts of several threads, one batch after another.

    The thread whose turn it is embeds everything waiting. Nobody waits for a batch to fill, so a single caller is as fast as
    without batches. Simultaneous batches would slow each other down and cost more CPU for the same texts.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed = embed
        self._begin()
        watch(self)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts. Raises what embedding raises, to all callers of a batch."""
        if len(texts) > MOST_TEXTS:
            return self._embed(texts)
        mine = _Waiting(texts, Future())
        with self._lock:
            self._queue.append(mine)
        with self._turn:
            while batch := self._next(mine):
                self._run(batch)
        return mine.vectors.result()

    def after_fork_in_child(self) -> None:
        """Start with an empty queue: waiting requests belong to the parent."""
        self._begin()

    def _begin(self) -> None:
        self._lock, self._turn = Lock(), Lock()
        self._queue: list[_Waiting] = []

    def _next(self, mine: _Waiting) -> list[_Waiting]:
        """Return the oldest waiting texts; none once the caller's own are done, because other callers have their own threads."""
        with self._lock:
            if not any(one is mine for one in self._queue):
                return []
            totals = accumulate(len(one.texts) for one in self._queue)
            count = sum(total <= MOST_TEXTS for total in totals)
            batch, self._queue = self._queue[:count], self._queue[count:]
        return batch

    def _run(self, batch: Sequence[_Waiting]) -> None:
        try:
            vectors = self._embed(list(chain.from_iterable(one.texts for one in batch)))
        except Exception as error:  # noqa: BLE001 - it is raised to every caller
            for one in batch:
                one.vectors.set_exception(error)
            return
        except BaseException:
            for one in batch:
                one.vectors.set_exception(EmbedderUnavailable("the thread that embedded was interrupted; ask again"))
            raise
        start = 0
        for one in batch:
            one.vectors.set_result(vectors[start : start + len(one.texts)])
            start += len(one.texts)
