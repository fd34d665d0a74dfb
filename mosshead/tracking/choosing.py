"""How the tracker chooses: features of each candidate, weighed by a few numbers. What a model would learn is here alone.

The weights were set on conversations of several people's lives, each left out once (docs/tracking.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

DecisionKind = Literal["pronoun", "description", "topic"]

Features = Mapping[str, float]
"""By name, 0 to 1 each (a cosine may be below 0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A candidate as a decision saw it: what a model is trained on.

    decision: what was decided, whom words mean or what the topic is. message: its number in the conversation, from 0.
    start: the first character of the words; -1 where there are none. chosen: by this tracker, so a label only where it is right.
    """

    decision: DecisionKind
    message: int
    start: int
    entity_id: UUID
    features: Features
    chosen: bool


OnPair = Callable[[Pair], object]
Choice = tuple[UUID, float]
"""An entity and its score."""

PRONOUN: Features = {"here": 0.9, "prominence": 1.0, "topic": 0.2, "gender": 0.2, "near": 0.6, "home": 0.1}
DESCRIPTION: Features = {
    "fit": 1.0,
    "seen": 0.1,
    "home": 0.1,
    "kin": 0.25,
    "called": 0.3,
    "process": 0.12,
    "asked": 0.25,
}
TOPIC: Features = {
    # how it is spoken of
    "name": 1.0, "description": 1.0, "pronoun": 0.8, "thing": 0.7, "owner": 0.6, "implied": 0.6, "asked": 1.2,
    "fit": 1.0, "whose": 0.2,
    # where in the message
    "last": 0.5, "closing": 0.2, "other": -0.2, "reports": -1.0,
    # what it was before: the scene, the topic, or a topic that the message does not speak of
    "scene": -0.7, "topic": 0.35, "kept": 0.75,
}  # fmt: skip
LEAST = {"pronoun": 0.4, "person": 0.4, "thing": 0.7, "implied": 0.5, "topic": 0.2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is being decided, for the pairs. on_pair: who is given them, if anybody."""

    kind: DecisionKind
    message: int
    start: int = -1
    on_pair: OnPair | None = None

    def choose(self, candidates: Mapping[UUID, Features], weights: Features, least: float) -> Choice | None:
        """The candidate of the highest score, with it; None where none reaches the least.

        Of equal ones the first. A description that fits two equally well tells neither.
        """
        scores = {key: score(features, weights) for key, features in candidates.items()}
        best = max(scores, key=lambda key: scores[key], default=None)
        told = self.kind != "description" or list(scores.values()).count(scores[best] if best else 0.0) == 1
        chosen = best if best is not None and scores[best] >= least and told else None
        if self.on_pair:
            for key, features in candidates.items():
                self.on_pair(
                    Pair(
                        decision=self.kind,
                        message=self.message,
                        start=self.start,
                        entity_id=key,
                        features=features,
                        chosen=key == chosen,
                    )
                )
        return None if chosen is None else (chosen, scores[chosen])


def score(features: Features, weights: Features) -> float:
    """The weighed sum of a candidate's features."""
    return sum(weights.get(name, 0.0) * value for name, value in features.items())
