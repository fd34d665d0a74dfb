"""The registry of entities on the write side: who bears a name, and what is learned of them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from sqlalchemy import Connection, Row, text

from db.decisions import Stamp
from db.refs import LaneRef
from recollect.kinds import EntityType
from recollect.names import normalise
from recollect.registry import RegisteredEntity

Vector = NDArray[np.float32]


def bearers(connection: Connection, lane: LaneRef, names: Sequence[str], model: str) -> list[RegisteredEntity]:
    """The entities that bear one of the names, each with its vectors, and the user, of whom there is but one, without."""
    rows = connection.execute(_BEARERS, {**lane.scope, "names": sorted({normalise(name) for name in names})}).all()
    vectors: dict[UUID, list[Vector]] = {}
    parameters = {**lane.scope, "model": model, "entity_ids": [row.entity_id for row in rows if not row.is_user]}
    for row in connection.execute(_VECTORS, parameters):
        vectors.setdefault(row.entity_id, []).append(HalfVector.from_text(row.vector).to_numpy().astype(np.float32))
    return [registered(row, tuple(vectors.get(row.entity_id, ()))) for row in rows]


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


def registered(row: Row[Any], vectors: tuple[Vector, ...] = ()) -> RegisteredEntity:
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
        vectors=vectors,
    )


OF_LANE = "entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.known_to is null"
PARENT = """
    left join recollect.entities as parent
      on parent.tenant_id = entity.tenant_id and parent.namespace_id = entity.namespace_id
     and parent.entity_id = entity.parent_id and parent.known_to is null
"""
_ALIASES = """
    (select array_agg(alias.alias order by alias.alias) from recollect.entity_aliases as alias
     where alias.tenant_id = entity.tenant_id and alias.namespace_id = entity.namespace_id
       and alias.entity_id = entity.entity_id and alias.known_to is null) as aliases
"""
REGISTERED = f"""
    entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
    parent.name as parent, {_ALIASES}
"""
_NAMED = """
    exists (select from recollect.entity_aliases as name
            where name.tenant_id = entity.tenant_id and name.namespace_id = entity.namespace_id
              and name.entity_id = entity.entity_id and name.known_to is null and name.normalised = any(:names))
"""

_BEARERS = text(f"""
    select {REGISTERED} from recollect.entities as entity {PARENT}
    where {OF_LANE} and (entity.is_user or {_NAMED}) order by entity.entity_id
""")

_KNOWN = text(f"""
    select {REGISTERED} from recollect.entities as entity {PARENT}
    left join recollect.profiles as profile
      on profile.tenant_id = entity.tenant_id and profile.namespace_id = entity.namespace_id
     and profile.entity_id = entity.entity_id
    where {OF_LANE}
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
          and link.certainty = 'sure' and link.known_to is null
    ) as owner
    join recollect.embeddings as vector using (owner_kind, owner_id)
    where vector.tenant_id = :tenant_id and vector.namespace_id = :namespace_id and vector.model = :model
""")

_INTRODUCE = text("""
    insert into recollect.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, is_user, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :name, :entity_type, :description, :parent_id, :is_user, :at, :decision_id)
    on conflict (tenant_id, namespace_id, entity_id) where known_to is null do nothing
""")

_LEARN = text("""
    with ended as (
        update recollect.entities set known_to = :at, ended_by = :decision_id
        where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id and known_to is null
          and (description is null and cast(:description as text) is not null
               or parent_id is null and cast(:parent_id as uuid) is not null)
        returning *
    )
    insert into recollect.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at,
         known_from, made_by)
    select tenant_id, namespace_id, entity_id, name, entity_type, coalesce(description, :description),
           coalesce(parent_id, :parent_id), tags, is_user, created_at, :at, :decision_id
    from ended
""")

_SAVE_ALIAS = text("""
    insert into recollect.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_from, made_by)
    values (:tenant_id, :namespace_id, :entity_id, :alias, :normalised, :at, :decision_id) on conflict do nothing
""")
