"""Who stands in the registry now: by id, with what was merged followed to what it is part of."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db.refs import LaneRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An entity as it stands in the registry."""

    entity_id: UUID
    name: str
    entity_type: str
    description: str | None
    parent_id: UUID | None
    is_user: bool


def find(connection: Connection, lane: LaneRef, entity_id: UUID) -> Standing | None:
    """An entity of the registry; None where there is none of that id, or none any more."""
    row = connection.execute(_FIND, {**lane.scope, "entity_id": entity_id}).one_or_none()
    return Standing(**row._asdict()) if row else None


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
