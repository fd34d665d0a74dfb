"""The least that a read could take: an embedding, a round trip, and a bare search, each by the plainest means."""

from typing import Any, LiteralString
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg import sql

from benchmarks.reading.layout import Space
from benchmarks.reading.loading import Known

TOP = 10

_EXACT: LiteralString = """
    select owner_id from mosshead.embeddings
    where tenant_id = %s and namespace_id = %s and model = %s and owner_kind = 'memory'
    order by embedding <#> %s::halfvec limit 10
"""
_BY_INDEX: LiteralString = """
    select owner_id from mosshead.embeddings
    where tenant_id = {tenant} and namespace_id = {namespace} and model = {model} and owner_kind = 'memory'
    order by (embedding::halfvec(384)) <#> %s::halfvec(384) limit 10
"""


class Bare:
    """One connection of psycopg's, as the superuser, whom no policy of rows slows."""

    def __init__(self, url: str, model: str) -> None:
        """Open it."""
        self._connection: psycopg.Connection[Any] = psycopg.connect(url, autocommit=True)
        self._connection.execute("set max_parallel_workers_per_gather = 0")
        self._connection.execute("set jit = off")
        self._model = model

    def round_trip(self) -> None:
        """``select 1``."""
        self._connection.execute("select 1").fetchall()

    def exact(self, space: Space, vector: NDArray[np.float32]) -> list[UUID]:
        """The top ten of a namespace, by one prepared statement."""
        asked = (space.path.tenant_id, space.path.namespace_id, self._model, HalfVector(vector).to_text())
        return [row[0] for row in self._connection.execute(_EXACT, asked, prepare=True)]

    def by_index(self, space: Space, vector: NDArray[np.float32]) -> list[UUID]:
        """The same by the namespace's HNSW index, which looks as far as pgvector does by default."""
        statement = sql.SQL(_BY_INDEX).format(
            tenant=sql.Literal(space.path.tenant_id),
            namespace=sql.Literal(space.path.namespace_id),
            model=sql.Literal(self._model),
        )
        return [row[0] for row in self._connection.execute(statement, (HalfVector(vector).to_text(),), prepare=True)]

    def tell(self, space: Space, *, indexed: bool) -> None:
        """Tell readers whether a namespace has indexes: without them a context is exact."""
        self._connection.execute(
            "update mosshead.scopes set indexed = %s, turns_indexed = %s where (tenant_id, namespace_id, model) = (%s, %s, %s)",
            (indexed, indexed, space.path.tenant_id, space.path.namespace_id, self._model),
        )

    def close(self) -> None:
        """Close it."""
        self._connection.close()


def truth(known: Known, vector: NDArray[np.float32]) -> set[UUID]:
    """The top ten of what a namespace holds, by numpy."""
    best = np.argsort(-(known.vectors @ vector), kind="stable")[:TOP]
    return {UUID(bytes=known.ids[place]) for place in best}
