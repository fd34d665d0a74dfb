"""The memories of a namespace that are nearest to a vector: exact, or through the index that a large scope has."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.namespaces import NamespacePath
from mosshead.reading.nearest_sql import MOST_BY_INDEX, Wanted, by_index, exact, whether_indexed
from mosshead.results import Hit
from mosshead.rows import memory_fields
from mosshead.tenancy import Statement, in_one_trip

_REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Scopes:
    """Which scopes have an index of their own, as the service said within the last minute. Only those are remembered."""

    _indexed: dict[tuple[UUID, str], float] = field(default_factory=dict)

    def indexed(self, path: NamespacePath, model: str) -> bool:
        """Whether a scope has one; False as long as nobody asked."""
        return self._indexed.get((path.namespace_id, model), 0.0) > time.monotonic()

    def learn(self, path: NamespacePath, model: str, rows: Iterable[Any]) -> None:
        """Take in what the view ``scopes`` says."""
        if any(row.indexed for row in rows):
            self._indexed[path.namespace_id, model] = time.monotonic() + _REMEMBERED_SECONDS
        else:
            self._indexed.pop((path.namespace_id, model), None)


def search(engine: Engine, path: NamespacePath, wanted: Wanted, also: Statement) -> tuple[tuple[Hit, ...], list[Any]]:
    """The nearest, most similar first, and the rows of another statement, in one round trip.

    A scope's index is used once it is known of, which the same trip asks; until then the search is exact, as it is without one.
    """
    scopes = _scopes.setdefault(engine, Scopes())
    indexed = wanted.limit <= MOST_BY_INDEX and not wanted.narrowed and scopes.indexed(path, wanted.model)
    sought = by_index(path, wanted) if indexed else (exact(path, wanted),)
    asked = [*sought, also, whether_indexed(path, wanted.model)]
    *_, found, rows, told = in_one_trip(engine, path.tenant_id, asked)
    scopes.learn(path, wanted.model, told)
    return tuple(Hit(**memory_fields(row), similarity=round(row.similarity, 4)) for row in found), rows


_scopes: WeakKeyDictionary[Engine, Scopes] = WeakKeyDictionary()
