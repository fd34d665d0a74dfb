"""An entity as the registry has it: what linking and resolving decide on, on both sides."""

from dataclasses import dataclass
from uuid import UUID

from mosshead.models.kinds import EntityType

USER = "User"
"""The name of the user's entity, in the registry and in memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredEntity:
    """An entity and what tells it from its namesakes.

    description: what somebody said it is ("User's brother", "writer").
    key: the app's own name for it, where it was imported.
    """

    entity_id: UUID
    name: str
    entity_type: EntityType
    aliases: tuple[str, ...] = ()
    description: str | None = None
    parent_id: UUID | None = None
    parent: str | None = None
    is_user: bool = False
    key: str | None = None
