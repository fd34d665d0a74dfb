"""Other packages with memory, each the real one with a fake endpoint and a working service."""

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import agents
import anthropic
import openai
import pytest
from anthropic.lib.tools import ToolError
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from mosshead import Memory, Namespace
from mosshead.contrib import anthropic_client
from mosshead.contrib.agents_session import MemorySession
from mosshead.contrib.anthropic_client.memory_tool import AnthropicMemoryTool
from mosshead.contrib.langgraph_nodes import MemoryNodes
from mosshead.contrib.langgraph_store import MossheadStore
from tests.acceptance.running import Running
from tests.acceptance.test_readme import python_with_output
from tests.fake_anthropic import FakeAnthropic
from tests.fake_openai import FakeOpenAI
from tests.pages import ROOT

PATIENT = 30.0


@pytest.fixture
def sarah(running: Running, request: pytest.FixtureRequest) -> Namespace:
    return running.memory.namespace("frameworks", request.node.name)


@pytest.fixture
def elsewhere(running: Running, sarah: Namespace) -> Iterator[Namespace]:
    """The same namespace as read by another process of the app."""
    with Memory.connect(database_url=running.addresses.database_url, read_timeout=60) as memory:
        yield memory.namespace(*sarah.path.parts)


@pytest.fixture
def claude() -> Iterator[FakeAnthropic]:
    with FakeAnthropic() as served:
        yield served


def test_anthropic_client_remembers_and_its_memory_tool_stores_files(
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
        tools=[AnthropicMemoryTool(sarah)],
        thread=False,
    )
    assert runner.until_done().content[0].text == "Done."  # type: ignore[union-attr]
    created, viewed = (one["messages"][-1]["content"][0]["content"] for one in claude.requests[-2:])
    assert "File created successfully at: /memories/dog.md" in str(created)
    assert "in their place: [redacted: password]" in str(created)
    assert "     1\tFeeds Biscuit at seven." in str(viewed)
    assert "hunter2" not in str(claude.requests[-1]["messages"][2:])

    sarah.wait(90)
    tool = AnthropicMemoryTool(elsewhere)
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


def test_openai_agent_remembers_across_sessions(sarah: Namespace, elsewhere: Namespace, gpt: FakeOpenAI) -> None:
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


class State(MessagesState):
    """A graph state with the model's messages."""

    llm_input_messages: list[Any]


def test_langgraph_graph_remembers_and_its_store_keeps_items(
    sarah: Namespace, elsewhere: Namespace, gpt: FakeOpenAI
) -> None:
    client = openai.OpenAI(api_key="none", base_url=gpt.base_url, max_retries=0)

    def model(state: State, *, store: BaseStore) -> dict[str, Any]:
        asked: Any = convert_to_openai_messages(state["llm_input_messages"])
        answer = client.chat.completions.create(model="m", messages=asked).choices[0].message.content
        store.put(("asked",), str(len(state["messages"])), {"text": str(state["messages"][-1].content)})
        return {"messages": [AIMessage(answer or "")]}

    nodes, store = MemoryNodes(sarah, timeout=PATIENT), MossheadStore(sarah)
    graph: Any = StateGraph(State)
    graph.add_node("recall", nodes.recall)
    graph.add_node("model", model)
    graph.add_node("publish", nodes.publish)
    for one, other in pairwise([START, "recall", "model", "publish", END]):
        graph.add_edge(one, other)
    compiled = graph.compile(store=store)

    def ask(thread: str, text: str) -> str:
        given = {"messages": [HumanMessage(text)]}
        return str(compiled.invoke(given, {"configurable": {"thread_id": thread}})["messages"][-1].content)

    assert ask("t1", "My dog is called Biscuit.") == "Thank you, noted."
    sarah.end_conversation("t1")
    sarah.wait(90)
    assert "Biscuit" in ask("t2", "What is my dog called?")
    sarah.wait(90)
    kept: Any = MossheadStore(elsewhere).search(("asked",), query="a pet's name", limit=1)
    assert [(one.key, one.value) for one in kept] == [("1", {"text": "What is my dog called?"})]


def test_code_of_the_frameworks_page_runs(sarah: Namespace, gpt: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", gpt.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    agents.set_tracing_disabled(True)
    answer = {"messages": [AIMessage("It is Biscuit.")]}
    variables: dict[str, Any] = {"sarah": sarah, "call_model": lambda state: answer, "agents": agents}
    for code, _ in python_with_output(ROOT / "docs" / "how-to" / "agents.md")[3:]:
        exec(compile(code, "docs/how-to/agents.md", "exec"), variables)
    asyncio.get_event_loop_policy().get_event_loop().close()  # the SDK's run_sync leaves the thread's loop open
    asyncio.set_event_loop(None)
    assert variables["result"].final_output == "You have not told me."
    assert variables["after"]["messages"][-1].content == "It is Biscuit."
    assert variables["store"].get(("users", "ann"), "prefs").value == {"theme": "dark"}
