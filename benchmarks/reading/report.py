"""The figures as a table and as JSON."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from benchmarks.reading.measuring import Sized
from benchmarks.reading.side_by_side import Together


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run found. rows: memories in the table. loading: seconds."""

    rows: int
    loading: float
    sizes: Sequence[Sized]
    together: Sequence[Together]

    def as_json(self) -> dict[str, Any]:
        """Milliseconds, but for rates and parts."""
        every = [one for size in self.sizes for one in size.taken["embed"]]
        trips = [one for size in self.sizes for one in size.taken["select1"]]
        return {
            "rows": self.rows,
            "loading_seconds": round(self.loading, 1),
            "embed_ms": _milliseconds(every),
            "select1_ms": _milliseconds(trips),
            "sizes": {str(size.memories): _of_size(size) for size in self.sizes},
            "threads": {str(one.threads): _of_threads(one) for one in self.together},
        }


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """What `Report.as_json` has, for people."""
    sizes = Table("memories", *_SHOWN, title="One thread; milliseconds, and parts")
    for size, found in figures["sizes"].items():
        sizes.add_row(size, *(str(found.get(name, "")) for name in _SHOWN))
    threads = Table("threads", *_OF_THREADS, title="query, several namespaces of 1,000")
    for count, found in figures["threads"].items():
        threads.add_row(count, *(str(found[name]) for name in _OF_THREADS))
    return [sizes, threads]


_SHOWN = (
    *("embed_ms", "exact_ms", "index_ms", "query_p50", "query_p99", "query_over_floor"),
    *("context_p50", "context_p99", "context_over_floor", "recall_at_10", "context_recall"),
)
_OF_THREADS = ("reads_per_second", "p50", "p99", "errors", "leaks")


def _of_size(size: Sized) -> dict[str, Any]:
    query, context = size.times("query"), size.times("context")
    embed = _milliseconds(size.taken["embed"])
    searched = "index" if "index" in size.taken else "exact"
    floor = embed + _milliseconds(size.taken[searched])
    found = {"index_ms": _milliseconds(size.taken["index"])} if searched == "index" else {}
    agreed = {"context_recall": round(statistics.fmean(size.context_recall), 4)} if size.context_recall else {}
    return {
        "embed_ms": embed,
        "exact_ms": _milliseconds(size.taken["exact"]),
        **found,
        "query_p50": query.p50,
        "query_p99": query.p99,
        "query_over_floor": round(query.p50 / floor, 2),
        "context_p50": context.p50,
        "context_p99": context.p99,
        "context_over_floor": round(context.p50 / floor, 2),
        "recall_at_10": round(statistics.fmean(size.recall), 4),
        **agreed,
        "memories_in_context": round(statistics.fmean(size.shown), 1),
    }


def _of_threads(one: Together) -> dict[str, Any]:
    return {
        "reads_per_second": one.rate,
        "p50": one.times.p50,
        "p99": one.times.p99,
        "errors": one.errors,
        "leaks": one.leaks,
    }


def _milliseconds(seconds: Sequence[float]) -> float:
    return round(statistics.median(seconds) * 1000, 3)
