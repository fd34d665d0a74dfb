"""Write the decisions of consolidation: in one transaction, under the batch's lease, against the versions that were read.

Each decision makes new memories and new versions, and their relations to others.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from sqlalchemy import Connection

from config.settings import Debounce
from db import decisions, entities, inbox, memories, questions, reflections, turns
from db.candidates import CandidateRow, RefusedRow
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef, LaneRef
from db.memories import Edge
from db.questions import HeldEnd, HeldRelation, NewQuestion, OtherQuestion
from db.unlearn import unlearn
from mosshead.embeddings.protocol import Vectors
from mosshead.entities.disambiguation import Offered, question
from mosshead.ids import uuid7
from mosshead.language.names import normalise
from mosshead.language.requests import content_words
from mosshead.models.entities import RegisteredEntity
from pipeline import salience as confidence
from pipeline.consolidation.comparison import of_what_changed, of_what_was_replaced
from pipeline.extraction.extract import SAID, Refusal
from pipeline.linking.link import LinkedFacts
from pipeline.models import RULES, Fact, FactOutcome, Known, Message
from workers.stages.consolidate.plan import Plan, new_memory, said_at, said_by, times_of

_SIMILAR = 0.75


def apply(connection: Connection, *, batch: BatchRef, plan: Plan, debounce: Debounce) -> None:
    """Write a plan, and mark the batch's events as in effect. Raises VersionConflict if a memory has changed since it was read.

    debounce: of the reflections that the batch's messages are news for.
    """
    writer = Writer(connection, batch.lane, plan)
    stamps = decisions.stamps(connection, len(plan.decisions) + len(plan.refused))
    written = list(map(writer.write, plan.decisions, stamps))
    decisions.log(connection, batch, [*written, *map(_not_taken, plan.refused, stamps[len(written) :])])
    entities.touch_profiles(connection, batch.lane, sorted(writer.touched))
    turns.take_effect(connection, batch)
    inbox.mark_done(connection, batch)
    reflections.note_news(connection, batch, least=debounce.least, most=debounce.most)


def _not_taken(one: RefusedRow, stamp: Stamp) -> LoggedDecision:
    """Return the decision about a proposed fact that extract refused: there is nothing to undo."""
    return LoggedDecision(
        stamp=stamp,
        action="refuse",
        reason=SAID[Refusal(one.why)],
        decided_by=RULES,
        fact=one.fact,
        refused=one.why,
        in_effect=False,
    )


@dataclass(frozen=True, slots=True)
class _Standing:
    """A memory in its current state within the batch."""

    version: int
    salience: float
    confidence: float
    reinforced: int
    content: str


@dataclass(slots=True)
class OpenDecision:
    """A decision being written, with its fact and what the stages have added.

    changed: the memories made or changed so far.
    """

    planned: FactOutcome
    stamp: Stamp
    fact: Fact
    row: CandidateRow
    changed: set[UUID] = field(default_factory=set)

    @property
    def number(self) -> int:
        return self.planned.fact_number


_WRONG = 3
"""How many words of a message may be corrected."""


class Writer:
    """Writes a plan's decisions in order; a memory that one of them changed or replaced is followed to its current state.

    touched: the entities about which knowledge was gained or lost.
    """

    def __init__(self, connection: Connection, lane: LaneRef, plan: Plan) -> None:
        self._connection = connection
        self._lane = lane
        self._plan = plan
        self._memory_of_fact: dict[int, UUID] = {}
        self._replaced: dict[UUID, UUID] = {}
        self._replaced_by: dict[UUID, int] = {}
        self._standing = {
            row.memory_id: _Standing(row.version, row.salience, row.confidence, row.reinforced, row.content)
            for row in plan.similar.values()
        }
        self._unwritten: dict[UUID, RegisteredEntity] = {}
        self.touched: set[UUID] = set()
        self._forgotten: set[UUID] = set()

    def write(self, planned: FactOutcome, stamp: Stamp) -> LoggedDecision:
        """Write one decision with its stamp; return its log entry. It becomes an "add" if its target is gone."""
        decision, change = planned, OpenDecision(planned, stamp, *self._plan.facts[planned.fact_number])
        target = self._memory_of(decision.target) if decision.target else None
        if decision.action == "forget":
            return self._forget(change, target)
        if target in self._forgotten:
            decision, target = replace(decision, action="add", content=None), None
        # New or better known entities, written with the first memory that needs them.
        learned = {entity.entity_id: entity for entity in self._plan.linked.learned.get(change.number, ())}
        self._unwritten |= learned
        decision = self._as_it_stands(decision, target)
        if decision.action == "add":
            target = None
        version = self._standing[target].version if target else None
        action = decision.action
        if target is None:
            # If its target is gone with an earlier worthless fact, a fact stands alone.
            action = action if action in {"none", "quarantine"} else "add"
        memory_id = self._carry_out(action, decision, change, target)
        if memory_id is not None:
            self._memory_of_fact[change.number] = memory_id
        news = learned.keys() if change.changed else ()
        self.touched.update(news)
        return self._logged(
            change,
            action=action,
            memory_id=memory_id,
            target=target,
            target_version=version,
            entities=news,
            hidden=self._put_right(change.fact),
        )

    def _logged(
        self,
        change: OpenDecision,
        *,
        action: str,
        memory_id: UUID | None = None,
        target: UUID | None = None,
        target_version: int | None = None,
        entities: Collection[UUID] = (),
        hidden: Sequence[UUID] = (),
    ) -> LoggedDecision:
        """entities: those it taught something about."""
        planned, number = change.planned, change.number
        # Rejected claims: about the fact, and about its subjects.
        refused = [*([planned.refused] if planned.refused else []), *sorted(self._plan.linked.refused.get(number, {}))]
        return LoggedDecision(
            stamp=change.stamp,
            action=action,
            reason=planned.reason,
            decided_by=planned.decided_by,
            memory_id=memory_id,
            target_id=target,
            target_version=target_version,
            fact=change.fact.model_dump(mode="json"),
            candidates=[
                {"memory_id": str(row.memory_id), "version": row.version, "similarity": round(row.similarity, 4)}
                for row in self._plan.near.get(number, ())
            ],
            prompt_version=planned.prompt_version,
            refused="; ".join(refused) or None,
            entities=sorted(entities),
            changed=frozenset(change.changed),
            hidden=hidden,
            in_effect=action != "forget" or memory_id is not None or bool(hidden),
            concerned=frozenset(one for one in (memory_id, target) if one is not None),
        )

    def _forget(self, change: OpenDecision, target: UUID | None) -> LoggedDecision:
        """End a memory and what was learned with it; an undo restores both.

        From now on, whatever the app's clock says.
        """
        if target is None or target in self._forgotten:
            return self._logged(change, action="forget", hidden=self._hidden(change.fact))
        version = self._standing[target].version
        self._end(change, target, change.stamp.at, state="withdrawn")
        unlearned = unlearn(self._connection, self._lane, {target}, change.stamp)
        self.touched.update(unlearned)
        self._forgotten.add(target)
        return self._logged(
            change,
            action="forget",
            memory_id=target,
            target=target,
            target_version=version,
            entities=unlearned,
            hidden=[
                *self._hidden(change.fact),
                *memories.messages_of_withdrawn(self._connection, self._lane, [target]),
            ],
        )

    def _hidden(self, fact: Fact) -> list[UUID]:
        """Return the batch's messages to hide, because they say only what is to be forgotten."""
        others = [one for one, _ in self._plan.facts.values() if not one.retracts]
        kept = {number for one in others for number in one.sources}
        said = [self._plan.messages[number] for number in fact.sources if number not in kept]
        return [one.event_id for one in said if fact.quote not in one.content]

    def _put_right(self, fact: Fact) -> list[UUID]:
        """Return the batch's messages that a later one corrected and that say almost nothing else."""
        if not fact.corrects:
            return []
        told_elsewhere = {number for one, _ in self._plan.facts.values() if one is not fact for number in one.sources}
        told = content_words(fact.content)
        return [
            self._plan.messages[number].event_id
            for number in (*fact.sources[:-1], *fact.puts_right)
            if number in self._plan.messages
            and number not in told_elsewhere
            and len(content_words(self._plan.messages[number].content) - told) <= _WRONG
        ]

    def _end(self, change: OpenDecision, target: UUID, since: datetime, **changes: Any) -> None:
        self._change(change, target, **changes)
        memories.retire_vector(self._connection, self._lane, target)
        memories.end_relations(self._connection, self._lane, target, change.stamp, valid_to=since)
        self.touched.update(memories.entities_of_memory(self._connection, self._lane, target))

    def _as_it_stands(self, decision: FactOutcome, target: UUID | None) -> FactOutcome:
        """Apply a decision about a memory as it was read to what earlier facts of the batch have made of it."""
        if target is None or decision.target is None:
            return decision
        fact, now, read = self._plan.new[decision.fact_number], self._standing[target].content, decision.target.content
        if target != self._memory_named(decision.target):
            return of_what_was_replaced(decision, fact, now, read=read, by=self._plan.new[self._replaced_by[target]])
        return of_what_changed(decision, fact, now, read=read) if now != read else decision

    def _memory_named(self, known: Known) -> UUID | None:
        if known.earlier_fact is not None:
            return self._memory_of_fact.get(known.earlier_fact)
        return self._plan.similar[known.number].memory_id

    def _memory_of(self, known: Known) -> UUID | None:
        memory_id = self._memory_named(known)
        while memory_id in self._replaced:
            memory_id = self._replaced[memory_id]
        return memory_id

    def _carry_out(self, action: str, decision: FactOutcome, change: OpenDecision, target: UUID | None) -> UUID | None:
        if action == "add":
            return self._add(change)
        if target is None or (action == "none" and not decision.reinforces):
            return target
        if action == "none":
            return self._reinforce(change, target)
        if action == "update":
            return self._update(change, target, decision.content)
        return self._supersede(change, target) if action == "supersede" else self._contradict(change, target)

    def _reinforce(self, change: OpenDecision, target: UUID) -> UUID:
        now = self._standing[target]
        # A guess that is now stated becomes as sure as a statement.
        grown = max(confidence.reinforced(now.confidence), _sureness(change.fact))
        marked = self._marked(change, target)
        self._change(change, target, confidence=grown, reinforced=now.reinforced + 1, **marked)
        self._attach(change, target)
        return target

    def _marked(self, change: OpenDecision, target: UUID) -> dict[str, Any]:
        """Mark what the user asks to remember, with the salience of a mark, even if it was known before."""
        if not change.fact.marked:
            return {}
        weightier = (change.row.salience or 0.0) > self._standing[target].salience
        return {"marked": True} | (
            {"salience": change.row.salience, "factors": change.row.factors} if weightier else {}
        )

    def _add(self, change: OpenDecision) -> UUID:
        memory_id = self._new(change, _sureness(change.fact))
        for known, similarity in self._plan.new[change.number].near:
            other = self._memory_of(known)
            if similarity >= _SIMILAR and other is not None:
                self._join(change, Edge(memory_id, other, "similar", round(similarity, 4)))
        return memory_id

    def _update(self, change: OpenDecision, target: UUID, merged: str | None) -> UUID:
        fact = change.fact
        salience = max(self._standing[target].salience, change.row.salience or 0.0)
        changes: dict[str, Any] = {"content": merged or fact.content, "salience": salience}
        changes |= {"value": fact.value} if fact.value else {}
        changes |= {"record_name": fact.record.name, "record": fact.record.data} if fact.record else {}
        changes |= times_of(fact) if fact.occurred else {}
        changes |= self._marked(change, target)
        grown = max(self._standing[target].confidence, _sureness(fact))
        self._change(change, target, **changes, confidence=grown)
        # Entities named only by the memory change, too.
        self.touched.update(memories.entities_of_memory(self._connection, self._lane, target))
        vector = self._plan.merged.get(change.number)
        if vector is not None:
            memories.retire_vector(self._connection, self._lane, target)
            self._set_vector(target, vector)
        self._attach(change, target)
        return target

    def _supersede(self, change: OpenDecision, target: UUID) -> UUID:
        memory_id = self._new(change, _sureness(change.fact))
        since = said_at(change.fact, self._plan.messages)
        self._end(change, target, since, state="superseded", superseded_by=memory_id, valid_to=since)
        self._join(change, Edge(memory_id, target, "replaces"))
        self._replaced[target] = memory_id
        self._replaced_by[memory_id] = change.number
        return memory_id

    def _contradict(self, change: OpenDecision, target: UUID) -> UUID:
        """Keep both: support for one counts against the other, and both become less sure."""
        memory_id = self._new(change, confidence.contradicted(_sureness(change.fact)))
        self._change(change, target, confidence=confidence.contradicted(self._standing[target].confidence))
        against = memories.quotes_for(self._connection, self._lane, target)
        memories.add_sources(self._connection, self._lane, memory_id, against, change.stamp, stance="against")
        quotes = self._quotes(change)
        memories.add_sources(self._connection, self._lane, target, quotes, change.stamp, stance="against")
        self._join(change, Edge(memory_id, target, "contradicts"))
        return memory_id

    def _new(self, change: OpenDecision, sureness: float) -> UUID:
        fact, row, memory_id = change.fact, change.row, uuid7()
        new = new_memory(
            fact,
            memory_id,
            sureness=sureness,
            valid_from=said_at(fact, self._plan.messages),
            said_by=said_by(fact, self._plan.messages),
            salience=row.salience or 0.0,
            factors=row.factors,
            marked=fact.marked,
        )
        memories.add(self._connection, self._lane, new, change.stamp)
        change.changed.add(memory_id)
        self._standing[memory_id] = _Standing(1, new.salience, sureness, 0, fact.content)
        if row.vector is not None:
            self._set_vector(memory_id, row.vector)
        self._attach(change, memory_id)
        return memory_id

    def _change(self, change: OpenDecision, memory_id: UUID, **changes: Any) -> None:
        now = self._standing[memory_id]
        if "confidence" in changes:
            changes["tier"] = confidence.tier_of(changes["confidence"])
        memories.change(self._connection, self._lane, memory_id, now.version, change.stamp, **changes)
        kept = {name: value for name, value in changes.items() if name in _Standing.__slots__}
        self._standing[memory_id] = replace(now, version=now.version + 1, **kept)
        change.changed.add(memory_id)

    def _attach(self, change: OpenDecision, memory_id: UUID) -> None:
        """Attach the fact's messages, subjects and relations to a memory."""
        fact, linked = change.fact, self._plan.linked
        self._save_entities(change)
        named = linked.links[change.number]
        memories.add_sources(self._connection, self._lane, memory_id, self._quotes(change), change.stamp)
        by_entity = {link.entity_id: (link.role, "sure") for link in reversed(list(named.values()))}
        memories.link(self._connection, self._lane, memory_id, by_entity, change.stamp)
        stated = [
            (uuid7(), named[one.subject].entity_id, one.predicate, named[one.object].entity_id)
            for one in fact.relations
            if one.subject in named and one.object in named
        ]
        since = said_at(fact, self._plan.messages)
        memories.relate(self._connection, self._lane, memory_id, stated, change.stamp, valid_from=since)
        for one in open_questions(change.number, fact, linked=linked, messages=self._plan.messages):
            questions.ask(self._connection, self._lane, memory_id, one, change.stamp)
        self.touched.update(by_entity)

    def _quotes(self, change: OpenDecision) -> dict[UUID, str]:
        return {self._plan.messages[source].event_id: change.fact.quote for source in change.fact.sources}

    def _save_entities(self, change: OpenDecision) -> None:
        """Save the entities the fact introduces or describes, and those from earlier facts that became no memory."""
        linked, number = self._plan.linked, change.number
        learned = {entity.entity_id for entity in linked.learned[number]}
        parents = {entity.parent_id for entity in self._unwritten.values() if entity.entity_id in learned}
        for key in linked.is_about(number) | linked.may_be_about(number) | learned | parents:
            if key in self._unwritten:
                entities.save(self._connection, self._lane, [self._unwritten.pop(key)], change.stamp)

    def _set_vector(self, memory_id: UUID, vector: Vectors) -> None:
        version = self._standing[memory_id].version
        memories.set_vectors(
            self._connection, self._lane, self._plan.model, "memory", {memory_id: vector}, version=version
        )

    def _join(self, change: OpenDecision, edge: Edge) -> None:
        memories.join(self._connection, self._lane, [edge], change.stamp)


def _sureness(fact: Fact) -> float:
    return confidence.sureness_of(stated=fact.stated, covered=fact.covered)


def open_questions(
    number: int, fact: Fact, *, linked: LinkedFacts, messages: Mapping[int, Message]
) -> list[NewQuestion]:
    """Return the questions about a fact: one for each mention in a message, however many facts wait for it."""
    held = linked.held.get(number, {})
    asked_in = {mention: _message_of(fact, mention, messages) for mention in held}
    asked = {
        mention: OtherQuestion(uuid5(NAMESPACE_OID, f"{message_id}/{normalise(mention)}"))
        for mention, message_id in asked_in.items()
    }
    sure = {name: link.entity_id for name, link in linked.links.get(number, {}).items()}
    offered = {
        mention: [Offered(entity_id=key, entity=linked.entities[key]) for key in one.candidates]
        for mention, one in held.items()
    }
    return [
        NewQuestion(
            question_id=asked[mention].question_id,
            message_id=message_id,
            mention=mention,
            text=question(mention, offered[mention]).text,
            candidates=held[mention].candidates,
            role=held[mention].role,
            relations=_relations(fact, mention, {**asked, **sure}),
        )
        for mention, message_id in asked_in.items()
    ]


def _message_of(fact: Fact, mention: str, messages: Mapping[int, Message]) -> UUID:
    latest_first = sorted(fact.sources, reverse=True)
    naming = (number for number in latest_first if mention.casefold() in messages[number].content.casefold())
    return messages[next(naming, latest_first[0])].event_id


def _relations(fact: Fact, mention: str, ends: Mapping[str, UUID | OtherQuestion]) -> tuple[HeldRelation, ...]:
    """Return what a fact states about a mention. ends: the entities of the other mentions, or the questions about them."""

    def end(name: str) -> HeldEnd:
        return None if name == mention else ends[name]

    return tuple(
        (end(edge.subject), edge.predicate, end(edge.object))
        for edge in fact.relations
        if mention in {edge.subject, edge.object}
        and edge.subject != edge.object
        and {edge.subject, edge.object} <= {mention, *ends}
    )
