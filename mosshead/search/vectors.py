"""SQL that searches a namespace's memories by vector. Vectors have unit length, so the inner product is the cosine."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from mosshead.embeddings import Vectors
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit
from mosshead.paths import NamespacePath
from mosshead.search.scans import MEMORIES, cosine, nearest_first, scope_in_literals
from mosshead.store.connection import BinaryVector, Sql, in_one_trip, of_namespace
from mosshead.store.memories import MEMORY_COLUMNS, held, memory_columns, memory_fields

_MOST_BY_INDEX = 250
"""Largest limit for which an index is used; beyond it, the index saves little."""

_LEAST_LISTED = 200
_LISTED_PER_HIT = 4
_REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTarget:
    """The arguments of a search.

    Attributes:
        vector: The text's vector, of unit length.
        threshold: Minimum similarity, exclusive; None for all.
        kind: Only memories of this kind.
        metadata: Only memories from messages with these metadata fields.
        record: Only memories that hold a record of this schema.
        as_of: Search what was known then, as it was worded then. Excludes kind, metadata and record.
    """

    model: str
    vector: Vectors
    limit: int
    threshold: float | None = None
    kind: MemoryKind | None = None
    metadata: Mapping[str, Any] | None = None
    record: str | None = None
    as_of: datetime | None = None
    text: str = ""

    @property
    def by_vector_alone(self) -> bool:
        """Whether there are no other filters, with which a vector index would have to search far."""
        return (self.kind, self.metadata, self.record, self.as_of) == (None, None, None, None)


def search(engine: Engine, path: NamespacePath, wanted: SearchTarget, also: Sql) -> tuple[tuple[Hit, ...], list[Any]]:
    """Return the nearest memories, most similar first, and the rows of another statement, in one round trip.

    The same trip asks whether the namespace has its own index, which later searches then use. Otherwise the search is exact.
    """
    known, scope = _indexed.setdefault(engine, {}), (path.namespace_id, wanted.model)
    indexed = wanted.limit <= _MOST_BY_INDEX and wanted.by_vector_alone and known.get(scope, 0.0) > time.monotonic()
    sought = by_index(path, wanted) if indexed else exact(path, wanted)
    found, rows, told = in_one_trip(engine, path.tenant_id, [sought, also, whether_indexed(path, wanted.model)])
    if any(row.indexed for row in told):
        known[scope] = time.monotonic() + _REMEMBERED_SECONDS
    else:
        known.pop(scope, None)
    return tuple(Hit(**memory_fields(row), similarity=round(row.similarity, 4)) for row in found), rows


_indexed: WeakKeyDictionary[Engine, dict[tuple[UUID, str], float]] = WeakKeyDictionary()
"""The scopes known to have their own index, by engine, and when that knowledge expires."""


def exact(path: NamespacePath, wanted: SearchTarget) -> Sql:
    """Search exactly, by scanning every vector of the namespace in one btree scan."""
    parameters = _parameters(path, wanted)
    if wanted.as_of is not None:
        return Sql(_AS_OF, {**parameters, "as_of": wanted.as_of})
    if wanted.by_vector_alone:
        return Sql(_EXACT, parameters)
    metadata = None if wanted.metadata is None else json.dumps(dict(wanted.metadata))
    return Sql(_NARROWED, {**parameters, "kind": wanted.kind, "metadata": metadata, "record": wanted.record})


def by_index(path: NamespacePath, wanted: SearchTarget) -> Sql:
    """Search by the scope's own index."""
    listed = max(_LEAST_LISTED, _LISTED_PER_HIT * wanted.limit)
    scope = scope_in_literals("one", path, model=wanted.model)
    nearest = f"""
        select nearest.owner_id, nearest.similarity from (
            select one.owner_id, {_SIMILARITY} as similarity from {MEMORIES.rows} {scope}
            {nearest_first("one.embedding", len(wanted.vector), looked_at=listed)} limit {wanted.limit}
        ) as nearest where %(threshold)s::float8 is null or nearest.similarity > %(threshold)s
    """
    return Sql(_joined(nearest), _parameters(path, wanted))


def whether_indexed(path: NamespacePath, model: str) -> Sql:
    """Ask whether the scope has its own index."""
    return Sql(_IS_INDEXED, {**path.ids, "model": model})


def _parameters(path: NamespacePath, wanted: SearchTarget) -> dict[str, Any]:
    return {
        **path.ids,
        "model": wanted.model,
        "vector": BinaryVector(wanted.vector),
        "message": wanted.text,
        "limit": wanted.limit,
        "threshold": wanted.threshold,
    }


def _joined(nearest: str, before: str = "") -> str:
    """Join the nearest ids with their memories. before: The tables that ``nearest`` uses.

    The array of ids limits the fetch to those rows, where a join would scan all. A full join is never planned as a nested loop.
    """
    return f"""
        with {before} nearest as materialized ({nearest}),
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

# A text's similarity with itself is at most 1, despite the rounding of half-precision vectors.
_SIMILARITY = f"least(1, {cosine('one.embedding')})"
_IN_ORDER = f"""
      and (%(threshold)s::float8 is null or {_SIMILARITY} > %(threshold)s)
    order by one.embedding <#> %(vector)s::halfvec"""


_A_RARE_WORD, _MOST_OF_EXPANSION = 0.15, 0.3
"""The similarity added by a word that occurs only in the expansion of one memory, and the maximum for all words."""

_WORDS = f"{of_namespace('vocabulary')} and vocabulary.model = %(model)s and vocabulary.scanned = 'memories'"
_QUOTED = r"'''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''''"

# The memories with words of the text only in their expansions, and the rarity of these words; empty without an LLM.
_EXPANDED = f"""
    extent as materialized (
        select cast(holders as float8) as texts from mosshead_read_v1.vocabulary where {_WORDS} and lexeme = ''
    ),
    word as materialized (
        select cast({_QUOTED} as tsquery) as query,
               ln(1 + (texts - holders + 0.5) / (holders + cast(0.5 as float8))) / ln(1 + texts / 1.5) as rarity
        from mosshead_read_v1.vocabulary cross join extent
        where {_WORDS} and holders > 0 and lexeme = any(tsvector_to_array(to_tsvector('english', %(message)s)))
    ),
    expansion as materialized (
        select one.memory_id, one.made_of, one.search from mosshead_read_v1.expansions as one
        where {of_namespace("one")}
          and one.search @@ (select cast(string_agg(cast(query as text), ' | ') as tsquery) from word)
    ),
    said as materialized (
        select one.memory_id, sha256(convert_to(one.content, 'UTF8')) as made_now, to_tsvector('english', one.content) as own
        from mosshead_read_v1.memories as one
        where {of_namespace("one")} and one.memory_id = any(array(select memory_id from expansion)) and one.known_to is null
    ),
    both_of_them as materialized (select * from expansion full join said using (memory_id)),
    expanded as materialized (
        select memory_id, least({_MOST_OF_EXPANSION}, {_A_RARE_WORD} * sum(rarity)) as more
        from both_of_them join word on search @@ query and not own @@ query
        where made_of = made_now
        group by memory_id
    ),"""


def _exactly(narrowed: str = "") -> str:
    """Search by vectors, and rank expanded memories among the results with the similarity that their words add."""
    rows = f"{MEMORIES.rows} {of_namespace('one')} and one.model = %(model)s {narrowed}"
    scored = f"""
    reached as materialized (
        select one.owner_id, {cosine("one.embedding")} as own from {rows}
          and one.owner_id = any(array(select memory_id from expanded))
    ),
    scored as materialized (
        select owner_id, least(1, own + more) as similarity from reached full join expanded on memory_id = owner_id
    ),"""
    nearest = f"""
    select owner_id, max(similarity) as similarity from (
        (select one.owner_id, {_SIMILARITY} as similarity from {rows} {_IN_ORDER}, one.owner_id limit %(limit)s)
        union all
        select owner_id, similarity from scored
        where owner_id is not null and (%(threshold)s::float8 is null or similarity > %(threshold)s)
    ) as one group by owner_id order by similarity desc, owner_id limit %(limit)s
    """
    return _joined(nearest, _EXPANDED + scored)


_EXACT = _exactly()


def _equal_if_given(column: str, parameter: str) -> str:
    return f"""
      and (%({parameter})s::text is null or exists (
          select from mosshead_read_v1.memories as narrowed
          where {of_namespace("narrowed")} and narrowed.memory_id = one.owner_id
            and narrowed.known_to is null and narrowed.{column} = %({parameter})s))"""


_WITH_METADATA = f"""
      and (%(metadata)s::jsonb is null or exists (
          select from mosshead_read_v1.provenance as source
          join mosshead_read_v1.messages as message
            on {of_namespace("message")} and message.message_id = source.message_id
           and message.metadata @> %(metadata)s::jsonb
          where {of_namespace("source")} and source.memory_id = one.owner_id and source.stance = 'for'))
"""

_NARROWED = _exactly(_equal_if_given("kind", "kind") + _equal_if_given("record_name", "record") + _WITH_METADATA)


def _known_then(alias: str) -> str:
    return f"{of_namespace(alias)} and {held(alias, '%(as_of)s')}"


_AS_OF = f"""
    select {memory_columns(_known_then)}, {_SIMILARITY} as similarity
    from mosshead_read_v1.memories as memory cross join lateral (
        select vector.embedding from mosshead_read_v1.embeddings as vector
        where {of_namespace("vector")} and vector.model = %(model)s and vector.owner_kind in ('memory', 'past_memory')
          and vector.owner_id = memory.memory_id and vector.version <= memory.version
        order by vector.version desc limit 1
    ) as one
    where {_known_then("memory")} and memory.state = 'active' {_IN_ORDER}, memory.memory_id limit %(limit)s
"""
