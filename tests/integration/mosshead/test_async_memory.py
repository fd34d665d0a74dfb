"""`AsyncMemory` under load, cancelled, and with servers that hang. A conformance suite covers what it shares with `Memory`."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from blockbuster import blockbuster_ctx

from benchmarks.faults.proxy import Proxy
from mosshead import AsyncMemory, AsyncNamespace, ConfigurationError, Context, ReadTimeout, StoreUnavailable
from mosshead.paths import NamespacePath
from tests.given import MINILM, Remembering
from workers.local import Addresses

HANGS = 600.0
"""Seconds for a read without a deadline of its own."""

SLACK = 12.0
"""Extra seconds for a busy machine beyond a deadline; what hangs here hangs for longer."""


@pytest.fixture(autouse=True)
def _nothing_blocks() -> Iterator[None]:
    with blockbuster_ctx():
        yield


@pytest.fixture
def proxy(addresses: Addresses) -> Iterator[Proxy]:
    """Yield a proxy in front of Postgres, on a port."""
    (folder,) = parse_qs(urlsplit(addresses.database_url).query)["host"]
    made = Proxy(Path(folder) / ".s.PGSQL.5432")
    made.start()
    yield made
    made.close()


@pytest.fixture
def home(remembering: Remembering) -> UUID:
    content = "User moved to Seattle"
    return remembering.memory(content, MINILM.embed([content])[0])


@asynccontextmanager
async def opened(
    url: str, path: NamespacePath, *, read_timeout: float = 60.0
) -> AsyncIterator[tuple[AsyncMemory, AsyncNamespace]]:
    async with await AsyncMemory.connect(database_url=url, read_timeout=read_timeout) as memory:
        yield memory, memory.namespace(*path.parts)


def through(proxy: Proxy) -> str:
    return f"postgresql://mosshead_reader@127.0.0.1:{proxy.port}/mosshead"


def in_use(memory: AsyncMemory) -> int:
    checked_out: int = memory._straight._engine.pool.checkedout()  # type: ignore[attr-defined]
    return checked_out


def test_500_concurrent_contexts_are_read_or_time_out_and_return_all_connections(
    addresses: Addresses, fresh_namespace: NamespacePath, home: UUID
) -> None:
    async def ask() -> None:
        async with opened(addresses.database_url, fresh_namespace, read_timeout=HANGS) as (memory, sarah):
            await sarah.context("Where does she live?")

            async def one(number: int) -> Context:
                return await sarah.context(f"Where does she live in {number}?", fill=True, timeout=30.0)

            answers = await asyncio.gather(*map(one, range(500)))
            assert all(context.memories or "did not end in time" in str(context.reason) for context in answers)
            assert any(context.memories for context in answers)
            assert in_use(memory) == 0
            assert (await sarah.context("Where does she live?")).memories

    asyncio.run(ask())


def test_cancelled_read_gives_its_connection_back(proxy: Proxy, fresh_namespace: NamespacePath, home: UUID) -> None:
    async def ask() -> None:
        async with opened(through(proxy), fresh_namespace) as (memory, sarah):
            assert (await sarah.query("Where does she live?")).hits
            proxy.blackhole()
            reads = [asyncio.ensure_future(sarah.query("Where does she live?")) for _ in range(30)]
            while in_use(memory) < 20:
                await asyncio.sleep(0.01)
            for read in reads:
                read.cancel()
            answers = await asyncio.gather(*reads, return_exceptions=True)
            assert {type(one) for one in answers} == {asyncio.CancelledError}
            assert in_use(memory) == 0
            proxy.heal()
            assert (await sarah.query("Where does she live?")).hits

    asyncio.run(ask())


def test_hanging_server_is_given_up_in_time_and_the_loop_goes_on(
    proxy: Proxy, fresh_namespace: NamespacePath, home: UUID
) -> None:
    async def ask() -> None:
        async with opened(through(proxy), fresh_namespace) as (memory, sarah):
            assert (await sarah.context("Where does she live?")).memories
            proxy.blackhole()
            begun = time.monotonic()
            late, rounds = asyncio.ensure_future(sarah.context("Where does she live?", timeout=0.4)), 0
            while not late.done():
                await asyncio.sleep(0.01)
                rounds += 1
            assert "did not end in time" in str((await late).reason)
            assert time.monotonic() - begun < 0.4 + SLACK
            assert rounds > 3
            with pytest.raises(ReadTimeout):
                await sarah.query("Where does she live?", timeout=0.2, on_timeout="raise")
            assert in_use(memory) == 0

    asyncio.run(ask())


def test_dead_connections_are_replaced(proxy: Proxy, fresh_namespace: NamespacePath, home: UUID) -> None:
    async def ask() -> None:
        async with opened(through(proxy), fresh_namespace) as (_, sarah):
            await asyncio.gather(*(sarah.query("Where does she live?") for _ in range(5)))
            await asyncio.to_thread(proxy.reset)
            assert (await sarah.query("Where does she live?")).hits
            assert (await sarah.get(home)).id == home

    asyncio.run(ask())


def test_connecting_raises_the_same_errors_as_memory() -> None:
    async def connect(url: str, *, check: bool = True) -> None:
        await (await AsyncMemory.connect(database_url=url, read_timeout=5.0, check=check)).close()

    nowhere = "postgresql://mosshead_reader@127.0.0.1:1/mosshead"
    with pytest.raises(StoreUnavailable, match="cannot connect"):
        asyncio.run(connect(nowhere))
    with pytest.raises(ConfigurationError, match="not a Postgres URL"):
        asyncio.run(connect("mysql://x"))
    asyncio.run(connect(nowhere, check=False))
