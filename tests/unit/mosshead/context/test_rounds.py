"""What a read embeds: all of it in one call, and each text once."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import create_engine

from mosshead.context.fetch import ReadStore, embedded
from mosshead.embeddings import Vectors
from mosshead.paths import NamespacePath


class Numbering:
    """An embedder whose vectors are the lengths of the texts."""

    name, dimensions = "numbering", 1

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_each_group_gets_its_own_vectors_and_a_text_is_embedded_once() -> None:
    embedder = Numbering()
    store = ReadStore(engine=create_engine("sqlite://"), path=NamespacePath.of(("acme", "sarah")), embedder=embedder)
    found = embedded(store, ("a",), ("bbb", "a"), ("a",), ("cc",))

    assert [one.tolist() for one in found] == [[[1]], [[3], [1]], [[1]], [[2]]]
    assert embedder.calls == [["a", "bbb", "cc"]]
