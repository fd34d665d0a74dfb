"""Two entities are one: what is known of the first is known of the second from here on, and the first is no more."""

from uuid import UUID

from sqlalchemy import Connection, text

from db import moving, registry
from db.decisions import Stamp
from db.moving import Moved
from db.refs import LaneRef
from db.registry import Standing


def merge(connection: Connection, lane: LaneRef, *, entity: Standing, into: Standing, stamp: Stamp) -> Moved:
    """Move all that is known of an entity to another: memories, relations, names, children, questions and examples.

    What is not known of the other, description or parent, it takes over, unless it would be a part of itself.
    """
    moved = moving.move(
        connection,
        lane,
        source=entity.entity_id,
        target=into.entity_id,
        memories=moving.memories_naming(connection, lane, entity.entity_id),
        examples=moving.examples_naming(connection, lane, entity.entity_id),
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


def _parent(connection: Connection, lane: LaneRef, entity: Standing, into: Standing) -> UUID | None:
    """The parent of what the two become: the first that is not one of the two, nor a part of them."""
    both = {entity.entity_id, into.entity_id}
    parents = (parent for parent in (into.parent_id, entity.parent_id) if parent is not None)
    lines = ((parent, {parent} | registry.ancestors(connection, lane, parent)) for parent in parents)
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
