"""Evidence becomes a story by the given model, or a chronicle if it has no good answer."""

import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from mosshead.contrib.stories.prompt import StoryAnswer, ToldSentence
from mosshead.contrib.stories.requests import StoryIntent
from mosshead.contrib.stories.story import Story
from mosshead.contrib.stories.tell import told
from mosshead.llm.protocol import AnswerDeclined, ModelUnavailable, Prompt
from tests.unit.mosshead.contrib.stories.test_checking import EVIDENCE, REQUEST, STORY


class Scripted:
    """A model of an app."""

    name = "scripted"

    def __init__(self, answer: Callable[[Prompt[Any]], Any]) -> None:
        self._answer = answer
        self.asked: list[Prompt[Any]] = []

    def answer(self, prompt: Prompt[Any]) -> Any:
        self.asked.append(prompt)
        return self._answer(prompt)


def raising(error: Exception) -> Callable[[Prompt[Any]], Any]:
    def answer(prompt: Prompt[Any]) -> Any:
        raise error

    return answer


def saying(*sentences: tuple[str, tuple[int, ...]]) -> Callable[[Prompt[Any]], Any]:
    answer = StoryAnswer(sentences=tuple(ToldSentence(text=text, evidence=numbers) for text, numbers in sentences))
    return lambda _: answer


def test_models_story_is_kept_as_far_as_evidence_supports_it() -> None:
    model = Scripted(saying(("Ada moved to Leeds.", (1,)), ("She became a queen.", (9,)), ("And sang.", ())))
    story = told(STORY, REQUEST, model, None)
    assert (story.text, story.told_by, story.dropped, story.reason) == ("Ada moved to Leeds.", "model", 2, None)
    assert story.evidence == EVIDENCE
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (saying(), "model: it found nothing to tell"),
        (saying(("She became a queen.", (9,))), "model: no sentence of its answer rests on the evidence"),
        (raising(ModelUnavailable("it is down")), "model: it is down"),
        (raising(AnswerDeclined("it will not")), "model: it will not"),
        (raising(RuntimeError("Ada moved")), "model: it failed, or did not answer within 60.0 s"),
        (lambda _: None, "model: it answered with NoneType"),
        (lambda _: {"sentences": []}, "model: it answered with dict"),
        (
            lambda _: StoryAnswer.model_construct(sentences=cast(Any, 7)),
            "model: it failed, or did not answer within 60.0 s",
        ),
    ],
    ids=["nothing", "unknown", "down", "declined", "raises", "none", "dict", "misfit"],
)
def test_bad_answer_gives_the_chronicle_and_the_reason(answer: Any, reason: str) -> None:
    story = told(STORY, REQUEST, Scripted(answer), None)
    assert story.sentences == told(STORY, REQUEST, None, None).sentences
    assert (story.told_by, story.reason) == ("rules", reason)


@pytest.mark.parametrize("seconds", [-1.0, 0.05])
def test_late_model_is_not_waited_for(seconds: float) -> None:
    started = time.monotonic()
    story = told(STORY, REQUEST, Scripted(lambda _: time.sleep(20)), started + seconds)
    assert time.monotonic() - started < 10
    assert story.told_by == "rules"
    assert story.reason is not None
    assert story.reason.startswith("model: it failed, or did not answer within 0.")


def test_no_model_is_asked_without_evidence() -> None:
    model = Scripted(saying(("Once upon a time.", (1,))))
    nothing = Story(intent=StoryIntent.TIMELINE, reason="nothing")
    assert told(nothing, REQUEST, model, None) == nothing
    assert model.asked == []


def test_no_model_is_asked_where_no_time_is_left() -> None:
    model = Scripted(saying(("Ada moved to Leeds.", (1,))))
    assert told(STORY, REQUEST, model, time.monotonic() - 1).told_by == "rules"
    assert model.asked == []
