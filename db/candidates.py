"""Candidate facts, which the stages of a batch pass on, and the memories that the facts are compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.keys import OF_BATCH, BatchRef, LaneRef, insert
from mosshead.embeddings.protocol import Vector
from mosshead.search.scans import LOOK_ON, MOST_STATEMENTS, in_literals
from mosshead.store.connection import OF_NAMESPACE, BinaryVector, Sql, of_namespace
from mosshead.timestamps import in_zone


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate fact with what the stages have added so far. fact: JSON of the pipeline's Fact."""

    number: int
    fact: Mapping[str, Any]
    salience: float | None
    factors: Mapping[str, Any]
    vector: "Vector | None"


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A proposed fact that was refused. why: the reason's name. fact: JSON of the part that the log keeps."""

    why: str
    fact: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SimilarRow:
    """A memory that a candidate fact may be about.

    subject_ids: the entities it describes. sure_ids, unsure_ids: those it is surely, or perhaps, about.
    """

    fact_number: int
    memory_id: UUID
    version: int
    kind: str
    content: str
    attribute: str | None
    value: str | None
    said_at: datetime
    said_by: str | None
    occurred_from: datetime | None
    occurred_to: datetime | None
    granularity: str | None
    salience: float
    confidence: float
    reinforced: int
    subject_ids: tuple[UUID, ...]
    sure_ids: tuple[UUID, ...]
    unsure_ids: tuple[UUID, ...]
    similarity: float


def store_facts(
    connection: Connection,
    batch: BatchRef,
    facts: Sequence[Mapping[str, Any]],
    *,
    refused: Sequence[RefusedRow] = (),
    formed_by: str = "rules",
) -> None:
    """Store the extracted facts, numbered from 1, and their origin; replaces what an earlier attempt stored.

    refused: proposals that extract refused, for consolidate to log. formed_by: "rules", or the model's name.
    """
    Sql(f"""
        delete from mosshead.candidate_facts where {OF_BATCH};
        update mosshead.batches set formed_by = %(formed_by)s where {OF_BATCH}
    """).run(connection, batch.scope, formed_by=formed_by)
    found = [(fact, None) for fact in facts] + [(one.fact, one.why) for one in refused]
    rows = [
        {**batch.scope, "number": number, "fact": fact, "refused": why} for number, (fact, why) in enumerate(found, 1)
    ]
    insert(connection, "candidate_facts", rows)


def facts_of_batch(connection: Connection, batch: BatchRef) -> list[CandidateRow]:
    """Return a batch's candidate facts, in order."""
    rows = Sql(f"""
        select number, fact, salience, factors, cast(embedding as text) as vector from mosshead.candidate_facts
        where {OF_BATCH} and refused is null order by number
    """).run(connection, batch.scope)
    return [CandidateRow(row.number, row.fact, row.salience, row.factors or {}, vector_of(row.vector)) for row in rows]


def refused_of_batch(connection: Connection, batch: BatchRef) -> list[RefusedRow]:
    """Return the refused proposals of a batch, in order."""
    rows = Sql(f"""
        select refused, fact from mosshead.candidate_facts where {OF_BATCH} and refused is not null order by number
    """).run(connection, batch.scope)
    return [RefusedRow(why=row.refused, fact=row.fact) for row in rows]


def store_salience(
    connection: Connection, batch: BatchRef, scores: Mapping[int, tuple[float, Mapping[str, Any]]]
) -> None:
    """Store salience (0 to 10) and its factors, by fact number."""
    rows = [
        {**batch.scope, "number": number, "salience": value, "factors": Jsonb(dict(factors))}
        for number, (value, factors) in scores.items()
    ]
    Sql(f"""
        update mosshead.candidate_facts set salience = %(salience)s, factors = %(factors)s
        where {OF_BATCH} and number = %(number)s
    """).run_each(connection, rows)


def of_other_models(connection: Connection, batch: BatchRef, model: str) -> dict[int, str]:
    """Return, by number, the contents of a batch's facts that have no embedding of this model."""
    return Sql(f"""
        select number, fact ->> 'content' as content from mosshead.candidate_facts
        where {OF_BATCH} and refused is null and model is distinct from %(model)s order by number
    """).pairs(connection, batch.scope, model=model)


def store_vectors(connection: Connection, batch: BatchRef, model: str, vectors: Mapping[int, Vector]) -> None:
    """Store embeddings, by fact number."""
    rows = [
        {**batch.scope, "number": number, "model": model, "vector": BinaryVector(vector)}
        for number, vector in vectors.items()
    ]
    Sql(f"""
        update mosshead.candidate_facts set model = %(model)s, embedding = %(vector)s::halfvec
        where {OF_BATCH} and number = %(number)s
    """).run_each(connection, rows)


def similar_to_batch(
    connection: Connection,
    batch: BatchRef,
    model: str,
    *,
    about: Mapping[int, Sequence[UUID]],
    limit: int,
    least: float,
) -> list[SimilarRow]:
    """Return, for each candidate fact of a batch, the memories that it may repeat, change or correct, nearest first.

    These are the nearest of all, the nearest of those surely about one of its entities, and those with the attribute that it has
    or ends. about: by fact number, the entities that it is about. limit: nearest memories, of all and per entity. least: the
    cosine for a near memory; half of it suffices for one about the same entity. If the namespace is large enough for a vector
    index, the nearest of all come from that.
    """
    concerned = [(number, entity_id) for number, entity_ids in about.items() for entity_id in entity_ids]
    parameters = {
        **batch.scope,
        "model": model,
        "limit": limit,
        "least": least,
        "numbers": [number for number, _ in concerned],
        "entity_ids": [entity_id for _, entity_id in concerned],
    }
    dimensions = Sql(f"""
        select models.dimensions, set_config('hnsw.ef_search', %(look)s, true) as look, {LOOK_ON} as looking
        from mosshead.scopes join mosshead.models using (model)
        where {of_namespace("scopes")} and scopes.model = %(model)s and scopes.indexed
    """).scalar(connection, batch.scope, model=model, look=str(_LOOK))
    statement = _SCAN if dimensions is None else _by_index(batch.lane, model, dimensions)
    return [_similar(row) for row in Sql(statement).run(connection, parameters)]


def injected(connection: Connection, batch: BatchRef, *, latest: int) -> set[UUID]:
    """Return the memories in the prompts of the ``latest`` messages of each of the batch's conversations."""
    # In a running conversation, the batch's own messages and those before them.
    found = Sql(f"""
        select distinct memory_id from (
            select distinct conversation_id from mosshead.events
            where {OF_NAMESPACE} and batch_id = %(batch_id)s
        ) as conversation cross join lateral (
            select payload -> 'injected' as injected from mosshead.events
            where {of_namespace("events")} and events.conversation_id = conversation.conversation_id
              and (events.state = 'done' or events.batch_id = %(batch_id)s)
            order by events.occurred_at desc limit %(latest)s
        ) as message cross join lateral jsonb_array_elements_text(coalesce(injected, '[]')) as memory_id
    """).scalars(connection, batch.scope, latest=latest)
    shown = {UUID(key) for key in found}
    if not shown:
        return shown
    # Prompts held memories of the generation that apps read; a replay uses its memories from the same messages.
    elsewhere = Sql(f"""
        select distinct here.memory_id from mosshead.namespaces as replay
        join mosshead.memory_sources as there
          on there.tenant_id = %(tenant_id)s and there.namespace_id = replay.replay_of and there.memory_id = any(%(injected)s)
         and there.known_to is null
        join mosshead.memory_sources as here
          on {of_namespace("here")} and here.message_id = there.message_id
         and here.known_to is null
        where {of_namespace("replay")}
    """).scalars(connection, batch.lane.scope, injected=list(shown))
    return shown.union(elsewhere)


def vector_of(written: str | None) -> "Vector | None":
    """Parse a vector that a statement returns as text."""
    return HalfVector.from_text(written).to_numpy().astype(np.float32) if written else None


def _similar(row: Any) -> SimilarRow:
    columns = {name: getattr(row, name) for name in (*_SIMILAR_COLUMNS, "similarity")}
    ids: dict[str, Any] = {name: tuple(getattr(row, name) or ()) for name in ("subject_ids", "sure_ids", "unsure_ids")}

    def at(name: str) -> Any:
        moment = getattr(row, name)
        return moment and in_zone(moment, getattr(row, f"{name}_offset"))

    times = {"said_at": at("valid_from"), "occurred_from": at("occurred_from"), "occurred_to": at("occurred_to")}
    return SimilarRow(fact_number=row.number, **columns, **times, **ids)


_LOOK = 100
"""Rows that the vector index examines (``hnsw.ef_search``) to find the nearest few."""

_SIMILAR_COLUMNS = (
    "memory_id version kind content attribute value said_by granularity salience confidence reinforced".split()
)

_TIMES = ("valid_from", "occurred_from", "occurred_to")
_NOW = "memory.known_to is null and memory.state = 'active'"


def _of_memories(table: str, more: str) -> str:
    """Return SQL for the vectors of memories, from the two indexes that hold them."""
    rows = f"""select known.* from mosshead.{table} as known
               where {of_namespace("known")} and known.model = %(model)s and known.owner_kind = 'memory' {more} and"""
    return f"{rows} compact union all {rows} not compact"


def _nearest(known: str, facts: str, *, within: str, least: str) -> str:
    """Return SQL for the known vectors nearest to each fact. facts: their table, and which of them a row of ``known`` is compared
    with.

    Each row is compared with all facts at once, so that rows are read only once. Vectors have unit length.
    """
    return f"""
        select number, owner_id as memory_id, similarity from (
            select one.number, known.owner_id, one.similarity,
                   row_number() over (partition by {within} order by one.similarity desc, known.owner_id) as place
            from ({known}) as known cross join lateral (
                -- The offset makes Postgres plan this separately: otherwise the facts might come first.
                select number, -(known.embedding <#> fact.embedding) as similarity from {facts} offset 0
            ) as one where one.similarity >= {least}
        ) as ranked where place <= %(limit)s"""


def _statement(nearest: str) -> str:
    """Return the whole statement. nearest: SQL that finds the nearest of all."""
    about_the_same = _nearest(
        _of_memories("traits", "and known.entity_id = any(%(entity_ids)s)"),
        "concerned as fact where fact.entity_id = known.entity_id",
        within="one.number, known.entity_id",
        least="%(least)s::float8 / 2",
    )
    columns = ", ".join((*_TIMES, *(f"{time}_offset" for time in _TIMES), *_SIMILAR_COLUMNS))
    return f"""
    with fact as materialized (
        select number, embedding, coalesce(fact ->> 'attribute', fact ->> 'ends') as attribute
        from mosshead.candidate_facts as fact
        where {of_namespace("fact")} and fact.batch_id = %(batch_id)s and embedding is not null
    ),
    concerned as materialized (
        select fact.number, given.entity_id, fact.embedding
        from unnest(%(numbers)s::integer[], %(entity_ids)s::uuid[]) as given (number, entity_id)
        join fact using (number)
    ),
    near as materialized (
        {nearest}
        union
        {about_the_same}
        union
        select fact.number, memory.memory_id, -(vector.embedding <#> fact.embedding)
        from fact
        join mosshead.memories as memory on {of_namespace("memory")} and memory.attribute = fact.attribute
        join mosshead.embeddings as vector
          on {of_namespace("vector")} and vector.model = %(model)s and vector.owner_kind = 'memory'
         and vector.owner_id = memory.memory_id
        where {_NOW}
          and (fact.number <> all(%(numbers)s) or exists (
              select from concerned join mosshead.memory_entities as link using (entity_id)
              where concerned.number = fact.number and {of_namespace("link")} and link.memory_id = memory.memory_id
                and link.known_to is null))
    )
    select near.number, least(1, near.similarity) as similarity, memory.*, about.*
    from near
    -- The limit keeps this a look-up for each of these few instead of a scan of all memories.
    cross join lateral (
        select {columns} from mosshead.memories as memory
        where {of_namespace("memory")} and memory.memory_id = near.memory_id and {_NOW} limit 1
    ) as memory
    cross join lateral (
        select array_agg(link.entity_id) filter (where link.role = 'subject') as subject_ids,
               array_agg(link.entity_id) filter (where link.certainty = 'sure') as sure_ids,
               array_agg(link.entity_id) filter (where link.certainty = 'unsure') as unsure_ids
        from mosshead.memory_entities as link
        where {of_namespace("link")} and link.memory_id = memory.memory_id and link.known_to is null
    ) as about
    order by near.number, near.similarity desc, memory.memory_id
"""


_SCAN = _statement(_nearest(_of_memories("embeddings", ""), "fact", within="one.number", least="%(least)s"))


@lru_cache(MOST_STATEMENTS)
def _by_index(lane: LaneRef, model: str, dimensions: int) -> str:
    scope = in_literals("known", {**lane.scope, "model": model, "owner_kind": "memory"})
    return _statement(f"""
        select fact.number, found.owner_id as memory_id, found.similarity from fact cross join lateral (
            select known.owner_id, -(known.embedding <#> fact.embedding) as similarity from mosshead.embeddings as known
            where {scope}
            order by (known.embedding::halfvec({dimensions})) <#> cast(fact.embedding as halfvec({dimensions})) limit %(limit)s
        ) as found where found.similarity >= %(least)s""")
