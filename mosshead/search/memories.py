"""The memories that a message may call for: one statement over the views of version 1, and its rows as values.

One scan of the namespace's vectors gives the cosine and the BM25 of every memory, and how both lie over all of them. What is
fetched is the best by each, the best about whom the message names with what has longest been so of them, the processes, and the
best of what else is known of the entities that the best of all these are about.
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
"""So many of the best by cosine, and by BM25."""

_PER_NAME, _FOUNDATIONS = 24, 6
_BEARERS = 12
"""So many of the bearers of contested names: those with the memories that fit best."""

_PROCESSES = 12
_PER_RELATED, _RELATED = 12, 50
_MANY = 400
"""An entity of whom so much is known lends next to nothing, and its memories are counted no further."""

WEIGHTS = MemoryWeights()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """Whom memories are about. memories: how many there are; parent: what it belongs to; description: tells it from namesakes."""

    memories: int
    parent: UUID | None = None
    name: str = ""
    description: str | None = None
    is_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFound:
    """A memory that a scan found.

    cosine: with the question, nobody's name in it. words: BM25. entities: whom it is surely about. sources: the messages that it
    was taken from.
    """

    memory: Hit
    cosine: float
    words: float
    entities: frozenset[UUID] = frozenset()
    sources: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedMemories:
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
) -> Sql:
    """The statement and its parameters, as the driver takes them, for `scanned`.

    vector: of the message with nobody's name in it, of unit length. message: its words are looked for, names and all. named: whom
    it names by a name that nobody else bears; contested: who may be meant by the others. vocabulary: of its words, where the
    namespace has indexes of its own, which are used then.
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
    """The rows of the statement as values."""
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
"""The rows of ``one``, and how well the own words of each fit, in standard deviations."""

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
"""It is planned once for all namespaces, for a few rows, and meets hundreds. So rows are fetched by an array of ids, all at once,
and put together by full joins: a left join would be a loop in a loop."""


def _statement(head: str, *between: str, scored: str, links: str) -> str:
    """head: with the tables ``about``, ``scan`` and ``spread``. between: what comes before `_related`, which has the rest."""
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
"""What may be called for however it scores: what is known of whom the message may mean, and the processes."""

_SCAN = _statement(f"{_ABOUT}, {exact_head(MEMORIES)}", scored="scan", links=_ALL_LINKS)


@lru_cache(MOST_STATEMENTS)
def _by_index(path: NamespacePath, model: str, dimensions: int) -> str:
    head = memories_head(path, model, dimensions, _LISTED)
    return _statement(head, lent_scored(path, model), scored="lent", links="links_lent")


_RIVALS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How much a memory has to do with a message, in standard deviations over the namespace, in parts that add up.

    dense, lexical: the normalised cosine and BM25, weighted. entity: it is about somebody who is named. process: it is a process
    of their house. foundation: it is what has long been so of somebody who is named. when: it is of a
    time that is named. lent: by what is known of the same entities.
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
        """All but what is lent."""
        return self.fit + self.entity + self.process + self.foundation + self.when

    @property
    def total(self) -> float:
        """All parts together."""
        return self.own + self.lent


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMemory:
    """A memory with what its place rests on."""

    found: MemoryFound
    relevance: Relevance

    @property
    def id(self) -> UUID:
        """The memory's."""
        return self.found.memory.id

    @property
    def parts(self) -> dict[str, float]:
        """What each signal that says something adds to the relevance, by its name there."""
        return {one.name: part for one in fields(self.relevance) if (part := getattr(self.relevance, one.name))}


def rank_memories(
    scanned: ScannedMemories,
    *,
    named: Collection[UUID] = (),
    plausible: Collection[UUID] = (),
    left_out: Collection[UUID] = (),
    periods: Collection[Period] = (),
) -> list[RankedMemory]:
    """Rank what the scan found, best first; equals by id.

    named: whom the message means. plausible: whom it may mean, where it is open; the first thing known of them tells who they
    are. left_out: who bears the same name and is not meant; what is about them alone is no answer. periods: the times that the
    message names.
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
    """Who may be meant beside the one who seems to be, the likeliest first.

    Where it is open: whom a question offers. Where it is settled: who is not much less likely, since settled is not certain.
    """
    if decision.entity_id is None:
        return decision.plausible
    likely = dict(decision.scores)
    least = WEIGHTS.ruled_out * likely.get(decision.entity_id, 1.0)
    return tuple(key for key, score in decision.scores if key != decision.entity_id and score >= least)[:_RIVALS]


def other_of_two(decision: Disambiguation) -> UUID | None:
    """Who else bears a name that two share, where it is settled who is meant: it takes one line to tell who that is."""
    if decision.entity_id is None or len(decision.scores) != 2:
        return None
    return next(key for key, _ in decision.scores if key != decision.entity_id)


def _of_house(one: MemoryFound, house: Collection[UUID], bearings: Mapping[UUID, Bearing]) -> bool:
    """Whether it is a process of those who are meant, or of what they belong to."""
    if one.memory.kind is not MemoryKind.PROCESS:
        return False
    return any(entity in house or (entity in bearings and bearings[entity].parent in house) for entity in one.entities)


def _when(one: MemoryFound, periods: Collection[Period]) -> float:
    """How well it fits one of the times, 0 to 1: by when it happened, or else was said."""
    occurred = one.memory.occurred
    day = occurred.day if occurred else one.memory.said_at.date()
    return max(period.fits(day) for period in periods)


def _lasting(one: MemoryFound) -> float:
    return WEIGHTS.event if one.memory.kind is MemoryKind.EVENT else 1.0


def _foundations(found: Sequence[MemoryFound], meant: Iterable[UUID]) -> dict[int, float]:
    """By place: 1 for the oldest of what is lastingly so of somebody who is meant, 1/2 for the next, 1/3 for the one after."""
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
    """What each gets from the best, over the entities that they share; then once more from those that are the best by that."""
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
    """What a memory scores at any age. relevance: in standard deviations; salience: 0 to 10; strength: 0 to 1."""
    return relevance * WEIGHTS.relevance + salience * WEIGHTS.salience + strength * WEIGHTS.strength


def recency_boost(said_at: datetime, now: datetime) -> float:
    """+0.15 for what was said less than 7 days ago, +0.08 for less than 30, +0.03 for less than 90, else 0; 0 for the future."""
    age = now - said_at
    if age < timedelta(0):
        return 0.0
    return next((boost for days, boost in WEIGHTS.recency if age < timedelta(days=days)), 0.0)
