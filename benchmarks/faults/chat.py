"""What a chat waits for, from publish until it took effect: by itself, and while a hostile sender goes on. Pure."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from benchmarks.faults.history import Sent

MOST_TIMES = 3.0
"""How many times its own control a chat may take while somebody attacks."""

FLOOR_SECONDS = 2.0
"""The default debounce, which every message waits out: a control below it was measured wrong."""


@dataclass(frozen=True, slots=True)
class Chat:
    """Median seconds of a chat. control: without the attack, in the same run. attacked: beside it, or right after it stopped."""

    control: float
    attacked: float

    @property
    def ratio(self) -> float:
        """How many times longer it took."""
        return self.attacked / max(self.control, FLOOR_SECONDS)

    @property
    def served(self) -> bool:
        """Whether the attack did not matter much."""
        return self.ratio <= MOST_TIMES

    def __str__(self) -> str:
        return f"{self.control:.1f} -> {self.attacked:.1f} s, {self.ratio:.1f} x"


def median_seconds(said: Sequence[Sent], effects: Mapping[UUID, float], now: float) -> float:
    """From publish until it took effect. effects: when each did; one that did not yet has waited until now at least."""
    return statistics.median(effects.get(one.event_id, now) - one.begun for one in said)
