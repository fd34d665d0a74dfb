"""The statements that search a namespace's memories by vector. Vectors have unit length: the inner product is the cosine."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from pgvector import HalfVector
from sqlalchemy import Engine

from mosshead.embeddings import Vectors
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit
from mosshead.paths import NamespacePath
from mosshead.search.indexed import nearest_first, scope_in_literals
from mosshead.store.connection import Statement, in_one_trip, of_namespace
from mosshead.store.memories import MEMORY_COLUMNS, memory_fields

MOST_BY_INDEX = 250
"""How many to ask an index for; beyond that it would have to look so far that it saves little."""

_LEAST_LISTED = 200
_LISTED_PER_HIT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTarget:
    """What is sought.

    vector: of unit length. threshold: only cosines strictly above it; None for all. kind: of that kind alone. metadata: only what
    was taken from a message with these fields in its metadata. record: only what holds a record of this name.
    """

    model: str
    vector: Vectors
    limit: int
    threshold: float | None = None
    kind: MemoryKind | None = None
    metadata: Mapping[str, Any] | None = None
    record: str | None = None

    @property
    def narrowed(self) -> bool:
        """Whether more than the vector decides; an index of vectors alone would have to look far then."""
        return (self.kind, self.metadata, self.record) != (None, None, None)


def exact(path: NamespacePath, wanted: SearchTarget) -> Statement:
    """The nearest by a look at every vector of the namespace, in one scan of its btree."""
    if not wanted.narrowed:
        return _EXACT, _parameters(path, wanted)
    metadata = None if wanted.metadata is None else json.dumps(dict(wanted.metadata))
    narrowed = {"kind": wanted.kind, "metadata": metadata, "record": wanted.record}
    return _NARROWED, {**_parameters(path, wanted), **narrowed}


def by_index(path: NamespacePath, wanted: SearchTarget) -> Statement:
    """The nearest by the index of a scope that has one."""
    listed = max(_LEAST_LISTED, _LISTED_PER_HIT * wanted.limit)
    scope = scope_in_literals("vector", path, model=wanted.model, owner_kind="memory")
    nearest = f"""
        select nearest.owner_id, nearest.similarity from (
            select vector.owner_id, {_cosine(_DISTANCE)} as similarity from mosshead_read_v1.embeddings as vector
            where {scope} {nearest_first("vector.embedding", len(wanted.vector), looked_at=listed)} limit {wanted.limit}
        ) as nearest where cast(%(threshold)s as float8) is null or nearest.similarity > %(threshold)s
    """
    return _joined(nearest), _parameters(path, wanted)


def whether_indexed(path: NamespacePath, model: str) -> Statement:
    """Whether the scope has an index of its own."""
    return _IS_INDEXED, {**path.ids, "model": model}


def _parameters(path: NamespacePath, wanted: SearchTarget) -> dict[str, Any]:
    return {
        **path.ids,
        "model": wanted.model,
        "vector": HalfVector(wanted.vector),
        "limit": wanted.limit,
        "threshold": wanted.threshold,
    }


def _cosine(distance: str) -> str:
    """Of a text and itself it is 1, although the halves that vectors are made of are rounded."""
    return f"least(1, -({distance}))"


def _joined(nearest: str) -> str:
    """The memories of what is nearest.

    By an array of ids their columns are fetched for those alone, where a join would scan all; and a full join is never a loop, in
    which each would be compared with each.
    """
    return f"""
        with nearest as materialized ({nearest}),
        memory as materialized (
            select {MEMORY_COLUMNS} from mosshead_read_v1.memories as memory
            where {of_namespace("memory")}
              and memory.memory_id = any(array(select owner_id from nearest))
              and memory.known_to is null and memory.state = 'active'
        ),
        found as materialized (select * from memory full join nearest on nearest.owner_id = memory.memory_id)
        select * from found where memory_id is not null order by similarity desc, memory_id
    """


_IS_INDEXED = f"""
    select scopes.indexed from mosshead_read_v1.scopes
    where {of_namespace("scopes")} and scopes.model = %(model)s
"""

_DISTANCE = "vector.embedding <#> cast(%(vector)s as halfvec)"

_SOUGHT = f"""
    select vector.owner_id, {_cosine(_DISTANCE)} as similarity from mosshead_read_v1.embeddings as vector
    where {of_namespace("vector")} and vector.model = %(model)s and vector.owner_kind = 'memory'
      and (cast(%(threshold)s as float8) is null or {_cosine(_DISTANCE)} > %(threshold)s) {{narrowed}}
    order by {_DISTANCE}, vector.owner_id limit %(limit)s
"""

_EXACT = _joined(_SOUGHT.format(narrowed=""))


def _equal_if_given(column: str, parameter: str) -> str:
    return f"""
      and (cast(%({parameter})s as text) is null or exists (
          select from mosshead_read_v1.memories as one
          where {of_namespace("one")} and one.memory_id = vector.owner_id
            and one.known_to is null and one.{column} = %({parameter})s))"""


_WITH_METADATA = f"""
      and (cast(%(metadata)s as jsonb) is null or exists (
          select from mosshead_read_v1.provenance as source
          join mosshead_read_v1.messages as message
            on {of_namespace("message")} and message.message_id = source.message_id
           and message.metadata @> cast(%(metadata)s as jsonb)
          where {of_namespace("source")} and source.memory_id = vector.owner_id and source.stance = 'for'))
"""

_NARROWED = _joined(
    _SOUGHT.format(narrowed=_equal_if_given("kind", "kind") + _equal_if_given("record_name", "record") + _WITH_METADATA)
)

_REMEMBERED_SECONDS = 60.0


def search(
    engine: Engine, path: NamespacePath, wanted: SearchTarget, also: Statement
) -> tuple[tuple[Hit, ...], list[Any]]:
    """The nearest, most similar first, and the rows of another statement, in one round trip.

    A scope's index is used once it is known of, which the same trip asks; until then the search is exact, as it is without one.
    """
    known, scope = _indexed.setdefault(engine, {}), (path.namespace_id, wanted.model)
    indexed = wanted.limit <= MOST_BY_INDEX and not wanted.narrowed and known.get(scope, 0.0) > time.monotonic()
    sought = by_index(path, wanted) if indexed else exact(path, wanted)
    found, rows, told = in_one_trip(engine, path.tenant_id, [sought, also, whether_indexed(path, wanted.model)])
    if any(row.indexed for row in told):
        known[scope] = time.monotonic() + _REMEMBERED_SECONDS
    else:
        known.pop(scope, None)
    return tuple(Hit(**memory_fields(row), similarity=round(row.similarity, 4)) for row in found), rows


_indexed: WeakKeyDictionary[Engine, dict[tuple[UUID, str], float]] = WeakKeyDictionary()
"""Until when it is remembered of which scopes that they have an index of their own, as the service said. Only of those."""
