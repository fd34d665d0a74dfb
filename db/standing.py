"""What some memories stand at, for a command that names them: whether they are known, and still say what was read."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from db.refs import LaneRef


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory as it is now. state: "active", "superseded" or "withdrawn"."""

    memory_id: UUID
    version: int
    state: str
    content: str


def memory_states(connection: Connection, lane: LaneRef, memory_ids: Sequence[UUID]) -> dict[UUID, Standing]:
    """The latest versions of some memories, by id; of those that there are."""
    rows = connection.execute(_STANDING, {**lane.scope, "memory_ids": list(memory_ids)})
    return {row.memory_id: Standing(row.memory_id, row.version, row.state, row.content) for row in rows}


def content_of(connection: Connection, lane: LaneRef, memory_id: UUID, version: int) -> str | None:
    """What a version of a memory said; None where there was no such version."""
    content: str | None = connection.execute(
        _CONTENT, {**lane.scope, "memory_id": memory_id, "version": version}
    ).scalar()
    return content


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_STANDING = text(f"""
    select memory_id, version, state, content from mosshead.memories
    where {_LANE} and memory_id = any(cast(:memory_ids as uuid[])) and known_to is null order by memory_id
""")

_CONTENT = text(f"""
    select content from mosshead.memories where {_LANE} and memory_id = :memory_id and version = :version
""")
