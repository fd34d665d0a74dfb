"""A message as a read gives it back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """One message of a conversation, as the app published it.

    conversation: None where the app named none. place: the message's number in its conversation, from 0, in the order of time.
    said_at: in the zone in which it was published. replaced: what was remembered from it and has been replaced since; of messages
    that a context or a search found.
    """

    id: UUID
    conversation: str | None
    place: int
    role: Role
    speaker: str | None
    content: str
    said_at: datetime
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    replaced: tuple[str, ...] = ()
