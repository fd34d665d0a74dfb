"""`Namespace.erasures`: receipts of erasures, with their SQL."""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from mosshead.api.session import Session
from mosshead.arguments import id_of
from mosshead.events.commands import ErasedScope
from mosshead.store.connection import OF_NAMESPACE, Sql


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of an erasure. It contains none of the erased data.

    Attributes:
        rows: Number of rows deleted or emptied, by table.
        late: Number of events published earlier that arrived later and were dropped.
        final_at: From then on no spool keeps what was erased, and no failover can bring it back (docs/how-to/erase.md).
        rewritten_at: When the table files were rewritten, so that no trace is left on disk.
    """

    id: UUID
    scope: ErasedScope
    asked_at: datetime
    erased_at: datetime
    rows: Mapping[str, int]
    late: int
    final_at: datetime
    rewritten_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NamespaceErasures:
    """Reads the receipts of `Namespace.erase` and `NamespaceMessages.erase`. Receipts are kept after the data is gone."""

    session: Session

    def get(self, erasure_id: UUID | str) -> Receipt | None:
        """Read a receipt by the id that `Namespace.erase` returned. None until the erasure is carried out."""
        return next(iter(self._receipts(id_of("erasure_id", erasure_id))), None)

    def list(self) -> builtins.list[Receipt]:
        """List all receipts of this namespace, newest first."""
        return self._receipts(None)

    def _receipts(self, erasure_id: UUID | None) -> builtins.list[Receipt]:
        with self.session.transaction() as connection:
            rows = Sql(f"""
                select erasure_id as id, scope, asked_at, erased_at, rows, late, rewritten_at from mosshead_read_v1.erasures
                where {OF_NAMESPACE} and erased_at is not null
                  and (%(erasure_id)s::uuid is null or erasure_id = %(erasure_id)s)
                order by erased_at desc, erasure_id
            """).rows(connection, self.session.path.ids, erasure_id=erasure_id)
        kept = timedelta(seconds=self.session.keep_seconds)
        return [
            Receipt(**{**row._asdict(), "rows": dict(sorted(row.rows.items()))}, final_at=row.erased_at + kept)
            for row in rows
        ]
