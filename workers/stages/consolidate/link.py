"""Whom a batch's facts are about: loads what linking decides on, the bearers of the names and what is known of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from sqlalchemy import Connection

from db import entities
from db.candidates import CandidateRow
from db.keys import BatchRef
from mosshead.entities import evidence, lookup
from mosshead.entities.disambiguation import telling
from mosshead.entities.resolution import TURNS
from mosshead.ids import uuid7
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import SPEAKING
from mosshead.paths import NamespacePath
from mosshead.store.connection import in_one_trip
from pipeline.linking.link import link_entities
from pipeline.linking.models import Around, LinkedFacts, ToLink
from pipeline.linking.surroundings import MOST_SAID, surroundings
from pipeline.models import USER, Fact, Message
from workers.dependencies import Parts
from workers.stages import load

Facts = Mapping[int, tuple[Fact, CandidateRow]]


@dataclass(frozen=True, slots=True)
class NameBearers:
    """What linking decides on: the facts by number, each with what was said around it.

    registry: the entities that bear a name of the facts or a part of one, and the user. parents: the entity above each of them.
    named: who is named in each text.
    """

    path: NamespacePath
    to_link: Mapping[int, ToLink]
    registry: Sequence[RegisteredEntity]
    parents: Mapping[UUID, UUID]
    named: Mapping[str, set[UUID]]


def bearers_of(connection: Connection, batch: BatchRef, facts: Facts, messages: Mapping[int, Message]) -> NameBearers:
    """Load who bears the names in a batch's facts and in the turns before them."""
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
    """Those that bear one of the names in the facts, or a part of it, and the user."""
    found = (match.entity for match in lookup.named(connection, path, _names(facts), are_names=True))
    user = entities.user(connection, batch.lane)
    return list({one.entity_id: one for one in (*found, *([user] if user else []))}.values())


def _to_link(fact: Fact, row: CandidateRow, messages: Mapping[int, Message], turns: Sequence[Message]) -> ToLink:
    sources = [messages[number] for number in sorted(fact.sources)]
    first = turns.index(sources[0])
    before = [turn for turn in turns[:first] if turn.conversation == sources[0].conversation and turn.role in SPEAKING]
    return ToLink(
        fact=fact,
        vector=row.vector if row.vector is not None else np.empty(0, np.float32),
        said="\n".join(surroundings(source.content, fact.quote) for source in sources),
        before=tuple(turn.content[-MOST_SAID:] for turn in before[-TURNS:]),
        conversation=sources[0].conversation,
    )


def _names(facts: Facts) -> list[str]:
    mentions = (mention for fact, _ in facts.values() for mention in fact.mentions)
    names = (name for mention in mentions for name in (mention.name, *mention.aliases, mention.parent or ""))
    return sorted({name for name in names if name and name != USER})
