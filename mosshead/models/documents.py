"""Documents and records as `Namespace` gives them back, in the app's own shapes; and how an edit of one is checked. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, Field

from mosshead.errors import InvalidEvent, SchemaMismatch
from mosshead.models.memories import StoredMemory
from mosshead.schemas import alike, as_json, merged, patch_between, read

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


def as_read(schema: type[BaseModel], body: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """A patch with its values as the schema reads them: a form brings "42" for a number, which the service would refuse.

    Raises InvalidEvent where what it makes of the document does not fit the schema.
    """

    def after(changes: Mapping[str, Any]) -> BaseModel:
        return read(schema, merged(body, changes), as_shown=True)

    try:
        wanted = after(patch)
    except ValueError as error:
        raise InvalidEvent(f"patch: what it makes {error}") from None
    told = _with_values_of(as_json(wanted), patch)
    # A secret is not told as JSON, nor does every validator make the same of what it has made.
    return {
        name: told[name] if _reads_alike(wanted, after, {**patch, name: told[name]}, {name: value}) else value
        for name, value in patch.items()
    }


def _reads_alike(
    wanted: BaseModel,
    after: Callable[[Mapping[str, Any]], BaseModel],
    changes: Mapping[str, Any],
    given: Mapping[str, Any],
) -> bool:
    try:
        return alike(wanted, after(changes), given)
    except ValueError:
        return False


def _with_values_of(after: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The patch with what stands in a document where the patch sets something."""
    told: dict[str, Any] = dict(patch)
    for name, value in patch.items():
        stands = after.get(name)
        if value is None or stands is None:
            continue
        both = isinstance(value, Mapping) and isinstance(stands, Mapping)
        told[name] = _with_values_of(stands, value) if both else stands
    return told


def typed(schema: type[S], body: Any) -> S:
    """What is stored, as the app's model. Raises SchemaMismatch."""
    try:
        return read(schema, body)
    except ValueError as error:
        raise SchemaMismatch(
            f"{schema.__name__}: what is stored {error}; read it with the schema that it was made for"
        ) from None


class Episode(BaseModel):
    """A stretch of a conversation from which something can be learnt, from the assistant's side."""

    observation: str = Field(min_length=1, description="the situation: what was asked or went wrong, and what mattered")
    thoughts: str = Field(min_length=1, description="how it was gone about, and why so")
    action: str = Field(min_length=1, description="what was done or answered, and how")
    result: str = Field(min_length=1, description="how it turned out, and why; no advice")
