"""The vectors of a batch's facts."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from recollect.embedders.embedder import Embedder


def embed(contents: Mapping[int, str], embedder: Embedder) -> dict[int, NDArray[np.float32]]:
    """By fact number, the vector of its content, shape (dimensions,). One call for all; what the cache knows is not sent."""
    if not contents:
        return {}
    return dict(zip(contents, embedder.embed(list(contents.values())), strict=True))
