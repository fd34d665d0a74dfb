"""What an embedder is: the one thing that the app and the service must agree on for similarities to mean anything."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

if TYPE_CHECKING:  # whoever embeds nothing does without numpy
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""Shape (texts, dimensions), each row of unit length, so that a dot product is a cosine."""

Vector: TypeAlias = "NDArray[np.float32]"
"""Shape (dimensions,), of unit length: a row of `Vectors`."""

_BYTES_PER_TOKEN: Final = 4


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


def estimated_tokens(text: str) -> int:
    """A token per four bytes of UTF-8: about right for English, within a third for most other scripts."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


def encodable(text: str) -> str:
    """The text without lone surrogates, which neither UTF-8 nor a tokenizer can take; each becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")
