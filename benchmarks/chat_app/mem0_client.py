"""mem0's `AsyncMemory` in the hands of the app: each turn searches before the answer, and adds what was said after it.

To be imported with the peers' packages in reach.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self

from fastapi import FastAPI, Request
from langchain_core.embeddings import Embeddings
from mem0 import AsyncMemory
from openai import AsyncOpenAI

from benchmarks.chat_app.known import known_of, user_of
from mosshead.embeddings import MiniLM


class _Embeddings(Embeddings):  # type: ignore[misc, unused-ignore] # the package is untyped for mypy where it is not installed
    def __init__(self) -> None:
        self._embedder = MiniLM()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._embedder.embed(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


_ADDING: set["asyncio.Task[Any]"] = set()


class Mem0Client:
    """As much of the client as the app uses, for one user."""

    def __init__(self, client: AsyncOpenAI, memory: Any, user: str) -> None:
        self._client, self._memory, self._user = client, memory, user

    @property
    def chat(self) -> Self:
        """Of the client's path `chat.completions`."""
        return self

    completions = chat

    async def create(self, *, messages: Sequence[dict[str, Any]], **arguments: Any) -> AsyncIterator[Any]:
        """The answer in pieces, with what was found before the message, as mem0's own examples have it."""
        *before, asked = messages
        found = await self._memory.search(asked["content"], filters={"user_id": self._user})
        notes = "\n".join(f"- {one['memory']}" for one in found["results"])
        reminded: Any = [*before, {**asked, "content": f"What is known of the user:\n{notes}\n\n{asked['content']}"}]
        pieces = await self._client.chat.completions.create(messages=reminded, **arguments)
        return self._followed(pieces, asked)

    async def _followed(self, pieces: Any, asked: dict[str, Any]) -> AsyncIterator[Any]:
        answer: list[str] = []
        async for piece in pieces:
            answer.extend(choice.delta.content or "" for choice in piece.choices)
            yield piece
        turn = [asked, {"role": "assistant", "content": "".join(answer)}]
        adding = asyncio.create_task(self._memory.add(turn, user_id=self._user))  # nobody waits for it
        _ADDING.add(adding)
        adding.add_done_callback(_ADDING.discard)


@asynccontextmanager
async def remembering_by_mem0(of: FastAPI) -> AsyncIterator[None]:
    """Its memory on a database of its own, filled as Mosshead's is."""
    store = {"connection_string": os.environ["CHAT_APP_DATABASE"], "embedding_model_dims": MiniLM.dimensions}
    memory = AsyncMemory.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": store},
            "llm": {"provider": "openai", "config": {"model": "fake", "api_key": "none"}},
            "embedder": {"provider": "langchain", "config": {"model": _Embeddings()}},
            "history_db_path": ":memory:",
        }
    )
    for number in range(int(os.environ["CHAT_APP_CHATS"])):
        told = [{"role": "user", "content": text} for text in known_of(number)]
        await memory.add(told, user_id=user_of(number), infer=False)
    async with AsyncOpenAI() as client:
        of.state.client, of.state.memory = client, memory
        yield


async def mem0_client(request: Request, user: str) -> Mem0Client:
    """The client of one user."""
    return Mem0Client(request.app.state.client, request.app.state.memory, user)
