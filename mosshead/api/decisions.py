"""`History`: of one namespace, where memories came from, what was decided about them, and how they were."""

import json
from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from sqlalchemy import Engine

from mosshead.api.arguments import checked_limit
from mosshead.embeddings import Embedder
from mosshead.errors import NotFound, UndoRefused
from mosshead.models.memories import Decision, Related, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.store import export as exporting
from mosshead.store import memories
from mosshead.store.connection import tenant_transaction
from mosshead.text import readable

_MOST_NAMED = 5


class History:
    """The part of a `Namespace` that looks back."""

    def __init__(self, path: NamespacePath, engine: Engine, embedder: Embedder) -> None:
        """Use `Memory.namespace`."""
        self.path = path
        self._engine = engine
        self._embedder = embedder

    def get(self, memory_id: UUID | str, *, as_of: datetime | None = None) -> StoredMemory:
        """One memory with its sources, superseded and withdrawn ones included.

        as_of: as it was known at that time, with a time zone; now by default. Raises NotFound.
        """
        wanted, moment = id_of("memory_id", memory_id), aware(as_of)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = memories.memory(connection, self.path, wanted, as_of=moment)
        if found is None:
            then = f" that was known at {moment.isoformat()}" if moment else ""
            raise NotFound(f"memory_id: there is no memory {memory_id} in {self.path}{then}")
        return found

    def by_key(self, key: str, *, as_of: datetime | None = None) -> StoredMemory:
        """The memory that was imported under a key of the app's own (its ``id`` there), with its sources.

        as_of: as for `get`. Raises NotFound.
        """
        moment = aware(as_of)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            memory_id = memories.memory_by_key(connection, self.path, readable("key", key), as_of=moment)
        if memory_id is None:
            raise NotFound(f"key: no memory in {self.path} has this key")
        return self.get(memory_id, as_of=moment)

    def memories_from(self, message_id: UUID | str) -> list[StoredMemory]:
        """What was taken from a message (its event's id), as it is known now; superseded and withdrawn ones included."""
        wanted = id_of("message_id", message_id)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.memories_from(connection, self.path, wanted)

    def decisions(self, memory_id: UUID | str) -> list[Decision]:
        """What was decided about a memory, in order: what was seen, by whom it was decided, and why."""
        wanted = id_of("memory_id", memory_id)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.decisions(connection, self.path, wanted)

    def decision(self, decision_id: UUID | str) -> Decision:
        """One decision; that of an undo, clarify, merge or split has its event's id. Raises NotFound, also until it is made."""
        wanted = id_of("decision_id", decision_id)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = memories.decision(connection, self.path, wanted)
        if found is None:
            raise NotFound(f"decision_id: there is no decision {decision_id} in {self.path}")
        return found

    def latest_decisions(self, *, limit: int = 50) -> list[Decision]:
        """What was decided last in the whole namespace, the latest first."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.latest_decisions(connection, self.path, checked_limit(limit))

    def quarantined(self, *, limit: int = 100) -> list[Decision]:
        """The latest facts that were kept from becoming memories, as instructions to the assistant are, each with its reason."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.latest_decisions(connection, self.path, checked_limit(limit), action="quarantine")

    def refused(self, *, limit: int = 100) -> list[Decision]:
        """The latest that an LLM proposed as facts and code did not take, each with its reason (docs/extraction.md)."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.latest_decisions(connection, self.path, checked_limit(limit), action="refuse")

    def related(self, memory_id: UUID | str, *, limit: int = 20) -> list[Related]:
        """How other memories stand to one: similar, contradicting, replaced, about the same; at most so many of each kind."""
        wanted = id_of("memory_id", memory_id)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return memories.related(connection, self.path, wanted, checked_limit(limit))

    def export(self, *, as_of: datetime | None = None) -> Iterator[str]:
        """All that is known, as JSON Lines, all of them read before the first is given; docs/export.md shows each.

        as_of: what was known at that time, with a time zone; now by default. Two exports of one state are equal, byte for byte.
        """
        moment = aware(as_of)
        # One snapshot for all of it, whatever is written meanwhile.
        engine = self._engine.execution_options(isolation_level="REPEATABLE READ")
        with tenant_transaction(engine, self.path.tenant_id) as connection:
            records = [
                json.dumps(record, ensure_ascii=False, sort_keys=True)
                for record in exporting.export(connection, self.path, as_of=moment)
            ]
        # Behind the transaction: its deadline is none of whoever takes the lines, nor of what they read meanwhile.
        return iter(records)

    def _check_undo(self, decision_id: UUID | str) -> UUID:
        """Raises NotFound, or UndoRefused where the service would refuse, as far as can be seen from here."""
        wanted = id_of("decision_id", decision_id)
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = memories.decision(connection, self.path, wanted)
            later = memories.later_decisions(connection, self.path, wanted)
        if found is None:
            raise NotFound(f"decision_id: there is no decision {decision_id} in {self.path}")
        if not found.in_effect:
            raise UndoRefused(f"decision_id: {decision_id} is not in effect; it was taken back, or never carried out")
        if found.action == "erase":
            raise UndoRefused(f"decision_id: {decision_id} erased for good; nothing of it can be brought back")
        if later:
            named = ", ".join(map(str, later[:_MOST_NAMED])) + (", …" if len(later) > _MOST_NAMED else "")
            raise UndoRefused(
                f"decision_id: {len(later)} later decision{'s build' if len(later) > 1 else ' builds'} on "
                f"{decision_id}; undo the latest first: {named}"
            )
        return wanted


def aware(moment: datetime | None, name: str = "as_of") -> datetime | None:
    """The same. Raises ValueError where it has no time zone."""
    if moment is not None and not isinstance(moment, datetime):
        raise ValueError(f"{name}: give a datetime, not {type(moment).__name__}")
    if moment is not None and moment.tzinfo is None:
        raise ValueError(f"{name}: has no time zone; give an aware time, such as datetime.now(UTC)")
    return moment


def id_of(name: str, given: UUID | str) -> UUID:
    """An id as one. Raises NotFound, which names the argument, where it is none."""
    try:
        return UUID(str(given))
    except ValueError:
        raise NotFound(f"{name}: {given!r} is not an id") from None
