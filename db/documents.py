"""Documents on the write side: one JSON object of each schema that a namespace has asked for.

A row is one version, as of memories. A change ends the current row and begins the next version, and is marked with its decision.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db import namespaces
from db.decisions import Stamp
from db.keys import OF_LANE, LaneRef
from db.memories import VersionConflict
from mosshead.ids import document_id


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document as it is now. fields: by JSON Pointer, since when each is so, by whose hand and by which decision."""

    body: Mapping[str, Any]
    fields: Mapping[str, Mapping[str, Any]]
    version: int


def id_of(connection: Connection, lane: LaneRef, name: str) -> UUID:
    """The id of a namespace's document of a schema, whether there is one or not."""
    return document_id(namespaces.home_id(connection, lane), name)


def current(connection: Connection, lane: LaneRef, name: str) -> DocumentRow | None:
    """A namespace's document of a schema; None where there is none."""
    row = connection.execute(_CURRENT, _of(connection, lane, name)).one_or_none()
    return DocumentRow(row.body, row.fields, row.version) if row else None


def write(
    connection: Connection,
    lane: LaneRef,
    name: str,
    *,
    read: int,
    body: Mapping[str, Any],
    fields: Mapping[str, Mapping[str, Any]],
    stamp: Stamp,
) -> None:
    """The next version of a document. read: the version that it was made from, 0 where there was none.

    Raises VersionConflict where the document is not at that version.
    """
    row = {**_of(connection, lane, name), **stamp.columns, "read": read}
    ended = connection.execute(_END, row).rowcount
    begun = connection.execute(_BEGIN, {**row, "name": name, "body": dict(body), "fields": dict(fields)}).rowcount
    if (ended, begun) != (min(read, 1), 1):
        raise VersionConflict(f"document {name} is no longer at version {read}")


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A version of a document of a schema, as it is or was."""

    document_id: UUID
    name: str
    version: int
    body: Mapping[str, Any]
    fields: Mapping[str, Mapping[str, Any]]


def formed_of(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> set[UUID]:
    """The decisions that formed documents of some messages."""
    wanted = {**lane.scope, "messages": [str(one) for one in messages]}
    return set(connection.execute(_FORMED_OF, wanted).scalars())


def all_versions(connection: Connection, lane: LaneRef) -> list[DocumentVersion]:
    """Every version of every document of a namespace."""
    return [DocumentVersion(*row) for row in connection.execute(_ALL_VERSIONS, lane.scope)]


def said_to(connection: Connection, lane: LaneRef) -> dict[UUID, str]:
    """What the messages say of which documents were formed, by decision."""
    return {row.decision_id: row.said for row in connection.execute(_SAID_TO, lane.scope)}


def trim(connection: Connection, lane: LaneRef, decisions: Collection[UUID]) -> None:
    """What some decisions set holds more than is to be known: the log keeps of which messages they were made, and not what."""
    connection.execute(_TRIM, {**lane.scope, "decisions": list(decisions)})


def rewrite(connection: Connection, lane: LaneRef, one: DocumentVersion) -> None:
    """What a version says in place of what it said. For what is erased: nothing else changes what was."""
    row = {"document_id": one.document_id, "version": one.version, "body": dict(one.body), "fields": dict(one.fields)}
    connection.execute(_REWRITE, {**lane.scope, **row})


def delete(connection: Connection, lane: LaneRef, document: UUID) -> None:
    """Delete a document, with all that it ever said."""
    connection.execute(_DELETE, {**lane.scope, "document_id": document})


def _of(connection: Connection, lane: LaneRef, name: str) -> dict[str, UUID]:
    return {**lane.scope, "document_id": id_of(connection, lane, name)}


_DOCUMENT = "tenant_id = :tenant_id and namespace_id = :namespace_id and document_id = :document_id"

_CURRENT = text(f"select body, fields, version from mosshead.documents where {_DOCUMENT} and known_to is null")

_END = text(f"""
    update mosshead.documents set known_to = :at, ended_by = :decision_id
    where {_DOCUMENT} and version = :read and known_to is null
""")

# A document that an undo took away goes on counting where it was.
_BEGIN = text(f"""
    insert into mosshead.documents
        (tenant_id, namespace_id, document_id, schema_name, body, fields, version, known_from, made_by)
    select :tenant_id, :namespace_id, :document_id, :name, :body, :fields,
           (select coalesce(max(version), 0) + 1 from mosshead.documents where {_DOCUMENT}), :at, :decision_id
    where not exists (select from mosshead.documents where {_DOCUMENT} and known_to is null)
    on conflict do nothing
""").bindparams(bindparam("body", type_=JSONB), bindparam("fields", type_=JSONB))

_FORMED_OF = text(f"""
    select decision_id from mosshead.decisions
    where {OF_LANE} and action = 'document' and fact -> 'messages' ?| cast(:messages as text[])
""")

_SAID_TO = text("""
    select decision.decision_id, string_agg(message.content, ' ') as said
    from mosshead.decisions as decision
    cross join lateral jsonb_array_elements_text(decision.fact -> 'messages') as source
    join mosshead.messages as message on message.tenant_id = decision.tenant_id
      and message.namespace_id = decision.namespace_id and message.message_id = cast(source.value as uuid)
    where decision.tenant_id = :tenant_id and decision.namespace_id = :namespace_id and decision.action = 'document'
    group by decision.decision_id
""")

_TRIM = text(f"""
    update mosshead.decisions set fact = jsonb_set(fact, '{{patch}}', '{{}}')
    where {OF_LANE} and action = 'document' and decision_id = any(cast(:decisions as uuid[]))
""")

_ALL_VERSIONS = text(f"""
    select document_id, schema_name, version, body, fields from mosshead.documents where {OF_LANE} order by document_id, version
""")

_REWRITE = text(f"""
    update mosshead.documents set body = :body, fields = :fields where {_DOCUMENT} and version = :version
""").bindparams(bindparam("body", type_=JSONB), bindparam("fields", type_=JSONB))

_DELETE = text(f"delete from mosshead.documents where {_DOCUMENT}")
