"""What some memories stand at, for a write that names them. The SQL of it, over the views of version 1."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from mosshead.namespaces import NamespacePath


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory as it is now. state: "active", "superseded" or "withdrawn"."""

    version: int
    state: str
    content: str


def standing(connection: Connection, path: NamespacePath, memory_ids: Collection[UUID]) -> dict[UUID, Standing]:
    """The latest versions of some memories, by id; of those that there are in this namespace."""
    rows = connection.execute(_STANDING, {**_scope(path), "memory_ids": list(memory_ids)})
    return {row.memory_id: Standing(row.version, row.state, row.content) for row in rows}


def content_of(connection: Connection, path: NamespacePath, memory_id: UUID, version: int) -> str | None:
    """What a version of a memory said; None where there was no such version."""
    content: str | None = connection.execute(
        _CONTENT, {**_scope(path), "memory_id": memory_id, "version": version}
    ).scalar()
    return content


def _scope(path: NamespacePath) -> dict[str, UUID]:
    return {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}


_STANDING = text("""
    select memory_id, version, state, content from mosshead_read_v1.memories
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = any(cast(:memory_ids as uuid[]))
      and known_to is null
""")

_CONTENT = text("""
    select content from mosshead_read_v1.memories
    where tenant_id = :tenant_id and namespace_id = :namespace_id and memory_id = :memory_id and version = :version
""")
