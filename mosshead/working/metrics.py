"""How well working memory works: how full it is, what it throws away, what it can tell, how long that takes."""

from collections import deque
from dataclasses import dataclass
from threading import Lock

from mosshead.publishing import forking

_LATEST = 1_000
_ENOUGH = 20
"""Of fewer, a share says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Of one process and one store, since the process began.

    fill: how much of the capacity is taken, 0 to 1; of `WorkingMemory.metrics` that of its session, else the mean of the latest
        1,000 accesses; 50 to 80 % is good.
    evictions: evicted references for each one added; up to 10 % is good. resolved: of the references that were looked for, those
        that were found; from 90 % is good.
    access_ms, access_p99_ms: milliseconds that an access took, of the latest 1,000; up to 1 is good.
    """

    fill: float = 0.0
    added: int = 0
    evicted: int = 0
    found: int = 0
    missed: int = 0
    accesses: int = 0
    access_seconds: float = 0.0
    access_ms: float = 0.0
    access_p99_ms: float = 0.0

    @property
    def evictions(self) -> float:
        """Evicted references for each one added."""
        return self.evicted / self.added if self.added else 0.0

    @property
    def resolved(self) -> float:
        """Of the references that were looked for, the share that was found."""
        asked = self.found + self.missed
        return self.found / asked if asked else 1.0

    @property
    def alerts(self) -> tuple[str, ...]:
        """What is wrong, one line each: fill above 95 %, evictions above 30 %, resolved below 75 %, access above 5 ms.

        A share, or a time, is not complained of before there were 20 cases.
        """
        said = []
        if self.fill > 0.95:
            said.append(f"fill: {self.fill:.0%}, above 95 %; raise the capacity")
        if self.added >= _ENOUGH and self.evictions > 0.30:
            said.append(f"evictions: {self.evictions:.0%} of what is added, above 30 %; raise the capacity")
        if self.found + self.missed >= _ENOUGH and self.resolved < 0.75:
            said.append(
                f"resolved: {self.resolved:.0%}, below 75 %; add what tools return, or keep it for longer (ttl)"
            )
        if self.accesses >= _ENOUGH and self.access_ms > 5:
            said.append(f"access: {self.access_ms:.1f} ms, above 5; is Redis far away, or overloaded?")
        return tuple(said)


class Meter:
    """Counts; safe to share between threads, and to use after a fork."""

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._lock = Lock()
        self._added = self._evicted = self._found = self._missed = self._accesses = 0
        self._seconds = 0.0
        self._latest: deque[tuple[float, float]] = deque(maxlen=_LATEST)
        forking.watch(self)

    def accessed(self, seconds: float, *, fill: float, added: int, evicted: int) -> None:
        """An access took so long, and left the session so full."""
        with self._lock:
            self._accesses += 1
            self._seconds += seconds
            self._added += added
            self._evicted += evicted
            self._latest.append((seconds, fill))

    def looked_for(self, *, found: int, missed: int) -> None:
        """So many references were looked for."""
        with self._lock:
            self._found += found
            self._missed += missed

    def read(self) -> Metrics:
        """What was counted."""
        with self._lock:
            latest = list(self._latest)
            return Metrics(
                fill=sum(fill for _, fill in latest) / len(latest) if latest else 0.0,
                added=self._added,
                evicted=self._evicted,
                found=self._found,
                missed=self._missed,
                accesses=self._accesses,
                access_seconds=self._seconds,
                access_ms=_milliseconds(latest, 0.5),
                access_p99_ms=_milliseconds(latest, 0.99),
            )

    def before_fork(self) -> None:
        """Hold still."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Go on."""
        self._lock.release()


def as_prometheus(metrics: Metrics) -> str:
    """The metrics in the text format that Prometheus reads, to be served by the app beside its own."""
    lines = [
        ("fill_ratio", "gauge", "", metrics.fill),
        ("added_total", "counter", "", metrics.added),
        ("evicted_total", "counter", "", metrics.evicted),
        ("resolutions_total", "counter", '{found="yes"}', metrics.found),
        ("resolutions_total", "counter", '{found="no"}', metrics.missed),
        ("access_seconds", "summary", '{quantile="0.5"}', metrics.access_ms / 1000),
        ("access_seconds", "summary", '{quantile="0.99"}', metrics.access_p99_ms / 1000),
        ("access_seconds_sum", "", "", metrics.access_seconds),
        ("access_seconds_count", "", "", metrics.accesses),
    ]
    told: dict[str, None] = {}
    for name, kind, labels, value in lines:
        if kind:
            told[f"# TYPE mosshead_working_{name} {kind}"] = None
        told[f"mosshead_working_{name}{labels} {value:.10g}"] = None
    return "\n".join((*told, ""))


def _milliseconds(latest: list[tuple[float, float]], share: float) -> float:
    if not latest:
        return 0.0
    ordered = sorted(seconds for seconds, _ in latest)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1000
