"""What this process remembered and forgot by its own hand and the service has not taken up yet, laid over what is read.

Other processes see it once it took effect. The list itself is no second memory: it holds what waits in the spool, and forgets it
as soon as a read says that it is in effect.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from mosshead.embeddings import Embedder
from mosshead.embeddings.protocol import Vector
from mosshead.models.memories import Hit, Progress, StoredMemory
from mosshead.paths import NamespacePath

_MOST = 1_000
"""So many writes of a process are laid over its reads, the latest: one that writes and never reads notices none in effect."""


@dataclass(frozen=True, slots=True)
class Pending:
    """One write that waits. memory: what it puts down; closes: what it forgets or replaces.

    numbers: by publisher, a number that its event does not exceed.
    """

    memory: Hit | None
    closes: Mapping[UUID, UUID | None]
    numbers: Mapping[UUID, int]

    def in_effect(self, progress: Progress) -> bool:
        """Whether the service has taken it up, as far as a read can tell; it may have refused it.

        Where the spool numbers anew by now, under another name, that is when all that it published is in effect.
        """
        if progress.published and not progress.partial and self.numbers.keys().isdisjoint(progress.published):
            return True
        return all(progress.consolidated.get(publisher, 0) >= number for publisher, number in self.numbers.items())


@dataclass(frozen=True, slots=True)
class Laid:
    """What waits of a namespace.

    remembered: memories that are not taken up yet. closed: those that are not to be shown, each with what replaces it.
    """

    remembered: tuple[Hit, ...] = ()
    closed: Mapping[UUID, UUID | None] = field(default_factory=dict)

    def over(
        self, hits: Sequence[Hit], vector: Vector, embedder: Embedder, *, limit: int, threshold: float | None
    ) -> tuple[Hit, ...]:
        """Hits with what waits in its place among them, most similar first. vector: of the question."""
        if not self.remembered and not self.closed:
            return tuple(hits)
        stored = {hit.id for hit in hits}
        waiting = [one for one in self.similar(vector, embedder) if one.id not in stored]
        found = [hit for hit in hits if hit.id not in self.closed]
        found += [one for one in waiting if threshold is None or one.similarity > threshold]
        return tuple(sorted(found, key=lambda hit: -hit.similarity)[:limit])

    def narrowed(self, *, kind: str | None, metadata: Mapping[str, Any] | None, record: str | None) -> "Laid":
        """What waits of a kind; nothing that waits was taken from a message with metadata, or holds a record."""
        remembered = () if metadata or record else (one for one in self.remembered if kind in {None, one.kind})
        return replace(self, remembered=tuple(remembered))

    def similar(self, vector: Vector, embedder: Embedder) -> list[Hit]:
        """The memories not taken up yet, most similar to a vector first."""
        if not self.remembered:
            return []
        import numpy as np  # see `Vector`

        cosines = np.asarray(embedder.embed([one.content for one in self.remembered])) @ vector
        found = [
            replace(one, similarity=round(float(cosine), 4))
            for one, cosine in zip(self.remembered, cosines, strict=True)
        ]
        return sorted(found, key=lambda hit: -hit.similarity)

    def memory(self, memory_id: UUID) -> StoredMemory | None:
        """A memory that was not taken up yet."""
        return next((one for one in self.remembered if one.id == memory_id), None)

    def as_closed(self, memory: StoredMemory) -> StoredMemory:
        """A stored memory, closed where that waits."""
        if memory.id not in self.closed or memory.state != "active":
            return memory
        successor = self.closed[memory.id]
        return replace(memory, state="superseded" if successor else "withdrawn", superseded_by=successor, pending=True)


@dataclass(frozen=True, slots=True)
class Overlay:
    """The writes of one process that wait, by namespace and event.

    Every step is one operation on a dict whose keys Python compares without code of its own, so that it needs no lock.
    """

    waiting: dict[tuple[tuple[str, ...], str], Pending] = field(default_factory=dict)
    closings: dict[tuple[str, ...], int] = field(default_factory=dict)
    """How often this process took back or erased something, by namespace: what was read before is out of date then."""
    ends: dict[tuple[tuple[str, ...], str], int] = field(default_factory=dict)
    """How often this process ended a conversation, by namespace and name; of the latest."""

    def add(self, path: NamespacePath, event_id: UUID, pending: Pending) -> None:
        """A write that was published."""
        if pending.closes:
            self.close(path)
        self.waiting[path.parts, event_id.hex] = pending
        for key in tuple(self.waiting)[:-_MOST]:
            self.waiting.pop(key, None)

    def of(self, path: NamespacePath) -> Laid:
        """What waits of a namespace, as far as `settle` knows."""
        return laid([one for (parts, _), one in tuple(self.waiting.items()) if parts == path.parts])

    def close(self, path: NamespacePath) -> None:
        """Count that something was taken back or erased."""
        self.closings[path.parts] = self.closings.get(path.parts, 0) + 1

    def end(self, path: NamespacePath, conversation: str) -> None:
        """Count that a conversation was ended."""
        key = (path.parts, conversation)
        self.ends[key] = self.ends.pop(key, 0) + 1
        for oldest in tuple(self.ends)[:-_MOST]:
            self.ends.pop(oldest, None)

    def drop(self, path: NamespacePath) -> None:
        """Forget all that waits of a namespace: it is not to take effect."""
        for key in tuple(self.waiting):
            if key[0] == path.parts:
                self.waiting.pop(key, None)

    def settle(self, path: NamespacePath, progress: Progress) -> None:
        """Forget what is in effect, as a read said; later reads find in the database what became of it."""
        for key, one in tuple(self.waiting.items()):
            if key[0] == path.parts and one.in_effect(progress):
                self.waiting.pop(key, None)


def laid(waiting: Iterable[Pending]) -> Laid:
    """What some writes come to, one after the other."""
    remembered: dict[UUID, Hit] = {}
    closed: dict[UUID, UUID | None] = {}
    for one in waiting:
        closed.update(one.closes)
        if one.memory is not None:
            remembered[one.memory.id] = one.memory
    return Laid(tuple(one for key, one in remembered.items() if key not in closed), closed)
