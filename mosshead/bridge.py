"""Bridge synchronous code to asyncio in a greenlet, so that one implementation serves `Memory` and `AsyncMemory`.

    answer = await bridge.run(lambda: namespace.context("Where is Ruth?"))    in the event loop
        rows = awaited(driver.execute(…))                                     await: the loop continues meanwhile
        vectors = apart(lambda: embedder.embed(texts))                        blocking code: in a thread of the bridge

Outside such a greenlet, `apart` simply calls its argument, and only this module is loaded. SQLAlchemy's asyncio support uses the
same greenlets, so its asynchronous engines work here.
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
    """A block exceeded its time limit."""


_SHARE_SECONDS = 0.005
"""How long reads may hold the event loop before it handles everything else."""

_WORK_THREADS = 32
_SPOOL_THREADS = 2
"""A spool stores one event at a time; the second thread answers queries meanwhile."""


class Bridge:
    """Runs synchronous code in an event loop, and its blocking parts in threads.

    Most of these threads wait to be embedded in a batch, or for an endpoint. The spool has its own threads, so that publishing
    need not wait for embeddings.
    """

    def __init__(self) -> None:
        self._work = ThreadPoolExecutor(_WORK_THREADS, thread_name_prefix="mosshead-work")
        self._spool = ThreadPoolExecutor(_SPOOL_THREADS, thread_name_prefix="mosshead-spool")
        self._share_ends: float | None = None

    async def run(self, call: Callable[[], _T]) -> _T:
        """Run synchronous code, which may use `awaited` and `apart`, and return its result."""
        from sqlalchemy.util import greenlet_spawn  # greenlets are for whoever uses asyncio

        token = _crossed.set(self)
        try:
            return await greenlet_spawn(call)
        finally:
            _crossed.reset(token)

    async def thread(self, call: Callable[[], _T], *, spool: bool = False) -> _T:
        """Run a blocking call in a thread and return its result."""
        context = copy_context()
        context.run(_crossed.set, None)
        threads = self._spool if spool else self._work
        return await asyncio.get_running_loop().run_in_executor(threads, context.run, call)

    async def turn(self) -> None:
        """Continue, or wait for the loop's next round if reads have used their share of this one.

        Processing a read's rows takes milliseconds of CPU. Otherwise the loop would do that for every read with rows before
        handling anything else.
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
        """Let the threads end after their current work."""
        self._work.shutdown(wait=False)
        self._spool.shutdown(wait=False)


class Awaited(Generic[_T]):
    """Stands for a synchronous object in an event loop: its methods run that object's across a bridge."""

    def __init__(self, straight: _T, bridge: Bridge) -> None:
        """Use `AsyncMemory.connect`, and the methods of its result."""
        self._straight, self._bridge = straight, bridge


def across(one: Any) -> tuple[Any, Bridge | None]:
    """Return the synchronous object and its bridge; a synchronous object is returned itself, with None. For extensions."""
    return (one._straight, one._bridge) if isinstance(one, Awaited) else (one, None)  # noqa: SLF001 - they are ours


async def run_across(bridge: Bridge | None, call: Callable[[], _T]) -> _T:
    """Run synchronous code without blocking the loop: across a bridge, or else in a thread."""
    return await (asyncio.to_thread(call) if bridge is None else bridge.run(call))


def crossed() -> bool:
    """Return whether this code runs in an event loop, which it must not block."""
    return _crossed.get() is not None


def awaited(awaitable: Awaitable[_T]) -> _T:
    """Await something while the loop continues, and return its result. Only across a bridge."""
    from sqlalchemy.util import await_

    return await_(awaitable)


def apart(call: Callable[[], _T], *, spool: bool = False) -> _T:
    """Run a blocking call and return its result; across a bridge, in a thread while the loop continues."""
    bridge = _crossed.get()
    if bridge is None:
        return call()
    brought = awaited(bridge.thread(call, spool=spool))
    take_turn()
    return brought


def take_turn() -> None:
    """Let the loop handle other tasks. Do not hold anything that these wait for."""
    if bridge := _crossed.get():
        awaited(bridge.turn())


def pause(seconds: float) -> None:
    """Sleep, without blocking the event loop."""
    if crossed():
        awaited(asyncio.sleep(seconds))
    else:
        time.sleep(seconds)


def beside(one: Callable[[], _T], other: Callable[[], _U]) -> tuple[_T, _U]:
    """Run two calls concurrently and return both results. Only across a bridge."""
    bridge = _crossed.get()
    assert bridge is not None  # noqa: S101  # `crossed` was true
    running = asyncio.ensure_future(bridge.run(other))
    try:
        return one(), awaited(running)
    except BaseException:
        running.cancel()
        awaited(asyncio.gather(running, return_exceptions=True))
        raise


@contextmanager
def cut_off(seconds: float) -> Iterator[None]:
    """Cancel what a block awaits after some seconds, and raise CutOff. Only across a bridge."""
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
