"""Entities on the write side: the registry, what links to it, and profiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, Row, text

from db.refs import LaneRef
from recollect.kinds import EntityType
from recollect.names import normalise
from recollect.registry import RegisteredEntity

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DirtyProfile:
    """A profile that awaits its refresh, with what the refresh needs. memories: contents, most salient first."""

    entity: RegisteredEntity
    summary: str
    dirty_since: datetime
    memories: tuple[str, ...]


def bearers(connection: Connection, lane: LaneRef, names: Sequence[str], model: str) -> list[RegisteredEntity]:
    """The entities that bear one of the names, each with its vectors, and the user, of whom there is but one, without."""
    rows = connection.execute(_BEARERS, {**lane.scope, "names": sorted({normalise(name) for name in names})}).all()
    vectors: dict[UUID, list[Vector]] = {}
    parameters = {**lane.scope, "model": model, "entity_ids": [row.entity_id for row in rows if not row.is_user]}
    for row in connection.execute(_VECTORS, parameters):
        vectors.setdefault(row.entity_id, []).append(HalfVector.from_text(row.vector).to_numpy().astype(np.float32))
    return [_registered(row, tuple(vectors.get(row.entity_id, ()))) for row in rows]


def save(connection: Connection, lane: LaneRef, entity: RegisteredEntity) -> None:
    """Write an entity, new or with more known of it, and its names; what is known already is not overwritten by nothing."""
    columns = ("entity_id", "name", "entity_type", "description", "parent_id", "is_user")
    connection.execute(_SAVE, {**lane.scope, **{column: getattr(entity, column) for column in columns}})
    names = dict.fromkeys((entity.name, *entity.aliases))
    rows = [
        {**lane.scope, "entity_id": entity.entity_id, "alias": name, "normalised": normalise(name)} for name in names
    ]
    connection.execute(_SAVE_ALIAS, [row for row in rows if row["normalised"]])


def link(connection: Connection, lane: LaneRef, memory_id: UUID, links: Mapping[UUID, tuple[str, str]]) -> None:
    """Say whom a memory is about: by entity, its role and how certain that is. Their profiles await a refresh from now on."""
    rows = [
        {**lane.scope, "memory_id": memory_id, "entity_id": entity_id, "role": role, "certainty": certainty}
        for entity_id, (role, certainty) in links.items()
    ]
    if rows:
        connection.execute(_LINK, rows)


def touch(connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID]) -> None:
    """Mark profiles as awaiting a refresh."""
    rows = [{**lane.scope, "entity_id": entity_id} for entity_id in sorted(set(entity_ids))]
    if rows:
        connection.execute(_TOUCH, rows)


def entities_of_memory(connection: Connection, lane: LaneRef, memory_id: UUID) -> list[UUID]:
    """Whom a memory is about."""
    return list(connection.execute(_OF_MEMORY, {**lane.scope, "memory_id": memory_id}).scalars())


def relate(
    connection: Connection,
    lane: LaneRef,
    memory_id: UUID,
    edges: Sequence[tuple[UUID, UUID, str, UUID]],
    valid_from: datetime,
) -> None:
    """Edges (relation id, subject, predicate, object) that a memory states."""
    rows = [
        {**lane.scope, "relation_id": key, "subject_id": subject, "predicate": predicate, "object_id": other}
        | {"memory_id": memory_id, "valid_from": valid_from}
        for key, subject, predicate, other in edges
    ]
    if rows:
        connection.execute(_RELATE, rows)


def end_relations(connection: Connection, lane: LaneRef, memory_id: UUID, valid_to: datetime) -> None:
    """End the edges that a superseded memory stated."""
    connection.execute(_END_RELATIONS, {**lane.scope, "memory_id": memory_id, "valid_to": valid_to})


def dirty_profiles(connection: Connection, lane: LaneRef, *, limit: int, memories: int) -> list[DirtyProfile]:
    """Profiles that await a refresh, longest first, with the most salient memories about each."""
    rows = connection.execute(_DIRTY, {**lane.scope, "limit": limit, "memories": memories})
    return [
        DirtyProfile(
            entity=_registered(row),
            summary=row.summary,
            dirty_since=row.dirty_since,
            memories=tuple(row.memories or ()),
        )
        for row in rows
    ]


def save_profile(connection: Connection, lane: LaneRef, profile: DirtyProfile, summary: str) -> None:
    """Store a refreshed summary; the profile stays dirty if a memory came in between."""
    parameters = {"entity_id": profile.entity.entity_id, "summary": summary, "dirty_since": profile.dirty_since}
    connection.execute(_SAVE_PROFILE, {**lane.scope, **parameters})


def known_entities(connection: Connection, lane: LaneRef, names: Sequence[str], limit: int) -> list[RegisteredEntity]:
    """The entities that a batch may speak of: those that bear one of the names (normalised), then those last touched."""
    rows = connection.execute(_KNOWN, {**lane.scope, "names": list(names), "limit": limit})
    return [_registered(row) for row in rows]


def _registered(row: Row[Any], vectors: tuple[Vector, ...] = ()) -> RegisteredEntity:
    return RegisteredEntity(
        entity_id=row.entity_id,
        name=row.name,
        entity_type=EntityType(row.entity_type),
        description=row.description,
        parent_id=row.parent_id,
        parent=row.parent,
        is_user=row.is_user,
        aliases=tuple(row.aliases or ()),
        vectors=vectors,
    )


_OF_LANE = "entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id"
_PARENT = """
    left join recollect.entities as parent
      on parent.tenant_id = entity.tenant_id and parent.namespace_id = entity.namespace_id
     and parent.entity_id = entity.parent_id
"""
_ALIASES = """
    (select array_agg(alias.alias order by alias.alias) from recollect.entity_aliases as alias
     where alias.tenant_id = entity.tenant_id and alias.namespace_id = entity.namespace_id
       and alias.entity_id = entity.entity_id) as aliases
"""
_REGISTERED = f"""
    entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
    parent.name as parent, {_ALIASES}
"""
_NAMED = """
    exists (select from recollect.entity_aliases as name
            where name.tenant_id = entity.tenant_id and name.namespace_id = entity.namespace_id
              and name.entity_id = entity.entity_id and name.normalised = any(:names))
"""

_BEARERS = text(f"""
    select {_REGISTERED} from recollect.entities as entity {_PARENT}
    where {_OF_LANE} and (entity.is_user or {_NAMED}) order by entity.entity_id
""")

_KNOWN = text(f"""
    select {_REGISTERED} from recollect.entities as entity {_PARENT}
    left join recollect.profiles as profile
      on profile.tenant_id = entity.tenant_id and profile.namespace_id = entity.namespace_id
     and profile.entity_id = entity.entity_id
    where {_OF_LANE}
    order by {_NAMED} desc, greatest(profile.dirty_since, profile.refreshed_at) desc nulls last, entity.entity_id
    limit :limit
""")

_VECTORS = text("""
    select owner.entity_id, cast(vector.embedding as text) as vector
    from (
        select 'profile' as owner_kind, entity_id, entity_id as owner_id from unnest(cast(:entity_ids as uuid[])) as entity_id
        union all
        select 'memory', link.entity_id, link.memory_id from recollect.memory_entities as link
        where link.tenant_id = :tenant_id and link.namespace_id = :namespace_id and link.entity_id = any(:entity_ids)
          and link.certainty = 'sure'
    ) as owner
    join recollect.embeddings as vector using (owner_kind, owner_id)
    where vector.tenant_id = :tenant_id and vector.namespace_id = :namespace_id and vector.model = :model
""")

_SAVE = text("""
    insert into recollect.entities as entity
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, is_user)
    values (:tenant_id, :namespace_id, :entity_id, :name, :entity_type, :description, :parent_id, :is_user)
    on conflict (tenant_id, namespace_id, entity_id) do update
        set description = coalesce(entity.description, excluded.description),
            parent_id = coalesce(entity.parent_id, excluded.parent_id)
""")

_SAVE_ALIAS = text("""
    insert into recollect.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
    values (:tenant_id, :namespace_id, :entity_id, :alias, :normalised) on conflict do nothing
""")

_LINK = text("""
    insert into recollect.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
    values (:tenant_id, :namespace_id, :memory_id, :entity_id, :role, :certainty) on conflict do nothing
""")

_TOUCH = text("""
    insert into recollect.profiles as profile (tenant_id, namespace_id, entity_id, dirty_since)
    values (:tenant_id, :namespace_id, :entity_id, clock_timestamp())
    on conflict (tenant_id, namespace_id, entity_id) do update set dirty_since = excluded.dirty_since
""")

_OF_MEMORY = text("""
    select entity_id from recollect.memory_entities
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = :memory_id
""")

_RELATE = text("""
    insert into recollect.relations
        (tenant_id, namespace_id, relation_id, subject_id, predicate, object_id, memory_id, valid_from)
    values (:tenant_id, :namespace_id, :relation_id, :subject_id, :predicate, :object_id, :memory_id, :valid_from)
    on conflict do nothing
""")

_END_RELATIONS = text("""
    update recollect.relations set valid_to = :valid_to
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = :memory_id and valid_to is null
""")

_DIRTY = text(f"""
    select {_REGISTERED}, profile.summary, profile.dirty_since,
           array(select memory.content from recollect.memory_entities as link
                 join recollect.memories as memory using (tenant_id, namespace_id, memory_id)
                 where link.tenant_id = entity.tenant_id and link.namespace_id = entity.namespace_id
                   and link.entity_id = entity.entity_id and link.certainty = 'sure'
                   and memory.known_to is null and memory.state = 'active'
                 order by link.role = 'subject' desc, memory.salience desc, memory.valid_from desc, memory.memory_id
                 limit :memories) as memories
    from recollect.profiles as profile
    join recollect.entities as entity using (tenant_id, namespace_id, entity_id) {_PARENT}
    where {_OF_LANE} and profile.dirty_since is not null
    order by profile.dirty_since limit :limit
""")

_SAVE_PROFILE = text("""
    update recollect.profiles
    set summary = :summary, version = version + 1, refreshed_at = now(),
        dirty_since = case when dirty_since = :dirty_since then null else dirty_since end
    where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id
""")
