"""Other packages with memory, each the real one before a fake endpoint, and a service that works."""

import asyncio
from collections.abc import Iterator
from typing import Any

import agents
import anthropic
import openai
import pytest
from anthropic.lib.tools import ToolError

from mosshead import Memory, Namespace
from mosshead.contrib import anthropic_client
from mosshead.contrib.agents_session import MemorySession
from mosshead.contrib.anthropic_client.memory_tool import MemoryTool
from tests.acceptance.running import Running
from tests.fake_anthropic import FakeAnthropic
from tests.fake_openai import FakeOpenAI

PATIENT = 30.0


@pytest.fixture
def sarah(running: Running, request: pytest.FixtureRequest) -> Namespace:
    return running.memory.namespace("frameworks", request.node.name)


@pytest.fixture
def elsewhere(running: Running, sarah: Namespace) -> Iterator[Namespace]:
    """The same namespace as another process of the app reads it."""
    with Memory.connect(database_url=running.addresses.database_url, read_timeout=60) as memory:
        yield memory.namespace(*sarah.path.parts)


@pytest.fixture
def claude() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as served:
        yield served


def test_anthropics_client_remembers_and_its_memory_tool_keeps_files(
    sarah: Namespace, elsewhere: Namespace, claude: FakeAnthropic
) -> None:
    def ask(client: Any, text: str) -> str:
        asked = client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": text}])
        return str(asked.content[0].text)

    def command(name: str, **given: Any) -> list[dict[str, Any]]:
        return [{"type": "tool_use", "id": f"t_{name}", "name": "memory", "input": {"command": name, **given}}]

    plain = anthropic.Anthropic(api_key="none", base_url=claude.base_url, max_retries=0)
    first = anthropic_client.with_memory(plain, sarah, conversation="c1", timeout=PATIENT)
    assert ask(first, "My dog is called Biscuit.") == "Thank you, noted."
    sarah.end_conversation("c1")
    sarah.wait(90)
    second = anthropic_client.with_memory(plain, sarah, conversation="c2", timeout=PATIENT)
    assert "Biscuit" in ask(second, "What is my dog called?")

    path = "/memories/dog.md"
    create = command("create", path=path, file_text="Feeds Biscuit at seven.\nThe door: my password is hunter2\n")
    claude.script(create, command("view", path=path), [{"type": "text", "text": "Done."}])
    runner = second.beta.messages.tool_runner(
        model="m",
        max_tokens=9,
        messages=[{"role": "user", "content": "Note it."}],
        tools=[MemoryTool(sarah)],
        thread=False,
    )
    assert runner.until_done().content[0].text == "Done."  # type: ignore[union-attr]
    created, viewed = (one["messages"][-1]["content"][0]["content"] for one in claude.requests[-2:])
    assert "File created successfully at: /memories/dog.md" in str(created)
    assert "in their place: [redacted: password]" in str(created)
    assert "     1\tFeeds Biscuit at seven." in str(viewed)
    assert "hunter2" not in str(claude.requests[-1]["messages"][2:])

    sarah.wait(90)
    tool = MemoryTool(elsewhere)
    view: Any = {"command": "view", "path": path}
    assert "Feeds Biscuit at seven." in str(tool.call(view))
    sarah.undo(tool.decisions(path)[0].id)
    sarah.wait(90)
    with pytest.raises(ToolError, match="does not exist"):
        tool.call(view)


@pytest.fixture
def gpt() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as served:
        yield served


def test_an_agent_of_openais_sdk_remembers_from_session_to_session(
    sarah: Namespace, elsewhere: Namespace, gpt: FakeOpenAI
) -> None:
    async def ask(session: MemorySession, text: str) -> str:
        client = openai.AsyncOpenAI(api_key="none", base_url=gpt.base_url, max_retries=0)
        agent = agents.Agent(name="Helper", model=agents.OpenAIResponsesModel("m", client))
        config = agents.RunConfig(call_model_input_filter=session.remind, tracing_disabled=True)
        return str((await agents.Runner.run(agent, text, session=session, run_config=config)).final_output)

    first = MemorySession("c1", sarah, timeout=PATIENT)
    assert asyncio.run(ask(first, "My dog is called Biscuit.")) == "Thank you, noted."
    assert len(asyncio.run(first.get_items())) == 2
    sarah.end_conversation("c1")
    sarah.wait(90)
    assert asyncio.run(MemorySession("c1", elsewhere).get_items()) == asyncio.run(first.get_items())
    second = MemorySession("c2", sarah, timeout=PATIENT)
    assert "Biscuit" in asyncio.run(ask(second, "What is my dog called?"))

    asyncio.run(first.clear_session())
    asyncio.run(second.clear_session())
    sarah.wait(90)
    assert (sarah.memories(), asyncio.run(MemorySession("c1", elsewhere).get_items())) == ([], [])
