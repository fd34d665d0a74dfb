"""`Namespace.documents`: documents and records in the app's own schemas, and edits of documents."""

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Row

from mosshead.api.session import Session
from mosshead.arguments import checked_limit
from mosshead.errors import DocumentConflict, InvalidEvent
from mosshead.models.documents import Document, Episode, Record, S, StoredDocument, as_read, changes_to, typed
from mosshead.models.memories import Decision, StoredMemory
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import redact
from mosshead.store import documents as stored
from mosshead.text import readable


@dataclass(frozen=True, slots=True)
class NamespaceDocuments:
    """Reads documents and records, and edits documents. `Namespace.configure` defines them."""

    session: Session

    def get(self, schema: type[S]) -> Document[S] | None:
        """Read the document of a schema, or None if nothing has been formed or edited yet.

        Raises:
            SchemaMismatch: The stored document no longer matches the schema; the error names the fields.
        """
        row = self._row(schema.__name__)
        return None if row is None else stored.document_of(schema, row)

    def list(self) -> builtins.list[StoredDocument]:
        """List the namespace's documents as JSON, ordered by name."""
        return [stored.stored_of(row) for row in self.session.fetch(stored.documents)]

    def versions(self, schema: type[S], *, limit: int = 100) -> builtins.list[Document[S]]:
        """List the versions of a document, newest first. For errors see `get`."""
        rows = self.session.fetch(stored.versions, schema.__name__, checked_limit(limit))
        return [stored.document_of(schema, row) for row in rows]

    def decisions(self, schema: type[BaseModel] | str, *, limit: int = 100) -> builtins.list[Decision]:
        """List the decisions about a document, newest first: each patch, what made it, and any refusal with its reason."""
        return self.session.fetch(stored.decisions, _name(schema), checked_limit(limit))

    def edit(
        self,
        schema: type[BaseModel] | str,
        patch: Mapping[str, Any] | BaseModel,
        *,
        version: int | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Edit a document. Publish an event and return its id at once; the service applies it in order.

        Later messages may change the edited fields again; earlier ones no longer do. The decision has the event's id; pass it to
        ``undo`` to revert the edit. If the document changes before the event is applied, the service refuses the edit, and
        `decisions` says so.

        Args:
            schema: Its pydantic model, which the result is checked against, or its name alone. The service neither checks nor
                forms
                a document that no `configure` asks for.
            patch: A JSON Merge Patch (a None removes a field), or the whole new document.
            version: The version you read (``.version``; 0 if there was no document). None edits any version.
            session: As for `Namespace.publish`.

        Raises:
            DocumentConflict: The document is not at ``version``.
            InvalidEvent: The patch changes nothing, or the result does not match the schema.
        """
        row = self._row(_name(schema))
        body, stands = ({}, 0) if row is None else (row.body, row.version)
        if version is not None and version != stands:
            raise DocumentConflict(
                f"version: {_name(schema)} is at version {stands}, and the edit is for version {version}; "
                "read it again and edit the current version"
            )
        changes = changes_to(body, patch) if isinstance(patch, BaseModel) else dict(patch)
        if not changes:
            raise InvalidEvent("patch: changes nothing; pass the fields to change")
        if not isinstance(schema, str):
            changes = as_read(schema, body, changes)
        event = {"type": "edit_document", "document": _name(schema), "patch": changes, "document_version": version}
        return self.session.publish(event, session=session)

    def records(self, schema: type[S], *, text: str | None = None, limit: int = 100) -> builtins.list[Record[S]]:
        """List the records of a schema, newest first; with ``text``, list the records most similar to it, most similar first.

        Raises:
            SchemaMismatch: A record no longer matches the schema; the error names the fields.
        """
        name, most = schema.__name__, checked_limit(limit)
        found: builtins.list[tuple[StoredMemory, float | None]]
        if text is None:
            found = [(one, None) for one in self.session.fetch(stored.records, name, most)]
        else:
            said = redact(readable("text", text))
            hits = self.session.nearest(said, limit=most, record=name) if said.strip() else ()
            found = [(hit, hit.similarity) for hit in hits]
        return [
            Record(value=typed(schema, memory.record), memory=memory, similarity=similarity)
            for memory, similarity in found
        ]

    def episodes(self, *, text: str | None = None, limit: int = 20) -> builtins.list[Record[Episode]]:
        """List episodes: how the assistant approached tasks in earlier conversations, and the outcomes. Works like `records`."""
        return self.records(Episode, text=text, limit=limit)

    def _row(self, name: str) -> Row[Any] | None:
        return next(iter(self.session.fetch(stored.documents, names=[name])), None)


def _name(schema: type[BaseModel] | str) -> str:
    return schema if isinstance(schema, str) else schema.__name__
