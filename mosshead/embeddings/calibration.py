"""Measure the cosines of unrelated texts, whose distribution differs between embedding models."""

import math
from dataclasses import dataclass

import numpy as np

from mosshead.embeddings.protocol import Embedder

_ASKED = (
    "What is the capital of Peru?",
    "How do I boil an egg?",
    "Explain how a hash map works",
    "Write a haiku about autumn leaves",
    "Who won the world cup in 1998?",
    "Translate good evening into Italian",
    "How tall is Mount Everest?",
    "What is 17 times 23?",
    "Fix this Python error",
    "Summarise the plot of Hamlet",
    "How far away is the moon?",
    "Tell me a joke",
)
_SAID = (
    "I live in a small flat near the harbour.",
    "My sister works as a nurse in Lyon.",
    "We are going to the mountains in August.",
    "I am allergic to peanuts.",
    "My boss wants the report by Friday.",
    "The dog has been to the vet.",
    "Our call is on Thursday at ten.",
    "I bought a used car last week.",
    "My son plays the trumpet.",
    "I started a new job in January.",
    "The boiler broke down again.",
    "I prefer tea to coffee.",
)

_BEYOND_CHANCE = 1.25


@dataclass(frozen=True, slots=True)
class UnrelatedCosines:
    """The distribution of unrelated texts' cosines."""

    mean: float
    deviation: float

    def deviations(self, cosine: float) -> float:
        """Return how far a cosine is above their mean, in standard deviations."""
        return (cosine - self.mean) / self.deviation

    def near(self, compared: int) -> float:
        """Return the least cosine of the nearest of this many texts if it is related to the question.

        By chance, the largest of n cosines lies about the root of 2 ln n deviations above their mean.
        """
        by_chance = math.sqrt(2 * math.log(max(2, compared)))
        return self.mean + (by_chance + _BEYOND_CHANCE) * self.deviation


def unrelated_cosines(embedder: Embedder) -> UnrelatedCosines:
    """Measure an embedder on unrelated sentences, once per model and process."""
    found = _MEASURED.get(embedder.name)
    if found is None:
        vectors = embedder.embed([*_ASKED, *_SAID])
        cosines = vectors[: len(_ASKED)] @ vectors[len(_ASKED) :].T
        found = _MEASURED[embedder.name] = UnrelatedCosines(float(np.mean(cosines)), float(np.std(cosines)))
    return found


_MEASURED: dict[str, UnrelatedCosines] = {}
"""By model."""
