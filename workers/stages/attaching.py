"""What a fact brings to the memory that it makes or confirms: sources, whom it is about, what it states of them, what it asks."""

from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import Connection

from db import entities, memories, questions, relations
from db.decisions import Stamp
from db.keys import LaneRef
from mosshead.ids import uuid7
from mosshead.models.entities import RegisteredEntity
from workers.stages.asking import open_questions
from workers.stages.deciding import Plan, said_at


@dataclass(slots=True)
class Change:
    """One decision being written. changed: the memories that it has made or changed so far."""

    fact_number: int
    stamp: Stamp
    changed: set[UUID] = field(default_factory=set)


class Attaching:
    """Goes through a plan's facts in order. touched: the entities of which it made something known."""

    def __init__(self, connection: Connection, lane: LaneRef, plan: Plan) -> None:
        self._connection = connection
        self._lane = lane
        self._plan = plan
        self._unwritten: dict[UUID, RegisteredEntity] = {}
        self.touched: set[UUID] = set()

    def learn(self, fact_number: int) -> None:
        """Whom the next fact introduces, or says more of; written with the first memory that needs them."""
        learned = self._plan.linked.learned.get(fact_number, ())
        self._unwritten |= {entity.entity_id: entity for entity in learned}

    def news(self, change: Change) -> frozenset[UUID]:
        """The entities of which a decision learned something."""
        learned = self._plan.linked.learned.get(change.fact_number, ()) if change.changed else ()
        news = frozenset(entity.entity_id for entity in learned)
        self.touched.update(news)
        return news

    def attach(self, change: Change, memory_id: UUID) -> None:
        """What the fact brings to a memory: its messages, those it is about, and how they stand to each other."""
        fact, _ = self._plan.facts[change.fact_number]
        self._save_entities(change)
        named = self._plan.linked.links[change.fact_number]
        memories.add_sources(self._connection, self._lane, memory_id, self.quotes(change), change.stamp)
        by_entity = {link.entity_id: (link.role, "sure") for link in reversed(list(named.values()))}
        relations.link(self._connection, self._lane, memory_id, by_entity, change.stamp)
        stated = [
            (uuid7(), named[one.subject].entity_id, one.predicate, named[one.object].entity_id)
            for one in fact.relations
            if one.subject in named and one.object in named
        ]
        since = said_at(fact, self._plan.messages)
        relations.relate(self._connection, self._lane, memory_id, stated, change.stamp, valid_from=since)
        self._ask(change, memory_id)
        self.touched.update(by_entity)

    def quotes(self, change: Change) -> dict[UUID, str]:
        """The fact's quote, by each message that it was taken from."""
        fact, _ = self._plan.facts[change.fact_number]
        return {self._plan.messages[source].event_id: fact.quote for source in fact.sources}

    def _save_entities(self, change: Change) -> None:
        """Whom the fact introduces, or says more of; and whom earlier facts introduced that were worth no memory."""
        linked, number = self._plan.linked, change.fact_number
        learned = {entity.entity_id for entity in linked.learned[number]}
        parents = {entity.parent_id for entity in self._unwritten.values() if entity.entity_id in learned}
        for key in linked.is_about(number) | linked.may_be_about(number) | learned | parents:
            if key in self._unwritten:
                entities.save(self._connection, self._lane, self._unwritten.pop(key), change.stamp)

    def _ask(self, change: Change, memory_id: UUID) -> None:
        fact, linked = self._plan.facts[change.fact_number][0], self._plan.linked
        for one in open_questions(change.fact_number, fact, linked=linked, messages=self._plan.messages):
            questions.ask(
                self._connection,
                self._lane,
                question_id=one.question_id,
                memory_id=memory_id,
                message_id=one.message_id,
                mention=one.mention,
                text=one.text,
                candidates=one.held.candidates,
                role=one.held.role,
                relations=one.relations,
                stamp=change.stamp,
            )
