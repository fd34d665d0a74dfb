"""What every `LanguageModel` guarantees: the endpoint adapter, and the one that caches answers for a batch."""

import traceback
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from db.keys import LaneRef
from mosshead.errors import MossheadError
from mosshead.llm import (
    AnswerDeclined,
    AnswerTruncated,
    AnswerUnusable,
    LanguageModel,
    ModelUnavailable,
    Prompt,
)
from mosshead.llm.openai import OpenAILanguageModel
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background
from tests.factories import messages
from tests.fake_openai import FakeOpenAI, Fault
from tests.given import under_way
from workers.dependencies import UsageLog
from workers.stages.load import KeptModel

CANARY = "zanzibarcanary"
NAME = "gpt-fake"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as fake:
        yield fake


@pytest.fixture(params=["openai", "kept"])
def model(request: pytest.FixtureRequest, endpoint: FakeOpenAI) -> LanguageModel:
    asked = OpenAILanguageModel(NAME, api_key="sk-fake", base_url=endpoint.base_url, timeout=60)
    if request.param == "openai":
        return asked
    engine: Engine = request.getfixturevalue("worker_engine")
    lane: LaneRef = request.getfixturevalue("lane")
    return KeptModel(asked, engine, under_way(engine, lane), UsageLog(), "extract")


@pytest.fixture
def prompt() -> Prompt[ExtractionAnswer]:
    return extraction_prompt(messages(f"I live in Seattle. My word is {CANARY}."), Background())


def test_model_has_the_endpoints_name_for_it(model: LanguageModel) -> None:
    assert model.name == NAME


def test_answer_has_the_requested_type(model: LanguageModel, prompt: Prompt[ExtractionAnswer]) -> None:
    answers = [model.answer(prompt) for _ in range(2)]

    assert [fact.content for fact in answers[0].facts] == ["User lives in Seattle.", f"User's word is {CANARY}."]
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.status(503), ModelUnavailable),
        (Fault("reset"), ModelUnavailable),
        (Fault("truncated"), AnswerTruncated),
        (Fault("misfit"), AnswerUnusable),
        (Fault("refusal"), AnswerDeclined),
    ],
    ids=lambda given: getattr(given, "kind", None),
)
def test_failure_is_specific_and_contains_no_conversation_text(
    model: LanguageModel,
    endpoint: FakeOpenAI,
    prompt: Prompt[ExtractionAnswer],
    fault: Fault,
    error: type[MossheadError],
) -> None:
    # An unusable answer is requested once more.
    endpoint.script("ExtractionAnswer", *[fault] * (2 if error is AnswerUnusable else 1))

    with pytest.raises(error) as raised:
        model.answer(prompt)

    assert CANARY not in "".join(traceback.format_exception(raised.value))
    if error is ModelUnavailable:
        assert model.answer(prompt).facts, "the same question can be asked later"
