"""Merge and split entities: what moves from one to the other, and the end of the one that is merged away."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db import entities
from db.decisions import Stamp
from db.keys import OF_LANE, LaneRef
from db.temporal import ENDED, begin
from mosshead.models.entities import RegisteredEntity


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move changed. entities: those of whom something was learned or forgotten."""

    memories: frozenset[UUID]
    entities: frozenset[UUID]


def merge(
    connection: Connection, lane: LaneRef, *, entity: RegisteredEntity, into: RegisteredEntity, stamp: Stamp
) -> Moved:
    """Move all that is known of an entity to another: memories, relations, names, children, questions and examples.

    What is not known of the other, description or parent, it takes over, unless it would be a part of itself.
    """
    moved = move(
        connection,
        lane,
        source=entity.entity_id,
        target=into.entity_id,
        memories=memories_naming(connection, lane, entity.entity_id),
        examples=examples_naming(connection, lane, entity.entity_id),
        stamp=stamp,
    )
    parameters = {
        **lane.scope,
        **stamp.columns,
        "source": entity.entity_id,
        "target": into.entity_id,
        "description": into.description or entity.description,
        "parent_id": _parent(connection, lane, entity, into),
    }
    for statement in (_END_ALIASES, _BEGIN_ALIASES, _END_ENTITIES, _BEGIN_ENTITIES):
        connection.execute(statement, parameters)
    changed = connection.execute(_CHANGED, parameters).scalars()
    return Moved(moved.memories, moved.entities | frozenset(changed))


def _parent(connection: Connection, lane: LaneRef, entity: RegisteredEntity, into: RegisteredEntity) -> UUID | None:
    """The parent of what the two become: the first that is not one of the two, nor a part of them."""
    both = {entity.entity_id, into.entity_id}
    parents = (parent for parent in (into.parent_id, entity.parent_id) if parent is not None)
    lines = ((parent, {parent} | entities.ancestors(connection, lane, parent)) for parent in parents)
    return next((parent for parent, line in lines if not both & line), None)


_END_ALIASES = text(f"""
    update mosshead.entity_aliases set {ENDED}
    where {OF_LANE} and entity_id = :source and known_to is null
""")

_BEGIN_ALIASES = text(f"""
    {begin("entity_aliases", entity_id=":target")}
    from mosshead.entity_aliases where {OF_LANE} and entity_id = :source and ended_by = :decision_id
    on conflict do nothing
""")

_END_ENTITIES = text(f"""
    update mosshead.entities set {ENDED}
    where {OF_LANE} and known_to is null and (
        entity_id = :source or parent_id = :source or entity_id = :target and (description, parent_id)
            is distinct from (cast(:description as text), cast(:parent_id as uuid)))
""")

_TAKEN_OVER = begin(
    "entities",
    description="case entity_id when :target then cast(:description as text) else description end",
    parent_id="case entity_id when :target then cast(:parent_id as uuid) else :target end",
)

_BEGIN_ENTITIES = text(f"""
    {_TAKEN_OVER} from mosshead.entities where {OF_LANE} and ended_by = :decision_id and entity_id <> :source
""")

_CHANGED = text(f"select entity_id from mosshead.entities where {OF_LANE} and made_by = :decision_id")


def memories_naming(connection: Connection, lane: LaneRef, entity_id: UUID) -> frozenset[UUID]:
    """The memories that are about an entity, perhaps about it, or that state a relation of it; ended ones included."""
    return frozenset(connection.execute(_NAMING, {**lane.scope, "source": entity_id}).scalars())


def move(
    connection: Connection,
    lane: LaneRef,
    *,
    source: UUID,
    target: UUID,
    memories: frozenset[UUID],
    examples: Sequence[UUID],
    stamp: Stamp,
) -> Moved:
    """Let the target take the source's place in some memories and examples.

    Where a memory is about both, the surer link stays, and of two as sure the one with the weightier role.
    """
    moving = {
        **lane.scope,
        **stamp.columns,
        "source": source,
        "target": target,
        "memories": sorted(memories),
        "examples": list(examples),
    }
    for statement in _MOVES:
        connection.execute(statement, moving)
    owners = connection.execute(_EXAMPLE_OWNERS, moving).scalars()
    return Moved(memories, frozenset({source, target, *owners}))


def examples_naming(connection: Connection, lane: LaneRef, entity_id: UUID) -> list[UUID]:
    """The examples that are about an entity, or might have been."""
    return list(connection.execute(_EXAMPLES_NAMING, {**lane.scope, "source": entity_id}).scalars())


def examples_from(connection: Connection, lane: LaneRef, entity_id: UUID, memories: frozenset[UUID]) -> list[UUID]:
    """The examples about an entity whose message some memories were taken from."""
    parameters = {**lane.scope, "source": entity_id, "memories": sorted(memories)}
    return list(connection.execute(_EXAMPLES_FROM, parameters).scalars())


_NAMES_IT = """
    (:source = any(candidates) or answer_id = :source or strpos(cast(relations as text), cast(:source as text)) > 0)
"""

_NAMING = text(f"""
    select memory_id from mosshead.memory_entities where {OF_LANE} and entity_id = :source and known_to is null
    union
    select memory_id from mosshead.relations where {OF_LANE} and subject_id = :source and known_to is null
    union
    select memory_id from mosshead.relations where {OF_LANE} and object_id = :source and known_to is null
    union
    select memory_id from mosshead.questions where {OF_LANE} and {_NAMES_IT} and known_to is null
""")

_END_LINKS = text(f"""
    update mosshead.memory_entities as link set {ENDED}
    where {OF_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and entity_id in (:source, :target)
      and exists (select from mosshead.memory_entities as own
                  where own.tenant_id = :tenant_id and own.namespace_id = :namespace_id
                    and own.memory_id = link.memory_id and own.entity_id = :source and own.known_to is null)
""")

_BEGIN_LINKS = text(f"""
    {begin("memory_entities", each="distinct on (memory_id)", entity_id=":target")} from mosshead.memory_entities
    where {OF_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id
    order by memory_id, certainty = 'sure' desc, array_position(array['subject', 'object', 'about'], role)
""")

_END_RELATIONS = text(f"""
    update mosshead.relations set {ENDED}
    where {OF_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and :source in (subject_id, object_id)
""")

# Two relations can become one, and one between the two entities says nothing any more.
_BEGIN_RELATIONS = text(f"""
    {begin("relations", subject_id="subject", object_id="object")} from mosshead.relations cross join lateral (
        select case subject_id when :source then :target else subject_id end as subject,
               case object_id when :source then :target else object_id end as object) as moved
    where {OF_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id and subject <> object
    order by relation_id
    on conflict do nothing
""")

_END_QUESTIONS = text(f"""
    update mosshead.questions set {ENDED}
    where {OF_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and {_NAMES_IT}
""")

_IN_PLACE = """
    array(select entity_id from (
              select case named when :source then :target else named end as entity_id, place
              from unnest({names}) with ordinality as one (named, place)) as moved
          group by entity_id order by min(place))
"""

_OF_THE_TARGET = begin(
    "questions",
    candidates=_IN_PLACE.format(names="candidates"),
    relations="cast(replace(cast(relations as text), cast(:source as text), cast(:target as text)) as jsonb)",
    answer_id="case answer_id when :source then :target else answer_id end",
)

_BEGIN_QUESTIONS = text(f"""
    {_OF_THE_TARGET}
    from mosshead.questions where {OF_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id
""")

_END_EXAMPLES = text(f"""
    update mosshead.examples set {ENDED}
    where {OF_LANE} and known_to is null and example_id = any(cast(:examples as uuid[]))
""")

_OTHERS = f"array_remove({_IN_PLACE.format(names='others')}, now_about)"

_BEGIN_EXAMPLES = text(f"""
    {begin("examples", entity_id="now_about", others=_OTHERS)} from mosshead.examples cross join lateral (
        select case entity_id when :source then :target else entity_id end as now_about) as moved
    where {OF_LANE} and example_id = any(cast(:examples as uuid[])) and ended_by = :decision_id
""")

_MOVES = (
    *(_END_LINKS, _BEGIN_LINKS),
    *(_END_RELATIONS, _BEGIN_RELATIONS),
    *(_END_QUESTIONS, _BEGIN_QUESTIONS),
    *(_END_EXAMPLES, _BEGIN_EXAMPLES),
)

_EXAMPLE_OWNERS = text(f"""
    select distinct entity_id from mosshead.examples where {OF_LANE} and example_id = any(cast(:examples as uuid[]))
""")

_EXAMPLES_NAMING = text(f"""
    select example_id from mosshead.examples
    where {OF_LANE} and known_to is null and (entity_id = :source or :source = any(others))
""")

_EXAMPLES_FROM = text(f"""
    select example_id from mosshead.examples as example
    where {OF_LANE} and known_to is null and entity_id = :source and message_id in (
        select source.message_id from mosshead.memory_sources as source
        where source.tenant_id = :tenant_id and source.namespace_id = :namespace_id
          and source.memory_id = any(cast(:memories as uuid[])) and source.known_to is null)
""")


def memories_to_move(
    connection: Connection, lane: LaneRef, entity_id: UUID, memories: Collection[UUID]
) -> frozenset[UUID]:
    """Those of some memories that are about an entity, and can be split off with another."""
    return memories_naming(connection, lane, entity_id) & frozenset(memories)


def split(
    connection: Connection,
    lane: LaneRef,
    *,
    entity_id: UUID,
    newcomer: RegisteredEntity,
    memories: frozenset[UUID],
    stamp: Stamp,
) -> Moved:
    """Introduce somebody of whom some memories, and what they state, tell from here on; the rest stays."""
    entities.introduce(connection, lane, newcomer, stamp)
    return move(
        connection,
        lane,
        source=entity_id,
        target=newcomer.entity_id,
        memories=memories,
        examples=examples_from(connection, lane, entity_id, memories),
        stamp=stamp,
    )
