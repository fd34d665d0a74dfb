"""The part of a `Namespace` that reads what was formed in the app's own shapes, typed, and edits documents."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Row

from mosshead.api.arguments import checked_limit
from mosshead.api.reads import Querying
from mosshead.errors import DocumentConflict, InvalidEvent
from mosshead.models.memories import Decision, Hit
from mosshead.publishing.publishers import AppSession
from mosshead.redaction import redact
from mosshead.store import documents as document_views
from mosshead.store.connection import tenant_transaction
from mosshead.text import readable

if TYPE_CHECKING:
    from mosshead.models.documents import Document, Episode, Record, StoredDocument

S = TypeVar("S", bound=BaseModel)


class Documenting(Querying):
    """The part of a `Namespace` that reads documents and records, and edits documents."""

    def profile_document(self, schema: type[S]) -> "Document[S] | None":
        """The document that the service keeps in a schema (`configure`); None where nothing has been formed or edited yet.

        Raises RecordMisfit where what is stored does not fit the schema any more, naming the fields.
        """

        row = self._row(schema.__name__)
        return None if row is None else document_views.document_of(schema, row)

    def documents(self) -> "list[StoredDocument]":
        """All documents of the namespace as JSON, in the order of their names."""

        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            rows = document_views.documents(connection, self.path)
        return [document_views.stored_of(row) for row in rows]

    def document_versions(self, schema: type[S], *, limit: int = 100) -> "list[Document[S]]":
        """The versions of a document, newest first; nothing overwrites them. Raises as `profile_document`."""

        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            rows = document_views.versions(connection, self.path, schema.__name__, checked_limit(limit))
        return [document_views.document_of(schema, row) for row in rows]

    def document_decisions(self, schema: type[BaseModel] | str, *, limit: int = 100) -> list[Decision]:
        """What was decided about a document, newest first: each patch, who made it, and what was refused and why."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return document_views.decisions(connection, self.path, _name(schema), checked_limit(limit))

    def edit_document(
        self,
        schema: type[BaseModel] | str,
        patch: Mapping[str, Any] | BaseModel,
        *,
        version: int | None = None,
        session: AppSession | None = None,
    ) -> UUID:
        """Edit a document by hand; an event, which returns its id at once and takes effect in its turn.

        schema: its pydantic model, by which the outcome is checked here, or its name alone. patch: a JSON Merge Patch (a None
            removes a field), or the whole document as it is to be.
        version: of the document that was edited (``.version``; 0 where there was none): where it has moved on, DocumentConflict
            names both. None edits whatever is there.
        The decision has the event's id: ``undo`` with it takes the edit back. What was said before the edit does not change those
        fields any more; what is said after it does. session: as for `publish`.
        Raises DocumentConflict, and InvalidEvent where the outcome would not fit. Where the document moves on before the event
        takes effect, it is refused, and `document_decisions` says so.
        """
        from mosshead.models import documents

        row = self._row(_name(schema))
        body, stands = ({}, 0) if row is None else (row.body, row.version)
        if version is not None and version != stands:
            raise DocumentConflict(
                f"version: {_name(schema)} is at version {stands}, and the edit is meant for {version}; "
                "read it again and edit what is there"
            )
        changes = documents.changes_to(body, patch) if isinstance(patch, BaseModel) else dict(patch)
        if not changes:
            raise InvalidEvent("patch: changes nothing; give the fields that are to be otherwise")
        if not isinstance(schema, str):
            changes = documents.as_read(schema, body, changes)
        event = {"type": "edit_document", "document": _name(schema), "patch": changes, "document_version": version}
        return self._publish([event], session=session)[0]

    def collection(self, schema: type[S], *, text: str | None = None, limit: int = 100) -> "list[Record[S]]":
        """The records of a schema (`configure`), newest first; or those most similar to a text, most similar first.

        Raises RecordMisfit where one does not fit the schema any more, naming the fields.
        """
        from mosshead.models import documents

        name, most = schema.__name__, checked_limit(limit)
        if text is not None:
            hits = self._similar_records(name, readable("text", text), most)
            return [
                documents.Record(value=documents.typed(schema, hit.record), memory=hit, similarity=hit.similarity)
                for hit in hits
            ]
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            memories = document_views.records(connection, self.path, name, most)
        return [documents.Record(value=documents.typed(schema, memory.record), memory=memory) for memory in memories]

    def episodes(self, *, text: str | None = None, limit: int = 20) -> "list[Record[Episode]]":
        """What was gone about in earlier conversations, and how it turned out (`configure`); as `collection`."""
        from mosshead.models.documents import Episode

        return self.collection(Episode, text=text, limit=limit)

    def _similar_records(self, name: str, text: str, limit: int) -> Sequence[Hit]:
        from mosshead.search.vectors import SearchTarget

        said = redact(text)
        if not said.strip():
            return ()
        vector = self._embedder.embed([said])[0]
        return self._nearest(SearchTarget(model=self._embedder.name, vector=vector, limit=limit, record=name)).hits

    def _row(self, name: str) -> Row[Any] | None:
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return document_views.document(connection, self.path, name)


def _name(schema: type[BaseModel] | str) -> str:
    return schema if isinstance(schema, str) else schema.__name__
