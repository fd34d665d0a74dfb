"""What the scans of a namespace find, as values: candidates with their raw scores. `mosshead.context` ranks and joins them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import Role
from mosshead.models.memories import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How one raw score lies over all that was scanned, of which what is found is the best part."""

    mean: float
    deviation: float

    def normalised(self, raw: float) -> float:
        """How many standard deviations above the mean; 0 where all are equal."""
        return (raw - self.mean) / self.deviation if self.deviation > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message of a conversation, as the app published it.

    conversation: None where the app named none. place: the message's number in its conversation, from 0, in the order of time.
    said_at: in the zone in which it was published.
    """

    id: UUID
    conversation: str | None
    place: int
    role: Role
    speaker: str | None
    content: str
    said_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFound:
    """A message that a scan found.

    cosine: of its text with the question, nobody's name in it. with_before: of the turn before it and it. words: BM25.
    itself: it was found by its own scores, and its neighbours with it; otherwise it is such a neighbour.
    """

    message: StoredMessage
    cosine: float
    with_before: float
    words: float
    itself: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFound:
    """A memory that a scan found.

    cosine: with the question, nobody's name in it. words: BM25. entities: whom it is surely about. sources: the messages that it
    was taken from.
    """

    memory: Hit
    cosine: float
    words: float
    entities: frozenset[UUID] = frozenset()
    sources: tuple[UUID, ...] = ()
