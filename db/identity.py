"""Merge and split entities: move rows from one to the other, and end a merged entity."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection

from db import entities
from db.decisions import Stamp
from db.keys import LaneRef, renew
from mosshead.models.entities import RegisteredEntity
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move changed. entities: those that gained or lost something."""

    memories: frozenset[UUID]
    entities: frozenset[UUID]


def merge(
    connection: Connection, lane: LaneRef, *, entity: RegisteredEntity, into: RegisteredEntity, stamp: Stamp
) -> Moved:
    """Move all that is known about an entity to another: memories, relations, names, children, questions and examples.

    The target takes over a description or parent that it lacks, unless it would become a part of itself.
    """
    # Examples about the entity or with it as a candidate.
    examples = Sql(f"""
        select example_id from mosshead.examples
        where {OF_NAMESPACE} and known_to is null and (entity_id = %(source)s or %(source)s = any(others))
    """).scalars(connection, lane.scope, source=entity.entity_id)
    naming = memories_naming(connection, lane, entity.entity_id)
    moved = move(connection, lane, entity.entity_id, into.entity_id, memories=naming, examples=examples, stamp=stamp)
    # The parent of the merged entity: the first that is neither one of the two nor a part of them.
    both = {entity.entity_id, into.entity_id}
    parents = (parent for parent in (into.parent_id, entity.parent_id) if parent is not None)
    lines = ((one, {one, *entities.parents_above(connection, lane, [one]).values()}) for one in parents)
    known = {
        "description": into.description or entity.description,
        "parent_id": next((one for one, line in lines if not both & line), None),
    }
    names = renew(
        "entity_aliases", "row.entity_id = %(source)s", of="ended on conflict do nothing", entity_id="%(target)s"
    )
    taken_over = renew(
        "entities",
        """
            (row.entity_id = %(source)s or row.parent_id = %(source)s or row.entity_id = %(target)s
                and (row.description, row.parent_id) is distinct from (%(description)s::text, %(parent_id)s::uuid))
        """,
        of="ended where entity_id <> %(source)s",
        description="case when entity_id = %(target)s then %(description)s::text else description end",
        parent_id="case when entity_id = %(target)s then %(parent_id)s::uuid else %(target)s end",
    )
    changed = Sql(f"""
        {names};
        {taken_over};
        select entity_id from mosshead.entities where {OF_NAMESPACE} and made_by = %(decision_id)s
    """).scalars(connection, lane.scope | stamp.columns, source=entity.entity_id, target=into.entity_id, **known)
    return Moved(moved.memories, moved.entities | frozenset(changed))


def memories_naming(connection: Connection, lane: LaneRef, entity_id: UUID) -> frozenset[UUID]:
    """Return the memories that are surely or perhaps about an entity, or state a relation of it, including ended ones."""
    found = Sql(f"""
        select memory_id from mosshead.memory_entities where {OF_NAMESPACE} and entity_id = %(source)s and known_to is null
        union
        select memory_id from mosshead.relations where {OF_NAMESPACE} and subject_id = %(source)s and known_to is null
        union
        select memory_id from mosshead.relations where {OF_NAMESPACE} and object_id = %(source)s and known_to is null
        union
        select memory_id from mosshead.questions where {OF_NAMESPACE} and {_NAMES_IT} and known_to is null
    """).scalars(connection, lane.scope, source=entity_id)
    return frozenset(found)


def move(
    connection: Connection,
    lane: LaneRef,
    source: UUID,
    target: UUID,
    *,
    memories: frozenset[UUID],
    examples: Sequence[UUID],
    stamp: Stamp,
) -> Moved:
    """Replace the source by the target in memories and examples.

    If a memory is about both, the surer link stays, and of two equally sure ones the one with the weightier role.
    """
    moved = {"source": source, "target": target, "memories": sorted(memories), "examples": list(examples)}
    owners = Sql(f"""
        {_LINKS};
        {_RELATIONS};
        {_QUESTIONS};
        {_EXAMPLES};
        select distinct entity_id from mosshead.examples where {OF_NAMESPACE} and example_id = any(%(examples)s::uuid[])
    """).scalars(connection, lane.scope | stamp.columns, **moved)
    return Moved(memories, frozenset({source, target, *owners}))


_NAMES_IT = """
    (%(source)s = any(candidates) or answer_id = %(source)s or strpos(cast(relations as text), %(source)s::text) > 0)
"""

_THEIRS = "row.memory_id = any(%(memories)s::uuid[])"

_LINKS = renew(
    "memory_entities",
    f"""
        {_THEIRS} and row.entity_id in (%(source)s, %(target)s) and exists (
            select from mosshead.memory_entities as own
            where {of_namespace("own")} and own.memory_id = row.memory_id and own.entity_id = %(source)s and own.known_to is null)
    """,
    each="distinct on (memory_id)",
    of="""
        ended order by memory_id, certainty = 'sure' desc, array_position(array['subject', 'object', 'about'], role)
    """,
    entity_id="%(target)s",
)

# Two relations can become one, and one between the two entities has lost its meaning.
_RELATIONS = renew(
    "relations",
    f"{_THEIRS} and %(source)s in (row.subject_id, row.object_id)",
    of="""
        ended cross join lateral (
            select case when subject_id = %(source)s then %(target)s else subject_id end as subject,
                   case when object_id = %(source)s then %(target)s else object_id end as object) as moved
        where subject <> object order by relation_id on conflict do nothing
    """,
    subject_id="subject",
    object_id="object",
)

_IN_PLACE = """
    array(select entity_id from (
              select case when named = %(source)s then %(target)s else named end as entity_id, place
              from unnest({names}) with ordinality as one (named, place)) as moved
          group by entity_id order by min(place))
"""

_QUESTIONS = renew(
    "questions",
    f"{_THEIRS} and {_NAMES_IT}",
    candidates=_IN_PLACE.format(names="candidates"),
    relations="cast(replace(cast(relations as text), %(source)s::text, %(target)s::text) as jsonb)",
    answer_id="case when answer_id = %(source)s then %(target)s else answer_id end",
)

_EXAMPLES = renew(
    "examples",
    "row.example_id = any(%(examples)s::uuid[])",
    of="""ended cross join lateral (
        select case when entity_id = %(source)s then %(target)s else entity_id end as now_about) as moved""",
    entity_id="now_about",
    others=f"array_remove({_IN_PLACE.format(names='others')}, now_about)",
)


def split(
    connection: Connection,
    lane: LaneRef,
    *,
    entity_id: UUID,
    newcomer: RegisteredEntity,
    memories: frozenset[UUID],
    stamp: Stamp,
) -> Moved:
    """Create an entity and move the given memories, with what they state, to it; the rest stays."""
    # Those about the entity from the same messages as the memories.
    examples = Sql(f"""
        select example_id from mosshead.examples as example
        where {OF_NAMESPACE} and known_to is null and entity_id = %(source)s and message_id in (
            select source.message_id from mosshead.memory_sources as source
            where {of_namespace("source")} and source.memory_id = any(%(memories)s::uuid[]) and source.known_to is null)
    """).scalars(connection, lane.scope, source=entity_id, memories=sorted(memories))
    entities.introduce(connection, lane, newcomer, stamp)
    return move(connection, lane, entity_id, newcomer.entity_id, memories=memories, examples=examples, stamp=stamp)
