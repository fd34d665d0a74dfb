"""The registry of entities on the write side: whom a batch may speak of, and what is learned of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db.decisions import Stamp
from db.keys import ENDED, OF_LANE, LaneRef, as_jsonb, begin, insert, of_lane
from mosshead.language.names import normalise
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.store.connection import Sql, same_namespace


def user(connection: Connection, lane: LaneRef) -> RegisteredEntity | None:
    """The namespace's user, of whom there is but one; None before anything is known of him."""
    row = Sql(f"""
        select {REGISTERED} from mosshead.entities as entity {PARENT} where {_NOW} and entity.is_user
    """).row(connection, lane.scope)
    return registered(row) if row else None


def parents_above(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """By entity its parent, of some entities and of all above them."""
    # A union drops what it has seen, so that a cycle ends.
    return Sql(f"""
        with recursive above as (
            select entity.entity_id, entity.parent_id from mosshead.entities as entity
            where {_NOW} and entity.entity_id = any(cast(:entity_ids as uuid[])) and entity.parent_id is not null
            union
            select entity.entity_id, entity.parent_id
            from above join mosshead.entities as entity on entity.entity_id = above.parent_id
            where {_NOW} and entity.parent_id is not null
        )
        select entity_id, parent_id from above
    """).pairs(connection, lane.scope, entity_ids=list(entity_ids))


def save(connection: Connection, lane: LaneRef, entities: Iterable[RegisteredEntity], stamp: Stamp) -> set[UUID]:
    """Write entities, new or with more known of them, and their names; returns those of which something was learned.

    A description or a parent that is known stays.
    """
    # An entity's own name is no decision's: if that were undone, other memories would be about somebody without a name.
    named = [(one, dict.fromkeys(one.aliases, stamp.decision_id) | {one.name: None}) for one in entities]
    return _write(connection, lane, named, stamp)


def introduce(connection: Connection, lane: LaneRef, newcomer: RegisteredEntity, stamp: Stamp) -> None:
    """Write an entity that goes, with all its names, when the decision is taken back."""
    names = (newcomer.name, *newcomer.aliases)
    _write(connection, lane, [(newcomer, dict.fromkeys(names, stamp.decision_id))], stamp)


def known_entities(connection: Connection, lane: LaneRef, names: Sequence[str], limit: int) -> list[RegisteredEntity]:
    """The entities that a batch may speak of: those that bear one of the names (normalised), then those last touched."""
    # Those last touched are read from the end of an index, however many there are.
    rows = Sql(f"""
        with spoken_of as (
            select name.entity_id, true as named from mosshead.entity_aliases as name
            where {of_lane("name")} and name.known_to is null
              and name.normalised = any(:names)
            union all
            (select profile.entity_id, false from mosshead.profiles as profile
             where {of_lane("profile")} and profile.touched_at is not null
             order by profile.touched_at desc limit :limit)
        ),
        each as (select entity_id, bool_or(named) as named from spoken_of group by entity_id)
        select {REGISTERED} from each join mosshead.entities as entity using (entity_id) {PARENT}
        left join mosshead.profiles as profile
          on {same_namespace("profile", "entity")} and profile.entity_id = entity.entity_id
        where {_NOW}
        order by each.named desc, profile.touched_at desc nulls last, entity.entity_id
        limit :limit
    """).run(connection, lane.scope, names=list(names), limit=limit)
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


_Named = tuple[RegisteredEntity, Mapping[str, UUID | None]]
"""An entity, and which decision, if any, gave it each of its names."""


def _write(connection: Connection, lane: LaneRef, named: Sequence[_Named], stamp: Stamp) -> set[UUID]:
    if not named:
        return set()
    columns = ("entity_id", "key", "name", "entity_type", "description", "parent_id", "is_user")
    entities = [
        {**lane.scope, **stamp.begun, **{column: getattr(entity, column) for column in columns}} for entity, _ in named
    ]
    aliases = [
        {**lane.scope, "known_from": stamp.at, "made_by": made_by}
        | {"entity_id": entity.entity_id, "alias": alias, "normalised": normalised}
        for entity, names in named
        for alias, made_by in names.items()
        if (normalised := normalise(alias))
    ]
    unknown = "(tenant_id, namespace_id, entity_id) where known_to is null do nothing"
    introduced = insert(connection, "entities", entities, conflict=unknown, returning="entity_id")
    known = begin(
        "entities", description="coalesce(description, new_description)", parent_id="coalesce(parent_id, new_parent_id)"
    )
    learned = Sql(f"""
        with ended as (
            update mosshead.entities as entity set {ENDED}
            from jsonb_populate_recordset(cast(null as mosshead.entities), :rows) as one
            where {of_lane("entity")} and entity.entity_id = one.entity_id
              and entity.known_to is null and (entity.description is null and one.description is not null
                   or entity.parent_id is null and one.parent_id is not null)
            returning entity.*, one.description as new_description, one.parent_id as new_parent_id
        )
        {known} from ended returning entity_id
    """).scalars(connection, lane.scope | stamp.columns, rows=as_jsonb(entities))
    called = insert(connection, "entity_aliases", aliases, conflict="do nothing", returning="entity_id")
    return {*introduced, *learned, *called}


_NOW = f"{of_lane('entity')} and entity.known_to is null"

PARENT = f"""
    left join mosshead.entities as parent
      on {same_namespace("parent", "entity")} and parent.entity_id = entity.parent_id and parent.known_to is null
"""

REGISTERED = f"""
    entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
    parent.name as parent,
    (select array_agg(alias.alias order by alias.alias) from mosshead.entity_aliases as alias
     where {same_namespace("alias", "entity")} and alias.entity_id = entity.entity_id and alias.known_to is null) as aliases
"""


def find(connection: Connection, lane: LaneRef, entity_id: UUID) -> RegisteredEntity | None:
    """An entity of the registry; None where there is none of that id, or none any more."""
    row = Sql(f"""
        select {REGISTERED} from mosshead.entities as entity {PARENT} where {_NOW} and entity.entity_id = :entity_id
    """).row(connection, lane.scope, entity_id=entity_id)
    return registered(row) if row else None


def existing(connection: Connection, lane: LaneRef, entity_ids: Collection[UUID]) -> list[UUID]:
    """Those of some entities that still stand in the registry, in order."""
    return Sql(f"""
        select entity_id from mosshead.entities
        where {OF_LANE} and entity_id = any(cast(:entity_ids as uuid[])) and known_to is null order by entity_id
    """).scalars(connection, lane.scope, entity_ids=list(entity_ids))


def merged(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Who those that were merged away are now, by their old ids; of others nothing is said."""
    return Sql(f"""
        with recursive followed as (
            select entity_id, entity_id as now from unnest(cast(:entity_ids as uuid[])) as entity_id
            union
            select followed.entity_id, cast(decision.fact ->> 'into' as uuid)
            from followed join mosshead.decisions as decision on decision.fact ->> 'entity_id' = cast(followed.now as text)
            where {OF_LANE} and decision.action = 'merge' and decision.in_effect
        )
        select followed.entity_id, now from followed
        join mosshead.entities as entity on entity.entity_id = followed.now
        where {OF_LANE} and entity.known_to is null and now <> followed.entity_id
    """).pairs(connection, lane.scope, entity_ids=list(entity_ids))
