"""Messages, facts and hits with defaults for whatever a test does not specify. Events and rows: `tests.given`."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Hit
from pipeline.models import Fact, Message

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def message(content: str = "I like tea.", number: int = 1, **given: Any) -> Message:
    """Return a user's message of a batch, at noon; its id follows from its number."""
    fields: dict[str, Any] = {
        "event_id": UUID(int=number),
        "conversation": "c1",
        "role": Role.USER,
        "speaker": None,
        "occurred_at": NOON,
    }
    return Message(number=number, content=content, **{**fields, **given})


def messages(*contents: str, **given: Any) -> list[Message]:
    """Return a batch of messages, numbered from 1."""
    return [message(content, number, **given) for number, content in enumerate(contents, 1)]


def fact(content: str = "User likes tea", quote: str = "", **given: Any) -> Fact:
    """Return a plain fact from the first message."""
    fields: dict[str, Any] = {"kind": MemoryKind.FACT, "sources": (1,)}
    return Fact(content=content, quote=quote, **{**fields, **given})


def hit(number: int = 1, **given: Any) -> Hit:
    """Return a plain fact as a read finds it, said at noon."""
    fields: dict[str, Any] = {
        "id": UUID(int=number),
        "version": 1,
        "kind": MemoryKind.FACT,
        "content": f"memory {number}",
        "salience": 5,
        "confidence": 0.9,
        "tier": "solid",
        "said_at": NOON,
        "similarity": 0.5,
    }
    return Hit(**{**fields, **given})
