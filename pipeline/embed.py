"""The vectors of what a batch holds."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mosshead.embedders.embedder import Embedder

K = TypeVar("K", bound=Hashable)


def embed(contents: Mapping[K, str], embedder: Embedder) -> dict[K, NDArray[np.float32]]:
    """By key, such as a fact's number, the vector of its text, shape (dimensions,).

    One call for all; what the cache knows is not sent.
    """
    if not contents:
        return {}
    return dict(zip(contents, embedder.embed(list(contents.values())), strict=True))
