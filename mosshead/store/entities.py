"""The read side's SQL about entities: profiles, neighbours, open questions, and keys.

As in `mosshead.store.memories`, functions take a connection inside a transaction that has set its tenant, and never commit.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Literal
from uuid import UUID

from sqlalchemy import Connection

from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace
from mosshead.store.memories import known, known_now, scope


@dataclass(slots=True, kw_only=True)
class HoldingQuestion:
    """A question with the contents of the memories that wait for its answer. candidates: most plausible first."""

    question_id: UUID
    mention: str
    message: str
    answered: bool
    candidates: dict[UUID, None] = field(default_factory=dict)
    memories: list[str] = field(default_factory=list)


def questions(connection: Connection, path: NamespacePath, *, question_id: UUID | None = None) -> list[HoldingQuestion]:
    """Return the open questions, oldest first; or a given one, open or answered.

    A question whose memories were all replaced is returned only by id; one whose memories were all undone, never.
    """
    found: dict[UUID, HoldingQuestion] = {}
    rows = Sql(f"""
        select question.question_id, question.mention, question.candidates, question.answered_at,
               memory.content, message.content as message
        from mosshead_read_v1.questions as question
        join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
        left join mosshead_read_v1.messages as message using (tenant_id, namespace_id, message_id)
        where {of_namespace("question")} and memory.known_to is null
          and (question.question_id = %(question_id)s and memory.state <> 'withdrawn'
               or %(question_id)s::uuid is null and question.answered_at is null and memory.state = 'active')
        order by question.asked_at, question.question_id, memory.memory_id
    """).run(connection, path.ids, question_id=question_id)
    for row in rows:
        new = HoldingQuestion(
            question_id=row.question_id, mention=row.mention, message=row.message or "", answered=True
        )
        one = found.setdefault(row.question_id, new)
        one.answered = one.answered and row.answered_at is not None
        one.candidates.update(dict.fromkeys(row.candidates))
        one.memories.append(row.content)
    return list(found.values())


def about(connection: Connection, path: NamespacePath, entity_id: UUID, memory_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the given memories that are surely or perhaps about an entity."""
    found = Sql(f"""
        select memory_id from mosshead_read_v1.memory_entities
        where {OF_NAMESPACE} and entity_id = %(entity_id)s
          and memory_id = any(%(memory_ids)s::uuid[])
    """).scalars(connection, path.ids, entity_id=entity_id, memory_ids=list(memory_ids))
    return set(found)


def is_user(connection: Connection, path: NamespacePath, entity_id: UUID) -> bool | None:
    """Return whether an entity is or was the user; None if it never existed."""
    found: bool | None = Sql(f"""
        select bool_or(is_user) from mosshead_read_v1.entities_over_time where {OF_NAMESPACE} and entity_id = %(entity_id)s
    """).scalar(connection, path.ids, entity_id=entity_id)
    return found


def facts(
    connection: Connection, path: NamespacePath, entity_ids: Collection[UUID], *, limit: int
) -> dict[UUID, tuple[str, ...]]:
    """Return, by entity, the contents of the most salient memories that are surely about it."""
    rows = Sql(f"""
        select entity_id, array(
            select memory.content from mosshead_read_v1.memory_entities as link
            join mosshead_read_v1.memories as memory using (tenant_id, namespace_id, memory_id)
            where {of_namespace("link")} and link.entity_id = asked.entity_id
              and link.certainty = 'sure' and memory.known_to is null and memory.state = 'active'
            order by link.role = 'subject' desc, memory.salience desc, memory.memory_id limit %(limit)s) as contents
        from unnest(%(entity_ids)s::uuid[]) as asked (entity_id)
    """).run(connection, path.ids, entity_ids=list(entity_ids), limit=limit)
    return {row.entity_id: tuple(row.contents) for row in rows}


MAX_DEPTH = 4
MAX_FAN_OUT = 200
PART_OF = "part_of"
"""The predicate of the edge from an entity to its parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity, and the last edge of a shortest path to it; one value for each such edge.

    id, name, entity_type, key: of the entity. distance: edges from the start, from 1.
    via: the entity one edge nearer. predicate: their relation, "part_of" towards a parent.
    direction: "out" if it reads "via predicate entity", "in" if reversed.
    memory_id: the memory that states it; valid_from, valid_to: when it holds; None for "part_of".
    """

    id: UUID
    name: str
    entity_type: EntityType
    key: str | None
    distance: int
    via: UUID
    predicate: str
    direction: Literal["out", "in"]
    memory_id: UUID | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def neighbours(
    connection: Connection, path: NamespacePath, entity_id: UUID, *, depth: int, fan_out: int, as_of: datetime | None
) -> list[Neighbour]:
    """Return the entities within a number of edges of an entity, nearest first. At most fan_out edges are followed per entity.

    These are the edge to its parent, then the latest valid relations, then the edges from its parts.
    """
    parameters = {**scope(path, as_of), "entity_id": entity_id, "depth": depth, "fan_out": fan_out}
    rows = Sql(_neighbours(known_now if as_of is None else known)).run(connection, parameters)
    return [Neighbour(**{**row._asdict(), "entity_type": EntityType(row.entity_type)}) for row in rows]


@cache
def _neighbours(holds: Callable[[str], str]) -> str:
    """holds: returns the condition that a row under an alias is known."""

    def edge(rank: int, own: str, other: str, direction: str) -> str:
        return f"""
            (select {rank} as rank, relation.{other} as other, relation.predicate, '{direction}' as direction, relation.memory_id,
                    relation.valid_from, relation.valid_to
             from mosshead_read_v1.relations_over_time as relation
             where {holds("relation")} and relation.{own} = node.entity_id and relation.{other} <> node.entity_id
               and (relation.valid_to is null or relation.valid_to > coalesce(%(as_of)s::timestamptz, now()))
             order by relation.valid_from desc, relation.predicate, relation.{other}, relation.memory_id limit %(fan_out)s)
        """

    def part(rank: int, own: str, other: str, direction: str) -> str:
        return f"""
            (select {rank}, entity.{other}, '{PART_OF}', '{direction}', null, null, null
             from mosshead_read_v1.entities_over_time as entity
             where {holds("entity")} and entity.{own} = node.entity_id and entity.{other} <> node.entity_id
             order by entity.{other} limit %(fan_out)s)
        """

    edges = f"""
        select * from (
            {edge(1, "subject_id", "object_id", "out")} union all {edge(1, "object_id", "subject_id", "in")}
            union all {part(0, "entity_id", "parent_id", "out")} union all {part(2, "parent_id", "entity_id", "in")}) as edges
        order by rank, valid_from desc nulls last, predicate, other, direction, memory_id limit %(fan_out)s
    """
    # Rows of one entity and distance become one row, so that paths that meet again do not multiply.
    return f"""
        with recursive node as (
            select %(entity_id)s::uuid as entity_id, 0 as distance
            union
            select edge.other, node.distance + 1 from node cross join lateral ({edges}) as edge where node.distance < %(depth)s
        ),
        nearest as (select entity_id, min(distance) as distance from node group by entity_id)
        select entity.entity_id as id, entity.name, entity.entity_type, entity.key, reached.distance, node.entity_id as via,
               edge.predicate, edge.direction, edge.memory_id, edge.valid_from, edge.valid_to
        from nearest as node cross join lateral ({edges}) as edge
        join nearest as reached on reached.entity_id = edge.other and reached.distance = node.distance + 1
        join mosshead_read_v1.entities_over_time as entity on {holds("entity")} and entity.entity_id = edge.other
        where node.distance < %(depth)s
        order by reached.distance, edge.rank, edge.valid_from desc nulls last, entity.name, entity.entity_id, node.entity_id,
                 edge.predicate, edge.direction, edge.memory_id
    """


def known_keys(connection: Connection, path: NamespacePath, keys: Collection[str]) -> set[str]:
    """Return those of the keys that some entity has, or had before it was merged into another."""
    found = Sql(f"""
        select distinct coalesce(key, cast(entity_id as text)) as key from mosshead_read_v1.entities_over_time
        where {OF_NAMESPACE} and coalesce(key, cast(entity_id as text)) = any(%(keys)s)
    """).scalars(connection, path.ids, keys=sorted(keys))
    return set(found)
