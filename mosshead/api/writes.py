"""`Remembering`: what an app remembers and forgets by its own hand, and what it wants thought over now."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mosshead.api.arguments import listed
from mosshead.api.decisions import id_of
from mosshead.api.session import Freshness
from mosshead.errors import MemoryChanged, NotFound
from mosshead.ids import remembered_id, uuid7
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit, StoredMemory
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import redact
from mosshead.store import memories as standing
from mosshead.store.connection import tenant_transaction
from mosshead.store.pending import Laid, Pending, overlay_of

AMemory = StoredMemory | UUID | str

_MOST_NAMED = 5


class Remembering(Freshness):
    """The part of a `Namespace` that writes memories by hand."""

    def remember(
        self,
        content: str,
        *,
        kind: MemoryKind | str = MemoryKind.FACT,
        about: Sequence[str] | None = None,
        replaces: AMemory | None = None,
        version: int | None = None,
        occurred_at: datetime | None = None,
        event_id: UUID | str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Put a memory down as it is, and return its id, as soon as it is safe in the spool.

        This process reads it back at once, marked ``pending``; others do when the service took it up. Undo it by its decision
        (`decisions`).
        about: names of whom it is about, the subject first; by default those known here whom the content names.
        replaces: a memory that it stands for from here on; that one stays, superseded. version: of that one, as it was read, by
        default that of the memory given: where it says something else by now, MemoryChanged.
        occurred_at: since when it is so; now by default. event_id: the event's, new by default: what is sent again under the same
        one is put down once, also where it replaces a memory. session: as for `publish`; it is read back once it took effect.
        Raises InvalidEvent, NotFound where there is no memory to replace or it is closed, and otherwise as `publish`. What
        changes before the event takes effect can still have it refused: the decision log says so then.
        """
        given = None if event_id is None else id_of("event_id", event_id)
        event_id, since = given or uuid7(), occurred_at or datetime.now(UTC)
        event: dict[str, Any] = {"type": "remember", "event_id": event_id, "content": content, "kind": kind}
        event |= {"occurred_at": since} | ({} if about is None else {"about": listed(about)})
        laid = self._laid()
        closes: dict[UUID, UUID | None] = {}
        memory_id = remembered_id(self.path.home_id, event_id)
        if replaces is not None:
            if given is not None and self._is_known(memory_id, laid):
                return memory_id  # sent again, and what it replaced is closed by now
            old, read = self._to_replace(replaces, version, laid)
            event |= {"replaces": old, "of_version": read}
            closes = {old: memory_id}
        self._publish([event], session=session)
        if session is None:
            memory = _pending(memory_id, content, kind=kind, about=about or (), since=since)
            self._lay(event_id, memory=memory, closes=closes)
        return memory_id

    def forget(
        self, memories: AMemory | Iterable[AMemory], *, reason: str | None = None, session: AppSession | None = None
    ) -> UUID:
        """Close memories, up to 200: nothing reads them as known any more. Returns the event's id, which undoes it.

        They are not removed: `get` and ``as_of`` find them. This process does not see them from here on, others when the service
        took it up. reason: for the decision log. session: as for `publish`.
        Raises NotFound where one of them is not there, or closed already; nothing is closed then.
        """
        wanted = ids_of(memories)
        self._check_known(wanted, self._laid())
        event_id = uuid7()
        event = {"type": "forget", "event_id": event_id, "memories": wanted, "reason": reason}
        self._publish([event], session=session)
        if session is None:
            self._lay(event_id, memory=None, closes=dict.fromkeys(wanted))
        return event_id

    def reflect(
        self,
        *,
        kind: str | None = None,
        subject: str | None = None,
        conversation: str | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Have what was said so far thought over now, instead of after a quiet time; returns the event's id.

        kind, subject: that reflection alone (docs/reflection.md names the kinds). conversation: what was said there alone.
        `wait` waits for it, too. session: as for `publish`.
        """
        event = {"type": "reflect", "kind": kind, "subject": subject, "conversation": conversation}
        return self._publish([event], session=session)[0]

    def get(self, memory_id: UUID | str, *, as_of: datetime | None = None) -> StoredMemory:
        """One memory with its sources, superseded and withdrawn ones included.

        as_of: as it was known at that time, with a time zone; now by default, with what this process has just done. Raises
        NotFound.
        """
        if as_of is not None:
            return super().get(memory_id, as_of=as_of)
        laid = self._laid()
        try:
            return laid.as_closed(super().get(memory_id))
        except NotFound:
            waiting = laid.memory(id_of("memory_id", memory_id))
            if waiting is None:
                raise
            return waiting

    def _to_replace(self, given: AMemory, version: int | None, laid: Laid) -> tuple[UUID, int | None]:
        """The memory to replace, and the version that was read of it, where one was."""
        memory_id = _id(given, "replaces")
        if version is None and isinstance(given, StoredMemory) and not given.pending:
            version = given.version
        if laid.memory(memory_id) is not None:
            return memory_id, None  # it takes effect before this event does
        found = self._known([memory_id], laid, "replaces")[memory_id]
        if version is None or version == found.version:
            return memory_id, version
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            read = standing.content_of(connection, self.path, memory_id, version)
        if read != found.content:
            raise MemoryChanged(
                f"replaces: {memory_id} was read at version {version}, and says something else at version "
                f"{found.version}; read it again"
            )
        return memory_id, version

    def _is_known(self, memory_id: UUID, laid: Laid) -> bool:
        if laid.memory(memory_id) is not None:
            return True
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memory_id in standing.standing(connection, self.path, [memory_id])

    def _check_known(self, memory_ids: Sequence[UUID], laid: Laid) -> None:
        stored = [one for one in memory_ids if laid.memory(one) is None]
        self._known(stored, laid, "memories")

    def _known(self, memory_ids: Sequence[UUID], laid: Laid, name: str) -> Mapping[UUID, standing.CurrentMemory]:
        """What memories stand at. Raises NotFound, which names those that are not there, or are closed."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = standing.standing(connection, self.path, memory_ids)
        faults = [
            f"there is no memory {one} in {self.path}"
            if one not in found and one not in laid.closed
            else f"{one} is {_state(one, found, laid)} already"
            for one in memory_ids
            if one in laid.closed or one not in found or found[one].state != "active"
        ]
        if faults:
            more = f"; and {len(faults) - _MOST_NAMED} more" if len(faults) > _MOST_NAMED else ""
            raise NotFound(f"{name}: {'; '.join(faults[:_MOST_NAMED])}{more}")
        return found

    def _lay(self, event_id: UUID, *, memory: Hit | None, closes: Mapping[UUID, UUID | None]) -> None:
        pending = Pending(memory=memory, closes=closes, numbers=self._published())
        overlay_of(self._engine).add(self.path, event_id, pending)


def _pending(memory_id: UUID, content: str, *, kind: MemoryKind | str, about: Sequence[str], since: datetime) -> Hit:
    """A memory as far as it is known before the service took it up."""
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


def _state(memory_id: UUID, found: Mapping[UUID, standing.CurrentMemory], laid: Laid) -> str:
    if memory_id in laid.closed:
        return "superseded" if laid.closed[memory_id] else "withdrawn"
    return found[memory_id].state


def ids_of(memories: AMemory | Iterable[AMemory]) -> list[UUID]:
    """The ids of some memories, each once. Raises NotFound, where one is no id."""
    given = [memories] if isinstance(memories, StoredMemory | UUID | str) else list(memories)
    return list(dict.fromkeys(_id(one, "memories") for one in given))


def _id(given: AMemory, name: str) -> UUID:
    return given.id if isinstance(given, StoredMemory) else id_of(name, given)
