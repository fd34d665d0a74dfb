"""Counts that shares are taken of, each with its 95 % interval."""

from dataclasses import dataclass
from typing import Any

from benchmarks.extraction.scoring import wilson


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    hits: int = 0
    of: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.of + other.of)

    @property
    def part(self) -> float:
        """0 to 1; 1 of nothing."""
        return self.hits / self.of if self.of else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the 95 % interval (Wilson)."""
        return wilson(self.hits, self.of)

    def as_json(self) -> dict[str, Any]:
        """The counts and the interval."""
        return {"hits": self.hits, "of": self.of, "part_95": [round(end, 3) for end in self.interval]}


def share(judged: list[bool]) -> Share:
    """How many are true."""
    return Share(sum(judged), len(judged))


def f1(both: int, given: int, gold: int) -> float:
    """The harmonic mean of precision and recall over sets that were pooled (micro); 1 where both are empty."""
    return 2 * both / (given + gold) if given + gold else 1.0
