"""Check an app's change before it is published, against what the app can read."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from mosshead.api.arguments import AMemory, AnEntity, entity_id, memory_id
from mosshead.api.session import Session
from mosshead.errors import InvalidEvent, MemoryChanged, NotFound
from mosshead.events.commands import MAX_SOURCES
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit, StoredMemory
from mosshead.redaction import redact
from mosshead.store import entities, memories
from mosshead.store.memories import CurrentMemory
from mosshead.store.pending import Laid

_MOST_NAMED = 5


def check_replaced(session: Session, given: AMemory, version: int | None, pending: Laid) -> tuple[UUID, int | None]:
    """Return the id of the memory to replace, and the version at which the app read it, if any.

    Raises NotFound, and MemoryChanged if its text has changed since that version.
    """
    wanted = memory_id(given, "replaces")
    if version is None and isinstance(given, StoredMemory) and not given.pending:
        version = given.version
    if pending.memory(wanted) is not None:
        return wanted, None  # it is applied before this event
    found = check_memories(session, [wanted], pending, "replaces")[wanted]
    if version is None or version == found.version:
        return wanted, version
    read = session.fetch(memories.content_of, wanted, version)
    if read != found.content:
        raise MemoryChanged(
            f"replaces: the text of {wanted} has changed between version {version}, which was read, and version "
            f"{found.version}; read it again"
        )
    return wanted, version


def check_memories(
    session: Session, wanted: Sequence[UUID], pending: Laid, name: str = "memories", *, closed: bool = False
) -> Mapping[UUID, CurrentMemory]:
    """Return the current version and state of each memory.

    Raises NotFound naming those that are missing or, unless ``closed=True``, closed.
    """
    stored = [one for one in wanted if pending.memory(one) is None]
    found = session.fetch(memories.standing, stored)
    faults = [
        f"there is no memory {one} in {session.path}" if state is None else f"{one} is already {state}"
        for one in stored
        if (state := _state(one, found, pending)) is None or not (closed or state == "active")
    ]
    if faults:
        more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
        raise NotFound(f"{name}: {'; '.join(faults[:_MOST_NAMED])}{more}")
    return found


def pending_memory(
    memory_id: UUID, content: str, *, kind: MemoryKind | str, about: Sequence[str], since: datetime
) -> Hit:
    """Return a memory as this process shows it until the service has applied it."""
    return Hit(
        id=memory_id,
        version=1,
        kind=MemoryKind(kind),
        content=redact(content),
        salience=0.0,
        confidence=0.0,
        tier="hypothesis",
        said_at=since,
        about=tuple(about),
        pending=True,
        similarity=0.0,
    )


def check_erased(session: Session, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Check the scope of an erasure, and return it in the form that events carry.

    Args:
        scope: ``memories``, ``conversation``, ``entity`` or ``everything``.

    Raises:
        NotFound: There is no such memory or entity.
        InvalidEvent: Not exactly one is given, or the entity is the user.
    """
    given = {name: value for name, value in scope.items() if value not in (None, False, [])}
    if len(given) != 1:
        raise InvalidEvent("memories: pass exactly one of memories, conversation, entity and everything=True")
    if "memories" in given:
        wanted = given["memories"]
        remembering = session.overlay.remembering(session.path, wanted)
        check_memories(session, wanted, session.pending(), closed=True)
        sources = [*remembering, *session.fetch(memories.sources_of, memory_ids=wanted, most=MAX_SOURCES)]
        return given | {"sources": sources[:MAX_SOURCES]}
    if "entity" in given:
        entity = _erased_entity(session, given["entity"])
        return {"entity": entity, "sources": session.fetch(memories.sources_of, entity_id=entity, most=MAX_SOURCES)}
    return given


def _erased_entity(session: Session, entity: AnEntity) -> UUID:
    wanted = entity_id(entity)
    is_user = session.fetch(entities.is_user, wanted)
    if is_user is None:
        raise NotFound(f"entity: there is no entity {wanted} in {session.path}")
    if is_user:
        raise InvalidEvent("entity: this is the user; pass everything=True to erase the user's data")
    return wanted


def _state(wanted: UUID, found: Mapping[UUID, CurrentMemory], pending: Laid) -> str | None:
    """Return a memory's state with pending writes applied; None if it does not exist."""
    if wanted in pending.closed:
        return "superseded" if pending.closed[wanted] else "withdrawn"
    return found[wanted].state if wanted in found else None
