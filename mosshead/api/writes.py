"""What has to hold before an app's own change of its memories is published, as far as it can be seen from here."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import text

from mosshead.api.arguments import AMemory, AnEntity, entity_id, memory_id
from mosshead.api.session import Session
from mosshead.errors import InvalidEvent, MemoryChanged, NotFound
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit, StoredMemory
from mosshead.redaction import redact
from mosshead.store import memories
from mosshead.store.memories import CurrentMemory
from mosshead.store.pending import Laid

_MOST_NAMED = 5


def to_replace(session: Session, given: AMemory, version: int | None, pending: Laid) -> tuple[UUID, int | None]:
    """The memory to replace, and the version that was read of it, where one was. Raises NotFound and MemoryChanged."""
    wanted = memory_id(given, "replaces")
    if version is None and isinstance(given, StoredMemory) and not given.pending:
        version = given.version
    if pending.memory(wanted) is not None:
        return wanted, None  # it takes effect before this event does
    found = known(session, [wanted], pending, "replaces")[wanted]
    if version is None or version == found.version:
        return wanted, version
    read = session.fetch(memories.content_of, wanted, version)
    if read != found.content:
        raise MemoryChanged(
            f"replaces: {wanted} was read at version {version}, and says something else at version "
            f"{found.version}; read it again"
        )
    return wanted, version


def keys_in_use(session: Session, keys: Collection[str]) -> set[str]:
    """Which of some keys of the app's own entities were imported under."""
    from mosshead.store.entities import known_keys  # few apps import

    return session.fetch(known_keys, keys)


def standing(session: Session, wanted: Sequence[UUID]) -> dict[UUID, CurrentMemory]:
    """What memories stand at, of those that there are."""
    return session.fetch(memories.standing, wanted)


def known(
    session: Session, wanted: Sequence[UUID], pending: Laid, name: str = "memories", *, closed: bool = False
) -> Mapping[UUID, CurrentMemory]:
    """What memories stand at. Raises NotFound, which names those that are not there or, where these will not do, are closed."""
    stored = [one for one in wanted if pending.memory(one) is None]
    found = standing(session, stored)
    faults = [
        f"there is no memory {one} in {session.path}" if state is None else f"{one} is {state} already"
        for one in stored
        if (state := _state(one, found, pending)) is None or not (closed or state == "active")
    ]
    if faults:
        more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
        raise NotFound(f"{name}: {'; '.join(faults[:_MOST_NAMED])}{more}")
    return found


def as_pending(wanted: UUID, content: str, *, kind: MemoryKind | str, about: Sequence[str], since: datetime) -> Hit:
    """A memory as far as it is known before the service took it up."""
    return Hit(
        id=wanted,
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


def to_erase(session: Session, entity: AnEntity) -> UUID:
    """The entity to erase. Raises NotFound, and InvalidEvent where it is the user."""
    wanted = entity_id(entity)
    with session.transaction() as connection:
        is_user = connection.execute(_IS_USER, {**session.path.ids, "entity_id": wanted}).scalar()
    if is_user is None:
        raise NotFound(f"entity: there is no entity {wanted} in {session.path}")
    if is_user:
        raise InvalidEvent("entity: is the user; everything=True erases all that is known of the user")
    return wanted


def _state(wanted: UUID, found: Mapping[UUID, CurrentMemory], pending: Laid) -> str | None:
    """What state a memory is in, or will be once what waits is in effect; None where there is none."""
    if wanted in pending.closed:
        return "superseded" if pending.closed[wanted] else "withdrawn"
    return found[wanted].state if wanted in found else None


_IS_USER = text("""
    select bool_or(is_user) from mosshead_read_v1.entities_over_time
    where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id
""")
