"""The answers of benchmarks.peers' model to each system, and its endpoint."""

import json
import urllib.request
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from benchmarks.peers.answering import answer, prompt_tokens
from benchmarks.peers.endpoint import Endpoint
from benchmarks.replaying_model import Told
from mosshead.models.kinds import Role
from pipeline.extraction.prompt import ExtractionAnswer, extraction_prompt
from pipeline.models import Background, Message

CHAIR = Told("Ana bought a chair", "Ana", ("I bought a chair.",))
DOG = Told("Ben has a dog named Rex", "Ben", ("My dog is Rex.", "He is a good dog."))
TOLD = (CHAIR, DOG)

MEM0_SYSTEM = "Rules.\n## New Messages\nuser: Ben: My dog is Rex.\n\n## Observation Date\n2020-01-01"
MEM0_ASKS = (
    "## Last k Messages\nuser: Ben: My dog is Rex.\n\n"
    "## New Messages\nuser: Ana: {said}\n\n\n## Observation Date\n2024-01-01"
)
LANGMEM_ASKS = "Remember.\n\n<session_12-ab>\n== Human Message ==\n\nAna: {said}\n</session_12-ab>"


def mem0_request(said: str) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": MEM0_SYSTEM},
        {"role": "user", "content": MEM0_ASKS.format(said=said)},
    ]
    return {"model": "fake", "messages": messages, "response_format": {"type": "json_object"}}


def langmem_request(said: str) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": "Known: Ben: My dog is Rex."},
        {"role": "user", "content": LANGMEM_ASKS.format(said=said)},
    ]
    return {"model": "fake", "messages": messages, "tools": [{"type": "function"}]}


def test_mem0_gets_only_the_facts_of_the_new_messages() -> None:
    said = json.loads(answer(TOLD, mem0_request("I bought\na chair."))["content"])
    assert said == {"memory": [{"id": "0", "text": CHAIR.content}]}
    assert json.loads(answer(TOLD, mem0_request("Hi!"))["content"]) == {"memory": []}


def test_langmem_gets_facts_as_calls_of_its_tool() -> None:
    (call,) = answer(TOLD, langmem_request("I bought\na chair."))["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == (
        "Memory",
        {"content": CHAIR.content},
    )
    assert "tool_calls" not in answer(TOLD, langmem_request("Hi!"))


def test_mosshead_gets_facts_in_the_form_of_its_schema() -> None:
    noon = datetime(2023, 5, 8, 12, tzinfo=UTC)
    message = Message(1, UUID(int=1), "c1", Role.USER, "Ana", "I bought a chair.", noon)
    prompt = extraction_prompt([message], Background())
    form = {"type": "json_schema", "json_schema": {"name": "ExtractionAnswer"}}
    said = answer(TOLD, {"messages": [{"role": "user", "content": prompt.user}], "response_format": form})

    (fact,) = ExtractionAnswer.model_validate_json(said["content"]).facts
    assert (fact.content, fact.sources) == (CHAIR.content, (1,))


def test_prompt_of_another_version_is_refused() -> None:
    request = mem0_request("Hi!")
    request["messages"][-1]["content"] = "## Messages\nuser: Ana: Hi!"
    with pytest.raises(ValueError, match="another version"):
        answer(TOLD, request)


def test_schemas_and_tools_are_read_too() -> None:
    count = len
    said = {"messages": [{"content": "abc"}, {"content": "de"}]}

    assert prompt_tokens(said, count) == 5
    assert prompt_tokens(said | {"tools": [{"a": 1}]}, count) == 5 + len('[{"a":1}]')
    assert prompt_tokens(said | {"response_format": {}, "tools": []}, count) == 5 + len("{}[]")


def test_endpoint_answers_over_http_and_keeps_its_requests() -> None:
    request = mem0_request("I bought a chair.")
    with Endpoint(partial(answer, TOLD), 0.0) as endpoint:
        sent = urllib.request.Request(f"{endpoint.base_url}/chat/completions", json.dumps(request).encode())
        with urllib.request.urlopen(sent, timeout=10) as response:
            (choice,) = json.load(response)["choices"]

    assert (choice["message"], choice["finish_reason"]) == (answer(TOLD, request), "stop")
    assert endpoint.asked == [request]


def test_fact_is_told_when_its_first_turn_is_new_and_not_again() -> None:
    first, second = (json.loads(answer(TOLD, mem0_request(text))["content"]) for text in DOG.texts)
    assert first == {"memory": [{"id": "0", "text": DOG.content}]}
    assert second == {"memory": []}
