"""Mosshead in the hands of an app, against a service that runs elsewhere: publishing, and both ways to search.

python -m benchmarks.peers.mosshead_teller < job.json
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from benchmarks.peers.telling import CountedEmbedder, Job, Message, Search, Teller, serve
from mosshead import Memory, Namespace

_PATIENCE_SECONDS = 300.0


class _Mosshead:
    """messages, memories: the same namespace on a connection each; the cache of one would spare the other the embedding."""

    def __init__(self, messages: Namespace, memories: Namespace) -> None:
        self._messages = messages
        self._memories = memories

    def tell(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._messages.publish(
                message.content,
                conversation=message.conversation,
                speaker=message.speaker,
                occurred_at=message.occurred_at,
                metadata={"turn": message.id},
            )

    def end(self, conversation: str) -> None:
        self._messages.end_conversation(conversation)

    def settle(self) -> None:
        self._messages.wait(_PATIENCE_SECONDS)

    @property
    def ways(self) -> Mapping[str, Search]:
        return {"messages.search": self._search_messages, "query": self._query}

    def _search_messages(self, question: str, top: int) -> list[str]:
        found = self._messages.messages.search(question, limit=top, around=0, on_timeout="raise")
        return [message.content for message in found.messages]

    def _query(self, question: str, top: int) -> list[str]:
        return [hit.content for hit in self._memories.query(question, limit=top)]


@contextmanager
def _opened(job: Job, _embedder: CountedEmbedder) -> Iterator[Teller]:
    """The app embeds what it asks alone, with embedders of its own; what the service embeds is counted there."""
    connect = partial(Memory.connect, database_url=job.database_url, broker_url=job.broker_url)
    with connect() as one, connect() as other:
        yield _Mosshead(*(memory.namespace("peers", "conversation") for memory in (one, other)))


if __name__ == "__main__":
    serve(_opened)
