"""The app that is measured: the example, which also tells how late its event loop is.

    CHAT_APP_MEMORY=no uvicorn benchmarks.chat_app.app:app     # the same without memory
    CHAT_APP_MEMORY=mem0 …                                     # the same with mem0's (`mem0_client`)

GET /lag tells how long the loop kept a timer waiting since it was last asked, in ms.
"""

import asyncio
import gc
import os
import site
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI, Request
from openai import AsyncOpenAI

from benchmarks.lag import lag_of
from examples.fastapi_chat import app, client_of, remembering

_MEMORY = os.environ.get("CHAT_APP_MEMORY", "yes")
_EVERY = 0.01
_late: list[float] = []


@asynccontextmanager
async def _plain(of: FastAPI) -> AsyncIterator[None]:
    async with AsyncOpenAI() as client:
        of.state.client = client
        yield


async def _plain_client(request: Request) -> AsyncOpenAI:
    client: AsyncOpenAI = request.app.state.client
    return client


async def _watch() -> None:
    while True:
        due = time.perf_counter() + _EVERY
        await asyncio.sleep(_EVERY)
        _late.append(1000 * (time.perf_counter() - due))


@asynccontextmanager
async def _watched(of: FastAPI) -> AsyncIterator[None]:
    async with _life(of):
        gc.collect()
        gc.freeze()  # in every phase, as the example does
        watching = asyncio.create_task(_watch())
        yield
        watching.cancel()


@app.get("/lag")
async def lag() -> dict[str, float]:
    """How late timers were."""
    late = lag_of(_late)
    _late.clear()
    return {"p50": late.p50, "p95": late.p95, "max": late.max}


app.router.lifespan_context = _watched
_life: Callable[[FastAPI], AbstractAsyncContextManager[None]] = remembering
if _MEMORY == "no":
    _life, app.dependency_overrides[client_of] = _plain, _plain_client
elif _MEMORY == "mem0":
    site.addsitedir(os.environ["CHAT_APP_PEERS"])  # behind the app's own packages
    from benchmarks.chat_app.mem0_client import mem0_client, remembering_by_mem0

    _life, app.dependency_overrides[client_of] = remembering_by_mem0, mem0_client
