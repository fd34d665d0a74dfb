"""The SQL of the read side about documents and records. Functions take a connection and never commit."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from mosshead.ids import document_id
from mosshead.models.documents import Document, S, StoredDocument, typed
from mosshead.models.memories import Decision, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql
from mosshead.store.decisions import decisions_where
from mosshead.store.memories import memories_where


def documents(
    connection: Connection, path: NamespacePath, *, names: Sequence[str] | None = None, prefix: str = ""
) -> list[Row[Any]]:
    """Return the current documents: all, those of the given schemas, or with a prefix, ordered by schema name."""
    return Sql(f"""
        select schema_name, body, version, fields, updated_at, made_by from mosshead_read_v1.documents
        where {OF_NAMESPACE} and (%(names)s::text[] is null or schema_name = any(%(names)s::text[]))
          and starts_with(schema_name, %(prefix)s) order by schema_name
    """).rows(connection, path.ids, names=None if names is None else list(names), prefix=prefix)


def versions(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[Row[Any]]:
    """Return the latest versions of a document, newest first."""
    return Sql(f"""
        select body, version, fields, known_from as updated_at, made_by from mosshead_read_v1.documents_over_time
        where {OF_NAMESPACE} and document_id = %(document_id)s order by version desc limit %(limit)s
    """).rows(connection, path.ids, document_id=document_id(path.home_id, name), limit=limit)


def decisions(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[Decision]:
    """Return the decisions about a document, newest first."""
    which = "target_id = %(document_id)s and action in ('document', 'undo') order by position desc limit %(limit)s"
    return decisions_where(connection, path, which, document_id=document_id(path.home_id, name), limit=limit)


def records(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[StoredMemory]:
    """Return the memories with a record of a schema, newest first."""
    which = """memory.state = 'active' and memory.record_name = %(name)s
        order by memory.valid_from desc, memory.memory_id limit %(limit)s"""
    return memories_where(connection, path, which, name=name, limit=limit)


def document_of(schema: type[S], row: Row[Any]) -> Document[S]:
    """Convert a row to the document of a schema. Raises SchemaMismatch."""
    return Document(value=typed(schema, row.body), **_of_version(row))


def stored_of(row: Row[Any]) -> StoredDocument:
    """Convert a row to a document without its model."""
    return StoredDocument(name=row.schema_name, body=row.body, **_of_version(row))


def _of_version(row: Row[Any]) -> dict[str, Any]:
    by_hand = tuple(sorted(pointer for pointer, mark in row.fields.items() if mark["hand"]))
    return {"version": row.version, "updated_at": row.updated_at, "made_by": row.made_by, "by_hand": by_hand}
