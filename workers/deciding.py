"""What consolidation will do, worked out before anything is written: whom the facts are about, and what becomes of each."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from db import entities, memories
from db.candidates import CandidateRow
from db.memories import SimilarRow
from db.refs import BatchRef
from pipeline.consolidate import Decision, Known, NewFact, consolidate
from pipeline.embed import embed
from pipeline.facts import USER, Fact, Message
from pipeline.link_entities import Link, LinkedFacts, link_entities
from recollect.embedders import Embedder, Vectors
from recollect.ids import uuid7
from recollect.names import without
from recollect.tenancy import tenant_transaction
from workers import loading
from workers.parts import Parts

_NEAREST = 5
_NEAR = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `workers.applying` needs to write a batch's outcome.

    near: by fact number, the memories that it was held against. similar: all of them, by local number.
    merged: the vectors of the updates' contents, by fact number.
    """

    model: str
    facts: Mapping[int, tuple[Fact, CandidateRow]]
    messages: Mapping[int, Message]
    linked: LinkedFacts
    decisions: Sequence[Decision]
    near: Mapping[int, Sequence[SimilarRow]]
    similar: Mapping[int, SimilarRow]
    merged: Mapping[int, Vectors]


def decide(batch: BatchRef, parts: Parts) -> Plan:
    """Load what a batch's facts are held against, and decide; writes nothing but the LLM's answer, if one is asked."""
    facts = loading.facts_of(batch, parts)
    messages = {message.number: message for message in loading.messages_of(batch, parts)}
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        registry = entities.bearers(connection, batch.lane, _names(facts), parts.embedder.name)
        rows = memories.similar_to_batch(connection, batch, parts.embedder.name, limit=_NEAREST, least=_NEAR)
    embedded = {number: (fact, _vector(row)) for number, (fact, row) in facts.items()}
    linked = link_entities(embedded, registry, _what_was_said(facts, messages, parts.embedder), uuid7)
    similar = dict(enumerate({row.memory_id: row for row in rows}.values(), 1))
    near: defaultdict[int, list[SimilarRow]] = defaultdict(list)
    for row in rows:
        near[row.fact_number].append(row)
    decisions = consolidate(_new_facts(facts, messages, linked, near, similar), loading.model_for(batch, parts))
    merged = embed({one.fact_number: one.content for one in decisions if one.content}, parts.embedder)
    return Plan(parts.embedder.name, facts, messages, linked, decisions, near, similar, merged)


def said_at(fact: Fact, messages: Mapping[int, Message]) -> datetime:
    """When a fact was said: with the latest of the messages that it was taken from."""
    return max(messages[source].occurred_at for source in fact.sources)


def subjects(links: Mapping[str, Link]) -> frozenset[UUID]:
    """The entities that a fact describes."""
    return frozenset(link.entity_id for link in links.values() if link.role == "subject")


def _what_was_said(
    facts: Mapping[int, tuple[Fact, CandidateRow]], messages: Mapping[int, Message], embedder: Embedder
) -> Callable[[int, str], Vectors]:
    """For a fact's number and a name, the vector of the messages that the fact was taken from, without the name."""

    def around(number: int, name: str) -> Vectors:
        said = " ".join(messages[source].content for source in facts[number][0].sources)
        vector: Vectors = embedder.embed([without(said, name)])[0]
        return vector

    return around


def _names(facts: Mapping[int, tuple[Fact, CandidateRow]]) -> list[str]:
    mentions = (mention for fact, _ in facts.values() for mention in fact.mentions)
    return [name for mention in mentions for name in (mention.name, *mention.aliases, mention.parent or USER)]


def _vector(row: CandidateRow) -> Vectors:
    return row.vector if row.vector is not None else np.empty(0, np.float32)


def _new_facts(
    facts: Mapping[int, tuple[Fact, CandidateRow]],
    messages: Mapping[int, Message],
    linked: LinkedFacts,
    near: Mapping[int, Sequence[SimilarRow]],
    similar: Mapping[int, SimilarRow],
) -> list[NewFact]:
    numbers = {row.memory_id: number for number, row in similar.items()}
    new_facts: list[NewFact] = []
    for number, (fact, candidate) in facts.items():
        remembered = [(_known(numbers[row.memory_id], row), row.similarity) for row in near.get(number, ())]
        about = subjects(linked.links[number])
        found = [*remembered, *_earlier(fact, _vector(candidate), new_facts, facts, len(similar))]
        ranked = tuple(sorted(found, key=lambda pair: -pair[1]))
        new_facts.append(NewFact(number, fact, said_at(fact, messages), about, ranked))
    return new_facts


def _known(number: int, row: SimilarRow) -> Known:
    return Known(number, row.content, row.attribute, row.value, row.said_at, frozenset(row.subject_ids))


def _earlier(
    fact: Fact,
    vector: Vectors,
    before: Sequence[NewFact],
    facts: Mapping[int, tuple[Fact, CandidateRow]],
    memories_seen: int,
) -> Iterable[tuple[Known, float]]:
    """The facts of the same batch that a fact may repeat or put right, each with its cosine."""
    for one in before:
        similarity = float(_vector(facts[one.number][1]) @ vector)
        if similarity >= _NEAR or (fact.attribute and fact.attribute == one.fact.attribute):
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
                ),
                similarity,
            )
