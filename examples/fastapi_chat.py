"""A chat that remembers, for many users at once: FastAPI, AsyncOpenAI, AsyncMemory, answers as they come.

    MOSSHEAD_EMBEDDER_PROCESS=true uvicorn examples.fastapi_chat:app
    curl -N localhost:8000/chat/sarah_123/c1 -H 'Content-Type: application/json' \\
        -d '{"messages": [{"role": "user", "content": "I just moved to Seattle."}]}'

The local model then has a process of its own. In this one it would wait for the event loop longer than it computes.
"""

import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI
from pydantic import BaseModel

from mosshead import AsyncMemory
from mosshead.contrib.openai_client import with_memory

MODEL = os.environ.get("OPENAI_MODEL", "gpt-4o-mini")
SYSTEM = {"role": "system", "content": "You are a friendly assistant. Where it helps, use what you know of the user."}


class Talk(BaseModel):
    """What was said so far, the user's new message last."""

    messages: list[dict[str, Any]]


@asynccontextmanager
async def remembering(app: FastAPI) -> AsyncIterator[None]:
    """One client and one memory for the whole process; without a check, the app starts while the memory is away."""
    async with AsyncOpenAI() as client, await AsyncMemory.connect(check=False) as memory:
        app.state.client, app.state.memory = client, memory
        gc.collect()
        gc.freeze()  # otherwise the collector scans everything loaded every few seconds, and nobody is answered meanwhile
        yield


app = FastAPI(lifespan=remembering)


async def client_of(request: Request, user: str, conversation: str) -> AsyncOpenAI:
    """The client of one user's conversation. Take the user from your own login, never from the address as here."""
    client: AsyncOpenAI = request.app.state.client
    memory: AsyncMemory = request.app.state.memory
    return with_memory(client, memory.namespace("acme", user), conversation=conversation)


@app.post("/chat/{user}/{conversation}")
async def chat(talk: Talk, client: Annotated[AsyncOpenAI, Depends(client_of)]) -> StreamingResponse:
    """The answer, piece by piece."""
    messages: Any = [SYSTEM, *talk.messages]
    pieces = await client.chat.completions.create(model=MODEL, messages=messages, stream=True)

    async def told() -> AsyncIterator[str]:
        async for piece in pieces:
            if piece.choices and (text := piece.choices[0].delta.content):
                yield text

    return StreamingResponse(told(), media_type="text/plain")
