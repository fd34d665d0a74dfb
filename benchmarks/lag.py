"""How long things took: the figures that a benchmark gives of many durations."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lag:
    """Half of the durations are at most p50, 95 of 100 at most p95; in the unit of the durations."""

    p50: float
    p95: float
    max: float


def lag_of(durations: Iterable[float], *, digits: int = 2) -> Lag:
    """By nearest rank, rounded to so many digits. Raises ValueError where there are none."""
    ordered = sorted(durations)
    if not ordered:
        raise ValueError("durations: there are none")
    return Lag(*(round(ordered[_rank(share, len(ordered))], digits) for share in (50, 95, 100)))


def _rank(share: int, count: int) -> int:
    return -(-share * count // 100) - 1
