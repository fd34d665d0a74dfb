"""How near unrelated texts are is measured for each model, so that "near" means the same for all."""

from collections.abc import Sequence

import numpy as np
import pytest

from mosshead.embeddings.calibration import unrelated_cosines
from mosshead.embeddings.protocol import Embedder, Vectors
from tests.given import MINILM

KNOWN = "My sister Ruth works as a nurse in Lyon."
ASKED, ASIDE = "What does my sister do for work?", "How tall is Mount Everest?"


class Crowded:
    """The local model with a direction common to all vectors, as many models have: no cosine is near 0."""

    name = "crowded"
    dimensions = MINILM.dimensions + 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the local model's vectors with an equally large component in one more direction."""
        vectors = MINILM.embed(list(texts))
        wide = np.hstack([vectors, np.ones((len(vectors), 1), dtype=vectors.dtype)])
        return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True), dtype=vectors.dtype)

    def count_tokens(self, text: str) -> int:
        """Count as the local model does."""
        return MINILM.count_tokens(text)


@pytest.mark.parametrize("embedder", [MINILM, Crowded()], ids=lambda one: one.name)
def test_subject_of_a_question_is_near_and_an_aside_is_not(embedder: Embedder) -> None:
    known, asked, aside = embedder.embed([KNOWN, ASKED, ASIDE])
    near = unrelated_cosines(embedder).near(20)

    assert float(known @ asked) >= near > float(known @ aside)


def test_each_model_has_its_own_measure() -> None:
    assert unrelated_cosines(Crowded()).mean > unrelated_cosines(MINILM).mean + 0.3
