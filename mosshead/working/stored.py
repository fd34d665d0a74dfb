"""What the memories know of what a session has not at hand: asked of a `Namespace`."""

from uuid import UUID

from mosshead.errors import AmbiguousName, NotFound, StoreUnavailable
from mosshead.namespace import Namespace
from mosshead.results import Entity
from mosshead.working.checking import MAX_ID


def entity_called(namespace: Namespace, name: str) -> Entity | None:
    """The one entity with this id, this name or this alias. Raises StoreUnavailable."""
    wanted = name.strip()
    if not wanted or len(wanted) > MAX_ID:
        return None
    try:
        return namespace.profile(_as_uuid(wanted) or wanted).entity
    except (NotFound, AmbiguousName):
        return None


def entity_with_id(namespace: Namespace, entity_type: str, entity_id: str) -> Entity | None:
    """The entity with this id, where it is of this type. Raises StoreUnavailable."""
    found = entity_called(namespace, entity_id) if _as_uuid(entity_id) else None
    return found if found and found.entity_type == entity_type else None


def summary_of(namespace: Namespace, conversation: str) -> str | None:
    """The summary of a conversation; None where there is none, or Postgres does not answer: a prompt does without."""
    try:
        found = namespace.summary(conversation)
    except StoreUnavailable:
        return None
    return found.text if found else None


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
