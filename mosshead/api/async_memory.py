"""`AsyncMemory`: an asyncio app's connection to Mosshead."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from sqlalchemy import Engine

from mosshead.api.async_namespace import AsyncNamespace, AsyncNamespaceGroup, awaited_as
from mosshead.api.memory import (
    ASYNCHRONOUS,
    Memory,
    addresses_of,
    begin_reading,
    open_reading,
    start_service,
    warm_up,
)
from mosshead.api.settings import client_settings
from mosshead.bridge import Awaited, Bridge, apart
from mosshead.deadline import READ_SECONDS
from mosshead.embeddings import CachedEmbedder

_T = TypeVar("_T")

_LOADED = """
    mosshead.entities.mentions mosshead.entities.resolution mosshead.publishing.imports mosshead.safety mosshead.search.rerank
""".split()
"""More modules that reads import; loaded up front, so that no import blocks the event loop."""


class AsyncMemory(Awaited[Memory]):
    """An asyncio app's connection to Mosshead. Open one per event loop, inside that loop.

    It has the methods of `Memory`; `namespace` returns an `AsyncNamespace`. Reads await Postgres in the event loop. Blocking
    work (embedding, the spool) runs in a few threads. A cancelled or timed-out read releases its connection.
    """

    @classmethod
    async def connect(
        cls,
        *,
        database_url: str | None = None,
        broker_url: str | None = None,
        embedder: str | None = None,
        spool_dir: str | Path | None = None,
        spool_bytes: int | None = None,
        signing_key: str | None = None,
        read_timeout: float = READ_SECONDS,
        check: bool = True,
    ) -> Self:
        """Connect, and load what the first read needs, which takes 0.3 s with the local model.

        The arguments and errors are those of `Memory.connect`.
        """

        def opened() -> Memory:
            settings = apart(
                lambda: client_settings(
                    database_url=database_url,
                    broker_url=broker_url,
                    embedder=embedder,
                    spool_dir=spool_dir,
                    spool_bytes=spool_bytes,
                    signing_key=signing_key,
                )
            )
            engine, chosen = apart(lambda: _loaded(*open_reading(settings, read_timeout, driver=ASYNCHRONOUS)))
            return Memory(engine, chosen, begin_reading(engine, settings, check=check))

        bridge = Bridge()
        try:
            return cls(await bridge.run(opened), bridge)
        except BaseException:
            bridge.close()
            raise

    @classmethod
    async def embedded(cls, *, path: str | Path | None = None) -> Self:
        """Start a private service on this machine and connect to it, as `Memory.embedded` does."""
        service = await asyncio.to_thread(start_service, path)
        try:
            memory = await cls.connect(**addresses_of(service))
        except BaseException:
            await asyncio.to_thread(service.stop)
            raise
        memory._straight._service = service  # noqa: SLF001 - it is ours
        return memory

    def namespace(self, *parts: str, **values: str) -> AsyncNamespace:
        """Return a namespace by its path, the tenant first, as `Memory.namespace` does. Nothing is read or sent."""
        return AsyncNamespace(self._straight.namespace(*parts, **values), self._bridge)

    def group(self, *parts: str, **values: str) -> AsyncNamespaceGroup:
        """Return the group of namespaces whose paths begin with these parts, as `Memory.group` does. Nothing is read or sent."""
        return AsyncNamespaceGroup(self._straight.group(*parts, **values), self._bridge)

    async def warm_up(self) -> None:
        """Do nothing new: `connect` already loads everything. This exists to match `Memory.warm_up`."""
        await self._bridge.thread(self._straight.warm_up)

    publish = awaited_as(Memory.publish)

    async def close(self) -> None:
        """Ship spooled events for at most two seconds, and close the connections, as `Memory.close` does."""
        try:
            await self._bridge.run(self._straight.close)
        finally:
            self._bridge.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def across(memory: AsyncMemory, call: Callable[[Memory], _T]) -> _T:
    """Run code written for `Memory`, such as an extension's read, without blocking the loop. Wrap blocking calls in `apart`."""
    return await memory._bridge.run(lambda: call(memory._straight))  # noqa: SLF001 - it is ours


def _loaded(engine: Engine, embedder: CachedEmbedder) -> tuple[Engine, CachedEmbedder]:
    warm_up(embedder)
    for module in _LOADED:
        import_module(module)
    return engine, embedder
