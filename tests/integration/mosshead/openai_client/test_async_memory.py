"""An async client reads an `AsyncMemory` in the event loop without blocking it, and releases connections in time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import openai
import pytest
from blockbuster import blockbuster_ctx

from benchmarks.faults.proxy import Proxy, proxied
from mosshead import AsyncMemory, AsyncNamespace, InvalidNamespace, Namespace, ReadTimeout
from mosshead.contrib.openai_client import calls, with_memory
from mosshead.paths import NamespacePath
from tests.fake_openai import FakeOpenAI
from tests.integration.mosshead.conftest import Taken
from tests.integration.mosshead.openai_client.conftest import PATIENT, Knows
from workers.local import Addresses

DOG = "User's dog is called Biscuit"
ANSWER = f"You told me: {DOG}."
QUESTION: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "What is my dog called?"}]
HANGS = 600.0
"""Seconds after which a read ends by itself: longer than a test."""

Opened = Callable[..., Any]


@pytest.fixture(autouse=True)
def _nothing_blocks() -> Iterator[None]:
    with blockbuster_ctx():
        yield


@pytest.fixture
def opened(addresses: Addresses, tmp_path: Path) -> Opened:
    """Return a context manager that opens a memory in the event loop."""

    @asynccontextmanager
    async def connect(url: str = addresses.database_url, seconds: float = PATIENT) -> AsyncIterator[AsyncMemory]:
        spool = tmp_path / "of_asyncio"
        async with await AsyncMemory.connect(
            database_url=url, broker_url=addresses.broker_url, spool_dir=spool, read_timeout=seconds
        ) as memory:
            yield memory

    return connect


@pytest.fixture
def proxy(addresses: Addresses) -> Iterator[Proxy]:
    """Yield a proxy in front of Postgres."""
    (socket,) = parse_qs(urlsplit(addresses.database_url).query)["host"]
    with proxied(Path(socket) / ".s.PGSQL.5432") as made:
        yield made


def through(proxy: Proxy) -> str:
    return f"postgresql://mosshead_reader@127.0.0.1:{proxy.port}/mosshead"


def in_use(memory: AsyncMemory) -> int:
    checked_out: int = memory._straight._engine.pool.checkedout()  # type: ignore[attr-defined]
    return checked_out


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENT):
        while not holds():
            await asyncio.sleep(0.01)


async def asked(client: openai.AsyncOpenAI, **more: Any) -> str | None:
    result: Any = await client.chat.completions.create(model="m", messages=QUESTION, **more)
    content: str | None = result.choices[0].message.content
    return content


async def streamed(client: openai.AsyncOpenAI) -> str:
    chunks = await client.chat.completions.create(model="m", messages=QUESTION, stream=True)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in chunks])


async def helped(client: openai.AsyncOpenAI) -> str:
    async with client.responses.stream(model="m", input=QUESTION[1:]) as stream:
        return (await stream.get_final_response()).output_text


def test_answers_and_streams_get_notes_and_are_published(  # noqa: PLR0917 - fixtures
    plain_async: openai.AsyncOpenAI,
    opened: Opened,
    fresh_namespace: NamespacePath,
    knows: Knows,
    taken: Taken,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    knows(DOG)
    monkeypatch.setattr(calls.BACKGROUND, "read", lambda _: pytest.fail("it is read in a thread"))

    async def talk() -> list[str | None]:
        async with opened() as memory:
            sarah = memory.namespace(*fresh_namespace.parts)
            client = with_memory(plain_async, sarah, conversation="c1", timeout=PATIENT)
            return [await asked(client), await streamed(client), await helped(client)]

    assert asyncio.run(talk()) == [ANSWER] * 3
    said = [(event["role"], event["content"]) for event in taken(6)]
    assert said == [("user", "What is my dog called?"), ("assistant", ANSWER)] * 3


def test_call_may_name_a_namespace_of_the_async_or_the_threaded_memory(
    plain_async: openai.AsyncOpenAI, opened: Opened, sarah: Namespace, knows: Knows, fresh_namespace: NamespacePath
) -> None:
    knows(DOG)

    async def talk() -> list[str | None]:
        async with opened() as memory:
            client = with_memory(plain_async, memory, namespace=lambda: ("acme", "nobody"), timeout=PATIENT)
            own = memory.namespace(*fresh_namespace.parts)
            whose = (None, fresh_namespace.parts, own, lambda: own, sarah)
            return [await asked(client, namespace=one) for one in whose]

    assert asyncio.run(talk()) == ["You have not told me.", *[ANSWER] * 4]


def test_cancelled_chat_gives_its_connection_back(
    plain_async: openai.AsyncOpenAI, opened: Opened, proxy: Proxy, fresh_namespace: NamespacePath, knows: Knows
) -> None:
    knows(DOG)

    async def talk() -> None:
        async with opened(through(proxy), HANGS) as memory:
            client = with_memory(plain_async, memory, namespace=fresh_namespace.parts, timeout=HANGS)
            assert await asked(client) == ANSWER
            proxy.blackhole()
            chats = [asyncio.ensure_future(asked(client)) for _ in range(30)]
            await until(lambda: in_use(memory) == 20)
            for chat in chats:
                chat.cancel()
            assert {type(one) for one in await asyncio.gather(*chats, return_exceptions=True)} == {
                asyncio.CancelledError
            }
            await until(lambda: in_use(memory) == 0)
            proxy.heal()
            assert await asked(client) == ANSWER

    asyncio.run(talk())


def test_late_or_hanging_read_delays_no_answer_and_its_notes_come_with_the_next(  # noqa: PLR0917 - fixtures
    plain_async: openai.AsyncOpenAI,
    opened: Opened,
    proxy: Proxy,
    fresh_namespace: NamespacePath,
    knows: Knows,
    fake: FakeOpenAI,
) -> None:
    knows(DOG)
    told: list[Exception] = []

    async def talk() -> None:
        async with opened(through(proxy), HANGS) as memory:
            sarah: AsyncNamespace = memory.namespace(*fresh_namespace.parts)
            await sarah.context("What is my dog called?")
            client = with_memory(plain_async, sarah, conversation="c1", timeout=0.3, on_error=told.append)
            proxy.slow(0.5)
            assert await asked(client) == "You have not told me."
            await until(lambda: not calls._LATE)
            proxy.blackhole()
            async with asyncio.timeout(PATIENT):
                assert await asked(client) == ANSWER

    asyncio.run(talk())
    assert [type(one) for one in told] == [ReadTimeout] * 2


def test_threaded_client_refuses_an_async_namespace(plain: openai.OpenAI, opened: Opened, sarah: Namespace) -> None:
    async def refused() -> AsyncNamespace:
        async with opened() as memory:
            for one in (memory, memory.namespace("acme", "sarah")):
                with pytest.raises(TypeError, match=rf"^memory: an {type(one).__name__} is for a client of asyncio"):
                    with_memory(plain, one)
            whose: AsyncNamespace = memory.namespace("acme", "sarah")
            return whose

    whose = asyncio.run(refused())
    with pytest.raises(InvalidNamespace, match=r"^namespace: an AsyncNamespace is for a client of asyncio"):
        with_memory(plain, sarah, namespace=whose)
