"""The receipts of what was erased for good. Their SQL is here, too."""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from mosshead.api.session import Session
from mosshead.arguments import id_of
from mosshead.events.commands import ErasedScope
from mosshead.store.connection import OF_NAMESPACE, Sql


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


@dataclass(frozen=True, slots=True)
class NamespaceErasures:
    """Reads the receipts of what `Namespace.erase` and `NamespaceMessages.erase` deleted. They outlive what they are about."""

    session: Session

    def get(self, erasure_id: UUID | str) -> Receipt | None:
        """Read the receipt of an erasure, by what `Namespace.erase` returned; None until it is carried out."""
        return next(iter(self._receipts(id_of("erasure_id", erasure_id))), None)

    def list(self) -> builtins.list[Receipt]:
        """List the receipts of all that was ever erased here, the latest first."""
        return self._receipts(None)

    def _receipts(self, erasure_id: UUID | None) -> builtins.list[Receipt]:
        with self.session.transaction() as connection:
            rows = Sql(f"""
                select erasure_id as id, scope, asked_at, erased_at, rows, late, rewritten_at from mosshead_read_v1.erasures
                where {OF_NAMESPACE} and erased_at is not null
                  and (%(erasure_id)s::uuid is null or erasure_id = %(erasure_id)s)
                order by erased_at desc, erasure_id
            """).rows(connection, self.session.path.ids, erasure_id=erasure_id)
        return [Receipt(**{**row._asdict(), "rows": dict(sorted(row.rows.items()))}) for row in rows]
