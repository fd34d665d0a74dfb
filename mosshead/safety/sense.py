"""How much a passage reads as if it were to steer an assistant, by what it means: the local embedding model with an adapter.

Words alone hardly tell "the fee was waived for me" from "the check was waived for me". The model does, with a change of low rank
to each of its linear maps, which is all that is shipped. `benchmarks.guard` trains it.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mosshead.bridge import apart
from mosshead.embeddings.local.files import find_model
from mosshead.embeddings.local.minilm import load_adapted
from mosshead.embeddings.local.process import adapted_mean
from mosshead.errors import ModelMissing

ADAPTER: Final = Path(__file__).with_name("adapter.npz")
"""The changes as `Bert.adapted` takes them, and beside them the head."""

HEAD: Final = "head"

_REMEMBERED: Final = 1_024
"""Passages. A fact is judged by itself and with what surrounds it, and a recent message by each read that shows it."""


@lru_cache(_REMEMBERED)
def log_odds_by_meaning(passage: str) -> float | None:
    """Return the logarithm of the odds that a passage was written to steer an assistant; None without the local model."""
    return apart(lambda: _log_odds(passage))  # takes milliseconds, too long for an event loop


def _log_odds(passage: str) -> float | None:
    head = judging_head()
    return None if head is None else float(head[:-1] @ adapted_mean(ADAPTER, passage) + head[-1])


def load_meaning() -> None:
    """Load what `log_odds_by_meaning` needs in this process, which it otherwise does with the first doubtful passage."""
    if judging_head() is not None:
        load_adapted(ADAPTER)


@lru_cache(1)
def judging_head() -> NDArray[np.float32] | None:
    """Return the weight of each feature, the bias last; None where the local model is not installed."""
    try:
        find_model()
    except ModelMissing:
        return None
    with np.load(ADAPTER) as stored:
        return np.asarray(stored[HEAD], np.float32)
