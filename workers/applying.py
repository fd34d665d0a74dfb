"""Writing what consolidation decided: in one transaction, under the batch's lease, against the versions that were read."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db import entities, inbox, memories
from db.memories import NewMemory
from db.refs import BatchRef
from pipeline.consolidate import Decision
from pipeline.facts import Fact
from recollect.ids import uuid7
from workers.deciding import Plan, said_at

_STATED = 0.9
_INFERRED = 0.5
_SOLID = 0.75
_REINFORCEMENT = 0.15


def apply(connection: Connection, *, batch: BatchRef, plan: Plan) -> None:
    """Write a plan, and mark the batch's events as in effect. Raises VersionConflict where a memory changed since it was read."""
    for entity in plan.linked.entities:
        entities.save(connection, batch.lane, entity)
    writer = _Writer(connection, batch, plan)
    for decision in plan.decisions:
        writer.write(decision)
    memories.log_decisions(connection, batch, writer.log)
    entities.touch(connection, batch.lane, sorted(writer.touched))
    inbox.mark_done(connection, batch)


class _Writer:
    """Goes through the decisions in order. A memory that an earlier one changed or replaced is followed to what it is now."""

    def __init__(self, connection: Connection, batch: BatchRef, plan: Plan) -> None:
        self._connection = connection
        self._lane = batch.lane
        self._plan = plan
        self._memory_of_fact: dict[int, UUID] = {}
        self._versions = {row.memory_id: row.version for row in plan.similar.values()}
        self._replaced: dict[UUID, UUID] = {}
        self.log: list[dict[str, Any]] = []
        self.touched: set[UUID] = {entity.entity_id for entity in plan.linked.entities}

    def write(self, decision: Decision) -> None:
        target = self._target(decision)
        version = self._versions.get(target) if target else None
        # Where its target is gone with an earlier fact that was worth nothing, a fact stands for itself.
        action = decision.action if target or decision.action == "none" else "add"
        memory_id = self._carry_out(action, decision, target)
        if memory_id is not None:
            self._memory_of_fact[decision.fact_number] = memory_id
            self._link(decision.fact_number, memory_id)
        self._log(decision, action, memory_id, target, version)

    def _target(self, decision: Decision) -> UUID | None:
        if decision.target is None:
            return None
        if decision.target.earlier_fact is not None:
            target = self._memory_of_fact.get(decision.target.earlier_fact)
        else:
            target = self._plan.similar[decision.target.number].memory_id
        while target in self._replaced:
            target = self._replaced[target]
        return target

    def _carry_out(self, action: str, decision: Decision, target: UUID | None) -> UUID | None:
        if target is None:
            return self._add(decision.fact_number) if action == "add" else None
        if action == "none":
            memories.reinforce(self._connection, self._lane, target, step=_REINFORCEMENT, solid=_SOLID)
            return target
        if action == "update":
            self._update(decision, target)
            return target
        memory_id = self._add(decision.fact_number)
        if action == "supersede":
            self._supersede(decision.fact_number, target, memory_id)
        return memory_id

    def _add(self, fact_number: int) -> UUID:
        fact, row = self._plan.facts[fact_number]
        memory_id = uuid7()
        memories.add(self._connection, self._lane, self._new_memory(memory_id, fact, row.salience or 0.0, row.factors))
        self._versions[memory_id] = 1
        if row.vector is not None:
            memories.set_vectors(self._connection, self._lane, self._plan.model, "memory", {memory_id: row.vector})
        return memory_id

    def _update(self, decision: Decision, target: UUID) -> None:
        fact, row = self._plan.facts[decision.fact_number]
        content, salience = decision.content or fact.content, row.salience or 0.0
        version = self._versions[target]
        memories.update(
            self._connection, self._lane, target, version, content=content, value=fact.value, salience=salience
        )
        self._versions[target] = version + 1
        vector = self._plan.merged.get(decision.fact_number)
        if vector is not None:
            memories.set_vectors(self._connection, self._lane, self._plan.model, "memory", {target: vector})

    def _supersede(self, fact_number: int, target: UUID, memory_id: UUID) -> None:
        since = said_at(self._plan.facts[fact_number][0], self._plan.messages)
        version = self._versions[target]
        memories.supersede(self._connection, self._lane, target, version, superseded_by=memory_id, valid_to=since)
        entities.end_relations(self._connection, self._lane, target, since)
        self.touched.update(entities.entities_of_memory(self._connection, self._lane, target))
        self._replaced[target] = memory_id

    def _new_memory(self, memory_id: UUID, fact: Fact, salience: float, factors: Mapping[str, float]) -> NewMemory:
        occurred = fact.occurred
        return NewMemory(
            memory_id=memory_id,
            kind=fact.kind,
            content=fact.content,
            salience=salience,
            factors=factors,
            confidence=_STATED if fact.stated else _INFERRED,
            tier="solid" if fact.stated else "hypothesis",
            attribute=fact.attribute,
            value=fact.value,
            occurred_from=occurred.start if occurred else None,
            occurred_to=occurred.end if occurred else None,
            granularity=occurred.granularity if occurred else None,
            valid_from=said_at(fact, self._plan.messages),
        )

    def _link(self, fact_number: int, memory_id: UUID) -> None:
        fact, _ = self._plan.facts[fact_number]
        links = self._plan.linked.links[fact_number]
        quotes = {self._plan.messages[source].event_id: fact.quote for source in fact.sources}
        memories.add_sources(self._connection, self._lane, memory_id, quotes)
        by_entity = {link.entity_id: (link.role, link.certainty) for link in reversed(list(links.values()))}
        entities.link(self._connection, self._lane, memory_id, by_entity)
        edges = [
            (uuid7(), links[one.subject].entity_id, one.predicate, links[one.object].entity_id)
            for one in fact.relations
            if one.subject in links and one.object in links
        ]
        entities.relate(self._connection, self._lane, memory_id, edges, said_at(fact, self._plan.messages))
        self.touched.update(by_entity)

    def _log(
        self, decision: Decision, action: str, memory_id: UUID | None, target: UUID | None, version: int | None
    ) -> None:
        fact, _ = self._plan.facts[decision.fact_number]
        self.log.append(
            {
                "decision_id": uuid7(),
                "action": action,
                "memory_id": memory_id,
                "target_id": target,
                "target_version": version,
                "fact": fact.model_dump(mode="json"),
                "candidates": [
                    {"memory_id": str(row.memory_id), "version": row.version, "similarity": round(row.similarity, 4)}
                    for row in self._plan.near.get(decision.fact_number, ())
                ],
                "decided_by": decision.decided_by,
                "prompt_version": decision.prompt_version,
                "reason": decision.reason,
            }
        )
