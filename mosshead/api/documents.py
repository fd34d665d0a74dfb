"""What was formed in the app's own shapes, typed, and the edits of documents."""

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
    """Reads documents and records, and edits documents. `Namespace.configure` says which there are."""

    session: Session

    def get(self, schema: type[S]) -> Document[S] | None:
        """Read the document that the service keeps in a schema; None where nothing has been formed or edited yet.

        Raises SchemaMismatch where what is stored does not fit the schema any more, naming the fields.
        """
        row = self._row(schema.__name__)
        return None if row is None else stored.document_of(schema, row)

    def list(self) -> builtins.list[StoredDocument]:
        """List all documents of the namespace as JSON, in the order of their names."""
        return [stored.stored_of(row) for row in self.session.fetch(stored.documents)]

    def versions(self, schema: type[S], *, limit: int = 100) -> builtins.list[Document[S]]:
        """List the versions of a document, newest first; nothing overwrites them. Raises as `get`."""
        rows = self.session.fetch(stored.versions, schema.__name__, checked_limit(limit))
        return [stored.document_of(schema, row) for row in rows]

    def decisions(self, schema: type[BaseModel] | str, *, limit: int = 100) -> builtins.list[Decision]:
        """List what was decided about a document, newest first: each patch, who made it, and what was refused and why."""
        return self.session.fetch(stored.decisions, _name(schema), checked_limit(limit))

    def edit(
        self,
        schema: type[BaseModel] | str,
        patch: Mapping[str, Any] | BaseModel,
        *,
        version: int | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Edit a document by hand; an event, which returns its id at once and takes effect in its turn.

        schema: its pydantic model, by which the outcome is checked here, or its name alone. What no `configure` asks for is kept
            by hand alone: the service checks nothing of it, and forms nothing.
        patch: a JSON Merge Patch (a None removes a field), or the whole document as it is to be.
        version: of the document that was edited (``.version``; 0 where there was none): where it has moved on, DocumentConflict
            names both. None edits whatever is there.
        The decision has the event's id: ``undo`` with it takes the edit back. What was said before the edit does not change those
        fields any more; what is said after it does. session: as for `Namespace.publish`.
        Raises DocumentConflict, and InvalidEvent where the outcome would not fit. Where the document moves on before the event
        takes effect, it is refused, and `decisions` says so.
        """
        row = self._row(_name(schema))
        body, stands = ({}, 0) if row is None else (row.body, row.version)
        if version is not None and version != stands:
            raise DocumentConflict(
                f"version: {_name(schema)} is at version {stands}, and the edit is meant for {version}; "
                "read it again and edit what is there"
            )
        changes = changes_to(body, patch) if isinstance(patch, BaseModel) else dict(patch)
        if not changes:
            raise InvalidEvent("patch: changes nothing; give the fields that are to be otherwise")
        if not isinstance(schema, str):
            changes = as_read(schema, body, changes)
        event = {"type": "edit_document", "document": _name(schema), "patch": changes, "document_version": version}
        return self.session.publish(event, session=session)

    def records(self, schema: type[S], *, text: str | None = None, limit: int = 100) -> builtins.list[Record[S]]:
        """List the records of a schema, newest first; or those most similar to a text, most similar first.

        Raises SchemaMismatch where one does not fit the schema any more, naming the fields.
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
        """List what was gone about in earlier conversations, and how it turned out; as `records`."""
        return self.records(Episode, text=text, limit=limit)

    def _row(self, name: str) -> Row[Any] | None:
        return next(iter(self.session.fetch(stored.documents, names=[name])), None)


def _name(schema: type[BaseModel] | str) -> str:
    return schema if isinstance(schema, str) else schema.__name__
