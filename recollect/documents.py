"""Documents and records as `Namespace` gives them back, in the app's own shapes; and how an edit of one is checked. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Row

from recollect.errors import InvalidEvent, RecordMisfit
from recollect.managing.patching import merged, patch_between
from recollect.managing.schemas import as_json, read
from recollect.results import StoredMemory

__all__ = [
    "Document",
    "Record",
    "StoredDocument",
    "changes_to",
    "check_fits",
    "document_of",
    "merged",
    "stored_of",
    "typed",
]

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
class StoredDocument:
    """A document as JSON, for whoever has not the model that it was made for. name: of its schema; the rest as `Document`."""

    name: str
    body: Mapping[str, Any] = field(hash=False)
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


def changes_to(body: Mapping[str, Any], wanted: BaseModel) -> dict[str, Any]:
    """What an edited document changes. A field that was never set stands at its default, and is not edited by staying there."""
    try:
        before = as_json(read(type(wanted), body))
    except ValueError:
        before = dict(body)
    return patch_between(before, as_json(wanted))


def check_fits(schema: type[BaseModel], body: Any) -> None:
    """Raises InvalidEvent where what an edit makes of a document does not fit its schema."""
    try:
        read(schema, body)
    except ValueError as error:
        raise InvalidEvent(f"patch: what it makes {error}") from None


def document_of(schema: type[S], row: Row[Any]) -> Document[S]:
    """A row as the document of a schema. Raises RecordMisfit."""
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


def typed(schema: type[S], body: Any) -> S:
    """What is stored, as the app's model. Raises RecordMisfit."""
    try:
        return read(schema, body)
    except ValueError as error:
        raise RecordMisfit(
            f"{schema.__name__}: what is stored {error}; read it with the schema that it was made for"
        ) from None
