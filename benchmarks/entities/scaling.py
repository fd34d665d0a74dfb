"""The same questions in a small crowd and in a large one: what more namesakes cost, in time and in answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.entities.crowd import Size
from benchmarks.entities.latency import Latency
from benchmarks.entities.who import Answer, WhoScores, score_who, verdict
from benchmarks.entities.world import Who

FEW = 50
"""Bearers of the commonest name in the small crowd."""


@dataclass(frozen=True, slots=True)
class InCrowd:
    """The answers in a crowd. bearers, entities, memories: how many there were; loading: seconds until all of it was known."""

    bearers: int
    entities: int
    memories: int
    loading: float
    answered: Sequence[tuple[Who, Answer]]
    latency: Latency

    @property
    def scores(self) -> WhoScores:
        """What the answers are worth."""
        return score_who(self.answered)

    @property
    def verdicts(self) -> Mapping[str, str]:
        """By the row's id."""
        return {row.id: verdict(row, answer) for row, answer in self.answered}

    def as_json(self) -> dict[str, Any]:
        """The sizes, the figures of who is meant, and the latency."""
        sizes = {"bearers": self.bearers, "entities": self.entities, "memories": self.memories}
        seconds = {"loading_seconds": round(self.loading, 1)}
        return {**sizes, **seconds, "disambiguation": self.scores.as_json(), "latency": self.latency.as_json()}


@dataclass(frozen=True, slots=True)
class Crowded:
    """A small crowd and a large one around the same world."""

    small: InCrowd
    large: InCrowd

    @property
    def to_another(self) -> tuple[str, ...]:
        """Ids of the rows that are right in the small crowd, and resolved to another person in the large one."""
        return self._turned("wrong")

    @property
    def to_asked(self) -> tuple[str, ...]:
        """Ids of the rows that are right in the small crowd, and asked in the large one."""
        return self._turned("asked")

    def as_json(self) -> dict[str, Any]:
        """Both, and what turned."""
        return {
            "small": self.small.as_json(),
            "large": self.large.as_json(),
            "right_to_another": len(self.to_another),
            "right_to_asked": len(self.to_asked),
            "rows_to_another": self.to_another,
            "rows_to_asked": self.to_asked,
        }

    def _turned(self, to: str) -> tuple[str, ...]:
        after = self.large.verdicts
        return tuple(row for row, before in self.small.verdicts.items() if before == "right" and after[row] == to)


def smaller(size: Size) -> Size:
    """The crowd with few bearers, as many times smaller as it has fewer of them."""
    bearers, entities, memories = (of * FEW // size.bearers for of in (size.bearers, size.entities, size.memories))
    return Size(bearers=bearers, entities=entities, memories=memories)
