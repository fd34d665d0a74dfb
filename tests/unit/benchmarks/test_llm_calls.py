"""The LLM that replays the facts of a conversation, and the figures of its calls."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from benchmarks.llm_calls import per_100
from benchmarks.replaying_model import ReplayingModel, Told, read_told, replayed
from mosshead.llm.openai import OpenAILanguageModel
from mosshead.models.kinds import Role
from pipeline.extraction.extract import extract
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message
from tests.fake_openai import Request

NOON = datetime(2023, 5, 8, 12, tzinfo=UTC)
CHAIR = Told("Ana bought a chair", "Ana", ("I bought a chair.",))
DOG = Told("Ben has a dog named Rex", "Ben", ("My dog is Rex.", "He is a good dog.\nThe best!"))
TOLD = (CHAIR, DOG)


def batch(*said: tuple[str, str]) -> list[Message]:
    return [
        Message(number, UUID(int=number), "c1", Role.USER, speaker, content, NOON)
        for number, (speaker, content) in enumerate(said, 1)
    ]


def answered(messages: list[Message], earlier: tuple[Message, ...] = ()) -> list[dict[str, Any]]:
    prompt = extraction_prompt(messages, Background(earlier=earlier))
    answer = replayed(TOLD, prompt.user)
    ExtractionAnswer.model_validate(answer)
    return list(answer["facts"])


def test_fact_is_found_where_its_turn_is_asked_about_under_the_shown_numbers() -> None:
    messages = batch(("Ana", "Hi!"), ("Ben", "My dog is Rex."), ("Ben", "He is a good dog.\nThe best!"))
    (fact,) = answered(messages)

    assert (fact["content"], fact["sources"], fact["quote"]) == (DOG.content, [2, 3], "My dog is Rex.")
    assert [mention["name"] for mention in fact["mentions"]] == ["Ben"]


def test_turn_shown_only_as_context_gives_no_fact_again() -> None:
    messages = batch(("Ana", "Hi!"), ("Ana", "I bought a chair."))
    assert [fact["content"] for fact in answered(messages)] == [CHAIR.content]
    assert answered(messages[:1], earlier=(messages[1],)) == []


def test_one_of_several_turns_is_enough_if_it_is_the_first() -> None:
    assert [fact["sources"] for fact in answered(batch(("Ben", "My dog is Rex.")))] == [[1]]
    assert answered(batch(("Ben", "He is a good dog.\nThe best!"))) == []


def test_replayed_facts_pass_the_checks_of_the_service() -> None:
    messages = batch(("Ana", "I bought a chair."), ("Ben", "My dog is Rex."))
    with ReplayingModel(TOLD) as endpoint:
        model = OpenAILanguageModel("m", api_key="none", timeout=10, base_url=endpoint.base_url)
        found = extract(messages, Background(), model)

    assert [fact.content for fact in found.facts] == [CHAIR.content, DOG.content]
    assert endpoint.calls["ExtractionAnswer"] == 1


def test_other_questions_are_answered_like_the_tests_fake() -> None:
    asked = {"messages": [{"content": "BEGIN FACTS\nF1, near no memory\n| Ana bought a chair\nEND FACTS"}]}
    with ReplayingModel(TOLD) as endpoint:
        answer = endpoint.take(Request("/chat/completions", "ConsolidationAnswer", asked))
    assert isinstance(answer, dict)
    assert [one["action"] for one in answer["decisions"]] == ["add"]


def test_facts_of_a_conversation_are_read_with_the_words_of_their_turns(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a chair."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "My dog is Rex."},
        {"speaker": "Ben", "dia_id": "D1:3", "text": "He is a good dog.\nThe best!"},
    ]
    observation = {"Ana": [[CHAIR.content, "D1:1"]], "Ben": [[DOG.content, ["D1:2", "D1:3"]]]}
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023", "speaker_a": "Ana"}
    sample = {"conversation": conversation, "observation": {"session_1_observation": observation}}
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([{**sample, "sample_id": "other", "observation": {}}, {**sample, "sample_id": "one"}]))

    assert read_told(data, "one") == list(TOLD)


@pytest.mark.parametrize(("count", "messages", "each"), [(19, 419, 4.5), (0, 10, 0.0), (12, 100, 12.0)])
def test_figures_are_per_hundred_messages(count: int, messages: int, each: float) -> None:
    assert per_100(count, messages) == each
