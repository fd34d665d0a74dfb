"""Documents and records in the app's own schemas, and the check of a document edit. Pure."""

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
    """A document as an instance of its schema.

    Attributes:
        version: Counts from 1.
        made_by: The decision that made this version.
        by_hand: The fields that the app edited, as JSON Pointers ("/address/city"). Messages from before the edit do not
            change them.
    """

    value: S
    version: int
    updated_at: datetime
    made_by: UUID | None
    by_hand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document as JSON, for readers without its pydantic model. name: The schema's name. Otherwise like `Document`."""

    name: str
    body: Mapping[str, Any] = field(hash=False)
    version: int
    updated_at: datetime
    made_by: UUID | None
    by_hand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Generic[S]):
    """A record as an instance of its schema, with the memory that holds it. similarity: Cosine with the query text, if any."""

    value: S
    memory: StoredMemory = field(repr=False)
    similarity: float | None = None


def changes_to(body: Mapping[str, Any], wanted: BaseModel) -> dict[str, Any]:
    """Return the patch from a stored document to an edited one. Fields that keep their default do not count as edited."""
    try:
        before = as_json(read(type(wanted), body))
    except ValueError:
        before = dict(body)
    return patch_between(before, as_json(wanted))


def as_read(schema: type[BaseModel], body: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return a patch with its values coerced by the schema: a form sends "42" for a number, which the service would refuse.

    Raises InvalidEvent if the patched document does not match the schema.
    """

    def after(changes: Mapping[str, Any]) -> BaseModel:
        return read(schema, merged(body, changes), as_shown=True)

    try:
        wanted = after(patch)
    except ValueError as error:
        raise InvalidEvent(f"patch: what it makes {error}") from None
    told = _with_values_of(as_json(wanted), patch)
    # Keep the given value if the coerced one does not read back alike: JSON masks secrets, and validators may not be idempotent.
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
    """Return the patch with each value replaced by the document's value for that field."""
    told: dict[str, Any] = dict(patch)
    for name, value in patch.items():
        stands = after.get(name)
        if value is None or stands is None:
            continue
        both = isinstance(value, Mapping) and isinstance(stands, Mapping)
        told[name] = _with_values_of(stands, value) if both else stands
    return told


def typed(schema: type[S], body: Any) -> S:
    """Return stored data as an instance of the app's model. Raises SchemaMismatch."""
    try:
        return read(schema, body)
    except ValueError as error:
        raise SchemaMismatch(
            f"{schema.__name__}: the stored data {error}; read it with the schema it was made for"
        ) from None


class Episode(BaseModel):
    """A stretch of a conversation from which something can be learnt, from the assistant's side."""

    observation: str = Field(min_length=1, description="the situation: what was asked or went wrong, and what mattered")
    thoughts: str = Field(min_length=1, description="how it was gone about, and why so")
    action: str = Field(min_length=1, description="what was done or answered, and how")
    result: str = Field(min_length=1, description="how it turned out, and why; no advice")
