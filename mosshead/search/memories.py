"""Find and rank the memories relevant to a message: one statement over the views of version 1, and its rows as values.

One scan of the namespace's vectors gives every memory's cosine and BM25, and the distribution of both. It fetches the best by
each score; the best and the oldest lasting memories about the named entities; the processes; and the best other memories about
the entities of all these.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.entities.disambiguation import Disambiguation
from mosshead.language.dates import Period
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Hit
from mosshead.paths import NamespacePath
from mosshead.search.scans import (
    MEMORIES,
    MOST_STATEMENTS,
    Spread,
    Vocabulary,
    exact_head,
    lent_scored,
    memories_head,
    of_words,
)
from mosshead.search.weights import MemoryWeights
from mosshead.store.connection import BinaryVector, Sql, of_namespace
from mosshead.store.memories import OWN_COLUMNS, memory_fields

_LISTED = 40
"""How many of the best by cosine, and by BM25."""

_PER_NAME, _FOUNDATIONS = 24, 6
_BEARERS = 12
"""How many candidates of ambiguous names: those with the best-fitting memories."""

_PROCESSES = 12
_PER_RELATED, _RELATED = 12, 50
_MANY = 400
"""An entity with this many memories lends almost nothing, and counting stops there."""

WEIGHTS = MemoryWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """An entity that memories are about. memories: their number; parent: what it belongs to; description: against namesakes."""

    memories: int
    parent: UUID | None = None
    name: str = ""
    description: str | None = None
    is_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFound:
    """A memory found by a scan.

    cosine: with the question without names. words: BM25. entities: those it is surely about. sources: its source messages.
    """

    memory: Hit
    cosine: float
    words: float
    entities: frozenset[UUID] = frozenset()
    sources: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedMemories:
    """The result of scanning a namespace. cosine, words: the distribution of the raw scores. bearings: of the entities found."""

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
) -> Sql:
    """Return the statement for `scanned` with its parameters, in the driver's form.

    vector: of the message without names, of unit length. message: its words are searched for, including names. named: entities
    with a unique name in it; contested: candidates of the other names. vocabulary: of its words, if the namespace has its own
    indexes, which are then used.
    """
    parameters = {
        **path.ids,
        "model": model,
        "vector": BinaryVector(vector),
        "message": message,
        "named": list(named),
        "contested": list(contested),
    }
    if vocabulary is None:
        return Sql(_SCAN, parameters)
    return Sql(_by_index(path, model, len(vector)), {**parameters, **of_words(vocabulary)})


def scanned(rows: Iterable[Any]) -> ScannedMemories:
    """Convert the statement's rows."""
    found = list(rows)
    return ScannedMemories(
        memories=tuple(map(_found, found)),
        cosine=Spread.of(found, "cosine"),
        words=Spread.of(found, "words"),
        bearings={
            entity: Bearing(memories=many, parent=parent, name=name, description=description, is_person=person)
            for row in found
            if row.entities
            for entity, many, parent, name, description, person in zip(
                row.entities, row.counts, row.parents, row.names, row.descriptions, row.persons, strict=True
            )
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


_NOW = "memory.known_to is null and memory.state = 'active'"

SCORED = f"""
    select one.*, coalesce((one.cosine - spread.cosine_mean) / nullif(spread.cosine_deviation, 0), 0)
        + {WEIGHTS.words} * coalesce((one.words - spread.words_mean) / nullif(spread.words_deviation, 0), 0) as fit
    from one cross join spread"""
"""The rows of ``one``, and how well each one's own words fit, in standard deviations."""

_CHOSEN = f"""
    listed as materialized (
        (select owner_id, cosine, words from scan order by cosine desc, owner_id limit {_LISTED})
        union
        (select owner_id, cosine, words from scan where words > 0 order by words desc, owner_id limit {_LISTED})
    ),
    pool as materialized (
        with one as (
            select owner_id, cosine, words from listed
            union
            select owner_id, cosine, words from scan
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
        select unnest(%(named)s::uuid[]) as entity_id
        union
        (select entity_id from about join pool using (owner_id) where entity_id = any(%(contested)s::uuid[])
         group by entity_id order by max(fit) desc, entity_id limit {_BEARERS})
    ),
    of_now as materialized (
        select about.entity_id, about.owner_id, memory.kind, memory.valid_from from about full join (
            select memory.memory_id as owner_id, memory.kind, memory.valid_from from mosshead_read_v1.memories as memory
            where {of_namespace("memory")} and {_NOW} and memory.memory_id = any(array(select owner_id from about))
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
            select owner_id, max(case when lasting then {WEIGHTS.entity} else {WEIGHTS.entity * WEIGHTS.event} end) as named
            from of_names group by owner_id
        ) as one using (owner_id)
        where named is not null or owner_id in (select owner_id from best)
        order by fit + coalesce(named, 0) desc, owner_id limit {WEIGHTS.lenders_after}
    ),
    lending as materialized (
        select distinct lent.entity_id from mosshead_read_v1.memory_entities as lent
        where {of_namespace("lent")} and lent.certainty = 'sure' and lent.memory_id = any(array(select owner_id from lenders))
    )"""
"""The best rows, and the entities they are about."""


def _related(scored: str, links: str) -> str:
    """Return SQL for the rows to fetch. scored: the table of possibly related rows; links: of their entities."""
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
        select link.memory_id, link.entity_id, link.certainty, entity.name, entity.parent_id, entity.description,
               entity.entity_type = 'person' as person, array_position(array['subject', 'object', 'about'], link.role) as role
        from mosshead_read_v1.memory_entities as link
        join mosshead_read_v1.entities as entity on {of_namespace("entity")} and entity.entity_id = link.entity_id
        where {of_namespace("link")} and link.memory_id = any(array(select owner_id from chosen))
    ),
    counted as materialized (
        select entity_id, (select count(*) from (
            select from mosshead_read_v1.memory_entities as link
            where {of_namespace("link")} and link.entity_id = one.entity_id limit {_MANY}
        ) as links) as memories
        from (select distinct entity_id from linked where certainty = 'sure') as one
    ),
    whom as materialized (
        select memory_id, array_agg(name order by role, name) as about,
               array_agg(linked.entity_id order by linked.entity_id) filter (where certainty = 'sure') as entities,
               array_agg(parent_id order by linked.entity_id) filter (where certainty = 'sure') as parents,
               array_agg(counted.memories order by linked.entity_id) filter (where certainty = 'sure') as counts,
               array_agg(name order by linked.entity_id) filter (where certainty = 'sure') as names,
               array_agg(description order by linked.entity_id) filter (where certainty = 'sure') as descriptions,
               array_agg(person order by linked.entity_id) filter (where certainty = 'sure') as persons
        from linked full join counted using (entity_id) group by memory_id
    ),
    sources as materialized (
        select source.memory_id, array_agg(source.message_id order by source.message_id) as messages
        from mosshead_read_v1.provenance as source
        where {of_namespace("source")} and source.stance = 'for' and source.memory_id = any(array(select owner_id from chosen))
        group by source.memory_id
    )"""

_CONTRADICTS = f"{of_namespace('edge')} and edge.kind = 'contradicts'"

_KNOWN = f"""
    known as materialized (
        select {OWN_COLUMNS} from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and {_NOW} and memory.memory_id = any(array(select owner_id from chosen))
    ),
    against as materialized (
        select edge.from_id as memory_id, edge.to_id as other_id from mosshead_read_v1.edges as edge
        where {_CONTRADICTS} and edge.from_id = any(array(select owner_id from chosen))
        union all
        select edge.to_id, edge.from_id from mosshead_read_v1.edges as edge
        where {_CONTRADICTS} and edge.to_id = any(array(select owner_id from chosen))
    ),
    others as materialized (
        select memory.memory_id as other_id, memory.said_by, true as held from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and {_NOW} and memory.memory_id = any(array(select other_id from against))
    ),
    disputed as materialized (
        select memory_id, array_agg(distinct said_by order by said_by) filter (where held) as disputed_by
        from against full join others using (other_id) group by memory_id
    ),
    found as materialized (
        select known.*, chosen.cosine, chosen.words, whom.about, whom.entities, whom.parents, whom.counts,
               whom.names, whom.descriptions, whom.persons, sources.messages as sources, disputed.disputed_by
        from known
        full join chosen on chosen.owner_id = known.memory_id
        full join whom on whom.memory_id = known.memory_id
        full join sources on sources.memory_id = known.memory_id
        full join disputed on disputed.memory_id = known.memory_id
    )"""
"""The generic plan assumes few rows. So hundreds are fetched at once by an array of ids, and full joins avoid nested loops."""


def _statement(head: str, *between: str, scored: str, links: str) -> str:
    """head: contains the tables ``about``, ``scan`` and ``spread``. between: SQL before that of `_related`."""
    parts = (TAUGHT, head, _CHOSEN, *between, _related(scored, links), _WHOM, _KNOWN)
    return f"""
    with {", ".join(parts)}
    select found.*, spread.* from found cross join spread where memory_id is not null order by memory_id
"""


_SURE = f"{of_namespace('link')} and link.certainty = 'sure'"
_ALL_LINKS = f"(select link.memory_id, link.entity_id from mosshead_read_v1.memory_entities as link where {_SURE})"

_ABOUT = f"""
    about as materialized (
        select link.entity_id, link.memory_id as owner_id from mosshead_read_v1.memory_entities as link
        where {_SURE} and link.entity_id = any(%(named)s::uuid[] || %(contested)s::uuid[])
    )"""

TAUGHT = f"""
    taught as materialized (
        select memory_id as owner_id from mosshead_read_v1.memories as memory
        where {of_namespace("memory")} and memory.kind = 'process' and {_NOW}
    )"""
"""Rows that count regardless of score: memories about the entities that may be meant, and processes."""

_SCAN = _statement(f"{_ABOUT}, {exact_head(MEMORIES)}", scored="scan", links=_ALL_LINKS)


@lru_cache(MOST_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    head = memories_head(path, model, dimensions, _LISTED)
    return _statement(head, lent_scored(path, model), scored="lent", links="links_lent")


_RIVALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """The relevance of a memory to a message, in standard deviations over the namespace, as a sum of parts.

    dense, lexical: the weighted, normalised cosine and BM25. entity: it is about a named entity. process: it is a process of
    their organisation. foundation: it is a long-standing fact about a named entity. when: it is from a named time. lent: by other
    memories about the same entities.
    """

    dense: float
    lexical: float
    entity: float = 0.0
    process: float = 0.0
    foundation: float = 0.0
    when: float = 0.0
    lent: float = 0.0

    @property
    def fit(self) -> float:
        """How well its own words fit."""
        return self.dense + self.lexical

    @property
    def own(self) -> float:
        """All parts except the lent one."""
        return self.fit + self.entity + self.process + self.foundation + self.when

    @property
    def total(self) -> float:
        """All parts together."""
        return self.own + self.lent


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMemory:
    """A memory with its score and the reasons for its rank."""

    found: MemoryFound
    relevance: Relevance

    @property
    def id(self) -> UUID:
        """The memory's id."""
        return self.found.memory.id

    @property
    def parts(self) -> dict[str, float]:
        """The contribution of each nonzero signal to the relevance, by name."""
        return {one.name: part for one in fields(self.relevance) if (part := getattr(self.relevance, one.name))}


def rank_memories(
    scanned: ScannedMemories,
    *,
    named: Collection[UUID] = (),
    plausible: Collection[UUID] = (),
    left_out: Collection[UUID] = (),
    periods: Collection[Period] = (),
) -> list[RankedMemory]:
    """Rank the memories found, best first; equals by id.

    named: the entities that the message means. plausible: those it may mean, if ambiguous; their oldest memory identifies them.
    left_out: ruled-out namesakes; memories only about them are excluded. periods: the times that the message names.
    """
    meant, namesakes, bearings = frozenset(named), frozenset(left_out), scanned.bearings
    kept = [one for one in scanned.memories if one.entities & meant or not one.entities & namesakes]
    house = meant | {parent for one in meant if one in bearings and (parent := bearings[one].parent) is not None}
    lasting = _foundations(kept, meant.union(plausible))
    own = [
        Relevance(
            dense=scanned.cosine.normalised(one.cosine),
            lexical=WEIGHTS.words * scanned.words.normalised(one.words),
            entity=0.0 if meant.isdisjoint(one.entities) else WEIGHTS.entity * _lasting(one),
            process=WEIGHTS.house * _of_house(one, house, bearings),
            foundation=WEIGHTS.foundation * lasting.get(place, 0.0),
            when=WEIGHTS.when * _when(one, periods) if periods else 0.0,
        )
        for place, one in enumerate(kept)
    ]
    lent = _lent(kept, [one.own for one in own], bearings)
    ranked = [
        RankedMemory(found=one, relevance=replace(parts, lent=more) if more else parts)
        for one, parts, more in zip(kept, own, lent, strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.relevance.total, one.id))


def not_ruled_out(decision: Disambiguation) -> tuple[UUID, ...]:
    """Return the other candidates that may be meant, likeliest first.

    If ambiguous: those that a question offers. If resolved: those not much less likely, since resolved does not mean certain.
    """
    if decision.entity_id is None:
        return decision.plausible
    likely = dict(decision.scores)
    least = WEIGHTS.ruled_out * likely.get(decision.entity_id, 1.0)
    return tuple(key for key, score in decision.scores if key != decision.entity_id and score >= least)[:_RIVALS]


def other_of_two(decision: Disambiguation) -> UUID | None:
    """Return the other of two namesakes once it is resolved who is meant: one line suffices to identify the other."""
    if decision.entity_id is None or len(decision.scores) != 2:
        return None
    return next(key for key, _ in decision.scores if key != decision.entity_id)


def _of_house(one: MemoryFound, house: Collection[UUID], bearings: Mapping[UUID, Bearing]) -> bool:
    """Whether it is a process of the meant entities, or of what they belong to."""
    if one.memory.kind is not MemoryKind.PROCESS:
        return False
    return any(entity in house or (entity in bearings and bearings[entity].parent in house) for entity in one.entities)


def _when(one: MemoryFound, periods: Collection[Period]) -> float:
    """Return how well it fits one of the times, 0 to 1, by when it happened or else was said."""
    occurred = one.memory.occurred
    day = occurred.day if occurred else one.memory.said_at.date()
    return max(period.fits(day) for period in periods)


def _lasting(one: MemoryFound) -> float:
    return WEIGHTS.event if one.memory.kind is MemoryKind.EVENT else 1.0


def _foundations(found: Sequence[MemoryFound], meant: Iterable[UUID]) -> dict[int, float]:
    """Return, by index, 1 for the oldest lasting memory about a meant entity, 1/2 for the next, 1/3 for the third."""
    shares: dict[int, float] = {}
    for entity in meant:
        lasting = [
            place
            for place, one in enumerate(found)
            if entity in one.entities and one.memory.kind is not MemoryKind.EVENT
        ]
        lasting.sort(key=lambda place: (found[place].memory.said_at, found[place].memory.id))
        for age, place in enumerate(lasting, 1):
            shares[place] = max(shares.get(place, 0.0), 1 / age)
    return shares


def _lent(found: Sequence[MemoryFound], own: Sequence[float], bearings: Mapping[UUID, Bearing]) -> list[float]:
    """Return what each memory gets from the best through shared entities; then again from the resulting best."""
    about: dict[UUID, list[int]] = {}
    for place, one in enumerate(found):
        for entity in one.entities:
            about.setdefault(entity, []).append(place)
    lent = [0.0] * len(found)
    for lenders, part in ((WEIGHTS.lenders, 1.0), (WEIGHTS.lenders_after, WEIGHTS.second_hop)):
        standing = [mine + more for mine, more in zip(own, lent, strict=True)]
        best = sorted(range(len(found)), key=lambda place: (-standing[place], found[place].memory.id))[:lenders]
        gives: dict[UUID, float] = {}
        for place in best:
            for entity in found[place].entities:
                many = max(1, bearings[entity].memories if entity in bearings else len(about[entity]))
                given = part * WEIGHTS.lent * (standing[place] - WEIGHTS.lends_above) / many**0.5
                gives[entity] = max(gives.get(entity, 0.0), given)
        for entity, given in gives.items():
            for place in about[entity]:
                lent[place] = max(lent[place], given * _lasting(found[place]))
    return lent


def base(relevance: float, salience: float, strength: float) -> float:
    """Return a memory's score regardless of age. relevance: in standard deviations; salience: 0 to 10; strength: 0 to 1."""
    return relevance * WEIGHTS.relevance + salience * WEIGHTS.salience + strength * WEIGHTS.strength


def recency_boost(said_at: datetime, now: datetime) -> float:
    """Return +0.15 for less than 7 days since it was said, +0.08 for less than 30, +0.03 for less than 90, else 0; 0 for the
    future.
    """
    age = now - said_at
    if age < timedelta(0):
        return 0.0
    return next((boost for days, boost in WEIGHTS.recency if age < timedelta(days=days)), 0.0)
