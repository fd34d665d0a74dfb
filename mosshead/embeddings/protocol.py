"""What an embedder is: the one thing that the app and the service must agree on for similarities to mean anything."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # whoever embeds nothing does without numpy
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""Shape (texts, dimensions), each row of unit length, so that a dot product is a cosine."""

Vector: TypeAlias = "NDArray[np.float32]"
"""Shape (dimensions,), of unit length: a row of `Vectors`."""


class Embedder(Protocol):
    """Turns texts into vectors. Safe to share between threads, and to open before a fork."""

    @property
    def name(self) -> str:
        """The model's name, and the index's: two embedders of one name give the same vectors."""

    @property
    def dimensions(self) -> int:
        """The length of a vector. May ask the endpoint once, and then raises what ``embed`` raises."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts, in their order; any text can be embedded, the empty one and a very long one too.

        Raises ConfigurationError or EmbedderUnavailable; neither carries a word of the texts.
        """

    def count_tokens(self, text: str) -> int:
        """How many tokens the text has, or about how many where the model's tokenizer is not at hand."""
