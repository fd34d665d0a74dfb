"""This process's own writes that are not in effect yet, overlaid on reads.

Other processes see them once they take effect. The list is not a second memory: it holds what waits in the spool, and drops it as
soon as a read shows that it is in effect.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from mosshead.embeddings import Embedder
from mosshead.embeddings.protocol import Vector
from mosshead.models.memories import Hit, Progress, StoredMemory
from mosshead.paths import NamespacePath

_MOST = 1_000
"""Limit of overlaid writes, keeping the latest: a process that never reads does not notice when they take effect."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A waiting write. memory: what it stores; closes: what it forgets or replaces.

    numbers: by publisher, an upper bound of its event's number.
    """

    memory: Hit | None
    closes: Mapping[UUID, UUID | None]
    numbers: Mapping[UUID, int]

    def in_effect(self, progress: Progress) -> bool:
        """Return whether the service has processed or refused it, as far as a read can tell.

        If the spool was renumbered under a new publisher, this is so once everything it published is in effect.
        """
        if progress.published and not progress.partial and self.numbers.keys().isdisjoint(progress.published):
            return True
        return all(progress.consolidated.get(publisher, 0) >= number for publisher, number in self.numbers.items())


@dataclass(frozen=True, slots=True)
class Laid:
    """The waiting writes of a namespace.

    remembered: memories not in effect yet. closed: memories to hide, each with its replacement.
    """

    remembered: tuple[Hit, ...] = ()
    closed: Mapping[UUID, UUID | None] = field(default_factory=dict)

    def over(
        self, hits: Sequence[Hit], vector: Vector, embedder: Embedder, *, limit: int, threshold: float | None
    ) -> tuple[Hit, ...]:
        """Merge waiting memories into hits, most similar first. vector: of the question."""
        if not self.remembered and not self.closed:
            return tuple(hits)
        stored = {hit.id for hit in hits}
        waiting = [one for one in self.similar(vector, embedder) if one.id not in stored]
        found = [hit for hit in hits if hit.id not in self.closed]
        found += [one for one in waiting if threshold is None or one.similarity > threshold]
        return tuple(sorted(found, key=lambda hit: -hit.similarity)[:limit])

    def narrowed(self, *, kind: str | None, metadata: Mapping[str, Any] | None, record: str | None) -> "Laid":
        """Return the waiting memories of a kind; none of them comes from a message with metadata, or has a record."""
        remembered = () if metadata or record else (one for one in self.remembered if kind in {None, one.kind})
        return replace(self, remembered=tuple(remembered))

    def similar(self, vector: Vector, embedder: Embedder) -> list[Hit]:
        """Return the memories not in effect yet, most similar to a vector first."""
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
        """Return a memory that is not in effect yet."""
        return next((one for one in self.remembered if one.id == memory_id), None)

    def as_closed(self, memory: StoredMemory) -> StoredMemory:
        """Return a stored memory, closed if a waiting write closes it."""
        if memory.id not in self.closed or memory.state != "active":
            return memory
        successor = self.closed[memory.id]
        return replace(memory, state="superseded" if successor else "withdrawn", superseded_by=successor, pending=True)


@dataclass(frozen=True, slots=True)
class Overlay:
    """The waiting writes of one process, by namespace and event.

    Every step is one operation on a dict whose keys compare without Python code, so it needs no lock.
    """

    waiting: dict[tuple[tuple[str, ...], str], Pending] = field(default_factory=dict)
    closings: dict[tuple[str, ...], int] = field(default_factory=dict)
    """How often this process undid or erased something, by namespace: earlier reads are then out of date."""
    ends: dict[tuple[tuple[str, ...], str], int] = field(default_factory=dict)
    """How often this process ended a conversation, by namespace and name; only the latest ones."""

    def add(self, path: NamespacePath, event_id: UUID, pending: Pending) -> None:
        """Add a published write."""
        if pending.closes:
            self.close(path)
        self.waiting[path.parts, event_id.hex] = pending
        for key in tuple(self.waiting)[:-_MOST]:
            self.waiting.pop(key, None)

    def of(self, path: NamespacePath) -> Laid:
        """Return a namespace's waiting writes, as far as `settle` knows."""
        return laid([one for (parts, _), one in tuple(self.waiting.items()) if parts == path.parts])

    def remembering(self, path: NamespacePath, memory_ids: Collection[UUID]) -> list[UUID]:
        """Return the events of waiting writes that store some memories."""
        waiting = [(event, one.memory) for (parts, event), one in tuple(self.waiting.items()) if parts == path.parts]
        return [UUID(event) for event, memory in waiting if memory and memory.id in memory_ids]

    def close(self, path: NamespacePath) -> None:
        """Count an undo or an erasure."""
        self.closings[path.parts] = self.closings.get(path.parts, 0) + 1

    def end(self, path: NamespacePath, conversation: str) -> None:
        """Count the end of a conversation."""
        key = (path.parts, conversation)
        self.ends[key] = self.ends.pop(key, 0) + 1
        for oldest in tuple(self.ends)[:-_MOST]:
            self.ends.pop(oldest, None)

    def drop(self, path: NamespacePath) -> None:
        """Drop all waiting writes of a namespace, which must not take effect."""
        for key in tuple(self.waiting):
            if key[0] == path.parts:
                self.waiting.pop(key, None)

    def settle(self, path: NamespacePath, progress: Progress) -> None:
        """Drop the writes that a read showed to be in effect; later reads find their results in the database."""
        for key, one in tuple(self.waiting.items()):
            if key[0] == path.parts and one.in_effect(progress):
                self.waiting.pop(key, None)


def laid(waiting: Iterable[Pending]) -> Laid:
    """Combine writes, in order."""
    remembered: dict[UUID, Hit] = {}
    closed: dict[UUID, UUID | None] = {}
    for one in waiting:
        closed.update(one.closes)
        if one.memory is not None:
            remembered[one.memory.id] = one.memory
    return Laid(tuple(one for key, one in remembered.items() if key not in closed), closed)
