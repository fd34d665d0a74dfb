"""What is known of each who may be meant that answers to what was said: one statement, over the views of version 1.

`recollect.disambiguation` decides by it. Only what is surely about a candidate counts, and only what is known now.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Connection

from recollect.disambiguation import Evidence, Telling
from recollect.embedders import Vectors
from recollect.lookup import found_by, registered
from recollect.namespaces import NamespacePath
from recollect.registry import RegisteredEntity

MOST_WORDS = 60
"""So many words of a telling are looked for, those of the message first. More do not fit into the bits of one number."""

_SLOTS = (4, 8, 12, 16, 20, 24, 32, 44, MOST_WORDS)
_CLOSELY = 8
"""So many of the candidates, those that seem to fit best, come with their aliases and with what a question may say."""

_A_TRAIT = 0.1
"""What a word, or an entity that is named too, adds to a cosine to tell who seems to fit. Who does is decided elsewhere."""

_FACTS = 3


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate, and what is known of it that answers to the telling. Of 500 candidates few are looked at closely."""

    evidence: Evidence
    _row: Any

    @property
    def entity(self) -> RegisteredEntity:
        """The candidate; with its aliases where it is among the nearest (`complete`)."""
        return registered(self._row)

    @property
    def complete(self) -> bool:
        """Whether aliases and facts came along."""
        return self._row.aliases is not None

    @property
    def is_user(self) -> bool:
        """Whether it is the user."""
        return bool(self._row.is_user)

    @property
    def memories(self) -> int:
        """How many memories are surely about it."""
        return int(self._row.memories)

    @property
    def found_by(self) -> Sequence[str]:
        """The normalised names by which it was found."""
        return self._row.found_by or ()

    @property
    def facts(self) -> tuple[str, ...]:
        """Of those that fit best: some of what is known of it, the most salient first."""
        return tuple(self._row.facts or ())


def weigh(
    connection: Connection,
    path: NamespacePath,
    *,
    model: str,
    asked: Telling,
    vectors: Vectors,
    candidates: Collection[UUID],
    named: Collection[UUID] = (),
    scene_named: Collection[UUID] = (),
) -> dict[UUID, Weighed]:
    """The evidence on each candidate.

    vectors: of the telling's texts, in their order. named, scene_named: what else the message, and the turns before it, name.
    """
    if not candidates:
        return {}
    statement, parameters = statement_for(
        path, model=model, asked=asked, vectors=vectors, candidates=candidates, named={*named, *scene_named}
    )
    rows = connection.exec_driver_sql(statement, parameters)
    return weighed(rows, asked, named=named, scene_named=scene_named)


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    asked: Telling,
    vectors: Vectors,
    candidates: Collection[UUID] = (),
    mention_keys: Collection[str] = (),
    named: Collection[UUID] = (),
    named_keys: Collection[str] = (),
) -> tuple[str, dict[str, Any]]:
    """The statement and its parameters, as the driver takes them, for `weighed`.

    candidates, mention_keys: who may be meant, by id and by the keys of the mention (`recollect.lookup.keys_of`).
    named, named_keys: what else is named, likewise.
    """
    words = looked_for(asked)
    slots = next(slots for slots in _SLOTS if len(words) <= slots)
    parameters: dict[str, Any] = {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "model": model,
        "candidates": list(candidates),
        "mention_keys": sorted(mention_keys),
        "named": list(named),
        "named_keys": sorted(named_keys),
        "words": words,
    }
    parameters |= {f"vector_{number}": HalfVector(vector) for number, vector in enumerate(vectors)}
    return _statement(len(vectors), slots), parameters


def weighed(
    rows: Iterable[Any], asked: Telling, *, named: Collection[UUID] = (), scene_named: Collection[UUID] = ()
) -> dict[UUID, Weighed]:
    """The rows of the statement as values, by candidate."""
    words = list(enumerate(looked_for(asked)))
    none: frozenset[Any] = frozenset()

    def evidence(row: Any) -> Evidence:
        return Evidence(
            nearest=tuple(row.nearest),
            words=frozenset(word for number, word in words if row.words >> number & 1) if row.words else none,
            named=frozenset(row.shared).intersection(named) if row.shared else none,
            scene_named=frozenset(row.shared).intersection(scene_named) if row.shared else none,
        )

    return {row.entity_id: Weighed(evidence(row), row) for row in rows}


def looked_for(asked: Telling) -> list[str]:
    """The words of a telling that are looked for, each once."""
    return list(dict.fromkeys((*asked.words, *asked.scene_words)))[:MOST_WORDS]


def _scope(alias: str) -> str:
    return f"{alias}.tenant_id = %(tenant_id)s and {alias}.namespace_id = %(namespace_id)s"


def _bits(words: str, slots: int) -> str:
    """One bit for each word that is looked for: whether it is among some words. Mostly none is, which one look tells."""
    bits = " | ".join(
        f"case when {words} @@ (select query from looked_for where number = {slot}) then {1 << (slot - 1)}::bigint else 0 end"
        for slot in range(1, slots + 1)
    )
    return f"case when {words} @@ (select query from any_of_them) then {bits} else 0 end"


def _nearest(vectors: Sequence[int], column: str) -> Iterable[str]:
    # Vectors have unit length, so that the inner product, which pgvector gives with its sign turned, is the cosine.
    return (f"-({column} <#> cast(%(vector_{number})s as halfvec))" for number in vectors)


def _of_candidates(part: str) -> str:
    """The traits of all candidates, of which each part has an index of its own."""
    return f"""select trait.entity_id, trait.owner_kind, trait.owner_id, trait.embedding, trait.words
        from recollect_read_v1.traits as trait
        where {_scope("trait")} and trait.model = %(model)s and trait.entity_id = any(array(select entity_id from candidates))
          and {part}"""


@cache
def _statement(texts: int, slots: int) -> str:
    numbers = range(texts)
    fits = f"({' + '.join(f'nearest[{n + 1}]' for n in numbers)}) / {texts}"
    best = ", ".join(f"max({cosine}) as nearest_{n}" for n, cosine in enumerate(_nearest(numbers, "trait.embedding")))
    return f"""
    with found as materialized (
        {found_by("mention_keys")} union select unnest(cast(%(candidates)s as uuid[])), null, null
    ),
    candidates as materialized (
        select entity_id, array_agg(normalised) filter (where normalised is not null) as found_by from found group by entity_id
    ),
    looked_for as materialized (
        select number, case when length(to_tsvector('english', word)) > 0 then plainto_tsquery('english', word) end as query
        from unnest(cast(%(words)s as text[])) with ordinality as one (word, number)
    ),
    any_of_them as materialized (
        select cast(string_agg(cast(query as text), ' | ') as tsquery) as query from looked_for where query is not null
    ),
    named as materialized (
        select entity_id from ({found_by("named_keys")} union select unnest(cast(%(named)s as uuid[])), null, null) as one
        where entity_id <> all(array(select entity_id from candidates))
    ),
    others as materialized (
        select trait.owner_id, trait.entity_id from recollect_read_v1.traits as trait
        where {_scope("trait")} and trait.model = %(model)s and trait.entity_id = any(array(select entity_id from named))
    ),
    traits as materialized (
        select trait.entity_id, {best}, bit_or({_bits("trait.words", slots)}) as words,
               count(*) filter (where trait.owner_kind = 'memory') as memories,
               array_agg(trait.owner_id) filter (where trait.owner_id in (select owner_id from others)) as with_others
        from ({_of_candidates("trait.compact")} union all {_of_candidates("not trait.compact")}) as trait
        group by trait.entity_id
    ),
    shared as materialized (
        select pair.entity_id, array_agg(distinct pair.other) as others from (
            select traits.entity_id, others.entity_id as other
            from traits cross join lateral unnest(traits.with_others) as owner_id join others using (owner_id)
            union all
            select subject_id, object_id from recollect_read_v1.relations as edge
            where {_scope("edge")} and edge.object_id = any(array(select entity_id from named))
            union all
            select object_id, subject_id from recollect_read_v1.relations as edge
            where {_scope("edge")} and edge.subject_id = any(array(select entity_id from named))
        ) as pair group by pair.entity_id
    ),
    known as materialized (
        select entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
               entity.key, parent.name as parent, candidates.found_by,
               case when traits.entity_id is not null then array[{", ".join(f"traits.nearest_{n}" for n in numbers)}]
                    else coalesce((select array[{", ".join(_nearest(numbers, "profile.embedding"))}]
                                   from recollect_read_v1.embeddings as profile
                                   where {_scope("profile")} and profile.model = %(model)s and profile.owner_kind = 'profile'
                                     and profile.owner_id = entity.entity_id order by profile.version desc limit 1),
                                  array_fill(cast(0 as float8), array[{texts}])) end as nearest,
               coalesce(traits.words, 0) | {_bits("entity.search", slots)} | {_bits("parent.search", slots)} as words,
               coalesce(traits.memories, 0) as memories,
               coalesce(shared.others, cast('{{}}' as uuid[])) || case when entity.parent_id in (select entity_id from named)
                    then array[entity.parent_id] else cast('{{}}' as uuid[]) end as shared
        from recollect_read_v1.entities as entity
        join candidates on candidates.entity_id = entity.entity_id
        left join recollect_read_v1.entities as parent on {_scope("parent")} and parent.entity_id = entity.parent_id
        left join traits on traits.entity_id = entity.entity_id
        left join shared on shared.entity_id = entity.entity_id
        where {_scope("entity")} and entity.entity_id = any(array(select entity_id from candidates))
    )
    select known.*,
           case when place <= {_CLOSELY} then array(
               select alias.alias from recollect_read_v1.aliases as alias
               where {_scope("alias")} and alias.entity_id = known.entity_id order by alias.alias) end as aliases,
           case when place <= {_CLOSELY} then array(
               select memory.content from recollect_read_v1.memory_entities as link
               join recollect_read_v1.memories as memory on {_scope("memory")} and memory.memory_id = link.memory_id
                    and memory.known_to is null and memory.state = 'active'
               where {_scope("link")} and link.entity_id = known.entity_id and link.certainty = 'sure'
               order by link.role = 'subject' desc, memory.salience desc, memory.memory_id limit {_FACTS}) end as facts
    from (
        select *, row_number() over (
            order by {fits} + {_A_TRAIT} * (bit_count(cast(words as bit(64))) + cardinality(shared)) desc, entity_id
        ) as place from known
    ) as known order by entity_id
    """
