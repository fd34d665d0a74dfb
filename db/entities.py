"""The registry of entities on the write side: whom a batch may speak of, and what is learned of them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from db.decisions import Stamp
from db.keys import LaneRef
from mosshead.language.names import normalise
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """An entity as it is introduced. aliases: its other names."""

    entity_id: UUID
    name: str
    entity_type: str
    aliases: Sequence[str] = ()
    description: str | None = None


def introduce(connection: Connection, lane: LaneRef, newcomer: Newcomer, stamp: Stamp) -> None:
    """Write a new entity and its names."""
    row = {
        **lane.scope,
        **stamp.columns,
        "entity_id": newcomer.entity_id,
        "name": newcomer.name,
        "entity_type": newcomer.entity_type,
        "description": newcomer.description,
    }
    connection.execute(_INTRODUCE_NEWCOMER, row)
    names = {normalise(one): one for one in (*newcomer.aliases, newcomer.name)}
    rows = [{**row, "alias": alias, "normalised": normalised} for normalised, alias in names.items() if normalised]
    if rows:
        connection.execute(_NAME, rows)


_INTRODUCE_NEWCOMER = text("""
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :name, :entity_type, :description, :at, :decision_id)
""")

_NAME = text("""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :alias, :normalised, :at, :decision_id)
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryEntry:
    """An entity as it stands in the registry."""

    entity_id: UUID
    name: str
    entity_type: str
    description: str | None
    parent_id: UUID | None
    is_user: bool


def find(connection: Connection, lane: LaneRef, entity_id: UUID) -> RegistryEntry | None:
    """An entity of the registry; None where there is none of that id, or none any more."""
    row = connection.execute(_FIND, {**lane.scope, "entity_id": entity_id}).one_or_none()
    return RegistryEntry(**row._asdict()) if row else None


def ancestors(connection: Connection, lane: LaneRef, entity_id: UUID) -> set[UUID]:
    """The parent of an entity, its parent, and so on."""
    return set(connection.execute(_ANCESTORS, {**lane.scope, "entity_id": entity_id}).scalars())


def existing(connection: Connection, lane: LaneRef, entity_ids: Collection[UUID]) -> list[UUID]:
    """Those of some entities that still stand in the registry, in order."""
    return list(connection.execute(_STANDING, {**lane.scope, "entity_ids": list(entity_ids)}).scalars())


def merged(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Who those that were merged away are now, by their old ids; of others nothing is said."""
    rows = connection.execute(_MERGED, {**lane.scope, "entity_ids": list(entity_ids)})
    return {row.entity_id: row.now for row in rows}


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_FIND = text(f"""
    select entity_id, name, entity_type, description, parent_id, is_user from mosshead.entities
    where {_LANE} and entity_id = :entity_id and known_to is null
""")

# Without duplicates, so that it ends even where the parents stand in a circle.
_ANCESTORS = text("""
    with recursive line as (
        select parent_id from mosshead.entities
        where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id and known_to is null
        union
        select entity.parent_id from line join mosshead.entities as entity on entity.entity_id = line.parent_id
        where entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.known_to is null
    )
    select parent_id from line where parent_id is not null
""")

_STANDING = text(f"""
    select entity_id from mosshead.entities
    where {_LANE} and entity_id = any(cast(:entity_ids as uuid[])) and known_to is null order by entity_id
""")

_MERGED = text(f"""
    with recursive followed as (
        select entity_id, entity_id as now from unnest(cast(:entity_ids as uuid[])) as entity_id
        union
        select followed.entity_id, cast(decision.fact ->> 'into' as uuid)
        from followed join mosshead.decisions as decision on decision.fact ->> 'entity_id' = cast(followed.now as text)
        where {_LANE} and decision.action = 'merge' and decision.in_effect
    )
    select followed.entity_id, now from followed
    join mosshead.entities as entity on entity.entity_id = followed.now
    where {_LANE} and entity.known_to is null and now <> followed.entity_id
""")
