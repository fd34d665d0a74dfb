"""What consolidation will do, worked out before anything is written: whom the facts are about, and what becomes of each."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import numpy as np

from db import entities, similar
from db.candidates import CandidateRow
from db.refs import BatchRef
from db.similar import SimilarRow
from pipeline.consolidate import Decision, Known, NewFact, consolidate
from pipeline.embed import embed
from pipeline.facts import USER, Fact, Message, Occurrence
from pipeline.link_entities import Link, LinkedFacts, link_entities
from recollect.embedders import Embedder, Vectors
from recollect.ids import uuid7
from recollect.kinds import Granularity, MemoryKind
from recollect.names import without
from recollect.tenancy import tenant_transaction
from workers import loading
from workers.parts import Parts

_NEAREST = 5
_NEAR = 0.5
_INJECTED_MESSAGES = 50

Facts = Mapping[int, tuple[Fact, CandidateRow]]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `workers.applying` needs to write a batch's outcome.

    new: what was decided on, by fact number; near: the memories that it was held against. similar: all of them, by local number.
    merged: the vectors of the updates' contents, by fact number.
    """

    model: str
    facts: Facts
    messages: Mapping[int, Message]
    linked: LinkedFacts
    decisions: Sequence[Decision]
    new: Mapping[int, NewFact]
    near: Mapping[int, Sequence[SimilarRow]]
    similar: Mapping[int, SimilarRow]
    merged: Mapping[int, Vectors]


def decide(batch: BatchRef, parts: Parts) -> Plan:
    """Load what a batch's facts are held against, and decide; writes nothing but the LLM's answer, if one is asked."""
    facts = loading.facts_of(batch, parts)
    messages = {message.number: message for message in loading.messages_of(batch, parts)}
    # What must not become a memory teaches nothing about anybody either.
    trusted = {number: fact for number, fact in facts.items() if fact[0].suspicion is None}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        registry = entities.bearers(connection, batch.lane, _names(trusted), parts.embedder.name)
    embedded = {number: (fact, _vector(row)) for number, (fact, row) in trusted.items()}
    linked = link_entities(embedded, registry, _what_was_said(facts, messages, parts.embedder), uuid7)
    about = {number: sorted({link.entity_id for link in links.values()}) for number, links in linked.links.items()}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        rows = similar.similar_to_batch(
            connection, batch, parts.embedder.name, about=about, limit=_NEAREST, least=_NEAR
        )
        injected = similar.injected(connection, batch, latest=_INJECTED_MESSAGES)
    found = dict(enumerate({row.memory_id: row for row in rows}.values(), 1))
    near: defaultdict[int, list[SimilarRow]] = defaultdict(list)
    for row in rows:
        near[row.fact_number].append(row)
    new = _new_facts(facts, messages, linked, _Shown(near, found, injected))
    decisions = consolidate(list(new.values()), loading.model_for(batch, parts))
    loading.report_refused("decisions", Counter(one.refused for one in decisions if one.refused))
    merged = embed({one.fact_number: one.content for one in decisions if one.content}, parts.embedder)
    return Plan(parts.embedder.name, facts, messages, linked, decisions, new, near, found, merged)


def said_at(fact: Fact, messages: Mapping[int, Message]) -> datetime:
    """When a fact was said: with the latest of the messages that it was taken from."""
    return max(messages[source].occurred_at for source in fact.sources)


def said_by(fact: Fact, messages: Mapping[int, Message]) -> str | None:
    """Who said a fact, where several people speak as users: the speaker of its quote, else of its latest source."""
    latest_first = sorted(fact.sources, reverse=True)
    quoting = sorted(latest_first, key=lambda source: fact.quote not in messages[source].content)
    return next((speaker for source in quoting if (speaker := messages[source].speaker) is not None), None)


def subjects(links: Mapping[str, Link]) -> frozenset[UUID]:
    """The entities that a fact describes."""
    return frozenset(link.entity_id for link in links.values() if link.role == "subject")


def _what_was_said(facts: Facts, messages: Mapping[int, Message], embedder: Embedder) -> Callable[[int, str], Vectors]:
    """For a fact's number and a name, the vector of the messages that the fact was taken from, without the name."""

    def around(number: int, name: str) -> Vectors:
        said = " ".join(messages[source].content for source in facts[number][0].sources)
        vector: Vectors = embedder.embed([without(said, name)])[0]
        return vector

    return around


def _names(facts: Facts) -> list[str]:
    mentions = (mention for fact, _ in facts.values() for mention in fact.mentions)
    return [name for mention in mentions for name in (mention.name, *mention.aliases, mention.parent or USER)]


def _vector(row: CandidateRow) -> Vectors:
    return row.vector if row.vector is not None else np.empty(0, np.float32)


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the facts are held against: by fact number, and all of it by local number; and what was in the prompts lately."""

    near: Mapping[int, Sequence[SimilarRow]]
    similar: Mapping[int, SimilarRow]
    injected: set[UUID]


def _new_facts(facts: Facts, messages: Mapping[int, Message], linked: LinkedFacts, shown: _Shown) -> dict[int, NewFact]:
    numbers = {row.memory_id: number for number, row in shown.similar.items()}
    new_facts: dict[int, NewFact] = {}
    for number, (fact, candidate) in facts.items():
        remembered = [
            (_known(numbers[row.memory_id], row, injected=row.memory_id in shown.injected), row.similarity)
            for row in shown.near.get(number, ())
        ]
        alone = NewFact(
            number,
            fact,
            said_at(fact, messages),
            subjects(linked.links.get(number, {})),
            near=(),
            said_by=said_by(fact, messages),
        )
        found = [*remembered, *_earlier(alone, _vector(candidate), new_facts.values(), facts, len(shown.similar))]
        new_facts[number] = replace(alone, near=tuple(sorted(found, key=lambda pair: -pair[1])))
    return new_facts


def _known(number: int, row: SimilarRow, *, injected: bool) -> Known:
    occurred = None
    if row.occurred_from and row.occurred_to and row.granularity:
        occurred = Occurrence(start=row.occurred_from, end=row.occurred_to, granularity=Granularity(row.granularity))
    return Known(
        number,
        row.content,
        row.attribute,
        row.value,
        row.said_at,
        frozenset(row.subject_ids),
        occurred=occurred,
        said_by=row.said_by,
        kind=MemoryKind(row.kind),
        injected=injected,
    )


def _earlier(
    new: NewFact, vector: Vectors, before: Iterable[NewFact], facts: Facts, memories_seen: int
) -> Iterable[tuple[Known, float]]:
    """The facts of the same batch that a fact may repeat or put right, each with its cosine."""
    for one in before:
        similarity = float(_vector(facts[one.number][1]) @ vector)
        if similarity >= _NEAR or (new.fact.attribute and new.fact.attribute == one.fact.attribute):
            earlier = one.fact
            yield (
                Known(
                    memories_seen + one.number,
                    earlier.content,
                    earlier.attribute,
                    earlier.value,
                    one.said_at,
                    one.subject_ids,
                    earlier_fact=one.number,
                    occurred=earlier.occurred,
                    said_by=one.said_by,
                    kind=earlier.kind,
                ),
                similarity,
            )
