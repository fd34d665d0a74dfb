"""langmem in the hands of an app: its store manager's `invoke` and `search`, on `PostgresStore`, otherwise as it comes.

python -m benchmarks.peers.langmem_teller < job.json      # in the peers' environment
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.store.postgres import PostgresStore
from langmem import create_memory_store_manager

from benchmarks.peers.telling import CountedEmbedder, Job, Message, Search, Teller, serve
from mosshead.embeddings.local.minilm import DIMENSIONS

_NAMESPACE = ("memories", "peers")


class _LangMem:
    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def tell(self, messages: Sequence[Message]) -> None:
        said = [{"role": message.role, "content": message.line} for message in messages]
        self._manager.invoke({"messages": said, "max_steps": 1})

    def end(self, conversation: str) -> None:
        """It knows no sessions."""

    def settle(self) -> None:
        """Its `invoke` returns when all is stored."""

    @property
    def ways(self) -> Mapping[str, Search]:
        return {"search": self._search}

    def _search(self, question: str, top: int) -> list[str]:
        return [one.value.content for one in self._manager.search(query=question, limit=top)]


@contextmanager
def _opened(job: Job, embedder: CountedEmbedder) -> Iterator[Teller]:
    # It calls this as it calls langchain's embedders: with a list of texts.
    index: Any = {"dims": DIMENSIONS, "embed": embedder.embed, "fields": ["content.content"]}
    with PostgresStore.from_conn_string(job.database_url, index=index) as store:
        store.setup()
        model = ChatOpenAI(model="fake", api_key="none", base_url=job.llm_url)
        yield _LangMem(create_memory_store_manager(model, namespace=_NAMESPACE, store=store))


if __name__ == "__main__":
    serve(_opened)
