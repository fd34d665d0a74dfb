"""Which memories a message calls for: what their own words say, whom they are about, and what they lend each other. Pure.

A memory that answers seldom says by its words that it does: what our cellist does for a living is "By day she drives a tram", and
only "Vera plays the cello" says who she is. So the best hits lend to what else is known of the entities that they are about.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from uuid import UUID

from mosshead.disambiguation import Resolution
from mosshead.kinds import MemoryKind
from mosshead.reading.found import MemoryFound, Spread
from mosshead.reading.periods import Interval, Period
from mosshead.reading.scores import WEIGHTS, Relevance

Named = Period | Interval
"""A time that a message names."""

_RIVALS = 3
_SIGNALS = tuple(one.name for one in fields(Relevance))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """Whom memories are about. memories: how many there are; parent: what it belongs to."""

    memories: int
    parent: UUID | None = None


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
        return {name: part for name in _SIGNALS if (part := getattr(self.relevance, name))}


def rank_memories(
    found: Iterable[MemoryFound],
    *,
    cosine: Spread,
    words: Spread,
    bearings: Mapping[UUID, Bearing],
    named: Collection[UUID] = (),
    plausible: Collection[UUID] = (),
    left_out: Collection[UUID] = (),
    periods: Collection[Named] = (),
) -> list[RankedMemory]:
    """Rank what the scan found, best first; equals by id.

    bearings: of the entities that the memories are about. named: whom the message means. plausible: whom it may
    mean, where it is open; the first thing known of them tells who they are. left_out: who bears the same name and is
    not meant; what is about them alone is no answer. periods: the times that the message names.
    """
    meant, namesakes = frozenset(named), frozenset(left_out)
    kept = [one for one in found if one.entities & meant or not one.entities & namesakes]
    house = meant | _parents(meant, bearings)
    lasting = _foundations(kept, meant.union(plausible))
    own = [
        Relevance(
            dense=cosine.normalised(one.cosine),
            lexical=WEIGHTS.words * words.normalised(one.words),
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


def not_ruled_out(decision: Resolution) -> tuple[UUID, ...]:
    """Who may be meant beside the one who seems to be, the likeliest first.

    Where it is open: whom a question offers. Where it is settled: who is not much less likely, since settled is not certain.
    """
    if decision.entity_id is None:
        return decision.plausible
    likely = dict(decision.scores)
    least = WEIGHTS.ruled_out * likely.get(decision.entity_id, 1.0)
    return tuple(key for key, score in decision.scores if key != decision.entity_id and score >= least)[:_RIVALS]


def other_of_two(decision: Resolution) -> UUID | None:
    """Who else bears a name that two share, where it is settled who is meant: it takes one line to tell who that is."""
    if decision.entity_id is None or len(decision.scores) != 2:
        return None
    return next(key for key, _ in decision.scores if key != decision.entity_id)


def _of_house(one: MemoryFound, house: Collection[UUID], bearings: Mapping[UUID, Bearing]) -> bool:
    """Whether it is a process of those who are meant, or of what they belong to."""
    if one.memory.kind is not MemoryKind.PROCESS:
        return False
    return any(entity in house or (entity in bearings and bearings[entity].parent in house) for entity in one.entities)


def _when(one: MemoryFound, periods: Collection[Named]) -> float:
    """How well it fits one of the times, 0 to 1: by when it happened, or else was said."""
    occurred = one.memory.occurred
    day = occurred.day if occurred else one.memory.said_at.date()
    return max(period.fits(day) for period in periods)


def _parents(entities: Iterable[UUID], bearings: Mapping[UUID, Bearing]) -> frozenset[UUID]:
    known = (bearings[one].parent for one in entities if one in bearings)
    return frozenset(parent for parent in known if parent is not None)


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
