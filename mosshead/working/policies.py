"""Which reference makes room for a new one. Each policy is a function of the references, oldest first, and the time."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from mosshead.working.state import Reference

Policy = Literal["fifo", "relevance", "summary"]

Evict = Callable[[Sequence[Reference], datetime], int]
"""The place of the one that goes; there is at least one."""

SUMMARY_TURNS = 10
"""Under the policy "summary" the older references go after so many turns."""


def oldest(references: Sequence[Reference], now: datetime) -> int:
    """A sliding window: whatever was added first."""
    del references, now
    return 0


def least_relevant(references: Sequence[Reference], now: datetime) -> int:
    """The one of the lowest relevance; of several the oldest."""
    return min(range(len(references)), key=lambda place: relevance(references[place], now))


def relevance(reference: Reference, now: datetime) -> float:
    """0.6·recency + 0.4·frequency, from 0 to 1."""
    return 0.6 * recency(reference, now) + 0.4 * frequency(reference)


def recency(reference: Reference, now: datetime) -> float:
    """exp(−0.1·age), the age in minutes since it was last used; 1 where a clock elsewhere runs ahead."""
    return math.exp(-0.1 * max((now - reference.used).total_seconds() / 60, 0.0))


def frequency(reference: Reference) -> float:
    """min(accesses/10, 1)."""
    return min(reference.accesses / 10, 1.0)


EVICT: Mapping[Policy, Evict] = {"fifo": oldest, "relevance": least_relevant, "summary": oldest}
