"""Find what is known about each candidate that matches a text: one statement over the views of version 1.

`mosshead.entities.disambiguation` uses it to decide. Only current memories that are surely about a candidate count.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mosshead.embeddings.protocol import Vector
from mosshead.entities.disambiguation import Evidence, Offered, Telling
from mosshead.entities.lookup import found_by, registered
from mosshead.models.entities import RegisteredEntity
from mosshead.models.memories import Entity
from mosshead.paths import NamespacePath
from mosshead.store.connection import BinaryVector, Sql, of_namespace
from mosshead.store.memories import entity_of

MOST_WORDS = 60
"""How many words of a telling are searched for, the message's first. More do not fit into the bits of one number."""

_CLOSELY = 8
"""How many of the apparently best candidates are read with aliases and facts for a question."""

_A_TRAIT = 0.1
"""What a matching word or entity adds to the cosine for this preselection. The decision is made elsewhere."""

_FACTS = 3
_FIRST = 24
"""A question's facts come from a candidate's oldest memories: most have no more, and the first ones identify somebody."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate with its evidence. Of 500 candidates few are read in detail."""

    evidence: Evidence
    _row: Any

    @property
    def entity(self) -> RegisteredEntity:
        """The candidate, with its aliases if it is among the nearest (`complete`)."""
        return registered(self._row)

    @property
    def as_read(self) -> Entity:
        """The candidate as reads return it; only memories surely about it count."""
        return entity_of(self._row)

    @property
    def complete(self) -> bool:
        """Whether aliases and facts were read, too."""
        return self._row.aliases is not None

    @property
    def is_user(self) -> bool:
        """Whether it is the user."""
        return bool(self._row.is_user)

    @property
    def found_by(self) -> Sequence[str] | None:
        """The normalised names by which it was found; empty if its name equals the mention, or it was not looked up."""
        found_by: Sequence[str] | None = self._row.found_by
        return found_by

    @property
    def facts(self) -> tuple[str, ...]:
        """Some known facts, most salient first, if it is among the best."""
        return tuple(self._row.facts or ())


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    asked: Telling,
    vector: Vector,
    candidates: Collection[UUID] = (),
    mention: str = "",
    mention_keys: Collection[str] = (),
    named: Collection[UUID] = (),
    named_keys: Collection[str] = (),
) -> Sql:
    """Return the statement for `weighed` with its parameters, in the driver's form.

    vector: of the telling's text. candidates, mention_keys: who may be meant, by id and by the keys (`keys_of`) of the mention, a
    normalised name. named, named_keys: the same for other names in the text.
    """
    return Sql(
        _STATEMENT,
        {
            **path.ids,
            "model": model,
            "candidates": list(candidates),
            "mention": mention,
            "mention_keys": sorted(mention_keys),
            "named": list(named),
            "named_keys": sorted(named_keys),
            "words": looked_for(asked),
            "vector": BinaryVector(vector),
        },
    )


def weighed(
    rows: Iterable[Any], asked: Telling, *, named: Collection[UUID] = (), scene_named: Collection[UUID] = ()
) -> dict[UUID, Weighed]:
    """Convert the statement's rows, by candidate. named, scene_named: entities named by the message, and by the turns before."""
    words = [(1 << number, word) for number, word in enumerate(looked_for(asked))]
    none: frozenset[Any] = frozenset()

    def among(bits: int) -> frozenset[str]:
        return frozenset([word for bit, word in words if bits & bit]) if bits else none

    def evidence(row: Any) -> Evidence:
        shared = row.shared or ()
        return Evidence(
            nearest=row.nearest,
            words=among(row.words),
            expanded=among(row.expanded),
            named=frozenset(shared).intersection(named) if shared else none,
            scene_named=frozenset(shared).intersection(scene_named) if shared else none,
        )

    return {row.entity_id: Weighed(evidence(row), row) for row in rows}


def offered(bearers: Mapping[UUID, Weighed], scores: Iterable[tuple[UUID, float]]) -> list[Offered]:
    """Return the candidates for a question. scores: of those to offer, best first."""
    return [
        Offered(entity_id=key, entity=bearers[key].entity, score=score, facts=bearers[key].facts)
        for key, score in scores
    ]


def looked_for(asked: Telling) -> list[str]:
    """Return the distinct words of a telling to search for."""
    return list(dict.fromkeys((*asked.words, *asked.scene_words)))[:MOST_WORDS]


# Vectors have unit length, so the inner product, which pgvector returns negated, is the cosine.
_NEAREST = "-({0}.embedding <#> %(vector)s::halfvec)"


def _bits(words: str) -> str:
    """Return SQL for one bit per word searched for: whether a text contains it. Usually none does, which a single test shows."""
    bits = f"(select bit_or(bit) from looked_for where {words} @@ looked_for.query)"
    return f"case when {words} @@ (select query from any_of_them) then {bits} else 0 end"


def _of_candidates(part: str) -> str:
    """Return SQL that scores all candidates' traits; each half has its own index."""
    return f"""select trait.entity_id, {_NEAREST.format("trait")} as nearest, {_bits("trait.words")} as words,
               {_bits("trait.expansion")} as expanded, cast(null as uuid) as other, trait.owner_kind = 'memory' as is_memory
        from mosshead_read_v1.traits as trait
        where {of_namespace("trait")} and trait.model = %(model)s
          and trait.entity_id = any(array(select entity_id from candidates)) and {part}"""


_WHO = f"""
    candidates as materialized (
        select entity_id, case when not bool_or(normalised = %(mention)s) then array_agg(normalised) end as found_by
        from ({found_by("mention_keys")} union all select unnest(%(candidates)s::uuid[]), null, null) as found
        group by entity_id
    ),
    looked_for as materialized (
        select 1::bigint << (cast(number as int) - 1) as bit,
               case when length(to_tsvector('english', word)) > 0 then plainto_tsquery('english', word) end as query
        from unnest(%(words)s::text[]) with ordinality as one (word, number)
    ),
    any_of_them as materialized (
        select cast(string_agg(cast(query as text), ' | ') as tsquery) as query from looked_for where query is not null
    ),
    named as materialized (
        select entity_id from ({found_by("named_keys")} union all select unnest(%(named)s::uuid[]), null, null) as one
        where entity_id <> all(array(select entity_id from candidates)) group by entity_id
    ),
    of_named as materialized (
        select owner_id, entity_id as other from mosshead_read_v1.traits as trait
        where {of_namespace("trait")} and trait.model = %(model)s and trait.entity_id = any(array(select entity_id from named))
    ),
    shared as materialized (
        select trait.entity_id, other
        from (select owner_id, entity_id from mosshead_read_v1.traits as trait
              where {of_namespace("trait")} and trait.model = %(model)s
                and trait.entity_id = any(array(select entity_id from candidates)) and exists (select from named)) as trait
        full join of_named using (owner_id)
        -- In coalesce it leaves the join full, which is never a loop.
        where coalesce(trait.entity_id is not null and other is not null, false)
        union
        select subject_id, object_id from mosshead_read_v1.relations as edge
        where {of_namespace("edge")} and edge.object_id = any(array(select entity_id from named)) and edge.valid_to is null
        union
        select object_id, subject_id from mosshead_read_v1.relations as edge
        where {of_namespace("edge")} and edge.subject_id = any(array(select entity_id from named)) and edge.valid_to is null
    )
"""
"""The candidates, what is searched for, and other named entities connected with them."""


_KNOWN = f"""
    traits as materialized (
        select entity_id, max(nearest) as nearest, bit_or(words) as words, bit_or(expanded) as expanded,
               array_agg(other) filter (where other is not null) as shared, count(*) filter (where is_memory) as memories
        from (
            {_of_candidates("trait.compact")} union all {_of_candidates("not trait.compact")}
            union all select entity_id, null, null, null, other, false from shared
        ) as scored
        group by entity_id
    ),
    identified as materialized (
        select entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
               entity.key, entity.search, parent.name as parent, parent.search as parent_search
        from mosshead_read_v1.entities as entity
        left join mosshead_read_v1.entities as parent on {of_namespace("parent")} and parent.entity_id = entity.parent_id
        where {of_namespace("entity")} and entity.entity_id = any(array(select entity_id from candidates))
    ),
    known as materialized (
        select entity_id, name, entity_type, description, parent_id, is_user, key, parent, found_by,
               coalesce(traits.memories, 0) as memories,
               coalesce(traits.nearest,
                        (select {_NEAREST.format("profile")} from mosshead_read_v1.embeddings as profile
                         where {of_namespace("profile")} and profile.model = %(model)s
                           and profile.owner_kind = 'profile' and profile.owner_id = identified.entity_id
                         order by profile.version desc limit 1), 0) as nearest,
               coalesce(traits.words, 0) | {_bits("search")} | {_bits("parent_search")} as words,
               coalesce(traits.expanded, 0) as expanded,
               case when parent_id in (select entity_id from named) then traits.shared || parent_id
                    else traits.shared end as shared
        from identified full join candidates using (entity_id) full join traits using (entity_id)
    )
"""
"""The candidates and how well they fit.

The generic plan assumes few candidates: with 500, a nested loop compared everything with everything, and dominated the time. Full
joins are never loops; their extra rows have no name. Scores are computed below the grouping, which may sort its input: with
vectors it would not fit into memory."""

_CLOSEST = f"""
    closest as materialized (
        select entity_id,
               array(select alias.alias from mosshead_read_v1.aliases as alias
                     where {of_namespace("alias")} and alias.entity_id = closest.entity_id order by alias.alias) as aliases,
               array(select memory.content from unnest(array(
                         select trait.owner_id from mosshead_read_v1.traits as trait
                         where {of_namespace("trait")} and trait.model = %(model)s
                           and trait.entity_id = closest.entity_id and trait.owner_kind = 'memory'
                         order by trait.owner_id limit {_FIRST})) as first (memory_id)
                     -- With a limit it stays a look for each of these few, and is no scan of all that is known of somebody.
                     cross join lateral (
                         -- By the memory: a subquery with an offset is planned by itself.
                         select role from (
                             select link.role, link.entity_id from mosshead_read_v1.memory_entities as link
                             where {of_namespace("link")} and link.memory_id = first.memory_id offset 0) as link
                         where link.entity_id = closest.entity_id limit 1) as link
                     join mosshead_read_v1.memories as memory on {of_namespace("memory")} and memory.memory_id = first.memory_id
                          and memory.known_to is null and memory.state = 'active'
                     order by link.role = 'subject' desc, memory.salience desc, memory.memory_id limit {_FACTS}) as facts
        from (select entity_id from known where name is not null
              order by nearest + cast({_A_TRAIT} as float8)
                       * (bit_count(cast(words as bit(64))) + coalesce(cardinality(shared), 0))
                       desc, entity_id limit {_CLOSELY}) as closest
    )
"""
"""The details of the best candidates."""

_STATEMENT = f"""
    with {_WHO}, {_KNOWN}, {_CLOSEST}
    select known.*, closest.aliases, closest.facts
    from known left join closest on closest.entity_id = known.entity_id
    where known.name is not null
"""
