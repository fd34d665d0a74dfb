"""The embedder protocol. App and service must use the same embedder for similarities to mean anything."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # processes that embed nothing need no numpy
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""Shape (texts, dimensions), each row of unit length, so that a dot product is a cosine."""

Vector: TypeAlias = "NDArray[np.float32]"
"""Shape (dimensions,), of unit length: a row of `Vectors`."""


class Embedder(Protocol):
    """Turns texts into vectors. Thread-safe, and may be opened before a fork."""

    @property
    def name(self) -> str:
        """The name of the model and of its index: embedders with one name give the same vectors."""

    @property
    def dimensions(self) -> int:
        """The length of a vector. May ask the endpoint once, and then raises what ``embed`` raises."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, in order; any text can be embedded, even an empty or very long one.

        Raises ConfigurationError or EmbedderUnavailable, without any of the texts.
        """

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in a text, approximate without the model's tokenizer."""
