"""The vectors of a batch's facts: by number, in one call."""

from collections.abc import Sequence

import numpy as np

from mosshead.embeddings import Vectors
from pipeline.embedding import embed


class Lengths:
    """An embedder of one dimension, the length of a text, that counts its calls."""

    name = "lengths"
    dimensions = 1

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return np.array([[len(text)] for text in texts], np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_each_fact_gets_the_vector_of_its_content_in_one_call() -> None:
    embedder = Lengths()
    found = embed({7: "seven", 3: "abc", 9: ""}, embedder)

    assert {number: vector.tolist() for number, vector in found.items()} == {7: [5], 3: [3], 9: [0]}
    assert embedder.calls == 1


def test_empty_batch_calls_no_embedder() -> None:
    embedder = Lengths()
    assert (embed({}, embedder), embedder.calls) == ({}, 0)
