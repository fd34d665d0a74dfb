"""A session of the OpenAI Agents SDK: what it stores and returns, and that a run with it remembers."""

import asyncio
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import agents
import openai
import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from hypothesis import given
from hypothesis import strategies as st

from mosshead import Memory, Namespace
from mosshead.contrib.agents_session import MemorySession
from tests.fake_openai import RESPONSES, FakeOpenAI
from tests.forming import Forming
from workers.local import Addresses

PATIENT = 30.0
DOG = "User's dog is called Biscuit"
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"where":"sofa"}'}}
ITEMS: list[Any] = [
    {"role": "user", "content": "Where is Biscuit?"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look first."}]},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": '{"where":"sofa"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "He is\nthere."},
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "On the sofa.", "annotations": []}],
    },
    {"role": "user", "content": [{"type": "input_text", "text": "Thank you."}, {"type": "input_text", "text": "Bye."}]},
    {"role": "developer", "content": "Be brief."},
]

Settle = Callable[[int], None]


@pytest.fixture
def sarah(memory: Memory, forming: Forming) -> Namespace:
    return memory.namespace(*forming.publishing.path.parts)


@pytest.fixture
def elsewhere(addresses: Addresses, sarah: Namespace) -> Iterator[Namespace]:
    """Return the same namespace as another process of the app reads it."""
    with Memory.connect(database_url=addresses.database_url, read_timeout=60) as memory:
        yield memory.namespace(*sarah.path.parts)


def items_of(session: Any, limit: int | None = None) -> list[Any]:
    return list(asyncio.run(session.get_items(limit)))


def test_session_implements_the_protocol_of_the_sdk(sarah: Namespace) -> None:
    assert isinstance(MemorySession("c1", sarah), agents.Session)
    with pytest.raises(ValueError, match="session_id: is empty"):
        MemorySession("", sarah)


def test_items_are_returned_unchanged_here_at_once_and_elsewhere_when_received(
    sarah: Namespace, elsewhere: Namespace, settle: Settle
) -> None:
    session = MemorySession("c1", sarah)
    asyncio.run(session.add_items(ITEMS[:4]))
    asyncio.run(MemorySession("c1", sarah).add_items(ITEMS[4:]))
    assert items_of(session) == ITEMS
    assert items_of(session, 2) == ITEMS[-2:]
    assert items_of(MemorySession("c2", sarah)) == []
    session.session_settings = agents.SessionSettings(limit=3)
    assert items_of(session) == ITEMS[-3:]

    settle(len(ITEMS))
    assert items_of(MemorySession("c1", elsewhere)) == items_of(MemorySession("c1", sarah)) == ITEMS
    assert items_of(MemorySession("c1", elsewhere), 0) == []


def test_latest_item_is_removed_and_a_conversation_is_cleared(
    sarah: Namespace, elsewhere: Namespace, settle: Settle
) -> None:
    session = MemorySession("c1", sarah)
    asyncio.run(session.add_items(ITEMS[:2]))
    settle(2)
    asyncio.run(session.add_items(ITEMS[2:4]))
    assert [asyncio.run(session.pop_item()) for _ in range(3)] == [ITEMS[3], ITEMS[2], ITEMS[1]]
    assert items_of(session) == ITEMS[:1]
    settle(5)
    assert items_of(MemorySession("c1", elsewhere)) == items_of(session) == ITEMS[:1]

    asyncio.run(session.clear_session())
    assert (items_of(session), asyncio.run(session.pop_item())) == ([], None)
    asyncio.run(session.add_items(ITEMS[:1]))
    settle(2)
    assert items_of(MemorySession("c1", elsewhere)) == items_of(session) == ITEMS[:1]


WORDS = st.text(alphabet="abc é\n", max_size=6)
ADDED = st.lists(
    st.one_of(
        st.builds(lambda text: {"role": "user", "content": text}, WORDS),
        st.builds(lambda text: {"role": "assistant", "content": [{"type": "output_text", "text": text}]}, WORDS),
        st.builds(lambda text: {"type": "function_call_output", "call_id": "c", "output": text}, WORDS),
        st.just(ITEMS[2]),
    ),
    max_size=4,
)
STEPS = st.lists(st.one_of(ADDED, st.just("pop"), st.just("clear"), st.integers(0, 5)), max_size=8)


@given(steps=STEPS)
def test_session_answers_like_the_sdks_own_for_any_operations(lasting: Namespace, steps: Any) -> None:
    name = secrets.token_hex(8)  # hypothesis may draw an id again

    async def answers(session: Any) -> list[Any]:
        told: list[Any] = []
        for step in steps:
            if isinstance(step, list):
                await session.add_items(step)
            elif isinstance(step, int):
                told.append(await session.get_items(step))
            elif step == "pop":
                told.append(await session.pop_item())
            else:
                await session.clear_session()
            told.append(await session.get_items())
        return told

    assert asyncio.run(answers(MemorySession(name, lasting))) == asyncio.run(answers(SQLiteSession(name)))


@pytest.fixture(scope="module")
def lasting(addresses: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Namespace]:
    spool = tmp_path_factory.mktemp("sessions")
    with Memory.connect(
        database_url=addresses.database_url, broker_url=addresses.broker_url, spool_dir=spool, read_timeout=60
    ) as memory:
        yield memory.namespace("sessions", "sarah")


def test_secrets_are_removed_and_items_that_cannot_be_stored_whole_are_left_out(
    sarah: Namespace, settle: Settle, caplog: pytest.LogCaptureFixture
) -> None:
    session = MemorySession("c1", sarah)
    encrypted = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": f"gAAAAAB{'x9Yz' * 90}"}
    said = {"role": "user", "content": "The door: my password is hunter2"}
    asyncio.run(session.add_items([said, encrypted, {"type": "shot", "image": "x" * 20_000}]))
    kept = items_of(session)
    assert kept == [{"role": "user", "content": "The door: my password is [redacted: password]"}]
    settle(1)
    assert items_of(session) == kept
    assert [record.getMessage() for record in caplog.records if "is not kept" in record.getMessage()] == [
        f"an item of type {kind} is not kept: it is too large, or reads as a secret" for kind in ("reasoning", "shot")
    ]


def test_run_gets_notes_and_is_remembered_without_them(
    sarah: Namespace, forming: Forming, taken_here: Callable[[int], list[dict[str, Any]]]
) -> None:
    forming.say("My dog is called Biscuit.", conversation="c0")
    (known,) = sarah.memories()

    @function_tool
    def look(where: str) -> str:
        """Look somewhere."""
        sarah.remember("User's dog Biscuit has a red collar")
        return "There he is."

    with FakeOpenAI() as fake:
        client = openai.AsyncOpenAI(api_key="none", base_url=fake.base_url, max_retries=0)
        model = agents.OpenAIResponsesModel("m", client)
        agent = Agent(name="helper", instructions="Be kind.", model=model, tools=[look])
        session = MemorySession("c1", sarah, timeout=PATIENT)
        config = RunConfig(call_model_input_filter=session.remind, tracing_disabled=True)
        fake.script(RESPONSES, {"content": None, "tool_calls": [CALL]})

        async def ask(text: str) -> str:
            return str((await Runner.run(agent, text, session=session, run_config=config)).final_output)

        answer = asyncio.run(ask("What is my dog called?"))
        assert asyncio.run(ask("Thanks!")) == "Thank you, noted."

    assert "Biscuit" in answer
    first, second, last = (request.body["input"] for request in fake.requests)
    assert first[0]["content"].startswith("Notes from earlier conversations")
    assert first[0]["content"].endswith("</memories>\n\nWhat is my dog called?")
    assert second[0] == first[0], "the notes of a turn stay as they are"
    assert last[0] == {"role": "user", "content": "What is my dog called?"}
    assert [one.get("role") or one["type"] for one in last] == [
        *("user", "function_call", "function_call_output", "assistant", "user"),
    ]
    events = [one for one in taken_here(7) if one["type"] == "message"]
    assert [one["role"] for one in events] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert events[1]["tool_calls"][0]["function"]["name"] == "look"
    assert [str(known.id) in one.get("injected", ()) for one in events[:4]] == [False, True, True, True]
    assert "Notes from" not in str(events)
