"""The cache compared with a model of it: a counting embedder behind it, and which texts must reach that."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.embeddings.cache import CachedEmbedder
from mosshead.embeddings.protocol import Embedder, Vectors
from mosshead.errors import EmbedderUnavailable


class Counting:
    """A real, if simple, embedder: a text's vector is made of its length and first letter, and each request is recorded."""

    name = "counting"
    dimensions = 3

    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise EmbedderUnavailable("down")
        self.requests.append(list(texts))
        rows = [[1, len(text), ord(text[0]) if text else 0] for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(-1, 3)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def count_tokens(self, text: str) -> int:
        return len(text)


def test_cache_has_the_name_of_its_embedder() -> None:
    cached: Embedder = CachedEmbedder(Counting())

    assert (cached.name, cached.dimensions, cached.count_tokens("four")) == ("counting", 3, 4)


def test_text_is_sent_once_within_a_call_and_across_calls() -> None:
    behind = Counting()
    cached = CachedEmbedder(behind)

    first = cached.embed(["a", "b", "a"])
    second = cached.embed(["b", "c"])

    assert behind.requests == [["a", "b"], ["c"]]
    assert (first == Counting().embed(["a", "b", "a"])).all()
    assert (second == Counting().embed(["b", "c"])).all()


def test_least_recently_used_goes_first() -> None:
    behind = Counting()
    cached = CachedEmbedder(behind, size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.embed([text])

    assert behind.requests == [["a"], ["b"], ["c"], ["b"]]


def test_call_larger_than_the_cache_is_answered_whole() -> None:
    behind = Counting()
    texts = [chr(97 + number) for number in range(9)]

    assert (CachedEmbedder(behind, size=2).embed(texts) == Counting().embed(texts)).all()


def test_failure_is_passed_on_and_not_cached() -> None:
    behind = Counting()
    cached = CachedEmbedder(behind)
    behind.down = True
    with pytest.raises(EmbedderUnavailable):
        cached.embed(["a"])
    behind.down = False

    assert (cached.embed(["a"]) == Counting().embed(["a"])).all()
    assert behind.requests == [["a"]]


@given(st.integers(0, 4), st.lists(st.lists(st.text("abc", max_size=2), max_size=6), max_size=8))
def test_answers_never_depend_on_the_cache(size: int, calls: list[list[str]]) -> None:
    behind = Counting()
    cached = CachedEmbedder(behind, size=size)

    for texts in calls:
        assert (cached.embed(texts) == Counting().embed(texts)).all()

    assert sum(map(len, behind.requests)) <= sum(map(len, calls))
