"""A reranker's order is used, what it omits is dropped, and if it fails everything stays as it was."""

import logging
import math
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.search.rerank import JUDGED, Reranker, judge_of, reranked

SECRET = "Vera's secret"
SCORES = st.one_of(st.none(), st.floats(-5, 5))


def order(found: Sequence[str], reranker: Reranker | None) -> list[str]:
    """Return the texts in the reranker's order."""
    return reranked(found, lambda one: one, reranker and judge_of(reranker, SECRET))


@given(st.lists(SCORES, max_size=2 * JUDGED))
def test_best_are_in_its_order_and_the_rest_stay_behind(scores: list[float | None]) -> None:
    found = [f"{number}" for number in range(len(scores))]
    answer = order(found, lambda _, texts: [scores[int(text)] for text in texts])

    judged = [
        (score, text) for score, text in zip(scores, found, strict=True) if score is not None and int(text) < JUDGED
    ]
    assert answer == [text for _, text in sorted(judged, key=lambda pair: (-pair[0], int(pair[1])))] + found[JUDGED:]


def test_reranker_gets_the_message_and_only_the_best() -> None:
    seen: list[tuple[str, int]] = []

    def look(message: str, texts: Sequence[str]) -> list[float]:
        seen.append((message, len(texts)))
        return [0.0] * len(texts)

    assert order(["a"] * 60, look) == ["a"] * 60
    assert order([], look) == []
    assert seen == [(SECRET, JUDGED)]


def raising(message: str, texts: Sequence[str]) -> list[float]:
    raise RuntimeError(message)


@pytest.mark.parametrize(
    "reranker",
    [
        raising,
        lambda _, texts: None,
        lambda _, texts: [1.0],
        lambda _, texts: 1.0,
        lambda _, texts: ["high", "low"],
        lambda _, texts: [math.nan, 1.0],
        lambda _, texts: [1.0, math.inf],
    ],
    ids=["raises", "nothing", "too few", "no list", "words", "nan", "infinite"],
)
def test_bad_answer_changes_nothing_and_the_log_has_no_text(reranker: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        assert order(["one", "other"], reranker) == ["one", "other"]
    assert SECRET not in caplog.text


def test_late_answer_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mosshead.search.rerank.READ_SECONDS", 0.05)

    def slow(message: str, texts: Sequence[str]) -> list[float]:
        time.sleep(60)
        return [0.0, 1.0]

    assert order(["one", "other"], slow) == ["one", "other"]


def test_no_reranker_changes_nothing() -> None:
    assert order(["one", "other"], None) == ["one", "other"]


def test_object_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ValueError, match="reranker: a callable"):
        judge_of("cross-encoder", SECRET)  # type: ignore[arg-type]


def lazily(message: str, texts: Sequence[str]) -> Any:
    for text in texts:
        if text:
            raise RuntimeError(message)
        yield 1.0


def slowly(_: str, texts: Sequence[str]) -> Any:
    for _ in texts:
        time.sleep(60)
        yield 1.0


@pytest.mark.parametrize("reranker", [lazily, slowly, lambda _, texts: [10**400, 1]])
def test_lazy_or_oversized_answer_changes_nothing_either(reranker: Reranker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mosshead.search.rerank.READ_SECONDS", 0.2)
    started = time.monotonic()
    assert order(["a", "b"], reranker) == ["a", "b"]
    assert time.monotonic() - started < 30
