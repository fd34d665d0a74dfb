"""The part of a `Namespace` that reads what was formed in the app's own shapes, typed, and edits documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Row

from recollect import document_views
from recollect.checks import checked_limit, readable
from recollect.decisions import Decision
from recollect.errors import DocumentConflict, InvalidEvent, RecordMisfit
from recollect.managing.episodes import Episode
from recollect.managing.patching import merged, patch_between
from recollect.managing.schemas import as_json, read
from recollect.publishing.inbox import AppSession
from recollect.querying import Querying
from recollect.reading.nearest_sql import Wanted
from recollect.redaction import redact
from recollect.results import Hit, StoredMemory
from recollect.tenancy import tenant_transaction

S = TypeVar("S", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Generic[S]):
    """A document, typed.

    version: from 1; 0 is none. made_by: the decision that made this version. by_hand: the fields, as JSON Pointers
        ("/address/city"), that the app edited; what was said before the edit does not change them.
    """

    value: S
    version: int
    updated_at: datetime
    made_by: UUID | None
    by_hand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Generic[S]):
    """A record, typed, and the memory that holds it. similarity: cosine with the text that was asked for, if one was."""

    value: S
    memory: StoredMemory = field(repr=False)
    similarity: float | None = None


class Documenting(Querying):
    """The part of a `Namespace` that reads documents and records, and edits documents."""

    def profile_document(self, schema: type[S]) -> Document[S] | None:
        """The document that the service keeps in a schema (`configure`); None where nothing has been formed or edited yet.

        Raises RecordMisfit where what is stored does not fit the schema any more, naming the fields.
        """
        row = self._row(schema.__name__)
        return None if row is None else _document(schema, row)

    def document_versions(self, schema: type[S], *, limit: int = 100) -> list[Document[S]]:
        """The versions of a document, newest first; nothing overwrites them. Raises as `profile_document`."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            rows = document_views.versions(connection, self.path, schema.__name__, checked_limit(limit))
        return [_document(schema, row) for row in rows]

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
        row = self._row(_name(schema))
        body, stands = ({}, 0) if row is None else (row.body, row.version)
        if version is not None and version != stands:
            raise DocumentConflict(
                f"version: {_name(schema)} is at version {stands}, and the edit is meant for {version}; "
                "read it again and edit what is there"
            )
        changes = _changes_to(body, patch) if isinstance(patch, BaseModel) else dict(patch)
        if not changes:
            raise InvalidEvent("patch: changes nothing; give the fields that are to be otherwise")
        if not isinstance(schema, str):
            _check_fits(schema, merged(body, changes))
        event = {"type": "edit_document", "document": _name(schema), "patch": changes, "document_version": version}
        return self._publish([event], session=session)[0]

    def collection(self, schema: type[S], *, text: str | None = None, limit: int = 100) -> list[Record[S]]:
        """The records of a schema (`configure`), newest first; or those most similar to a text, most similar first.

        Raises RecordMisfit where one does not fit the schema any more, naming the fields.
        """
        name, most = schema.__name__, checked_limit(limit)
        if text is not None:
            hits = self._similar_records(name, readable("text", text), most)
            return [Record(value=_typed(schema, hit.record), memory=hit, similarity=hit.similarity) for hit in hits]
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            memories = document_views.records(connection, self.path, name, most)
        return [Record(value=_typed(schema, memory.record), memory=memory) for memory in memories]

    def episodes(self, *, text: str | None = None, limit: int = 20) -> list[Record[Episode]]:
        """What was gone about in earlier conversations, and how it turned out (`configure`); as `collection`."""
        return self.collection(Episode, text=text, limit=limit)

    def _similar_records(self, name: str, text: str, limit: int) -> Sequence[Hit]:
        said = redact(text)
        if not said.strip():
            return ()
        vector = self._embedder.embed([said])[0]
        return self._nearest(Wanted(model=self._embedder.name, vector=vector, limit=limit, record=name)).hits

    def _row(self, name: str) -> Row[Any] | None:
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return document_views.document(connection, self.path, name)


def _changes_to(body: Mapping[str, Any], wanted: BaseModel) -> dict[str, Any]:
    """What an edited document changes. A field that was never set stands at its default, and is not edited by staying there."""
    try:
        before = as_json(read(type(wanted), body))
    except ValueError:
        before = dict(body)
    return patch_between(before, as_json(wanted))


def _check_fits(schema: type[BaseModel], body: Any) -> None:
    try:
        read(schema, body)
    except ValueError as error:
        raise InvalidEvent(f"patch: what it makes {error}") from None


def _name(schema: type[BaseModel] | str) -> str:
    return schema if isinstance(schema, str) else schema.__name__


def _document(schema: type[S], row: Row[Any]) -> Document[S]:
    return Document(
        value=_typed(schema, row.body),
        version=row.version,
        updated_at=row.updated_at,
        made_by=row.made_by,
        by_hand=tuple(sorted(pointer for pointer, mark in row.fields.items() if mark["hand"])),
    )


def _typed(schema: type[S], body: Any) -> S:
    try:
        return read(schema, body)
    except ValueError as error:
        raise RecordMisfit(
            f"{schema.__name__}: what is stored {error}; read it with the schema that it was made for"
        ) from None
