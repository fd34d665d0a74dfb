"""Which of several entities with one name is meant: decided by the text around the name, never by how often or how lately each
was mentioned."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

MARGIN = 0.05
"""By how much (cosine) the best candidate must lead before it is taken to be meant. docs/decisions/0006 tells how it was set."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """Who is meant. status: "resolved", "ambiguous" (the first two are too close), or "unknown" (nobody bears the name).

    scores: by candidate, how well the text fits it (cosine, -1 to 1), best first.
    """

    status: Literal["resolved", "ambiguous", "unknown"]
    entity_id: UUID | None
    scores: tuple[tuple[UUID, float], ...]


def resolve(texts: Vector, known: Mapping[UUID, Vector]) -> Resolution:
    """Hold what was said around a name against what is known of each candidate.

    texts: the vectors (m, dimensions) of what tells who is meant: the text without the name, and what it calls for.
    known: by candidate, the vectors (n, dimensions) of its profile and of the memories about it; n may be 0.
    The score of a candidate is its single best fit to each text, averaged over the texts: one with many memories does not win by
    having more of them to match, and one quirk said once suffices.
    """
    ranked = sorted(
        ((entity_id, _fit(texts, vectors)) for entity_id, vectors in known.items()), key=lambda pair: -pair[1]
    )
    scores = tuple(ranked)
    if not scores:
        return Resolution("unknown", None, ())
    if len(scores) > 1 and scores[0][1] - scores[1][1] < MARGIN:
        return Resolution("ambiguous", None, scores)
    return Resolution("resolved", scores[0][0], scores)


def _fit(texts: Vector, vectors: Vector) -> float:
    return float((texts @ vectors.T).max(axis=1).mean()) if len(vectors) else -1.0
