"""A model manages and searches memories with its tools, over real HTTP; misuse does no harm."""

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from mosshead import Memory, Namespace
from mosshead.contrib.agent_tools import MemoryTool, manage_memory_tool, run_tools, search_memory_tool
from mosshead.errors import ConfigurationError
from mosshead.paths import NamespacePath
from tests.acceptance.test_readme import python_with_output
from tests.fake_chat import CHAT
from tests.fake_openai import FakeOpenAI
from tests.pages import ROOT
from workers.local import Addresses


@pytest.fixture
def sarah(memory: Memory, fresh_namespace: NamespacePath) -> Namespace:
    return memory.namespace(*fresh_namespace.parts)


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as served:
        yield served


class Agent:
    """An app's loop: call the model, execute its tool calls, and call again with the results."""

    def __init__(self, fake: FakeOpenAI, tools: list[MemoryTool]) -> None:
        self._fake = fake
        self._client = openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0)
        self._tools = tools

    def turn(self, *calls: tuple[str, Any]) -> list[str]:
        """Let the model make some calls; return the result of each."""
        made = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": name, "arguments": one if isinstance(one, str) else json.dumps(one)},
            }
            for place, (name, one) in enumerate(calls)
        ]
        self._fake.script(CHAT, {"content": None, "tool_calls": made}, {"content": "Done."})
        messages: list[Any] = [{"role": "user", "content": "Remember that I like tea"}]
        definitions: Any = [tool.definition for tool in self._tools]
        asked = self._client.chat.completions.create(model="m", messages=messages, tools=definitions)
        answers = run_tools(asked.choices[0].message, self._tools)
        messages += [asked.choices[0].message.model_dump(exclude_none=True), *answers]
        self._client.chat.completions.create(model="m", messages=messages, tools=definitions)
        sent = self._fake.requests[-1].body["messages"][2:]
        assert [one["tool_call_id"] for one in sent] == [one["id"] for one in made]
        return [one["content"] for one in sent]


@pytest.fixture
def agent(sarah: Namespace, fake: FakeOpenAI) -> Agent:
    return Agent(fake, [manage_memory_tool(sarah), search_memory_tool(sarah)])


def number_in(answer: str) -> int:
    return int(next(word for word in answer.replace(".", " ").replace(":", " ").split() if word.isdigit()))


def contents(sarah: Namespace) -> list[str]:
    return sorted(one.content for one in sarah.query("what does the user like?"))


class TestAModelThatUsesThem:
    def test_model_creates_finds_changes_and_deletes_memories(self, agent: Agent, sarah: Namespace) -> None:
        created, nothing = agent.turn(
            ("manage_memory", {"action": "create", "content": "User likes tea", "number": None}),
            ("search_memory", {"query": "chess", "limit": 1}),
        )
        assert created.startswith("Remembered as ")
        (found,) = agent.turn(("search_memory", {"query": "What does the user drink?", "limit": None}))
        number = number_in(created)
        assert f"\n- {number}: User likes tea\n</memories>" in found
        assert f"- {number}: User likes tea" in nothing, "of what little is known, the nearest"

        (updated,) = agent.turn(
            ("manage_memory", {"action": "update", "content": "User likes coffee", "number": number})
        )
        assert updated.startswith(f"{number} is replaced by ")
        assert contents(sarah) == ["User likes coffee"]
        (deleted,) = agent.turn(
            ("manage_memory", {"action": "delete", "content": None, "number": number_in(updated[len(str(number)) :])})
        )
        assert deleted.startswith("Forgotten: ")
        assert contents(sarah) == []
        (empty,) = agent.turn(("search_memory", {"query": "drinks", "limit": None}))
        assert empty == "Nothing is remembered about this."

    def test_model_sees_no_ids_and_numbers_stay_valid_in_later_turns(
        self, agent: Agent, sarah: Namespace, fake: FakeOpenAI
    ) -> None:
        memory_id = sarah.remember("User likes tea")
        (found,) = agent.turn(("search_memory", {"query": "tea", "limit": None}))
        anew = Agent(fake, [manage_memory_tool(sarah), search_memory_tool(sarah)])
        (again,) = anew.turn(("search_memory", {"query": "tea", "limit": None}))
        assert found == again
        assert str(memory_id) not in json.dumps([request.body for request in fake.requests])

    def test_tool_definitions_are_strict(self, sarah: Namespace) -> None:
        for tool in (
            search_memory_tool(sarah, name="look", instructions="Twice."),
            manage_memory_tool(sarah),
            manage_memory_tool(sarah, actions=("create",)),
            manage_memory_tool(sarah, actions=("delete",)),
        ):
            function = tool.definition["function"]
            assert tool.responses_definition == {"type": "function", **function}
            parameters = function["parameters"]
            assert function["strict"] is True
            assert parameters["additionalProperties"] is False
            assert parameters["required"] == list(parameters["properties"])
        assert list(manage_memory_tool(sarah, actions=("create",)).parameters["properties"]) == ["action", "content"]
        assert list(manage_memory_tool(sarah, actions=("delete",)).parameters["properties"]) == ["action", "number"]
        assert search_memory_tool(sarah, name="look", instructions="Twice.").description.endswith(" Twice.")


BAD_CALLS: list[tuple[str, Any, str]] = [
    ("manage_memory", "{not json", "Not done. The arguments are no JSON object"),
    ("manage_memory", "[1, 2]", "Not done. The arguments are no JSON object"),
    ("manage_memory", "[" * 100_000, "Not done. The arguments are no JSON object"),
    ("search_memory", '{"query": ' * 20_000, "Not done. The arguments are no JSON object"),
    ("manage_memory", "", "Not done. The arguments are no JSON object"),
    ("manage_memory", {"action": "erase", "content": "x", "number": None}, "Not done. action: one of create"),
    ("manage_memory", {"content": "x"}, "Not done. action: missing"),
    ("manage_memory", {"action": "create", "content": "  ", "number": None}, "Not done. content: is empty"),
    ("manage_memory", {"action": "create", "content": None, "number": None}, "Not done. content: is empty"),
    ("manage_memory", {"action": "create", "content": 7, "number": None}, "Not done. content: "),
    ("manage_memory", {"action": "create", "content": "x" * 9_000, "number": None}, "Not done. event not acc"),
    ("manage_memory", {"action": "create", "content": "x", "why": "y"}, "Not done. why: not a field"),
    ("manage_memory", {"action": "delete", "content": None, "number": None}, "Not done. number: is missing"),
    ("manage_memory", {"action": "delete", "content": None, "number": 17}, "Not done. There is no memory with"),
    ("manage_memory", {"action": "update", "content": "x", "number": -1}, "Not done. There is no memory with"),
    ("manage_memory", {"action": "update", "content": "x", "number": "1"}, "Not done. number: "),
    ("search_memory", {"query": " ", "limit": None}, "Not done. query: is empty"),
    ("search_memory", {"limit": 3}, "Not done. query: missing"),
    ("delete_everything", {}, "There is no such tool; there are manage_memory, search_memory."),
]
"""Mistakes of a model, and the message it gets."""


class TestAModelThatUsesThemBadly:
    def test_misuse_is_explained_and_changes_nothing(self, agent: Agent, sarah: Namespace) -> None:
        sarah.remember("User likes tea")
        told = agent.turn(*((name, arguments) for name, arguments, _ in BAD_CALLS))
        for said, (*call, expected) in zip(told, BAD_CALLS, strict=True):
            assert said.startswith(expected), call
        assert contents(sarah) == ["User likes tea"]

    def test_closed_memory_is_reported_to_the_model(self, agent: Agent) -> None:
        (created,) = agent.turn(("manage_memory", {"action": "create", "content": "User likes tea", "number": None}))
        number = number_in(created)
        delete = ("manage_memory", {"action": "delete", "content": None, "number": number})
        first, second = agent.turn(delete, delete)
        assert first.startswith("Forgotten")
        assert second == f"Not done. number: {number} is closed already; search again for what is known now."

    def test_disallowed_action_is_refused(self, sarah: Namespace, fake: FakeOpenAI) -> None:
        memory_id = sarah.remember("User likes tea")
        agent = Agent(fake, [manage_memory_tool(sarah, actions=("create",)), search_memory_tool(sarah)])
        (found,) = agent.turn(("search_memory", {"query": "tea", "limit": None}))
        number = number_in(found.partition("- ")[2])
        (told,) = agent.turn(("manage_memory", {"action": "delete", "content": None, "number": number}))
        assert told == "Not done. action: one of create."
        assert sarah.get(memory_id).state == "active"

    @pytest.mark.parametrize("actions", [(), ("erase",), ("create", "erase")])
    def test_allowing_an_unknown_action_is_an_error(self, sarah: Namespace, actions: Any) -> None:
        with pytest.raises(ConfigurationError, match="actions: some of create, update, delete, got "):
            manage_memory_tool(sarah, actions=actions)


def test_unavailable_memory_does_not_fail_the_turn(sarah: Namespace, addresses: Addresses, tmp_path: Path) -> None:
    with Memory.connect(
        database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=tmp_path, spool_bytes=65_536
    ) as memory:
        namespace = memory.namespace(*sarah.path.parts)
        manage = manage_memory_tool(namespace)
        told = [manage({"action": "create", "content": f"{number} {'x' * 7_000}"}) for number in range(12)]
    assert told[0].startswith("Remembered as ")
    assert told[-1] == "The memory cannot be reached at the moment. Go on without it."


def test_code_of_the_tools_page_runs(sarah: Namespace, memory: Memory, fake: FakeOpenAI) -> None:
    create = {"name": "manage_memory", "arguments": '{"action": "create", "content": "User is allergic to nuts"}'}
    called = {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": create}]}
    fake.script(CHAT, called, {"content": "I will."})
    client = openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0)
    variables: dict[str, object] = {"sarah": sarah, "memory": memory, "client": client}
    loop, by_hand, template = [code for code, _ in python_with_output(ROOT / "docs" / "how-to" / "agents.md")[:3]]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(loop, "docs/how-to/agents.md", "exec"), variables)
    assert printed.getvalue() == "I will.\n"
    assert contents(sarah) == ["User is allergic to nuts"]
    exec(compile(by_hand, "docs/how-to/agents.md", "exec"), variables)
    assert contents(sarah) == ["User is allergic to nuts"]
    exec(compile(template, "docs/how-to/agents.md", "exec"), variables)
    assert str(getattr(variables["namespace"], "path")) == "acme/sarah_123/assistant"  # noqa: B009 - of an object
