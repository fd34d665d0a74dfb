"""Concurrent requests become one batch while another is embedded; each caller gets its own vectors, or the error."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

from mosshead.embeddings.local.batches import MOST_TEXTS, EmbeddingBatches
from mosshead.embeddings.protocol import Vectors


class Embedding:
    """Embeds a text as its length, and holds the first batch until it is released."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        self.begun.set()
        assert self.go_on.wait(30)
        if "bad" in texts:
            raise LookupError("bad")
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def asked(embedding: Embedding, *callers: Sequence[str]) -> tuple[EmbeddingBatches, list["Future[Vectors]"]]:
    """Have the first embedded, and all others requested meanwhile."""
    batches = EmbeddingBatches(embedding)
    pool = ThreadPoolExecutor(len(callers))
    answers = [pool.submit(batches.embed, callers[0])]
    assert embedding.begun.wait(30)
    for number, texts in enumerate(callers[1:], 1):
        answers.append(pool.submit(batches.embed, texts))
        until(lambda number=number: len(batches._queue) == number)  # type: ignore[misc]
    embedding.go_on.set()
    pool.shutdown()
    return batches, answers


def until(holds: Callable[[], bool]) -> None:
    for _ in range(30_000):
        if holds():
            return
        threading.Event().wait(0.001)
    pytest.fail("not in time")


def lengths(answer: "Future[Vectors]") -> list[float]:
    return [float(one) for one in answer.result(30)[:, 0]]


def test_requests_that_wait_for_another_become_one_batch() -> None:
    embedding = Embedding()
    _, answers = asked(embedding, ["a"], ["bb", "ccc"], ["dddd"])

    assert embedding.batches == [["a"], ["bb", "ccc", "dddd"]]
    assert [lengths(one) for one in answers] == [[1], [2, 3], [4]]


def test_batch_has_no_more_texts_than_allowed() -> None:
    embedding = Embedding()
    _, answers = asked(embedding, ["a"], *[["bb"] * (MOST_TEXTS // 2)] * 3)

    assert [len(one) for one in embedding.batches] == [1, MOST_TEXTS, MOST_TEXTS // 2]
    assert all(lengths(one) == [2] * (MOST_TEXTS // 2) for one in answers[1:])


def test_caller_with_more_texts_than_a_batch_waits_for_nobody() -> None:
    embedding = Embedding()
    batches = EmbeddingBatches(embedding)
    many = ["x"] * (MOST_TEXTS + 1)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(batches.embed, ["a"])
        assert embedding.begun.wait(30)
        second = pool.submit(batches.embed, many)
        until(lambda: len(embedding.batches) == 2)
        embedding.go_on.set()
    assert lengths(first) == [1]
    assert lengths(second) == [1] * len(many)


def test_error_is_raised_to_all_of_its_batch_and_to_no_other() -> None:
    embedding = Embedding()
    batches, answers = asked(embedding, ["a"], ["bad"], ["cc"])

    assert lengths(answers[0]) == [1]
    for one in answers[1:]:
        with pytest.raises(LookupError):
            one.result(30)
    assert batches.embed(["dd"]).tolist() == [[2]]


def test_interrupted_thread_leaves_nobody_waiting() -> None:
    def interrupted(texts: Sequence[str]) -> Vectors:
        raise KeyboardInterrupt

    batches = EmbeddingBatches(interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            batches.embed(["a"])


def test_fork_copies_no_waiting_request() -> None:
    embedding = Embedding()
    batches = EmbeddingBatches(embedding)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(batches.embed, ["a"])
        assert embedding.begun.wait(30)
        batches.after_fork_in_child()
        embedding.go_on.set()
        assert batches.embed(["bb"]).tolist() == [[2]]
        assert lengths(first) == [1]
