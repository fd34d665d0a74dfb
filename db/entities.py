"""The registry of entities on the write side: whom a batch may speak of, and what is learned of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from db.decisions import Stamp
from db.refs import LaneRef
from mosshead.kinds import EntityType
from mosshead.names import normalise
from mosshead.registry import RegisteredEntity


def user(connection: Connection, lane: LaneRef) -> RegisteredEntity | None:
    """The namespace's user, of whom there is but one; None before anything is known of him."""
    row = connection.execute(_USER, lane.scope).one_or_none()
    return registered(row) if row else None


def parents_above(connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """By entity its parent, of some entities and of all above them."""
    rows = connection.execute(_PARENTS_ABOVE, {**lane.scope, "entity_ids": list(entity_ids)})
    return {row.entity_id: row.parent_id for row in rows}


def save(connection: Connection, lane: LaneRef, entity: RegisteredEntity, stamp: Stamp) -> None:
    """Write an entity, new or with more known of it, and its names; what is known already is not overwritten."""
    columns = ("entity_id", "name", "entity_type", "description", "parent_id", "is_user")
    row = {**lane.scope, **stamp.columns, **{column: getattr(entity, column) for column in columns}}
    if connection.execute(_INTRODUCE, row).rowcount == 0:
        connection.execute(_LEARN, row)
    # An entity's own name is no decision's: if that were undone, other memories would be about somebody without a name.
    made_by = dict.fromkeys(entity.aliases, stamp.decision_id) | {entity.name: None}
    aliases = [
        {**row, "alias": name, "normalised": normalise(name), "decision_id": decision}
        for name, decision in made_by.items()
    ]
    connection.execute(_SAVE_ALIAS, [alias for alias in aliases if alias["normalised"]])


def known_entities(connection: Connection, lane: LaneRef, names: Sequence[str], limit: int) -> list[RegisteredEntity]:
    """The entities that a batch may speak of: those that bear one of the names (normalised), then those last touched."""
    rows = connection.execute(_KNOWN, {**lane.scope, "names": list(names), "limit": limit})
    return [registered(row) for row in rows]


def registered(row: Row[Any]) -> RegisteredEntity:
    """A row of REGISTERED columns as the registry's value."""
    return RegisteredEntity(
        entity_id=row.entity_id,
        name=row.name,
        entity_type=EntityType(row.entity_type),
        description=row.description,
        parent_id=row.parent_id,
        parent=row.parent,
        is_user=row.is_user,
        aliases=tuple(row.aliases or ()),
    )


OF_LANE = "entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.known_to is null"
PARENT = """
    left join mosshead.entities as parent
      on parent.tenant_id = entity.tenant_id and parent.namespace_id = entity.namespace_id
     and parent.entity_id = entity.parent_id and parent.known_to is null
"""
_ALIASES = """
    (select array_agg(alias.alias order by alias.alias) from mosshead.entity_aliases as alias
     where alias.tenant_id = entity.tenant_id and alias.namespace_id = entity.namespace_id
       and alias.entity_id = entity.entity_id and alias.known_to is null) as aliases
"""
REGISTERED = f"""
    entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
    parent.name as parent, {_ALIASES}
"""
_NAMED = """
    exists (select from mosshead.entity_aliases as name
            where name.tenant_id = entity.tenant_id and name.namespace_id = entity.namespace_id
              and name.entity_id = entity.entity_id and name.known_to is null and name.normalised = any(:names))
"""

_USER = text(f"""
    select {REGISTERED} from mosshead.entities as entity {PARENT} where {OF_LANE} and entity.is_user
""")

# A union drops what it has seen, so that a cycle ends.
_PARENTS_ABOVE = text(f"""
    with recursive above as (
        select entity.entity_id, entity.parent_id from mosshead.entities as entity
        where {OF_LANE} and entity.entity_id = any(cast(:entity_ids as uuid[])) and entity.parent_id is not null
        union
        select entity.entity_id, entity.parent_id
        from above join mosshead.entities as entity on entity.entity_id = above.parent_id
        where {OF_LANE} and entity.parent_id is not null
    )
    select entity_id, parent_id from above
""")

# Those last touched are read from the end of an index, however many there are.
_KNOWN = text(f"""
    with spoken_of as (
        select name.entity_id, true as named from mosshead.entity_aliases as name
        where name.tenant_id = :tenant_id and name.namespace_id = :namespace_id and name.known_to is null
          and name.normalised = any(:names)
        union all
        (select profile.entity_id, false from mosshead.profiles as profile
         where profile.tenant_id = :tenant_id and profile.namespace_id = :namespace_id and profile.touched_at is not null
         order by profile.touched_at desc limit :limit)
    ),
    each as (select entity_id, bool_or(named) as named from spoken_of group by entity_id)
    select {REGISTERED} from each join mosshead.entities as entity using (entity_id) {PARENT}
    left join mosshead.profiles as profile
      on profile.tenant_id = entity.tenant_id and profile.namespace_id = entity.namespace_id
     and profile.entity_id = entity.entity_id
    where {OF_LANE}
    order by each.named desc, profile.touched_at desc nulls last, entity.entity_id
    limit :limit
""")

_INTRODUCE = text("""
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, is_user, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :name, :entity_type, :description, :parent_id, :is_user, :at, :decision_id)
    on conflict (tenant_id, namespace_id, entity_id) where known_to is null do nothing
""")

_LEARN = text("""
    with ended as (
        update mosshead.entities set known_to = :at, ended_by = :decision_id
        where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id and known_to is null
          and (description is null and cast(:description as text) is not null
               or parent_id is null and cast(:parent_id as uuid) is not null)
        returning *
    )
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at, key,
         known_from, made_by)
    select tenant_id, namespace_id, entity_id, name, entity_type, coalesce(description, :description),
           coalesce(parent_id, :parent_id), tags, is_user, created_at, key, :at, :decision_id
    from ended
""")

_SAVE_ALIAS = text("""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :alias, :normalised, :at, :decision_id) on conflict do nothing
""")
