"""A message as reads return it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.models.kinds import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message as the app published it.

    Attributes:
        conversation: None if the app gave none.
        place: Its position in the conversation, from 0, in chronological order.
        said_at: In the zone in which it was published.
        replaced: Memories derived from it that no longer hold; only set by a context or a search.
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
