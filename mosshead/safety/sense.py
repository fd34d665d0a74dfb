"""How much a passage reads as if it were to steer an assistant, by what it means: the local embedding model with an adapter.

Words alone hardly tell "the fee was waived for me" from "the check was waived for me". The model does, with a change of low rank
to each of its linear maps, which is all that is shipped. `benchmarks.guard` trains it.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from mosshead.embeddings.local.minilm import adapted_means
from mosshead.errors import ModelMissing

ADAPTER: Final = Path(__file__).with_name("adapter.npz")
"""The changes as `Bert.adapted` takes them, and beside them the `head`: the weight of each feature, the bias last."""

HEAD: Final = "head"

_REMEMBERED: Final = 1_024
"""Passages. A fact is judged by itself and with what surrounds it, and a recent message by each read that shows it."""


@lru_cache(_REMEMBERED)
def log_odds_by_meaning(passage: str) -> float | None:
    """Return the logarithm of the odds that a passage was written to steer an assistant; None without the local model."""
    judge = adapted_model()
    return None if judge is None else judge(passage)


@lru_cache(1)
def adapted_model() -> Callable[[str], float] | None:
    """Return what judges a passage; None where the local model is not installed. It is loaded with the first doubtful passage."""
    with np.load(ADAPTER) as stored:
        changes = {name: stored[name].astype(np.float32) for name in stored.files}
    *weights, bias = changes.pop(HEAD).tolist()
    try:
        mean = adapted_means(changes)
    except ModelMissing:
        return None
    features = np.array(weights, np.float32)
    return lambda passage: float(features @ mean(passage)) + bias
