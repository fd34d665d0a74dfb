"""The bridge from straight code to asyncio: the code that serves `Memory` serves `AsyncMemory` too, in a greenlet.

    answer = await bridge.run(lambda: namespace.context("Where is Ruth?"))    in the event loop
        rows = awaited(driver.execute(…))                                     what asyncio can await: the loop goes on meanwhile
        vectors = apart(lambda: embedder.embed(texts))                        what blocks: in a thread of the bridge's own

Outside such a greenlet `apart` calls what it is given, and nothing but this module is loaded. SQLAlchemy's own asyncio support
stands on the same greenlets, so an engine of its asynchronous dialect works here as any other.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_U = TypeVar("_U")

_crossed: "ContextVar[Bridge | None]" = ContextVar("mosshead_bridge", default=None)


class CutOff(Exception):
    """The time of a block was over."""


_SHARE_SECONDS = 0.005
"""How long reads may hold the loop between two looks at everything else."""

_WORK_THREADS = 32
_SPOOL_THREADS = 2
"""A spool takes one event at a time; the other thread is for whoever asks it something meanwhile."""


class Bridge:
    """Runs straight code in an event loop, and in threads what of it blocks.

    Most of these wait, until it is their turn to be embedded with others, or for an endpoint. The spool has threads of its own,
    for a publish must not wait until others are embedded.
    """

    def __init__(self) -> None:
        self._work = ThreadPoolExecutor(_WORK_THREADS, thread_name_prefix="mosshead-work")
        self._spool = ThreadPoolExecutor(_SPOOL_THREADS, thread_name_prefix="mosshead-spool")
        self._share_ends: float | None = None

    async def run(self, call: Callable[[], _T]) -> _T:
        """Return what a call returns, which may await by `awaited`, and have done by `apart` what blocks."""
        from sqlalchemy.util import greenlet_spawn  # greenlets are for whoever uses asyncio

        token = _crossed.set(self)
        try:
            return await greenlet_spawn(call)
        finally:
            _crossed.reset(token)

    async def thread(self, call: Callable[[], _T], *, spool: bool = False) -> _T:
        """Return what a call returns that blocks."""
        context = copy_context()
        context.run(_crossed.set, None)
        threads = self._spool if spool else self._work
        return await asyncio.get_running_loop().run_in_executor(threads, context.run, call)

    async def turn(self) -> None:
        """Go on, or wait for the loop's next round where reads have had their share of this one.

        What a read does with its rows takes milliseconds of the processor. The loop would else do that for every read whose rows
        have come, before it looks up again.
        """
        while self._share_is_used():
            await asyncio.sleep(0)

    def _share_is_used(self) -> bool:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._share_ends is None:
            self._share_ends = now + _SHARE_SECONDS
            loop.call_soon(self._begin_round)
        return now >= self._share_ends

    def _begin_round(self) -> None:
        self._share_ends = None

    def close(self) -> None:
        """Let the threads end when they have done what they were given."""
        self._work.shutdown(wait=False)
        self._spool.shutdown(wait=False)


class Awaited(Generic[_T]):
    """What stands for a straight object in an event loop: its methods run that object's, across a bridge."""

    def __init__(self, straight: _T, bridge: Bridge) -> None:
        """An app does not make one: `AsyncMemory.connect` does, and the methods of what that gives."""
        self._straight, self._bridge = straight, bridge


def across(one: Any) -> tuple[Any, Bridge | None]:
    """Return what an object stands for, and the bridge that leads there; of a straight one itself, and None. For an extension."""
    return (one._straight, one._bridge) if isinstance(one, Awaited) else (one, None)  # noqa: SLF001 - they are ours


async def run_across(bridge: Bridge | None, call: Callable[[], _T]) -> _T:
    """Return what straight code returns while the loop goes on: across a bridge or, without one, in a thread."""
    return await (asyncio.to_thread(call) if bridge is None else bridge.run(call))


def crossed() -> bool:
    """Return whether this code runs in an event loop, which it must not block."""
    return _crossed.get() is not None


def awaited(awaitable: Awaitable[_T]) -> _T:
    """Return what an awaitable brings, while the loop goes on. Across a bridge only."""
    from sqlalchemy.util import await_

    return await_(awaitable)


def apart(call: Callable[[], _T], *, spool: bool = False) -> _T:
    """Return what a call returns that blocks; across a bridge it is made in a thread, while the loop goes on."""
    bridge = _crossed.get()
    if bridge is None:
        return call()
    brought = awaited(bridge.thread(call, spool=spool))
    take_turn()
    return brought


def take_turn() -> None:
    """Let the loop see to others before this goes on. To be called with nothing in hand that others wait for."""
    if bridge := _crossed.get():
        awaited(bridge.turn())


def pause(seconds: float) -> None:
    """Wait, which in an event loop holds nobody else."""
    if crossed():
        awaited(asyncio.sleep(seconds))
    else:
        time.sleep(seconds)


def beside(one: Callable[[], _T], other: Callable[[], _U]) -> tuple[_T, _U]:
    """Return what two calls return, both made at the same time. Across a bridge only."""
    bridge = _crossed.get()
    assert bridge is not None  # noqa: S101  # `crossed` said so
    running = asyncio.ensure_future(bridge.run(other))
    try:
        return one(), awaited(running)
    except BaseException:
        running.cancel()
        awaited(asyncio.gather(running, return_exceptions=True))
        raise


@contextmanager
def cut_off(seconds: float) -> Iterator[None]:
    """Cancel what a block awaits after some seconds, and raise CutOff then. Across a bridge only."""
    limit = asyncio.timeout(seconds)
    awaited(limit.__aenter__())
    try:
        yield
    except BaseException as error:
        try:
            awaited(limit.__aexit__(type(error), error, error.__traceback__))
        except TimeoutError:
            raise CutOff from None
        raise
    awaited(limit.__aexit__(None, None, None))
