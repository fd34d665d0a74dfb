"""Plan a consolidation before anything is written: the subjects of the facts, and the outcome of each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import Connection

from db import candidates, entities
from db.candidates import CandidateRow, RefusedRow, SimilarRow
from db.keys import BatchRef
from db.memories import NewMemory
from mosshead.embeddings import Vectors
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import telling
from mosshead.entities.resolution import TURNS
from mosshead.ids import uuid7
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import SPEAKING, Granularity, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from mosshead.paths import NamespacePath
from mosshead.store.connection import in_one_trip
from pipeline.consolidation.consolidate import consolidate
from pipeline.embedding import embed
from pipeline.linking.link import MOST_SAID, Around, LinkedFacts, ToLink, link_entities, surroundings
from pipeline.models import USER, Fact, FactOutcome, Known, Message, NewFact
from pipeline.salience import tier_of
from workers.dependencies import Parts
from workers.stages import load

_INJECTED_MESSAGES = 50
_NEAR = 0.5

Facts = Mapping[int, tuple[Fact, CandidateRow]]


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `workers.stages.consolidate.apply` needs to write a batch's outcome.

    new: the facts decided on, by number; near: the memories compared with each. similar: all of these, by local number.
    merged: the vectors of updated contents, by fact number. refused: proposed facts that were not accepted.
    """

    model: str
    facts: Facts
    messages: Mapping[int, Message]
    linked: LinkedFacts
    decisions: Sequence[FactOutcome]
    new: Mapping[int, NewFact]
    near: Mapping[int, Sequence[SimilarRow]]
    similar: Mapping[int, SimilarRow]
    merged: Mapping[int, Vectors]
    refused: Sequence[RefusedRow]


def decide(batch: BatchRef, parts: Parts) -> Plan:
    """Load the memories to compare a batch's facts with, and decide. Writes only an LLM's answers."""
    with load.reading(batch, parts) as connection:
        facts = load.facts_of(connection, batch)
        messages = {message.number: message for message in load.messages_of(connection, batch)}
        # A fact that must not become a memory teaches nothing about entities either.
        trusted = {number: fact for number, fact in facts.items() if fact[0].suspicion is None}
        bearers = bearers_of(connection, batch, trusted, messages)
    linked = link(bearers, parts)
    load.report_refused("entities", linked.all_refused())
    about = {number: sorted({one.entity_id for one in links.values()}) for number, links in linked.links.items()}
    with load.reading(batch, parts) as connection:
        rows = candidates.similar_to_batch(connection, batch, parts.embedder.name, about=about, limit=5, least=_NEAR)
        injected = candidates.injected(connection, batch, latest=_INJECTED_MESSAGES)
        refused = candidates.refused_of_batch(connection, batch)
        model = load.model_for(connection, batch, parts)
    rows = [row for row in rows if not _is_open(linked, row.fact_number, sure=row.sure_ids, maybe=row.unsure_ids)]
    found = dict(enumerate({row.memory_id: row for row in rows}.values(), 1))
    near: defaultdict[int, list[SimilarRow]] = defaultdict(list)
    for row in rows:
        near[row.fact_number].append(row)
    new = _new_facts(facts, messages, linked, near=near, similar=found, injected=injected)
    decisions = consolidate(list(new.values()), model)
    load.report_refused("decisions", Counter(one.refused for one in decisions if one.refused))
    merged = embed({one.fact_number: one.content for one in decisions if one.content}, parts.embedder)
    return Plan(parts.embedder.name, facts, messages, linked, decisions, new, near, found, merged, refused)


@dataclass(frozen=True, slots=True)
class NameBearers:
    """What linking decides on: the facts by number, each with the surrounding messages.

    registry: the entities with a name in the facts or part of one, and the user. parents: the entity above each of them.
    named: the entities named in each text.
    """

    path: NamespacePath
    to_link: Mapping[int, ToLink]
    registry: Sequence[RegisteredEntity]
    parents: Mapping[UUID, UUID]
    named: Mapping[str, set[UUID]]


def bearers_of(connection: Connection, batch: BatchRef, facts: Facts, messages: Mapping[int, Message]) -> NameBearers:
    """Load the entities with names in a batch's facts and in the turns before them."""
    path, before = load.turns_before(connection, batch, TURNS)
    turns = [*before, *messages.values()]
    to_link = {number: _to_link(fact, row, messages, turns) for number, (fact, row) in facts.items()}
    registry = _registry(connection, batch, path, facts)
    texts = sorted({text for one in to_link.values() for text in (one.said, *one.before)})
    return NameBearers(
        path=path,
        to_link=to_link,
        registry=registry,
        parents=entities.parents_above(connection, batch.lane, [entity.entity_id for entity in registry]),
        named=lookup.bearers(connection, path, texts),
    )


def link(bearers: NameBearers, parts: Parts) -> LinkedFacts:
    """Link the mentions of a batch's facts; writes nothing."""
    to_link, named = bearers.to_link, bearers.named

    def around(number: int, name: str, candidates: Sequence[UUID]) -> Around:
        asked = telling(to_link[number].said, name, to_link[number].before)
        (vector,) = parts.embedder.embed([asked.text])
        here, before = named[to_link[number].said], {key for turn in to_link[number].before for key in named[turn]}
        statement = evidence.statement_for(
            bearers.path,
            model=parts.embedder.name,
            asked=asked,
            vector=vector,
            candidates=candidates,
            named=here | before,
        )
        (rows,) = in_one_trip(parts.engine, bearers.path.tenant_id, [statement])
        weighed = evidence.weighed(rows, asked, named=here, scene_named=before)
        return Around(asked, vector, {key: one.evidence for key, one in weighed.items()})

    return link_entities(to_link, bearers.registry, parents=bearers.parents, around=around, new_id=uuid7)


def _registry(connection: Connection, batch: BatchRef, path: NamespacePath, facts: Facts) -> list[RegisteredEntity]:
    """Return the entities with one of the names in the facts, or part of one, and the user."""
    found = (match.entity for match in lookup.named(connection, path, _names(facts), are_names=True))
    user = entities.user(connection, batch.lane)
    return list({one.entity_id: one for one in (*found, *([user] if user else []))}.values())


def _to_link(fact: Fact, row: CandidateRow, messages: Mapping[int, Message], turns: Sequence[Message]) -> ToLink:
    sources = [messages[number] for number in sorted(fact.sources)]
    first = turns.index(sources[0])
    before = [turn for turn in turns[:first] if turn.conversation == sources[0].conversation and turn.role in SPEAKING]
    return ToLink(
        fact=fact,
        vector=_vector(row),
        said="\n".join(surroundings(source.content, fact.quote) for source in sources),
        before=tuple(turn.content[-MOST_SAID:] for turn in before[-TURNS:]),
        conversation=sources[0].conversation,
    )


def _names(facts: Facts) -> list[str]:
    mentions = (mention for fact, _ in facts.values() for mention in fact.mentions)
    names = (name for mention in mentions for name in (mention.name, *mention.aliases, mention.parent or ""))
    return sorted({name for name in names if name and name != USER})


def said_at(fact: Fact, messages: Mapping[int, Message]) -> datetime:
    """Return when a fact was said: the time of the latest message it was taken from."""
    return max(messages[source].occurred_at for source in fact.sources)


def said_by(fact: Fact, messages: Mapping[int, Message]) -> str | None:
    """Return who said a fact, if several people speak as users: the speaker of its quote, or else of its latest source."""
    latest_first = sorted(fact.sources, reverse=True)
    quoting = sorted(latest_first, key=lambda source: fact.quote not in messages[source].content)
    return next((speaker for source in quoting if (speaker := messages[source].speaker) is not None), None)


def new_memory(
    fact: Fact,
    memory_id: UUID,
    *,
    sureness: float,
    valid_from: datetime,
    salience: float,
    factors: Mapping[str, Any],
    marked: bool,
    said_by: str | None = None,
    key: str | None = None,
) -> NewMemory:
    """Return a memory of a fact. factors: the parts of its salience (`Salience.explained`). key: the app's own name for it."""
    return NewMemory(
        memory_id=memory_id,
        kind=fact.kind,
        content=fact.content,
        salience=salience,
        factors=factors,
        confidence=sureness,
        tier=tier_of(sureness),
        attribute=fact.attribute,
        value=fact.value,
        **times_of(fact),
        valid_from=valid_from,
        said_by=said_by,
        marked=marked,
        record_name=fact.record.name if fact.record else None,
        record=fact.record.data if fact.record else None,
        key=key,
    )


def times_of(fact: Fact) -> dict[str, Any]:
    """Return when the subject of a fact happened, as columns."""
    occurred = fact.occurred
    if occurred is None:
        return {"occurred_from": None, "occurred_to": None, "granularity": None}
    return {"occurred_from": occurred.start, "occurred_to": occurred.end, "granularity": occurred.granularity}


def _is_open(linked: LinkedFacts, number: int, *, sure: Iterable[UUID], maybe: Iterable[UUID]) -> bool:
    """Return whether a fact and another memory may or may not have the same subject: then they say nothing about each other.

    sure, maybe: the certain and the possible subjects of the other.
    """
    candidates = linked.may_be_about(number)
    return bool(candidates & {*sure, *maybe} or linked.is_about(number) & {*maybe})


def _vector(row: CandidateRow) -> Vectors:
    return row.vector if row.vector is not None else np.empty(0, np.float32)


def _new_facts(
    facts: Facts,
    messages: Mapping[int, Message],
    linked: LinkedFacts,
    *,
    near: Mapping[int, Sequence[SimilarRow]],
    similar: Mapping[int, SimilarRow],
    injected: set[UUID],
) -> dict[int, NewFact]:
    """Return the facts with the memories compared with them, by local numbers; injected: those in recent prompts."""
    numbers = {row.memory_id: number for number, row in similar.items()}
    new_facts: dict[int, NewFact] = {}
    for number, (fact, candidate) in facts.items():
        remembered = tuple(
            (_known(numbers[row.memory_id], row, injected=row.memory_id in injected), row.similarity)
            for row in near.get(number, ())
        )
        new = NewFact(
            number,
            fact,
            said_at(fact, messages),
            linked.subjects(number),
            near=remembered,
            said_by=said_by(fact, messages),
            about_ids=linked.is_about(number),
        )
        before = [
            one
            for one in new_facts.values()
            if not _is_open(linked, number, sure=linked.is_about(one.number), maybe=linked.may_be_about(one.number))
        ]
        found = (*remembered, *_earlier(new, _vector(candidate), before, facts, len(similar)))
        new_facts[number] = replace(new, near=tuple(sorted(found, key=lambda pair: -pair[1])))
    return new_facts


def _known(number: int, row: SimilarRow, *, injected: bool) -> Known:
    occurred = None
    if row.occurred_from and row.occurred_to and row.granularity:
        occurred = FactOccurrence(
            start=row.occurred_from, end=row.occurred_to, granularity=Granularity(row.granularity)
        )
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
        about_ids=frozenset(row.sure_ids),
    )


def _earlier(
    new: NewFact, vector: Vectors, before: Iterable[NewFact], facts: Facts, memories_seen: int
) -> Iterable[tuple[Known, float]]:
    """Return the facts of the same batch that a fact may repeat or correct, each with its cosine."""
    attribute = new.fact.attribute or new.fact.ends
    for one in before:
        similarity = float(_vector(facts[one.number][1]) @ vector)
        if similarity >= _NEAR or (attribute and attribute == one.fact.attribute):
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
                    about_ids=one.about_ids,
                ),
                similarity,
            )
