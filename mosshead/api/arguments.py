"""Check the memories, entities, kinds and schemas that an app passes. Errors name the argument."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from mosshead.arguments import id_of
from mosshead.errors import InvalidEvent
from mosshead.models.kinds import MemoryKind
from mosshead.models.memories import Entity, StoredMemory
from mosshead.models.questions import Candidate

AMemory = StoredMemory | UUID | str
AnEntity = Entity | UUID | str


def memory_id(given: AMemory, name: str = "memories") -> UUID:
    """Return the id of a memory. Raises NotFound."""
    return given.id if isinstance(given, StoredMemory) else id_of(name, given)


def memory_ids(given: AMemory | Iterable[AMemory]) -> list[UUID]:
    """Return the ids of the memories, without duplicates. Raises NotFound."""
    several = [given] if isinstance(given, StoredMemory | UUID | str) else given
    return list(dict.fromkeys(map(memory_id, several)))


def entity_id(given: AnEntity | Candidate, name: str = "entity") -> UUID:
    """Return the id of an entity. Raises NotFound."""
    if isinstance(given, Entity):
        return given.id
    return given.entity_id if isinstance(given, Candidate) else id_of(name, given)


def checked_kind(kind: object) -> MemoryKind | None:
    """Return a memory kind, or None for all kinds. Raises ValueError, which lists the kinds."""
    if kind is None:
        return None
    try:
        return MemoryKind(str(kind))
    except ValueError:
        raise ValueError(f"kind: one of {', '.join(MemoryKind)}, or None for all, got {kind!r}") from None


def schemas_of(name: str, given: Iterable[type[BaseModel] | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return schemas in the form that events carry. Raises InvalidEvent if one is not a schema, or if two share a name."""
    if isinstance(given, type | str | Mapping):
        raise InvalidEvent(f"{name}: give a list of pydantic models, or of JSON Schemas with a title")
    shapes = [_shape(f"{name}.{number}", one) for number, one in enumerate(given)]
    twice = next((one for one, count in Counter(shape["name"] for shape in shapes).items() if count > 1), None)
    if twice is not None:
        raise InvalidEvent(f"{name}: two schemas are called {twice}; rename one")
    return shapes


def _shape(name: str, schema: type[BaseModel] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(schema, Mapping):
        return {"name": schema.get("title"), "json_schema": dict(schema)}
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise InvalidEvent(f"{name}: a pydantic model, or a JSON Schema with a title, got {type(schema).__name__}")
    return {"name": schema.__name__, "json_schema": _unfolded(schema.model_json_schema())}


def _unfolded(schema: dict[str, Any]) -> dict[str, Any]:
    """Resolve the top-level ``$ref`` that pydantic emits for a recursive model."""
    pointer = str(schema.get("$ref", "")).rpartition("/")[2]
    return {**schema["$defs"][pointer], "$defs": schema["$defs"]} if pointer else schema
