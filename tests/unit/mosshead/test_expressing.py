"""The expression filter drops what a model names, and nothing if it has no good answer."""

import logging
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.tact_filter import ExpressionAnswer, create_expression_filter, expression_prompt, kept
from mosshead.errors import ConfigurationError
from mosshead.llm.protocol import ModelUnavailable, Prompt
from mosshead.search.rerank import judge_of, reranked

TEXTS = ["User likes tea", "User's father died", "User plays the cello"]


class Scripted:
    """A model of an app."""

    name = "scripted"

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.asked: list[Prompt[Any]] = []

    def answer(self, prompt: Prompt[Any]) -> Any:
        self.asked.append(prompt)
        return self._answer(prompt) if callable(self._answer) else self._answer


def shown(answer: Any, texts: list[str] = TEXTS) -> tuple[list[str], Scripted]:
    model = Scripted(answer)
    judge = judge_of(create_expression_filter(model), "Tell me a joke")
    return reranked(texts, lambda one: one, judge), model


def test_one_call_drops_the_unsuitable_items_and_moves_nothing() -> None:
    left, model = shown(ExpressionAnswer(out_of_place=(2,)))
    assert left == [TEXTS[0], TEXTS[2]]
    (prompt,) = model.asked
    assert prompt.user == (
        "BEGIN MESSAGE\n| Tell me a joke\nEND MESSAGE\n\n"
        "BEGIN NOTES\n[1]\n| User likes tea\n[2]\n| User's father died\n[3]\n| User plays the cello\nEND NOTES"
    )


@pytest.mark.parametrize("answer", [(), (0,), (2, 4), (-1,)])
def test_answer_that_names_unshown_items_drops_nothing(answer: tuple[int, ...]) -> None:
    assert shown(ExpressionAnswer(out_of_place=answer))[0] == TEXTS


def down(_: Any) -> Any:
    raise ModelUnavailable("it is down")


@pytest.mark.parametrize("answer", [down, None, {"out_of_place": [1]}, lambda _: 1 / 0, lambda _: time.sleep(20)])
def test_failure_keeps_everything_and_the_log_has_no_text(
    answer: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mosshead.search.rerank.READ_SECONDS", 1.0)
    with caplog.at_level(logging.DEBUG):
        assert shown(answer)[0] == TEXTS
    assert "reranker" in caplog.text
    assert "father" not in caplog.text


@given(st.lists(st.integers(-2, 8), max_size=5), st.integers(0, 6))
def test_dropped_items_were_shown_and_all_others_score_alike(numbers: list[int], texts: int) -> None:
    scores = kept(ExpressionAnswer(out_of_place=tuple(numbers)), texts)
    assert len(scores) == texts
    left_out = {number for number, score in enumerate(scores, 1) if score is None}
    assert left_out == (set(numbers) if all(1 <= number <= texts for number in numbers) else set())
    assert {score for score in scores if score is not None} <= {0.0}


@given(st.lists(st.text(), max_size=4), st.text())
def test_no_text_passes_for_the_prompts_own_words(texts: list[str], message: str) -> None:
    lines = expression_prompt(message, texts).user.split("\n")
    assert [line for line in lines if line.startswith("[")] == [f"[{number}]" for number in range(1, len(texts) + 1)]
    assert sum(line.startswith(("BEGIN", "END")) for line in lines) == 4


def test_object_that_is_no_model_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="model: "):
        create_expression_filter("gpt-4o-mini")
