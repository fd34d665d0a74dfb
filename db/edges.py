"""Edges between memories: how two of them stand to each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.refs import LaneRef

EdgeKind = Literal["similar", "contradicts", "replaces"]


@dataclass(frozen=True, slots=True)
class Edge:
    """From a later memory to an earlier one. weight: of a similar one, the cosine of the two."""

    from_id: UUID
    to_id: UUID
    kind: EdgeKind
    weight: float | None = None


def join(connection: Connection, lane: LaneRef, edges: Sequence[Edge], stamp: Stamp) -> None:
    """Make edges; those that are there already stay."""
    rows = [
        {**lane.scope, "from_id": one.from_id, "to_id": one.to_id, "kind": one.kind, "weight": one.weight}
        for one in edges
    ]
    if rows:
        connection.execute(_JOIN, [{**row, **stamp.columns} for row in rows])


_JOIN = text("""
    insert into mosshead.memory_edges (tenant_id, namespace_id, from_id, to_id, kind, weight, known_from, made_by)
    values (:tenant_id, :namespace_id, :from_id, :to_id, :kind, :weight, :at, :decision_id) on conflict do nothing
""")
