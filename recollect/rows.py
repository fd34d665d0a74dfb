"""From rows of the read views to the values that a read gives back."""

from typing import Any

from sqlalchemy import Row

from recollect.kinds import EntityType, Granularity, MemoryKind
from recollect.results import Entity, Occurrence


def memory_fields(row: Row[Any]) -> dict[str, Any]:
    """The fields of a `StoredMemory`, or of a `Hit` but for its similarity."""
    occurred = None
    if row.occurred_from is not None:
        occurred = Occurrence(start=row.occurred_from, end=row.occurred_to, granularity=Granularity(row.granularity))
    return {
        "id": row.memory_id,
        "version": row.version,
        "kind": MemoryKind(row.kind),
        "content": row.content,
        "salience": round(row.salience, 2),
        "confidence": round(row.confidence, 2),
        "tier": row.tier,
        "said_at": row.valid_from,
        "occurred": occurred,
        "about": tuple(row.about or ()),
        "state": row.state,
        "superseded_by": row.superseded_by,
    }


def entity_of(row: Row[Any]) -> Entity:
    """An entity with its names and the number of memories about it."""
    return Entity(
        id=row.entity_id,
        name=row.name,
        entity_type=EntityType(row.entity_type),
        description=row.description,
        aliases=tuple(alias for alias in row.aliases or () if alias != row.name),
        parent=row.parent,
        is_user=row.is_user,
        memories=row.memories,
    )
