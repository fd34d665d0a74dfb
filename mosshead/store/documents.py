"""The SQL of the read side about documents and records. Functions take a connection and never commit."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from mosshead.ids import document_id
from mosshead.models.documents import Document, S, StoredDocument, typed
from mosshead.models.memories import Decision, StoredMemory
from mosshead.paths import NamespacePath
from mosshead.store.memories import MEMORY_COLUMNS, decision_of, decisions_statement, memory_fields


def document(connection: Connection, path: NamespacePath, name: str) -> Row[Any] | None:
    """The document of a schema as it is now; None where there is none."""
    return connection.execute(_DOCUMENT, _of(path, name)).one_or_none()


def documents(connection: Connection, path: NamespacePath) -> list[Row[Any]]:
    """Every document as it is now, in the order of the schemas' names."""
    return list(connection.execute(_DOCUMENTS, path.ids))


def versions(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[Row[Any]]:
    """The latest versions of a document, newest first."""
    return list(connection.execute(_VERSIONS, {**_of(path, name), "limit": limit}))


def decisions(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[Decision]:
    """What was decided about a document, newest first."""
    return [decision_of(row) for row in connection.execute(_DECISIONS, {**_of(path, name), "limit": limit})]


def records(connection: Connection, path: NamespacePath, name: str, limit: int) -> list[StoredMemory]:
    """The memories that hold a record of a shape, newest first."""
    rows = connection.execute(_RECORDS, {**path.ids, "name": name, "limit": limit})
    return [StoredMemory(**memory_fields(row)) for row in rows]


def _of(path: NamespacePath, name: str) -> dict[str, UUID]:
    return {**path.ids, "document_id": document_id(path.home_id, name)}


_OF_NAMESPACE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_DOCUMENT = text(f"""
    select body, version, fields, updated_at, made_by from mosshead_read_v1.documents
    where {_OF_NAMESPACE} and document_id = :document_id
""")

_DOCUMENTS = text(f"""
    select schema_name, body, version, fields, updated_at, made_by from mosshead_read_v1.documents
    where {_OF_NAMESPACE} order by schema_name
""")

_VERSIONS = text(f"""
    select body, version, fields, known_from as updated_at, made_by from mosshead_read_v1.documents_over_time
    where {_OF_NAMESPACE} and document_id = :document_id order by version desc limit :limit
""")

_DECISIONS = decisions_statement("""
    target_id = :document_id and action in ('document', 'undo') order by position desc limit :limit
""")

_RECORDS = text(f"""
    select {MEMORY_COLUMNS} from mosshead_read_v1.memories as memory
    where memory.tenant_id = :tenant_id and memory.namespace_id = :namespace_id and memory.known_to is null
      and memory.state = 'active' and memory.record_name = :name
    order by memory.valid_from desc, memory.memory_id limit :limit
""")


def document_of(schema: type[S], row: Row[Any]) -> Document[S]:
    """A row as the document of a schema. Raises SchemaMismatch."""
    return Document(
        value=typed(schema, row.body),
        version=row.version,
        updated_at=row.updated_at,
        made_by=row.made_by,
        by_hand=_by_hand(row),
    )


def stored_of(row: Row[Any]) -> StoredDocument:
    """A row as a document without its model."""
    return StoredDocument(
        name=row.schema_name,
        body=row.body,
        version=row.version,
        updated_at=row.updated_at,
        made_by=row.made_by,
        by_hand=_by_hand(row),
    )


def _by_hand(row: Row[Any]) -> tuple[str, ...]:
    return tuple(sorted(pointer for pointer, mark in row.fields.items() if mark["hand"]))
