"""The profiles of entities: which await their refresh, and how they are stored refreshed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, text

from db.entities import OF_LANE, PARENT, REGISTERED, registered
from db.refs import LaneRef
from recollect.registry import RegisteredEntity


@dataclass(frozen=True, slots=True)
class DirtyProfile:
    """A profile that awaits its refresh, with what the refresh needs. memories: contents, most salient first."""

    entity: RegisteredEntity
    summary: str
    dirty_since: datetime
    memories: tuple[str, ...]


def touch(connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID]) -> None:
    """Mark profiles as awaiting a refresh."""
    rows = [{**lane.scope, "entity_id": entity_id} for entity_id in sorted(set(entity_ids))]
    if rows:
        connection.execute(_TOUCH, rows)


def dirty_profiles(connection: Connection, lane: LaneRef, *, limit: int, memories: int) -> list[DirtyProfile]:
    """Profiles that await a refresh, longest first, with the most salient memories about each."""
    rows = connection.execute(_DIRTY, {**lane.scope, "limit": limit, "memories": memories})
    return [
        DirtyProfile(
            entity=registered(row),
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


_TOUCH = text("""
    insert into recollect.profiles as profile (tenant_id, namespace_id, entity_id, dirty_since)
    values (:tenant_id, :namespace_id, :entity_id, clock_timestamp())
    on conflict (tenant_id, namespace_id, entity_id) do update set dirty_since = excluded.dirty_since
""")

_DIRTY = text(f"""
    select {REGISTERED}, profile.summary, profile.dirty_since,
           array(select memory.content from recollect.memory_entities as link
                 join recollect.memories as memory using (tenant_id, namespace_id, memory_id)
                 where link.tenant_id = entity.tenant_id and link.namespace_id = entity.namespace_id
                   and link.entity_id = entity.entity_id and link.certainty = 'sure' and link.known_to is null
                   and memory.known_to is null and memory.state = 'active'
                 order by link.role = 'subject' desc, memory.salience desc, memory.valid_from desc, memory.memory_id
                 limit :memories) as memories
    from recollect.profiles as profile
    join recollect.entities as entity using (tenant_id, namespace_id, entity_id) {PARENT}
    where {OF_LANE} and profile.dirty_since is not null
    order by profile.dirty_since limit :limit
""")

_SAVE_PROFILE = text("""
    update recollect.profiles
    set summary = :summary, version = version + 1, refreshed_at = now(),
        dirty_since = case when dirty_since = :dirty_since then null else dirty_since end
    where tenant_id = :tenant_id and namespace_id = :namespace_id and entity_id = :entity_id
""")
