"""From rows of the read views to the values that a read gives back."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row

from mosshead.decisions import Considered, Decision
from mosshead.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.results import Entity, Occurrence, Source
from mosshead.zones import in_zone


def memory_fields(row: Row[Any]) -> dict[str, Any]:
    """The fields of a `StoredMemory`, or of a `Hit` but for its similarity."""
    occurred = None
    if row.occurred_from is not None:
        occurred = Occurrence(
            start=in_zone(row.occurred_from, row.occurred_from_offset),
            end=in_zone(row.occurred_to, row.occurred_to_offset),
            granularity=Granularity(row.granularity),
        )
    return {
        "id": row.memory_id,
        "version": row.version,
        "kind": MemoryKind(row.kind),
        "content": row.content,
        "salience": round(row.salience, 2),
        "confidence": round(row.confidence, 2),
        "tier": row.tier,
        "said_at": in_zone(row.valid_from, row.valid_from_offset),
        "occurred": occurred,
        "about": tuple(row.about or ()),
        "state": row.state,
        "superseded_by": row.superseded_by,
        "said_by": row.said_by,
        "marked": row.marked,
        "record_name": row.record_name,
        "record": row.record,
        "key": row.key,
    }


def source_of(row: Row[Any]) -> Source:
    """A source of a memory, with what is known of its message."""
    return Source(
        message_id=row.message_id,
        quote=row.quote,
        stance=row.stance,
        role=Role(row.role) if row.role else None,
        speaker=row.speaker,
        said_at=row.occurred_at and in_zone(row.occurred_at, row.occurred_at_offset),
    )


_OF_A_DECISION = """
    decision_id action reason memory_id target_id target_version fact candidates extracted_by decided_by prompt_version decided_at
    undoes in_effect refused
""".split()
DECISION_COLUMNS = ", ".join(f"decision.{name}" for name in _OF_A_DECISION)
"""What `decision_of` reads, of the alias ``decision``. With a star, what is prepared would fail once the view gains a column."""


def decision_of(row: Row[Any]) -> Decision:
    """A decision with what it saw."""
    return Decision(
        id=row.decision_id,
        action=row.action,
        reason=row.reason,
        memory_id=row.memory_id,
        target_id=row.target_id,
        target_version=row.target_version,
        fact=row.fact or {},
        candidates=tuple(
            Considered(memory_id=UUID(one["memory_id"]), version=one["version"], similarity=one["similarity"])
            for one in row.candidates
        ),
        extracted_by=row.extracted_by,
        decided_by=row.decided_by,
        prompt_version=row.prompt_version,
        decided_at=row.decided_at,
        undoes=row.undoes,
        in_effect=row.in_effect,
        refused=row.refused,
    )


def entity_of(row: Row[Any]) -> Entity:
    """An entity with its names and the number of memories about it."""
    return Entity(
        id=row.entity_id,
        key=row.key,
        name=row.name,
        entity_type=EntityType(row.entity_type),
        description=row.description,
        aliases=tuple(alias for alias in row.aliases or () if alias != row.name),
        parent=row.parent,
        is_user=row.is_user,
        memories=row.memories,
    )
