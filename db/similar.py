"""What a batch's facts are held against: the memories that they may repeat, change or put right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, text

from db.refs import BatchRef


@dataclass(frozen=True, slots=True)
class SimilarRow:
    """A memory that a candidate fact may be about.

    subject_ids: the entities that it describes. sure_ids, unsure_ids: whom it is about, and whom it may be about.
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


def similar_to_batch(
    connection: Connection,
    batch: BatchRef,
    model: str,
    *,
    about: Mapping[int, Sequence[UUID]],
    limit: int,
    least: float,
) -> list[SimilarRow]:
    """For each candidate fact of a batch, the memories that it may repeat, change or put right; nearest first.

    Those are the nearest of all, the nearest of those about an entity that it is about, and those with the same attribute.
    about: by fact number, the entities that it is about. limit: nearest memories, of all and for each entity. least: cosine
    below which a memory is not near; one about the same need only be half as near.
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
    return [
        SimilarRow(
            fact_number=row.number,
            said_at=row.valid_from,
            subject_ids=tuple(row.subject_ids or ()),
            sure_ids=tuple(row.sure_ids or ()),
            unsure_ids=tuple(row.unsure_ids or ()),
            similarity=float(row.similarity),
            **{column: getattr(row, column) for column in _SIMILAR_COLUMNS},
        )
        for row in connection.execute(_SIMILAR, parameters)
    ]


def injected(connection: Connection, batch: BatchRef, *, latest: int) -> set[UUID]:
    """The memories that were in the prompts of the batch's conversations lately: of their ``latest`` messages each."""
    return {UUID(key) for key in connection.execute(_INJECTED, {**batch.scope, "latest": latest}).scalars()}


_SIMILAR_COLUMNS = (
    *("memory_id", "version", "kind", "content", "attribute", "value", "said_by", "occurred_from", "occurred_to"),
    *("granularity", "salience", "confidence", "reinforced"),
)

_SIMILAR = text("""
    with fact as (
        select tenant_id, namespace_id, number, embedding, fact ->> 'attribute' as attribute from recollect.candidate_facts
        where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id and embedding is not null
    ),
    concerned as (
        select number, entity_id
        from unnest(cast(:numbers as integer[]), cast(:entity_ids as uuid[])) as given (number, entity_id)
    ),
    near as (
        select fact.number, found.memory_id, found.similarity from fact cross join lateral (
            select vector.owner_id as memory_id, 1 - (vector.embedding <=> fact.embedding) as similarity
            from recollect.embeddings as vector
            where vector.tenant_id = fact.tenant_id and vector.namespace_id = fact.namespace_id
              and vector.model = :model and vector.owner_kind = 'memory'
            order by vector.embedding <=> fact.embedding limit :limit
        ) as found
        where found.similarity >= :least
        union
        select fact.number, found.memory_id, found.similarity
        from concerned join fact using (number) cross join lateral (
            select link.memory_id, 1 - (vector.embedding <=> fact.embedding) as similarity
            from recollect.memory_entities as link
            join recollect.embeddings as vector
              on vector.tenant_id = link.tenant_id and vector.namespace_id = link.namespace_id
             and vector.model = :model and vector.owner_kind = 'memory' and vector.owner_id = link.memory_id
            where link.tenant_id = fact.tenant_id and link.namespace_id = fact.namespace_id
              and link.entity_id = concerned.entity_id and link.known_to is null
            order by vector.embedding <=> fact.embedding limit :limit
        ) as found
        where found.similarity >= cast(:least as float8) / 2
        union
        select fact.number, memory.memory_id, 1 - (vector.embedding <=> fact.embedding)
        from fact
        join recollect.memories as memory using (tenant_id, namespace_id, attribute)
        join recollect.embeddings as vector
          on vector.tenant_id = memory.tenant_id and vector.namespace_id = memory.namespace_id
         and vector.model = :model and vector.owner_kind = 'memory' and vector.owner_id = memory.memory_id
        where memory.known_to is null and memory.state = 'active'
          and (not exists (select from concerned where concerned.number = fact.number) or exists (
              select from concerned join recollect.memory_entities as link using (entity_id)
              where concerned.number = fact.number and link.tenant_id = memory.tenant_id
                and link.namespace_id = memory.namespace_id and link.memory_id = memory.memory_id and link.known_to is null))
    )
    select near.number, near.similarity, memory.*, about.*
    from near
    join recollect.memories as memory
      on memory.tenant_id = :tenant_id and memory.namespace_id = :namespace_id and memory.memory_id = near.memory_id
     and memory.known_to is null and memory.state = 'active'
    cross join lateral (
        select array_agg(link.entity_id) filter (where link.role = 'subject') as subject_ids,
               array_agg(link.entity_id) filter (where link.certainty = 'sure') as sure_ids,
               array_agg(link.entity_id) filter (where link.certainty = 'unsure') as unsure_ids
        from recollect.memory_entities as link
        where link.tenant_id = memory.tenant_id and link.namespace_id = memory.namespace_id
          and link.memory_id = memory.memory_id and link.known_to is null
    ) as about
    order by near.number, near.similarity desc, memory.memory_id
""")

# Of a conversation that is under way, the batch's own messages and those before them.
_INJECTED = text("""
    select distinct memory_id from (
        select distinct conversation_id from recollect.events
        where tenant_id = :tenant_id and namespace_id = :namespace_id and batch_id = :batch_id
    ) as conversation cross join lateral (
        select payload -> 'injected' as injected from recollect.events
        where events.tenant_id = :tenant_id and events.namespace_id = :namespace_id
          and events.conversation_id = conversation.conversation_id
          and (events.state = 'done' or events.batch_id = :batch_id)
        order by events.occurred_at desc limit :latest
    ) as message cross join lateral jsonb_array_elements_text(coalesce(injected, '[]')) as memory_id
""")
