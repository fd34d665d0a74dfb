"""mem0 in the hands of an app: `Memory.add` and `Memory.search`, on Postgres with pgvector, otherwise as it comes.

python -m benchmarks.peers.mem0_teller < job.json      # in the peers' environment
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from langchain_core.embeddings import Embeddings
from mem0 import Memory

from benchmarks.peers.telling import CountedEmbedder, Job, Message, Search, Teller, serve
from mosshead.embeddings.local.minilm import DIMENSIONS

_USER = "peers"


class _Embeddings(Embeddings):  # type: ignore[misc, unused-ignore] # the package is untyped for mypy where it is not installed
    def __init__(self, embedder: CountedEmbedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed([text])[0]


class _Mem0:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def tell(self, messages: Sequence[Message]) -> None:
        self._memory.add([{"role": message.role, "content": message.line} for message in messages], user_id=_USER)

    def end(self, conversation: str) -> None:
        """It knows no sessions."""

    def settle(self) -> None:
        """Its `add` returns when all is stored."""

    @property
    def ways(self) -> Mapping[str, Search]:
        return {"search": self._search}

    def _search(self, question: str, top: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": _USER}, top_k=top)
        return [one["memory"] for one in found["results"]]


@contextmanager
def _opened(job: Job, embedder: CountedEmbedder) -> Iterator[Teller]:
    store = {"connection_string": job.database_url, "embedding_model_dims": DIMENSIONS}
    llm = {"model": "fake", "api_key": "none", "openai_base_url": job.llm_url}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": store},
            "llm": {"provider": "openai", "config": llm},
            "embedder": {"provider": "langchain", "config": {"model": _Embeddings(embedder)}},
            "history_db_path": ":memory:",
        }
    )
    with memory:
        yield _Mem0(memory)


if __name__ == "__main__":
    serve(_opened)
