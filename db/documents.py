"""Documents on the write side: one JSON object for each schema of a namespace.

As with memories, a row is one version. A change ends the current row, begins the next version, and is marked with its decision.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db import namespaces
from db.decisions import Stamp
from db.keys import ENDED, LaneRef, VersionConflict
from mosshead.ids import document_id
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A current or past version of a document.

    fields: by JSON Pointer, when each was set, by whom and by which decision.
    """

    document_id: UUID
    name: str
    version: int
    body: Mapping[str, Any]
    fields: Mapping[str, Mapping[str, Any]]


def id_of(connection: Connection, lane: LaneRef, name: str) -> UUID:
    """Return the id of a namespace's document of a schema, even if it does not exist."""
    return document_id(namespaces.home_id(connection, lane), name)


def current(connection: Connection, lane: LaneRef, name: str) -> DocumentVersion | None:
    """Return a namespace's document of a schema; None if there is none."""
    row = Sql(f"""
        select {_COLUMNS} from mosshead.documents where {_DOCUMENT} and known_to is null
    """).row(connection, _of(connection, lane, name))
    return DocumentVersion(*row) if row else None


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
    """Write the next version of a document. read: the version it was made from, 0 if there was none.

    Raises VersionConflict if the document is no longer at that version.
    """
    row = {**_of(connection, lane, name), **stamp.columns, "read": read}
    ended = Sql(f"""
        update mosshead.documents set {ENDED}
        where {_DOCUMENT} and version = %(read)s and known_to is null
    """).changed(connection, row)
    # A document that an undo removed continues its version numbers.
    begun = Sql(f"""
        insert into mosshead.documents
            (tenant_id, namespace_id, document_id, schema_name, body, fields, version, known_from, made_by)
        select %(tenant_id)s, %(namespace_id)s, %(document_id)s, %(name)s, %(body)s, %(fields)s,
               (select coalesce(max(version), 0) + 1 from mosshead.documents where {_DOCUMENT}), %(at)s, %(decision_id)s
        where not exists (select from mosshead.documents where {_DOCUMENT} and known_to is null)
        on conflict do nothing
    """).changed(connection, row, name=name, body=Jsonb(dict(body)), fields=Jsonb(dict(fields)))
    if (ended, begun) != (min(read, 1), 1):
        raise VersionConflict(f"document {name} is no longer at version {read}")


def formed_of(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> set[UUID]:
    """Return the decisions that formed documents from the given messages."""
    found = Sql(f"""
        select decision_id from mosshead.decisions
        where {OF_NAMESPACE} and action = 'document' and fact -> 'messages' ?| %(messages)s::text[]
    """).scalars(connection, lane.scope, messages=[str(one) for one in messages])
    return set(found)


def all_versions(connection: Connection, lane: LaneRef) -> list[DocumentVersion]:
    """Return every version of every document of a namespace."""
    rows = Sql(f"""
        select {_COLUMNS} from mosshead.documents
        where {OF_NAMESPACE} order by document_id, version
    """).run(connection, lane.scope)
    return [DocumentVersion(*row) for row in rows]


def said_to(connection: Connection, lane: LaneRef) -> dict[UUID, str]:
    """Return the text of the messages behind each document decision, by decision."""
    return Sql(f"""
        select decision.decision_id, string_agg(message.content, ' ') as said
        from mosshead.decisions as decision
        cross join lateral jsonb_array_elements_text(decision.fact -> 'messages') as source
        join mosshead.messages as message
          on {both_of_namespace("message", "decision")} and message.message_id = cast(source.value as uuid)
        where {of_namespace("decision")} and decision.action = 'document'
        group by decision.decision_id
    """).pairs(connection, lane.scope)


def trim(connection: Connection, lane: LaneRef, decisions: Collection[UUID]) -> None:
    """Remove the patches of decisions from the log, for an erasure; the ids of their messages stay."""
    Sql(f"""
        update mosshead.decisions set fact = jsonb_set(fact, '{{patch}}', '{{}}')
        where {OF_NAMESPACE} and action = 'document' and decision_id = any(%(decisions)s::uuid[])
    """).run(connection, lane.scope, decisions=list(decisions))


def rewrite(connection: Connection, lane: LaneRef, one: DocumentVersion) -> None:
    """Rewrite a version in place. Only an erasure may do that."""
    said = {"body": Jsonb(dict(one.body)), "fields": Jsonb(dict(one.fields))}
    Sql(f"""
        update mosshead.documents set body = %(body)s, fields = %(fields)s where {_DOCUMENT} and version = %(version)s
    """).run(connection, lane.scope, document_id=one.document_id, version=one.version, **said)


def delete(connection: Connection, lane: LaneRef, document: UUID) -> None:
    """Delete a document with all its versions."""
    Sql(f"delete from mosshead.documents where {_DOCUMENT}").run(connection, lane.scope, document_id=document)


def _of(connection: Connection, lane: LaneRef, name: str) -> dict[str, UUID]:
    return {**lane.scope, "document_id": id_of(connection, lane, name)}


_DOCUMENT = f"{OF_NAMESPACE} and document_id = %(document_id)s"
_COLUMNS = "document_id, schema_name, version, body, fields"
