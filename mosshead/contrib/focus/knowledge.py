"""The SQL of tracking: one statement over the views of version 1 returns what is known about the messages of a conversation.

`statement_for` is for `in_one_trip`; `latest_turns` takes a connection inside a transaction that has set its
tenant, and never commits.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Connection

from mosshead.embeddings import Vectors
from mosshead.entities.lookup import NameMatch
from mosshead.language.references import content_words, names_another, shared
from mosshead.language.wordlists import Gender, gender_of
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.search.scans import MOST_STATEMENTS, nearest_first, scope_in_literals
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace

NEAREST = 16
"""How many of the memories nearest to a message, or to a description in it, are read."""

_PRONOUN_MEMORIES = 50
"""How many of a person's memories, oldest first, are checked for a pronoun at their beginning."""

_LOOK = 100
"""Rows that the vector index examines (``hnsw.ef_search``)."""


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    vectors: Vectors,
    bearers: Collection[tuple[int, UUID]],
    entity_ids: Collection[UUID],
    indexed: bool,
) -> Sql:
    """Return the statement for the memories nearest to each vector, the nearness of entities with a name in the text, and what is
    known about all these entities.

    bearers: numbers of vectors, each with an entity to compare. entity_ids: further entities. indexed: whether the namespace has
    a vector index. A row has its ``kind``. "near": a memory near the text with this number, with an entity it is surely about,
    and whether it is its subject. "bearer": the nearness of the nearest memory about an entity. "entity": one of the entities
    involved, for `entity_of`, with ``ancestors``, ``shares`` (entities that share a memory or a relation with it), and ``he`` and
    ``she`` (counts of memories about it that begin with the pronoun).
    """
    asked = sorted(bearers, key=lambda pair: (pair[0], pair[1]))
    return Sql(
        _by_index(path, model, vectors.shape[1]) if indexed else _SCAN,
        {
            **path.ids,
            "model": model,
            "vectors": [HalfVector(vector).to_text() for vector in vectors],
            "nearest": NEAREST,
            "texts": [number for number, _ in asked],
            "bearers": [key for _, key in asked],
            "entity_ids": list(entity_ids),
            "pronoun_memories": _PRONOUN_MEMORIES,
        },
    )


def latest_turns(connection: Connection, path: NamespacePath, conversation: str, limit: int) -> list[tuple[str, str]]:
    """Return the latest messages of a conversation, oldest first, each with its role."""
    rows = Sql(f"""
        select role, content from mosshead_read_v1.messages
        where {OF_NAMESPACE} and conversation_id = %(conversation_id)s
        order by occurred_at desc, message_id desc limit %(limit)s
    """).run(connection, path.ids, conversation_id=conversation, limit=limit)
    return [(row.role, row.content) for row in rows][::-1]


def _halves(rows: str, alias: str) -> str:
    """Return SQL that reads the rows from the two indexes that hold them."""
    return f"{rows} and {alias}.compact union all {rows} and not {alias}.compact"


def _known_of(columns: str, whom: str) -> str:
    """Return SQL for the memories surely about entities, with vectors. whom: a condition on ``trait.entity_id``."""
    return _halves(
        f"""
        select {columns} from mosshead_read_v1.traits as trait
        where {of_namespace("trait")} and trait.model = %(model)s and trait.entity_id {whom} and trait.owner_kind = 'memory'""",
        "trait",
    )


def _statement(found: str) -> str:
    """found: SQL for the memories nearest to ``asked.vector``, nearest first."""
    known_of_bearers = _known_of("trait.entity_id, trait.embedding", "= any(%(bearers)s)")
    known_of_told = _known_of("trait.owner_id", "= told.entity_id")
    known_of_one = _known_of("trait.owner_id", "= entity.entity_id")
    return f"""
    with recursive asked as materialized (
        select cast(number - 1 as integer) as number, cast(vector as halfvec) as vector
        from unnest(%(vectors)s::text[]) with ordinality as one (vector, number)
    ),
    nearest as materialized (
        select asked.number, found.owner_id as memory_id, found.similarity
        from asked cross join lateral ({found} limit %(nearest)s) as found
    ),
    near as materialized (
        select nearest.number, memory.content, nearest.similarity, nearest.memory_id, links.linked, links.subjects
        from nearest
        -- With a limit it stays a look for each of these few, and is no scan of all memories.
        cross join lateral (
            select memory.content from mosshead_read_v1.memories as memory
            where {of_namespace("memory")} and memory.memory_id = nearest.memory_id
              and memory.known_to is null and memory.state = 'active' limit 1
        ) as memory
        cross join lateral (
            select array_agg(link.entity_id order by link.entity_id) as linked,
                   array_agg(link.role = 'subject' order by link.entity_id) as subjects
            from mosshead_read_v1.memory_entities as link
            where {of_namespace("link")} and link.memory_id = nearest.memory_id and link.certainty = 'sure'
        ) as links
        where links.linked is not null
    ),
    wanted as materialized (
        select number, entity_id, asked.vector
        from unnest(%(texts)s::integer[], %(bearers)s::uuid[]) as given (number, entity_id)
        join asked using (number)
    ),
    -- By themselves, for what is grouped may be sorted, and with its vectors does not fit into memory.
    held as materialized (
        select number, entity_id, -(trait.embedding <#> wanted.vector) as similarity
        from ({known_of_bearers}) as trait full join wanted using (entity_id)
    ),
    bearers as materialized (select number, entity_id, max(similarity) as similarity from held group by number, entity_id),
    told as materialized (
        select unnest(near.linked) as entity_id from near
        union
        select unnest(%(entity_ids)s::uuid[])
    ),
    known as materialized (
        select told.entity_id, one.owner_id from told
        join mosshead_read_v1.entities as entity
          on {of_namespace("entity")} and entity.entity_id = told.entity_id and entity.entity_type not in ('org', 'place')
        cross join lateral ({known_of_told}) as one
        where not entity.is_user
    ),
    -- Full joins are never loops; they are narrowed outside of their tables, for they would be inner joins within.
    together as materialized (
        select known.entity_id, link.entity_id as other_id
        from known full join (
            select link.memory_id, link.entity_id from mosshead_read_v1.memory_entities as link
            where {of_namespace("link")} and link.certainty = 'sure' and link.memory_id = any(array(select owner_id from known))
        ) as link on link.memory_id = known.owner_id
    ),
    shared as materialized (
        select entity_id, other_id from together where entity_id <> other_id
        union
        select relation.subject_id, relation.object_id from told
        join mosshead_read_v1.relations as relation
          on {of_namespace("relation")} and relation.subject_id = told.entity_id and relation.valid_to is null
        union
        select relation.object_id, relation.subject_id from told
        join mosshead_read_v1.relations as relation
          on {of_namespace("relation")} and relation.object_id = told.entity_id and relation.valid_to is null
    ),
    concerned as materialized (
        select entity_id from told union select other_id from shared
    ),
    ancestors (entity_id, ancestor_id, steps) as (
        select entity_id, entity_id, 0 from concerned
        union
        select below.entity_id, entity.parent_id, below.steps + 1
        from ancestors as below
        join mosshead_read_v1.entities as entity
          on {of_namespace("entity")} and entity.entity_id = below.ancestor_id
        where entity.parent_id is not null and below.steps < 4
    ),
    entities as materialized (
        select entity.entity_id, entity.key, entity.name, entity.entity_type, entity.description, entity.is_user,
               entity.parent_id,
               (select parent.name from mosshead_read_v1.entities as parent
                where {of_namespace("parent")} and parent.entity_id = entity.parent_id) as parent,
               (select array_agg(alias.alias order by alias.alias) from mosshead_read_v1.aliases as alias
                where {of_namespace("alias")} and alias.entity_id = entity.entity_id) as aliases,
               (select count(*) from ({known_of_one}) as one) as memories,
               (select array_agg(distinct above.ancestor_id) from ancestors as above
                where above.entity_id = entity.entity_id and above.steps > 0) as ancestors,
               (select array_agg(distinct shared.other_id) from shared where shared.entity_id = entity.entity_id) as shares,
               said.he, said.she
        from mosshead_read_v1.entities as entity
        left join lateral (
            select count(*) filter (where opening.content ~* '^(he|his)\\M') as he,
                   count(*) filter (where opening.content ~* '^(she|her)\\M') as she
            from (
                select trait.owner_id from mosshead_read_v1.traits as trait
                where {of_namespace("trait")} and trait.entity_id = entity.entity_id and trait.model = %(model)s
                  and trait.owner_kind = 'memory'
                order by trait.owner_id limit %(pronoun_memories)s
            ) as first
            cross join lateral (
                -- By the memory: a subquery with an offset is planned by itself.
                select link.role, link.entity_id from mosshead_read_v1.memory_entities as link
                where {of_namespace("link")} and link.memory_id = first.owner_id offset 0
            ) as link
            cross join lateral (
                select memory.content from mosshead_read_v1.memories as memory
                where {of_namespace("memory")} and memory.memory_id = first.owner_id
                  and memory.known_to is null and memory.state = 'active' limit 1
            ) as opening
            where link.entity_id = entity.entity_id and link.role = 'subject'
        ) as said on entity.entity_type = 'person'
        where {of_namespace("entity")} and entity.entity_id in (select ancestor_id from ancestors)
    )
    select 'near' as kind, number, null::uuid as entity_id, similarity, content, linked, subjects,
           null::text as key, null::text as name, null::text as entity_type, null::text as description, null::boolean as is_user,
           null::uuid as parent_id, null::text as parent, null::text[] as aliases, null::bigint as memories,
           null::uuid[] as ancestors, null::uuid[] as shares, null::bigint as he, null::bigint as she
    from near
    union all
    select 'bearer', number, entity_id, similarity, null, null, null, null, null, null, null, null, null, null, null, null,
           null, null, null, null
    from bearers where similarity is not null
    union all
    select 'entity', null, entity_id, null, null, null, null, key, name, entity_type, description, is_user, parent_id, parent,
           aliases, memories, ancestors, shares, he, she
    from entities
"""


# Vectors have unit length, so the inner product, which pgvector returns negated, is the cosine.
_VECTORS = """
    select vector.owner_id, -(vector.embedding <#> asked.vector) as similarity
    from mosshead_read_v1.embeddings as vector where vector.owner_kind = 'memory'"""

_SCANNED = _halves(f"{_VECTORS} and {of_namespace('vector')} and vector.model = %(model)s", "vector")
_SCAN = _statement(f"select * from ({_SCANNED}) as one order by similarity desc, owner_id")


@lru_cache(MOST_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    """Return the statement for a namespace with its own index."""
    first = nearest_first("vector.embedding", dimensions, looked_at=_LOOK, vector="asked.vector")
    return _statement(f"{_VECTORS} and {scope_in_literals('vector', path, model=model)} {first}")


_HOMES = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.PLACE})
_NOT_ITS_SUBJECT = 0.85
_SAME_WORDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedEntity:
    """What tracking needs to know about an entity.

    gender: from its memories, a word for relatives or its first name, if known.
    parent_id: what it belongs to. homes: organisations, projects and places that share memories with it, including its
        ancestors. kin: all entities that share a memory or a relation with it.
    names: its name and aliases, in lower case.
    """

    entity_id: UUID
    entity_type: EntityType
    names: tuple[str, ...] = ()
    gender: Gender | None = None
    parent_id: UUID | None = None
    homes: frozenset[UUID] = frozenset()
    kin: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class NameInMessage:
    """A name in the message: its characters, and the entities with that name."""

    start: int
    end: int
    entity_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusKnowledge:
    """What is known about one message.

    entities: by id, all named below, and all that the state may refer back to.
    near: by entity, the cosine of the message with the nearest memory surely about it, among those nearest to the message.
    described: the same for each description in the message, by the text sought (`Phrase.sought`).
    bearers: the same for the entities of an ambiguous name in the message, even if other memories are nearer.
    """

    entities: Mapping[UUID, TrackedEntity] = field(default_factory=dict)
    names: tuple[NameInMessage, ...] = ()
    near: Mapping[UUID, float] = field(default_factory=dict)
    described: Mapping[str, Mapping[UUID, float]] = field(default_factory=dict)
    bearers: Mapping[UUID, float] = field(default_factory=dict)


FocusRows = Mapping[tuple[str, int | None], Sequence[Any]]
"""The statement's rows by kind and, except for entities, by the number of their text."""


def by_kind(rows: Iterable[Any]) -> FocusRows:
    """Group the statement's rows."""
    found: dict[tuple[str, int | None], list[Any]] = {}
    for row in rows:
        found.setdefault((row.kind, row.number), []).append(row)
    return found


def known_to(
    number: int,
    sought: Mapping[str, int],
    names: Sequence[NameInMessage],
    rows: FocusRows,
    entities: Mapping[UUID, TrackedEntity],
) -> FocusKnowledge:
    """Return what is known about one message. number: of its text; sought: the number of each of its descriptions' texts."""
    return FocusKnowledge(
        entities=entities,
        names=tuple(names),
        near=_nearest(rows.get(("near", number), ())),
        described={words: _nearest(rows.get(("near", text), ()), words) for words, text in sought.items()},
        bearers={row.entity_id: row.similarity for row in rows.get(("bearer", number), ())},
    )


def named(matches: Iterable[NameMatch]) -> tuple[NameInMessage, ...]:
    """Return the names in one message with their entities; the user's own name is not tracked."""
    bearers: dict[tuple[int, int], list[UUID]] = {}
    for match in matches:
        if not match.entity.is_user:
            bearers.setdefault((match.start, match.end), []).append(match.entity.entity_id)
    return tuple(NameInMessage(start=start, end=end, entity_ids=tuple(ids)) for (start, end), ids in bearers.items())


def known_entities(rows: Iterable[Any]) -> dict[UUID, TrackedEntity]:
    """Return what is known about each entity, by id, without the user."""
    rows = [row for row in rows if not row.is_user]
    types = {row.entity_id: EntityType(row.entity_type) for row in rows}
    return {row.entity_id: _known_entity(row, types) for row in rows}


def _known_entity(row: Any, types: Mapping[UUID, EntityType]) -> TrackedEntity:
    ancestors, kin = set(row.ancestors or ()), set(row.shares or ()) & types.keys()
    names = dict.fromkeys([row.name, *(row.aliases or ())])
    return TrackedEntity(
        entity_id=row.entity_id,
        entity_type=types[row.entity_id],
        names=tuple(name.lower() for name in names),
        gender=_gender(names, row) if types[row.entity_id] is EntityType.PERSON else None,
        parent_id=row.parent_id,
        homes=frozenset(key for key in ancestors | kin if types.get(key) in _HOMES),
        kin=frozenset(kin),
    )


def _gender(names: Collection[str], row: Any) -> Gender | None:
    """Infer the gender from a word for relatives, the beginnings of memories, or a first name, in this order; None if unknown."""
    he, she = row.he or 0, row.she or 0
    told = (
        *(gender_of(None, words) for words in (*names, row.description or "")),
        None if he == she else Gender.HE if he > she else Gender.SHE,
        *(gender_of(name, "") for name in names),
    )
    return next(filter(None, told), None)


def _nearest(near: Iterable[Any], sought: str = "") -> dict[UUID, float]:
    """Return, by entity, the nearness of the nearest memory about it, raised if it shares words with the text sought."""
    words, noun = content_words(sought), sought.rpartition(" ")[2]
    found: dict[UUID, float] = {}
    for one in near:
        fit = one.similarity + _SAME_WORDS * shared(words, content_words(one.content))
        another = names_another(noun, one.content)
        for key, is_subject in zip(one.linked, one.subjects, strict=True):
            found[key] = max(found.get(key, -1.0), fit if is_subject != another else _NOT_ITS_SUBJECT * fit)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusTurn:
    """One message. by_user: messages of others introduce entities, but change no layer."""

    text: str
    by_user: bool = True
