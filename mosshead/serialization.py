"""Convert read results to JSON, and parse JSON objects."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

_TOLD = ("text", "partial")
"""Computed properties of results, which JSON readers could not derive."""


def to_json(result: Any) -> Any:
    """Convert a result, or a list or mapping of results, to values for ``json.dumps``.

    A result becomes an object of its fields, plus ``text`` and ``partial`` if it has them. Ids become strings; times become ISO
    8601 with UTC offset. Raises TypeError for anything else.
    """
    if isinstance(result, Mapping):
        return {str(name): to_json(one) for name, one in result.items()}
    if isinstance(result, list | tuple | AbstractSet):
        return [to_json(one) for one in result]
    if is_dataclass(result) and not isinstance(result, type):
        own = [one.name for one in fields(result)]
        told = [name for name in _TOLD if name not in own and hasattr(result, name)]
        return {name: to_json(getattr(result, name)) for name in (*own, *told)}
    return _value(result)


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """Parse a JSON object; None if the text is invalid or not an object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _value(one: Any) -> Any:
    match one:
        case Enum():
            return one.value
        case None | str() | int() | float():
            return one
        case UUID():
            return str(one)
        case date():  # includes datetime
            return one.isoformat()
    from pydantic import BaseModel  # few results hold one, and the help of a command needs none

    if isinstance(one, BaseModel):
        return one.model_dump(mode="json")
    raise TypeError(f"{type(one).__name__}: not a JSON value; pass a read's result, or a list or mapping of results")
