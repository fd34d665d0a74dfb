"""An Anthropic client with memory behaves like the plain one, reads before each call and publishes after it."""

import asyncio
import json
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import anthropic
import pytest
from anthropic import beta_tool
from pydantic import BaseModel

from mosshead import InvalidNamespace, Memory, Namespace
from mosshead.contrib.anthropic_client import with_memory
from mosshead.paths import NamespacePath
from tests.fake_anthropic import FakeAnthropic, text_of
from tests.given import MINILM, Remembering
from tests.integration.mosshead.conftest import Taken

PATIENT = 30.0
"""Seconds for a read where a test is not about time: the machine may be busy."""

DOG = "User's dog is called Biscuit"
ASKED: dict[str, Any] = {
    "model": "m",
    "max_tokens": 100,
    "system": "Be kind.",
    "messages": [{"role": "user", "content": "What is my dog called?"}],
}
CALL: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "look", "input": {"where": "here"}}
RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "t1", "content": "It lies on the sofa."}
Ask = Callable[[Any], str]


class Place(BaseModel):
    """A structured answer."""

    city: str


@pytest.fixture
def fake() -> Iterator[FakeAnthropic]:
    """Yield the endpoint."""
    with FakeAnthropic() as server:
        yield server


@pytest.fixture(scope="session")
def costly() -> Iterator[anthropic.Anthropic]:
    """Yield one client for all tests: its certificates take long to load."""
    with anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1:9", max_retries=0) as client:
        yield client


@pytest.fixture
def plain(costly: anthropic.Anthropic, fake: FakeAnthropic) -> anthropic.Anthropic:
    """Return a client of the endpoint, without memory."""
    return costly.with_options(base_url=fake.base_url)


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    """Return a namespace that has memories."""
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def client(plain: anthropic.Anthropic, sarah: Namespace, remembering: Remembering) -> anthropic.Anthropic:
    remembering.memory(DOG, MINILM.embed([DOG])[0])
    return with_memory(plain, sarah, conversation="c1", timeout=PATIENT)


def said(events: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(event["role"], event["content"]) for event in events]


def create(client: Any) -> str:
    return text_of([one.model_dump() for one in client.messages.create(**ASKED).content])


def stream(client: Any) -> str:
    events = client.messages.create(**ASKED, stream=True)
    return "".join(event.delta.text for event in events if event.type == "content_block_delta")


def helper(client: Any) -> str:
    with client.messages.stream(**ASKED) as stream:
        return "".join(stream.text_stream)


def parse(client: Any) -> str:
    return text_of([one.model_dump() for one in client.messages.parse(**ASKED).content])


def raw(client: Any) -> str:
    answered = client.messages.with_raw_response.create(**ASKED)
    assert answered.http_response.status_code == 200
    return text_of([one.model_dump() for one in answered.parse().content])


def raw_of_client(client: Any) -> str:
    answered = client.with_raw_response.messages.create(**ASKED)
    return text_of([one.model_dump() for one in answered.parse().content])


def options(client: Any) -> str:
    return create(client.with_options(timeout=20))


def of_a_copy(client: Any) -> str:
    return create(copy(client))


def beta(client: Any) -> str:
    return text_of([one.model_dump() for one in client.beta.messages.create(**ASKED).content])


def beta_helper(client: Any) -> str:
    with client.beta.messages.stream(**ASKED) as stream:
        return str(stream.get_final_text())


def runner(client: Any) -> str:
    (turn,) = client.beta.messages.tool_runner(**ASKED, tools=[])
    return text_of([one.model_dump() for one in turn.content])


WAYS: dict[str, Ask] = {
    way.__name__: way
    for way in (*(create, stream, helper, parse, raw, raw_of_client, options, of_a_copy, beta, beta_helper, runner),)
}


@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
def test_turn_is_read_for_forwarded_and_published(  # noqa: PLR0917 - fixtures
    client: Any, plain: anthropic.Anthropic, fake: FakeAnthropic, taken: Taken, sarah: Namespace, ask: Ask
) -> None:
    assert ask(plain) == "You have not told me."
    answer = ask(client)

    assert answer == f"You told me: {DOG}."
    assert [one["system"] for one in fake.requests] == ["Be kind."] * 2
    (asked,) = fake.requests[1]["messages"]
    assert json.dumps(fake.requests[1]).count(DOG) == 1
    assert asked["content"].startswith("Notes from earlier conversations")
    assert asked["content"].endswith("</memories>\n\nWhat is my dog called?")
    assert ASKED["messages"] == [{"role": "user", "content": "What is my dog called?"}]
    events = taken(2)
    assert said(events) == [("user", "What is my dog called?"), ("assistant", answer)]
    assert {event["conversation"] for event in events} == {"c1"}
    (known,) = sarah.memories()
    assert [event["injected"] for event in events] == [[str(known.id)]] * 2
    assert all(event["metadata"] == {} for event in events)


def test_async_client_does_the_same(client: Any, fake: FakeAnthropic, sarah: Namespace, taken: Taken) -> None:
    async def talk() -> tuple[str, str]:
        async with anthropic.AsyncAnthropic(api_key="none", base_url=fake.base_url, max_retries=0) as plain:
            remembers: Any = with_memory(plain, sarah, conversation="c2", timeout=PATIENT)
            whole = await remembers.messages.create(**ASKED)
            async with remembers.messages.stream(**ASKED) as stream:
                return whole.content[0].text, await stream.get_final_text()

    assert asyncio.run(talk()) == (f"You told me: {DOG}.",) * 2
    assert said(taken(4))[2:] == [("user", "What is my dog called?"), ("assistant", f"You told me: {DOG}.")]


@pytest.mark.parametrize("ask", [create, stream, helper, runner])
def test_tool_calls_and_their_results_are_turns(client: Any, fake: FakeAnthropic, taken: Taken, ask: Ask) -> None:
    @beta_tool
    def look(where: str) -> str:
        """Look somewhere."""
        return "It lies on the sofa."

    fake.script([{"type": "text", "text": "I look."}, CALL])
    if ask is runner:
        list(client.beta.messages.tool_runner(**ASKED, tools=[look], thread=False))
    else:
        ask(client) if ask is not stream else list(client.messages.create(**ASKED, stream=True))
        assistant = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, CALL]}
        more = {"role": "user", "content": [RESULT]}
        client.messages.create(**{**ASKED, "messages": [*ASKED["messages"], assistant, more]})

    user, called, result, last = taken(4)
    arguments = json.loads(called["tool_calls"][0]["function"]["arguments"])
    assert (user["content"], called["content"], arguments) == ("What is my dog called?", "I look.", {"where": "here"})
    assert (result["role"], result["content"], result["tool_call_id"]) == ("tool", "It lies on the sofa.", "t1")
    assert last["role"] == "assistant"
    first, second = (one["messages"][0]["content"] for one in fake.requests)
    assert first == second, "the notes stand before the words that they were read for"


def test_notes_come_after_tool_results_and_before_text(client: Any, fake: FakeAnthropic) -> None:
    words = {"type": "text", "text": "What is my dog called?"}
    messages = [
        {"role": "user", "content": "Look for it."},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [RESULT, words]},
    ]
    system = [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]
    client.messages.create(**{**ASKED, "messages": iter(messages), "system": system})

    (sent,) = fake.requests
    assert [one["type"] for one in sent["messages"][2]["content"]] == ["tool_result", "text", "text"]
    assert sent["messages"][2]["content"][2] == words
    assert sent["messages"][:2] == messages[:2]
    assert sent["system"][0] == system[0]


def test_abandoned_stream_is_published_as_far_as_it_came(client: Any, taken: Taken) -> None:
    with client.messages.stream(**ASKED) as stream:
        next(stream.text_stream)
    pieces = client.messages.create(**ASKED, stream=True)
    next(piece for piece in pieces if piece.type == "content_block_delta")
    pieces.close()

    for event in taken(4)[1::2]:
        assert (event["content"], event["metadata"]) == ("You", {"cut": True})


def test_structured_answer_is_published_as_it_was_said(client: Any, fake: FakeAnthropic, taken: Taken) -> None:
    fake.script([{"type": "text", "text": '{"city": "Oslo"}'}])
    result = client.messages.parse(**ASKED, output_format=Place)

    assert result.parsed_output == Place(city="Oslo")
    assert said(taken(2))[1] == ("assistant", '{"city": "Oslo"}')


def test_call_names_the_namespace_and_the_conversation(
    plain: anthropic.Anthropic, memory: Memory, sarah: Namespace, taken: Taken, fake: FakeAnthropic
) -> None:
    shared: Any = with_memory(plain, memory, timeout=PATIENT)
    with pytest.raises(InvalidNamespace, match="namespace: missing; use with_memory"):
        shared.messages.create(**ASKED)
    assert fake.requests == []

    shared.messages.create(**ASKED, namespace=sarah.path.parts, conversation="c9")
    assert fake.requests == [ASKED]
    assert {event["conversation"] for event in taken(2)} == {"c9"}


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"client": object()}, "client: an anthropic.Anthropic or anthropic.AsyncAnthropic, got object"),
        ({"memory": "acme"}, "memory: a Memory, or one of its namespaces, got str"),
        ({"placement": "top"}, "placement: one of message, system, got 'top'"),
        ({"conversation": 5}, "conversation: a name, or a function that returns one, got 5"),
        ({"zone": "Europe/Paris"}, "zone: a zone such as"),
        ({"on_extract": "x"}, "on_extract: a function, got str"),
        ({"on_error": "x"}, "on_error: a function, got str"),
    ],
)
def test_unsuitable_arguments_are_named(
    plain: anthropic.Anthropic, sarah: Namespace, given: dict[str, Any], fault: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=fault):
        with_memory(**{"client": plain, "memory": sarah, **given})
