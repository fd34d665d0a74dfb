"""What a memory's place in a context rests on, in parts that can be shown. Pure.

``score = relevance · w1 + salience · w2 + strength · w3 + boost`` (requirement R5). The base, which is all but the boost, never
decays: what was said ten years ago has the base that it had on the first day.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from mosshead.reading.weights import MemoryWeights

WEIGHTS = MemoryWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How much a memory has to do with a message, in standard deviations over the namespace, in parts that add up.

    dense, lexical: the normalised cosine and BM25, weighted. entity: it is about somebody who is named. process: it is a process
    of their house. foundation: it is what has long been so of somebody who is named. when: it is of a
    time that is named. lent: by what is known of the same entities.
    """

    dense: float
    lexical: float
    entity: float = 0.0
    process: float = 0.0
    foundation: float = 0.0
    when: float = 0.0
    lent: float = 0.0

    @property
    def fit(self) -> float:
        """How well its own words fit."""
        return self.dense + self.lexical

    @property
    def own(self) -> float:
        """All but what is lent."""
        return self.fit + self.entity + self.process + self.foundation + self.when

    @property
    def total(self) -> float:
        """All parts together."""
        return self.own + self.lent


def base(relevance: float, salience: float, strength: float) -> float:
    """What a memory scores at any age. relevance: in standard deviations; salience: 0 to 10; strength: 0 to 1."""
    return relevance * WEIGHTS.relevance + salience * WEIGHTS.salience + strength * WEIGHTS.strength


def recency_boost(said_at: datetime, now: datetime) -> float:
    """+0.15 for what was said less than 7 days ago, +0.08 for less than 30, +0.03 for less than 90, else 0; 0 for the future."""
    age = now - said_at
    if age < timedelta(0):
        return 0.0
    return next((boost for days, boost in WEIGHTS.recency if age < timedelta(days=days)), 0.0)
