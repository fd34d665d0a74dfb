"""Merge and split entities: what moves from one to the other, and the end of the one that is merged away."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db import entities
from db.decisions import Stamp
from db.entities import Newcomer, RegistryEntry
from db.keys import LaneRef


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move changed. entities: those of whom something was learned or forgotten."""

    memories: frozenset[UUID]
    entities: frozenset[UUID]


def merge(connection: Connection, lane: LaneRef, *, entity: RegistryEntry, into: RegistryEntry, stamp: Stamp) -> Moved:
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


def _parent(connection: Connection, lane: LaneRef, entity: RegistryEntry, into: RegistryEntry) -> UUID | None:
    """The parent of what the two become: the first that is not one of the two, nor a part of them."""
    both = {entity.entity_id, into.entity_id}
    parents = (parent for parent in (into.parent_id, entity.parent_id) if parent is not None)
    lines = ((parent, {parent} | entities.ancestors(connection, lane, parent)) for parent in parents)
    return next((parent for parent, line in lines if not both & line), None)


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_END_ALIASES = text(f"""
    update mosshead.entity_aliases set known_to = :at, ended_by = :decision_id
    where {_LANE} and entity_id = :source and known_to is null
""")

_BEGIN_ALIASES = text(f"""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_from, made_by)
    select tenant_id, namespace_id, :target, alias, normalised, :at, :decision_id
    from mosshead.entity_aliases where {_LANE} and entity_id = :source and ended_by = :decision_id
    on conflict do nothing
""")

_END_ENTITIES = text(f"""
    update mosshead.entities set known_to = :at, ended_by = :decision_id
    where {_LANE} and known_to is null and (
        entity_id = :source or parent_id = :source or entity_id = :target and (description, parent_id)
            is distinct from (cast(:description as text), cast(:parent_id as uuid)))
""")

_BEGIN_ENTITIES = text(f"""
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, tags, is_user, created_at, key, description, parent_id,
         known_from, made_by)
    select tenant_id, namespace_id, entity_id, name, entity_type, tags, is_user, created_at, key,
           case entity_id when :target then cast(:description as text) else description end,
           case entity_id when :target then cast(:parent_id as uuid) else :target end, :at, :decision_id
    from mosshead.entities where {_LANE} and ended_by = :decision_id and entity_id <> :source
""")

_CHANGED = text(f"select entity_id from mosshead.entities where {_LANE} and made_by = :decision_id")


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
    owners: set[UUID] = set()
    for end, begin in _MOVES:
        connection.execute(end, moving)
        connection.execute(begin, moving)
    owners.update(connection.execute(_EXAMPLE_OWNERS, moving).scalars())
    return Moved(memories, frozenset({source, target} | owners))


def examples_naming(connection: Connection, lane: LaneRef, entity_id: UUID) -> list[UUID]:
    """The examples that are about an entity, or might have been."""
    return list(connection.execute(_EXAMPLES_NAMING, {**lane.scope, "source": entity_id}).scalars())


def examples_from(connection: Connection, lane: LaneRef, entity_id: UUID, memories: frozenset[UUID]) -> list[UUID]:
    """The examples about an entity whose message some memories were taken from."""
    parameters = {**lane.scope, "source": entity_id, "memories": sorted(memories)}
    return list(connection.execute(_EXAMPLES_FROM, parameters).scalars())


_ENDED = "known_to = :at, ended_by = :decision_id"

_NAMES_IT = """
    (:source = any(candidates) or answer_id = :source or strpos(cast(relations as text), cast(:source as text)) > 0)
"""

_NAMING = text(f"""
    select memory_id from mosshead.memory_entities where {_LANE} and entity_id = :source and known_to is null
    union
    select memory_id from mosshead.relations where {_LANE} and subject_id = :source and known_to is null
    union
    select memory_id from mosshead.relations where {_LANE} and object_id = :source and known_to is null
    union
    select memory_id from mosshead.questions where {_LANE} and {_NAMES_IT} and known_to is null
""")

_END_LINKS = text(f"""
    update mosshead.memory_entities as link set {_ENDED}
    where {_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and entity_id in (:source, :target)
      and exists (select from mosshead.memory_entities as own
                  where own.tenant_id = :tenant_id and own.namespace_id = :namespace_id
                    and own.memory_id = link.memory_id and own.entity_id = :source and own.known_to is null)
""")

_BEGIN_LINKS = text(f"""
    insert into mosshead.memory_entities
        (tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from, made_by)
    select distinct on (memory_id) tenant_id, namespace_id, memory_id, :target, role, certainty, :at, :decision_id
    from mosshead.memory_entities
    where {_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id
    order by memory_id, certainty = 'sure' desc, array_position(array['subject', 'object', 'about'], role)
""")

_END_RELATIONS = text(f"""
    update mosshead.relations set {_ENDED}
    where {_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and :source in (subject_id, object_id)
""")

# Two relations can become one, and one between the two entities says nothing any more.
_BEGIN_RELATIONS = text(f"""
    insert into mosshead.relations
        (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from, valid_to,
         known_from, made_by)
    select tenant_id, namespace_id, relation_id, subject, predicate, object, memory_id, valid_from, valid_to, :at, :decision_id
    from mosshead.relations cross join lateral (
        select case subject_id when :source then :target else subject_id end as subject,
               case object_id when :source then :target else object_id end as object) as moved
    where {_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id and subject <> object
    order by relation_id
    on conflict do nothing
""")

_END_QUESTIONS = text(f"""
    update mosshead.questions set {_ENDED}
    where {_LANE} and known_to is null and memory_id = any(cast(:memories as uuid[])) and {_NAMES_IT}
""")

_IN_PLACE = """
    array(select entity_id from (
              select case named when :source then :target else named end as entity_id, place
              from unnest({names}) with ordinality as one (named, place)) as moved
          group by entity_id order by min(place))
"""

_BEGIN_QUESTIONS = text(f"""
    insert into mosshead.questions
        (tenant_id, namespace_id, question_id, memory_id, text, mention, role, message_id, conversation_id, asked_at,
         answered_at, candidates, relations, answer_id, known_from, made_by)
    select tenant_id, namespace_id, question_id, memory_id, text, mention, role, message_id, conversation_id, asked_at,
           answered_at, {_IN_PLACE.format(names="candidates")},
           cast(replace(cast(relations as text), cast(:source as text), cast(:target as text)) as jsonb),
           case answer_id when :source then :target else answer_id end, :at, :decision_id
    from mosshead.questions where {_LANE} and memory_id = any(cast(:memories as uuid[])) and ended_by = :decision_id
""")

_END_EXAMPLES = text(f"""
    update mosshead.examples set {_ENDED}
    where {_LANE} and known_to is null and example_id = any(cast(:examples as uuid[]))
""")

_BEGIN_EXAMPLES = text(f"""
    insert into mosshead.examples
        (tenant_id, namespace_id, example_id, mention, text, message_id, conversation_id, entity_id, others,
         known_from, made_by)
    select tenant_id, namespace_id, example_id, mention, text, message_id, conversation_id, now_about,
           array_remove({_IN_PLACE.format(names="others")}, now_about), :at, :decision_id
    from mosshead.examples cross join lateral (
        select case entity_id when :source then :target else entity_id end as now_about) as moved
    where {_LANE} and example_id = any(cast(:examples as uuid[])) and ended_by = :decision_id
""")

_MOVES = (
    (_END_LINKS, _BEGIN_LINKS),
    (_END_RELATIONS, _BEGIN_RELATIONS),
    (_END_QUESTIONS, _BEGIN_QUESTIONS),
    (_END_EXAMPLES, _BEGIN_EXAMPLES),
)

_EXAMPLE_OWNERS = text(f"""
    select distinct entity_id from mosshead.examples where {_LANE} and example_id = any(cast(:examples as uuid[]))
""")

_EXAMPLES_NAMING = text(f"""
    select example_id from mosshead.examples
    where {_LANE} and known_to is null and (entity_id = :source or :source = any(others))
""")

_EXAMPLES_FROM = text(f"""
    select example_id from mosshead.examples as example
    where {_LANE} and known_to is null and entity_id = :source and message_id in (
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
    newcomer: Newcomer,
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
