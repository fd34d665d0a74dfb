"""What is known of one entity, made to be known of another: its part in memories, relations, open questions and examples.

Rows that name the first are ended, and the same begin with the second in its place, all marked with the decision that moves them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.refs import LaneRef


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move changed. entities: those of whom something was learned or forgotten."""

    memories: frozenset[UUID]
    entities: frozenset[UUID]


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


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"
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
