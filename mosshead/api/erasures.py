"""The part of a `Namespace` that has things erased for good, and reads the receipts. Its SQL is here, too."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import RowMapping, text

from mosshead.api.decisions import id_of
from mosshead.api.writes import AMemory, Remembering, ids_of
from mosshead.errors import InvalidEvent, NotFound
from mosshead.events.commands import ErasedScope
from mosshead.ids import uuid7
from mosshead.models.memories import Entity
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import AppSession
from mosshead.store import memories as standing
from mosshead.store.connection import tenant_transaction
from mosshead.store.pending import overlay_of
from mosshead.text import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """That something was erased. It holds nothing of what that was.

    rows: how many were deleted or emptied, by the table of the store. late: events that had been published before, came after,
    and were kept out. rewritten_at: since when nothing of it is left in the files of the tables, either.
    """

    id: UUID
    scope: ErasedScope
    asked_at: datetime
    erased_at: datetime
    rows: Mapping[str, int]
    late: int
    rewritten_at: datetime | None = None


class Erasing(Remembering):
    """The part of a `Namespace` that erases."""

    def erase(
        self,
        memories: AMemory | Iterable[AMemory] = (),
        *,
        conversation: str | None = None,
        entity: Entity | UUID | str | None = None,
        everything: bool = False,
        session: AppSession | None = None,
    ) -> UUID:
        """Delete for good, at once and ahead of all that waits; returns the event's id, under which the `receipt` is found.

        One of: memories, with the messages that they came from; all that was said in a conversation, with what rests on that
        alone; an entity (itself, or its id), with every memory that was ever linked to it; everything of this namespace. What was
        published before and comes later is kept out. docs/erasure.md says what that takes in and what it leaves.
        It cannot be undone: `forget` closes memories, and can be. session: as for `publish`.
        Raises InvalidEvent where not just one is given, or the entity is the user, and NotFound where there is no such memory or
        entity.
        """
        wanted = ids_of(memories)
        given = [bool(wanted), conversation is not None, entity is not None, everything]
        if given.count(True) != 1:
            raise InvalidEvent("memories: give one of memories, conversation, entity and everything=True")
        event_id = uuid7()
        event = {"type": "erase", "event_id": event_id, "everything": everything, "memories": wanted}
        event |= {} if conversation is None else {"conversation": conversation}
        event |= {} if entity is None else {"entity": self._to_erase(entity)}
        if wanted:
            self._check_there(wanted)
        self._publish([event], session=session)
        if session is None and wanted:
            self._lay(event_id, memory=None, closes=dict.fromkeys(wanted))
        if session is None and everything:
            overlay_of(self._engine).drop(self.path)
        return event_id

    def receipt(self, erasure_id: UUID | str) -> Receipt | None:
        """That an erasure was carried out, by what `erase` returned; None until then."""
        return next(iter(self._receipts(id_of("erasure_id", erasure_id))), None)

    def receipts(self) -> list[Receipt]:
        """What was ever erased here, the latest first. The receipts outlive what they are about."""
        return self._receipts(None)

    def _receipts(self, erasure_id: UUID | None) -> list[Receipt]:
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            rows = connection.execute(_RECEIPTS, {**_scope(self.path), "erasure_id": erasure_id}).mappings()
            return [_receipt(row) for row in rows]

    def _check_there(self, memory_ids: list[UUID]) -> None:
        laid = self._laid()
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            found = standing.standing(connection, self.path, memory_ids)
        for one in memory_ids:
            if one not in found and laid.memory(one) is None:
                raise NotFound(f"memories: there is no memory {one} in {self.path}")

    def _to_erase(self, entity: Entity | UUID | str) -> UUID:
        wanted = entity.id if isinstance(entity, Entity) else id_of("entity", readable("entity", str(entity)))
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            scope = {**_scope(self.path), "entity_id": wanted}
            is_user = connection.execute(_IS_USER, scope).scalar()
        if is_user is None:
            raise NotFound(f"entity: there is no entity {wanted} in {self.path}")
        if is_user:
            raise InvalidEvent("entity: is the user; everything=True erases all that is known of the user")
        return wanted


def _receipt(row: RowMapping) -> Receipt:
    return Receipt(
        id=row["erasure_id"],
        scope=row["scope"],
        asked_at=row["asked_at"],
        erased_at=row["erased_at"],
        rows=dict(sorted(row["rows"].items())),
        late=row["late"],
        rewritten_at=row["rewritten_at"],
    )


def _scope(path: NamespacePath) -> dict[str, UUID]:
    return {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}


_RECEIPTS = text("""
    select erasure_id, scope, asked_at, erased_at, rows, late, rewritten_at from mosshead_read_v1.erasures
    where tenant_id = :tenant_id and namespace_id = :namespace_id and erased_at is not null
      and (cast(:erasure_id as uuid) is null or erasure_id = :erasure_id)
    order by erased_at desc, erasure_id
""")

_IS_USER = text("""
    select bool_or(is_user) from mosshead_read_v1.entities_over_time
    where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id
""")
