"""An entity of the registry, as linking and resolution use it in the app and the service."""

from dataclasses import dataclass
from uuid import UUID

from mosshead.models.kinds import EntityType

USER = "User"
"""Name of the user's entity, in the registry and in memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredEntity:
    """An entity and what distinguishes it from its namesakes.

    description: What it was said to be ("User's brother", "writer"). key: The app's own id, if it was imported.
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
