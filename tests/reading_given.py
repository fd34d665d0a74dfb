"""Memories and messages as a scan returns them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import Role
from mosshead.models.memories import Hit
from mosshead.models.messages import StoredMessage
from mosshead.search.memories import Bearing, MemoryFound, ScannedMemories
from mosshead.search.scans import Spread
from tests.factories import hit

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LONG_AGO = datetime(2016, 5, 4, 9, tzinfo=UTC)
SPREAD = Spread(mean=0.0, deviation=1.0)


def entity(number: int) -> UUID:
    """Return the id of an entity."""
    return UUID(int=10_000 + number)


def memory(number: int, **given: Any) -> Hit:
    """Return a plain, old fact."""
    fields: dict[str, Any] = {
        "content": f"fact {number}",
        "salience": 2.0,
        "confidence": 0.8,
        "said_at": LONG_AGO,
        "similarity": 0.0,
    }
    return hit(number + 1, **{**fields, **given})


def found(number: int, cosine: float = 0.0, words: float = 0.0, *about: int, **given: Any) -> MemoryFound:
    """Return a memory with its scores, which count as standard deviations with `SPREAD`, and its subjects."""
    sources = given.pop("sources", ())
    return MemoryFound(
        memory=memory(number, similarity=cosine, **given),
        cosine=cosine,
        words=words,
        entities=frozenset(map(entity, about)),
        sources=sources,
    )


def scanned(*those: MemoryFound, bearings: Mapping[UUID, Bearing] | None = None) -> ScannedMemories:
    """Return the result of a scan, whose scores count as standard deviations."""
    return ScannedMemories(memories=those, cosine=SPREAD, words=SPREAD, bearings=bearings or {})


def message(number: int, **given: Any) -> StoredMessage:
    """Return a message of the user."""
    fields: dict[str, Any] = {
        "id": UUID(int=5_000 + number),
        "conversation": "boat",
        "place": number,
        "role": Role.USER,
        "speaker": None,
        "content": f"said {number}",
        "said_at": LONG_AGO,
    }
    return StoredMessage(**{**fields, **given})
