"""Waiting for one of memory's threads, for as long as the chat can spare and no longer: in a thread, and in asyncio's loop."""

import asyncio
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def wait(future: Future[_T] | None, seconds: float) -> _T | None:
    """What a thread has found, or None where it has not in time."""
    if future is None:
        return None
    try:
        return future.result(max(0.0, seconds))
    except TimeoutError:
        return None


async def wait_async(future: Future[_T] | None, seconds: float) -> _T | None:
    """The same, while the loop goes on."""
    if future is None:
        return None
    waiting: asyncio.Future[_T] = asyncio.wrap_future(future)
    try:
        await asyncio.wait([waiting], timeout=max(0.0, seconds))
        return waiting.result() if waiting.done() else None
    finally:
        waiting.cancel()  # or a loop that has ended by then would be told
