"""How long `Namespace.resolve` takes, beside the least that it could take: one embedding and one round trip."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of a call, over all rows."""

    p50: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times":
        """Of at least two calls."""
        hundredths = statistics.quantiles(seconds, n=100, method="inclusive")
        return cls(round(hundredths[49] * 1000, 3), round(hundredths[98] * 1000, 3))


@dataclass(frozen=True, slots=True)
class Latency:
    """resolve; embedding: of the same messages, by an embedder that remembers none; round_trip: of ``select 1``."""

    resolve: Times
    embedding: Times
    round_trip: Times

    @property
    def ratio(self) -> float:
        """By how much the median of `resolve` is above that of an embedding and a round trip."""
        return round(self.resolve.p50 / (self.embedding.p50 + self.round_trip.p50), 2)

    def as_json(self) -> dict[str, Any]:
        """Milliseconds, and the ratio."""
        named = {"resolve": self.resolve, "embedding": self.embedding, "round_trip": self.round_trip}
        return {name: {"p50_ms": one.p50, "p99_ms": one.p99} for name, one in named.items()} | {"ratio": self.ratio}


def measure(
    rows: Sequence[_Row],
    *,
    resolve: Callable[[_Row], object],
    embed: Callable[[_Row], object],
    round_trip: Callable[[_Row], object],
) -> Latency:
    """Time the three calls in turn for each row, so that whatever else the machine does befalls all of them.

    No row may have been resolved before: what is embedded already would be remembered.
    """
    taken: tuple[list[float], list[float], list[float]] = ([], [], [])
    for row in rows:
        for times, call in zip(taken, (resolve, embed, round_trip), strict=True):
            started = time.perf_counter()
            call(row)
            times.append(time.perf_counter() - started)
    return Latency(*map(Times.of, taken))
