"""What of all that was found a story is about: the memories and messages of a request, as pieces. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from uuid import UUID

from mosshead.graph import Neighbour
from mosshead.kinds import Role
from mosshead.matching import Name, places, words_of
from mosshead.names import normalise
from mosshead.reading.histories_sql import Remembered
from mosshead.reading.memories import RankedMemory
from mosshead.reading.scores import WEIGHTS, base
from mosshead.reading.understood import Understood, names_of
from mosshead.reading.weights import ContextWeights
from mosshead.stories.choosing import Piece
from mosshead.stories.intents import Asked, StoryIntent

MESSAGES = 12
"""So many messages at most have a say: what they say of facts, memories tell shorter."""

_FITS = 2.0
"""Standard deviations from which a memory that shares a word with the topic belongs to it."""

_FITS_ALONE = 3.5
"""The same of one that shares none."""

_FITS_SAID = 3.0
"""The same of messages, of which each word counts less."""

_WEIGHTS = ContextWeights()
_FIRST = 1.0
"""Ahead of all else: what joins those whose connection is asked for, and what was replaced where a change is."""


def fitting(read: Understood, asked: Asked) -> list[RankedMemory]:
    """The memories about whom is meant, and those about the topic.

    What tells who a namesake is, is no part of a story about another.
    """
    others = [] if asked.bare else [one for one in read.ranked if one.found.entities.isdisjoint(read.besides)]
    least = _least((one.relevance.fit for one in others if one.found.words > 0), _FITS)
    topical = {
        one.id
        for one in others
        if one.relevance.dense >= _FITS_ALONE or (one.found.words > 0 and one.relevance.fit >= least)
    }
    return [one for one in read.ranked if one.id in topical or not one.found.entities.isdisjoint(read.meant)]


def stated(near: Iterable[Neighbour]) -> Iterator[UUID]:
    """The memories that state some edges; nobody states that something is part of something."""
    yield from (one.memory_id for one in near if one.memory_id is not None)


def on_the_way(near: Sequence[Neighbour], others: Iterable[UUID]) -> set[UUID]:
    """The memories that state the edges of the shortest ways to some others."""
    found: set[UUID] = set()
    ahead, gone = list(others), set[UUID]()
    while ahead:
        one = ahead.pop()
        if one not in gone:
            gone.add(one)
            edges = [edge for edge in near if edge.id == one]
            found.update(stated(edges))
            ahead.extend(edge.via for edge in edges)
    return found


def memories_of(
    read: Understood,
    asked: Asked,
    edges: Collection[UUID],
    rows: Iterable[Remembered],
    topical: Iterable[RankedMemory],
) -> Iterator[Piece]:
    """The memories as pieces. edges: those that state relations of whom is meant; topical: those that `fitting` found."""
    ranked = {one.id: one for one in read.ranked}
    fit = {one.id for one in topical}
    meant = frozenset(read.meant)
    joined = asked.intent is StoryIntent.CONNECTION and (len(meant) > 1 or asked.own)
    bearers = frozenset(one for several in _contested(read) for one in several)
    for row in rows:
        one = row.memory
        joins = joined and ((len(meant) > 1 and one.id in edges) or _joins(row, meant))
        if joined and len(meant) > 1 and not joins:
            continue
        if row.entities.isdisjoint(meant) and not bearers.isdisjoint(row.entities | row.open):
            continue  # a namesake's, or it is open whose
        replaced = row.until is not None
        found_by = (
            ("connection", joins),
            ("subject", not meant.isdisjoint(row.entities) or (row.of_user and not meant and asked.bare)),
            ("topic", one.id in fit and meant.isdisjoint(row.entities)),
            ("replaced", replaced),
            ("period", bool(asked.days)),
        )
        relevance = ranked[one.id].relevance.total if one.id in ranked else WEIGHTS.entity
        ahead = joins or (replaced and asked.intent is StoryIntent.CHANGE)
        yield Piece(
            value=one,
            score=base(relevance, one.salience, one.confidence) + _FIRST * ahead,
            found_by=tuple(name for name, holds in found_by if holds),
            until=row.until,
            sources=row.sources,
        )


def said_of(read: Understood, asked: Asked) -> Iterator[Piece]:
    """What was said of it, by people.

    Where a name has several bearers, nothing is known of whom a message means but what was made a memory: that alone is told.
    """
    if (asked.bare and not read.meant) or any(_contested(read)):
        return
    names = [names_of(read.heard.found, [one]) for one in read.meant]
    said = [one for one in read.messages(MESSAGES) if one.message.role is Role.USER and one.found.words > 0]
    least = _least((one.score for one in said), _FITS_SAID)
    for ranked in said:
        one = ranked.message
        if ranked.score < least:
            continue
        if asked.intent is StoryIntent.CONNECTION and not all(_names(one.content, some) for some in names):
            continue
        yield Piece(value=one, score=_WEIGHTS.message * ranked.score, found_by=("said",))


def _joins(row: Remembered, meant: frozenset[UUID]) -> bool:
    """Whether it is about two of those whose connection is asked for; beside one of them, the user is the other."""
    return len(row.entities & meant) + (row.of_user and len(meant) == 1) > 1


def _least(fits: Iterable[float], usual: float) -> float:
    """From where something fits that shares a word with the topic: in a small namespace nothing stands out, and the best does."""
    best = max(fits, default=usual)
    return min(usual, best - abs(best) / 2)


def _names(content: str, names: Iterable[str]) -> bool:
    """Whether a text has one of some names; a name that is a part of another word is none."""
    found = places(words_of(content), [Name(normalised=normalise(one), is_person=False) for one in names])
    return any(one.whole for one in found)


def _contested(read: Understood) -> Iterator[frozenset[UUID]]:
    """The bearers of each name of the request that several bear."""
    parsed = read.heard.parsed
    yield from (parsed.named[name] for name in parsed.contested)
