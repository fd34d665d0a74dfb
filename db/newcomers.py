"""Somebody new, who the app says there is. Unlike whom consolidation finds, they are gone when the decision is taken back."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.refs import LaneRef
from mosshead.names import normalise


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
