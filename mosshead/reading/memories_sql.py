"""The memories that a message may call for: one statement over the views of version 1, and its rows as values.

One scan of the namespace's vectors gives the cosine and the BM25 of every memory, and how both lie over all of them. What is
fetched is the best by each, the best about whom the message names with what has longest been so of them, the processes, and the
best of what else is known of the entities that the best of all these are about.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from mosshead.namespaces import NamespacePath
from mosshead.reading.found import MemoryFound, Spread
from mosshead.reading.indexed_sql import lent_scored, memories_head
from mosshead.reading.indexed_sql import parameters as of_words
from mosshead.reading.memories import Bearing
from mosshead.reading.memory_scan_sql import ABOUT, NOW, SCANNED, SCORED, SURE, TAUGHT, of_scope
from mosshead.reading.vocabulary import Vocabulary
from mosshead.reading.weights import MemoryWeights
from mosshead.results import Hit
from mosshead.rows import memory_fields

_LISTED = 40
"""So many of the best by cosine, and by BM25."""

_PER_NAME, _FOUNDATIONS = 24, 6
_BEARERS = 12
"""So many of the bearers of contested names: those with the memories that fit best."""

_PROCESSES = 12
_PER_RELATED, _RELATED = 12, 50
_MANY = 400
"""An entity of whom so much is known lends next to nothing, and its memories are counted no further."""

_STATEMENTS = 256
"""So many are kept of those that name their namespace."""

_W = MemoryWeights()
_NOTHING = Spread(mean=0.0, deviation=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What a scan of a namespace found. cosine, words: how the raw scores lie over all of it. bearings: of the entities found."""

    memories: tuple[MemoryFound, ...]
    cosine: Spread
    words: Spread
    bearings: Mapping[UUID, Bearing]


def statement_for(
    path: NamespacePath,
    *,
    model: str,
    vector: NDArray[np.float32],
    message: str,
    named: Collection[UUID] = (),
    contested: Collection[UUID] = (),
    vocabulary: Vocabulary | None = None,
) -> tuple[str, dict[str, Any]]:
    """The statement and its parameters, as the driver takes them, for `scanned`.

    vector: of the message with nobody's name in it, of unit length. message: its words are looked for, names and all. named: whom
    it names by a name that nobody else bears; contested: who may be meant by the others. vocabulary: of its words, where the
    namespace has indexes of its own, which are used then.
    """
    parameters = {
        "tenant_id": path.tenant_id,
        "namespace_id": path.namespace_id,
        "model": model,
        "vector": HalfVector(vector),
        "message": message,
        "named": list(named),
        "contested": list(contested),
    }
    if vocabulary is None:
        return _SCAN, parameters
    return _by_index(path, model, len(vector)), {**parameters, **of_words(vocabulary)}


def scanned(rows: Iterable[Any]) -> Scanned:
    """The rows of the statement as values."""
    found = list(rows)
    if not found:
        return Scanned(memories=(), cosine=_NOTHING, words=_NOTHING, bearings={})
    first = found[0]
    return Scanned(
        memories=tuple(map(_found, found)),
        cosine=Spread(mean=first.cosine_mean, deviation=first.cosine_deviation),
        words=Spread(mean=first.words_mean, deviation=first.words_deviation),
        bearings={
            entity: Bearing(memories=many, parent=parent)
            for row in found
            for entity, many, parent in zip(row.entities or (), row.counts or (), row.parents or (), strict=True)
        },
    )


def _found(row: Any) -> MemoryFound:
    return MemoryFound(
        memory=Hit(**memory_fields(row), similarity=round(min(1.0, row.cosine), 4)),
        cosine=row.cosine,
        words=row.words,
        entities=frozenset(row.entities or ()),
        sources=tuple(row.sources or ()),
    )


_CHOSEN = f"""
    listed as materialized (
        (select owner_id, cosine, words from scanned order by cosine desc, owner_id limit {_LISTED})
        union
        (select owner_id, cosine, words from scanned where words > 0 order by words desc, owner_id limit {_LISTED})
    ),
    pool as materialized (
        with one as (
            select owner_id, cosine, words from listed
            union
            select owner_id, cosine, words from scanned
            -- In coalesce it stays a subquery, whose rows are hashed: alone it would become a join.
            where coalesce(owner_id in (select owner_id from about union select owner_id from taught), false)
        ) {SCORED}
    ),
    best as materialized (
        select owner_id from listed
        union
        (select owner_id from pool where owner_id in (select owner_id from taught) order by fit desc, owner_id limit {_PROCESSES})
    ),
    meant as materialized (
        select unnest(cast(%(named)s as uuid[])) as entity_id
        union
        (select entity_id from about join pool using (owner_id) where entity_id = any(cast(%(contested)s as uuid[]))
         group by entity_id order by max(fit) desc, entity_id limit {_BEARERS})
    ),
    of_now as materialized (
        select about.entity_id, about.owner_id, memory.kind, memory.valid_from from about full join (
            select memory.memory_id as owner_id, memory.kind, memory.valid_from from mosshead_read_v1.memories as memory
            where {of_scope("memory")} and {NOW} and memory.memory_id = any(array(select owner_id from about))
        ) as memory using (owner_id)
    ),
    of_names as materialized (
        select owner_id, lasting from (
            select owner_id, kind <> 'event' as lasting,
                   row_number() over (partition by entity_id order by fit desc, owner_id) as place,
                   row_number() over (partition by entity_id order by kind = 'event', valid_from, owner_id) as age
            from of_now join pool using (owner_id) where kind is not null and entity_id in (select entity_id from meant)
        ) as one where place <= {_PER_NAME} or age <= {_FOUNDATIONS}
    ),
    lenders as materialized (
        select owner_id from pool left join (
            select owner_id, max(case when lasting then {_W.entity} else {_W.entity * _W.event} end) as named
            from of_names group by owner_id
        ) as one using (owner_id)
        where named is not null or owner_id in (select owner_id from best)
        order by fit + coalesce(named, 0) desc, owner_id limit {_W.lenders_after}
    ),
    lending as materialized (
        select distinct lent.entity_id from mosshead_read_v1.memory_entities as lent
        where {of_scope("lent")} and lent.certainty = 'sure' and lent.memory_id = any(array(select owner_id from lenders))
    )"""
"""The best of all, and the entities that they are about."""


def _related(scored: str, links: str) -> str:
    """What is fetched, of all that was scanned. scored: the table of what may be related; links: and by whom."""
    return f"""
    lent_by as materialized (
        select link.memory_id as owner_id, link.entity_id from {links} as link
        where link.entity_id = any(array(select entity_id from lending))
    ),
    reached as materialized (
        select owner_id, cosine, words from {scored} where coalesce(owner_id in (select owner_id from lent_by), false)
    ),
    reached_by as materialized (select owner_id, entity_id, cosine, words from reached full join lent_by using (owner_id)),
    near as materialized (with one as (select * from reached_by where cosine is not null) {SCORED}),
    related as materialized (
        select owner_id, cosine, words, fit from (
            select *, row_number() over (partition by entity_id order by fit desc, owner_id) as place from near
        ) as one where place <= {_PER_RELATED} group by owner_id, cosine, words, fit order by fit desc, owner_id limit {_RELATED}
    ),
    chosen as materialized (
        select owner_id, cosine, words from pool
        where owner_id in (select owner_id from best) or owner_id in (select owner_id from of_names)
        union
        select owner_id, cosine, words from related
    )"""


_WHOM = f"""
    linked as materialized (
        select link.memory_id, link.entity_id, link.certainty, entity.name, entity.parent_id,
               array_position(array['subject', 'object', 'about'], link.role) as role
        from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.entities as entity on {of_scope("entity")} and entity.entity_id = link.entity_id
        where {of_scope("link")} and link.memory_id = any(array(select owner_id from chosen))
    ),
    counted as materialized (
        select entity_id, (select count(*) from (
            select from mosshead_read_v1.memory_entities as link
            where {of_scope("link")} and link.entity_id = one.entity_id limit {_MANY}
        ) as links) as memories
        from (select distinct entity_id from linked where certainty = 'sure') as one
    ),
    whom as materialized (
        select memory_id, array_agg(name order by role, name) as about,
               array_agg(linked.entity_id order by linked.entity_id) filter (where certainty = 'sure') as entities,
               array_agg(parent_id order by linked.entity_id) filter (where certainty = 'sure') as parents,
               array_agg(counted.memories order by linked.entity_id) filter (where certainty = 'sure') as counts
        from linked full join counted using (entity_id) group by memory_id
    ),
    sources as materialized (
        select source.memory_id, array_agg(source.message_id order by source.message_id) as messages
        from mosshead_read_v1.provenance as source
        where {of_scope("source")} and source.stance = 'for' and source.memory_id = any(array(select owner_id from chosen))
        group by source.memory_id
    )"""

_KNOWN = f"""
    known as materialized (
        select memory.memory_id, memory.version, memory.kind, memory.content, memory.salience, memory.confidence, memory.tier,
               memory.state, memory.superseded_by, memory.occurred_from, memory.occurred_to, memory.granularity,
               memory.valid_from, memory.said_by, memory.marked, memory.record_name, memory.record, memory.key,
               memory.valid_from_offset, memory.occurred_from_offset, memory.occurred_to_offset
        from mosshead_read_v1.memories as memory
        where {of_scope("memory")} and {NOW} and memory.memory_id = any(array(select owner_id from chosen))
    ),
    found as materialized (
        select known.*, chosen.cosine, chosen.words, whom.about, whom.entities, whom.parents, whom.counts,
               sources.messages as sources
        from known
        full join chosen on chosen.owner_id = known.memory_id
        full join whom on whom.memory_id = known.memory_id
        full join sources on sources.memory_id = known.memory_id
    )"""
"""It is planned once for all namespaces, for a few rows, and meets hundreds. So rows are fetched by an array of ids, all at once,
and put together by full joins: a left join would be a loop in a loop."""


def _statement(head: str, *between: str, scored: str, links: str) -> str:
    """head: with the tables ``about``, ``scanned`` and ``spread``. between: what comes before `_related`, which has the rest."""
    parts = (TAUGHT, head, _CHOSEN, *between, _related(scored, links), _WHOM, _KNOWN)
    return f"""
    with {", ".join(parts)}
    select found.*, spread.* from found cross join spread where memory_id is not null order by memory_id
"""


_ALL_LINKS = f"(select link.memory_id, link.entity_id from mosshead_read_v1.memory_entities as link where {SURE})"
_SCAN = _statement(f"{ABOUT}, {SCANNED}", scored="scanned", links=_ALL_LINKS)


@lru_cache(_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    head = memories_head(path, model, dimensions, _LISTED)
    return _statement(head, lent_scored(path, model), scored="lent", links="links_lent")
