"""The same reads from several threads that share one `Memory`: what they lose, and whether they see what is not theirs."""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.entities.latency import Times
from benchmarks.reading.layout import Space
from mosshead import Memory, MossheadError


@dataclass(frozen=True, slots=True)
class Together:
    """threads: how many. taken: of each read. errors: reads that failed. leaks: hits of another namespace than was asked."""

    threads: int
    taken: Sequence[float]
    seconds: float
    errors: int
    leaks: int

    @property
    def times(self) -> Times:
        """Milliseconds of a read."""
        return Times.of(self.taken)

    @property
    def rate(self) -> float:
        """Reads in a second, of all threads."""
        return round(len(self.taken) / self.seconds, 1)


def together(memory: Memory, spaces: Sequence[Space], texts: Iterator[str], *, threads: int, reads: int) -> Together:
    """So many queries in all, shared by the threads; each asks the namespaces in turn."""
    asked = [(spaces[number % len(spaces)], next(texts)) for number in range(reads)]
    taken: list[float] = []
    errors: list[str] = []
    leaks: list[str] = []

    def read(some: Sequence[tuple[Space, str]]) -> None:
        for space, text in some:
            started = time.perf_counter()
            try:
                hits = memory.namespace(*space.path.parts).query(text, on_timeout="raise")
            except MossheadError as error:
                errors.append(str(error))
                continue
            taken.append(time.perf_counter() - started)
            leaks.extend(hit.content for hit in hits if f"note {space.number}-" not in hit.content)

    workers = [threading.Thread(target=read, args=(asked[number::threads],)) for number in range(threads)]
    started = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return Together(threads, taken, time.perf_counter() - started, len(errors), len(leaks))
