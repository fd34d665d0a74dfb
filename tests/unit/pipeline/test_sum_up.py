"""The running summary of a conversation."""

from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

import pytest

from mosshead.llm import AnswerUnusable, ModelUnavailable, Prompt
from mosshead.models.kinds import Role
from pipeline.models import Message
from pipeline.reflection.conversations import SummaryAnswer, SummedUp, sum_up


class Writer:
    """Writes what it is told to, and records its requests."""

    name = "a writer"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def answer(self, prompt: Prompt[Any]) -> Any:
        self.asked.append(prompt.user)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SummaryAnswer(summary=answer)


def said(*contents: str) -> list[Message]:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    return [Message(n, UUID(int=n), "c", Role.USER, None, content, at) for n, content in enumerate(contents, 1)]


def test_model_continues_the_old_summary() -> None:
    writer = Writer("User likes figs and tea.")

    made = sum_up("User likes figs.", said("I like tea"), ["User likes tea"], writer)

    assert made == SummedUp("User likes figs and tea.")
    assert "BEGIN OLD SUMMARY\n| User likes figs.\nEND OLD SUMMARY" in writer.asked[0]
    assert "[1] user, Monday 2026-03-02T00:00+00:00\n| I like tea" in writer.asked[0]


def test_more_than_a_call_shows_is_summarised_in_turns() -> None:
    writer = Writer("one.", "two.", "three.")

    made = sum_up("", said(*["x" * 9_999] * 15), [], writer)

    assert made == SummedUp("three.")
    assert ["| one." in asked for asked in writer.asked] == [False, True, False]
    assert [asked.count("x" * 4_000) for asked in writer.asked] == [6, 6, 3]
    assert all("x" * 4_001 not in asked for asked in writer.asked)


def test_answer_without_words_changes_nothing() -> None:
    assert sum_up("User likes figs.", said("Hm"), [], Writer("  ")) == SummedUp("User likes figs.")


@pytest.mark.parametrize(("telling", "text"), [(["User likes tea."], "User likes tea."), ([], "User likes figs.")])
def test_rules_answer_with_a_reason_where_the_model_does_not(telling: list[str], text: str) -> None:
    made = sum_up("User likes figs.", said("I like tea"), telling, Writer(AnswerUnusable("not JSON")))
    assert made == SummedUp(text, "AnswerUnusable: not JSON")


def test_summary_waits_where_nobody_answers() -> None:
    with pytest.raises(ModelUnavailable):
        sum_up("", said("I like tea"), ["User likes tea"], Writer(ModelUnavailable("down")))


def test_rules_list_each_memory_once() -> None:
    made = sum_up("old", said("x"), ["User likes tea", "User likes figs.", "User likes tea"], None)
    assert made == SummedUp("User likes tea. User likes figs.")
    assert sum_up("old", said("x"), [], None) == SummedUp("")


@pytest.mark.parametrize(
    ("answer", "length", "end"),
    [("Figs are fine. " * 200, 1_499, "fine."), ("無花果が好き。" * 500, 1_498, "好き。"), ("x" * 9_999, 1_500, "x…")],
    ids=["sentences", "another script", "one word"],
)
def test_overlong_summary_is_cut_at_the_end_of_a_sentence(answer: str, length: int, end: str) -> None:
    text = sum_up("", said("x"), [], cast("Any", Writer(answer))).text
    assert (len(text), text.endswith(end)) == (length, True)
