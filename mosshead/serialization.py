"""What a read gives back, as JSON has it, and what a text says as JSON."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

_TOLD = ("text", "partial")
"""What a result works out of its fields, and whoever gets it as JSON cannot."""


def to_json(result: Any) -> Any:
    """A result, or a list or a mapping of some, as values that ``json.dumps`` takes.

    A result becomes an object of its fields, with its ``text`` and whether it is ``partial`` where it tells them. Ids are
    strings; times are those of ISO 8601, with their offset from UTC. Raises TypeError for what is none of these.
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
    """The object that a text says as JSON; None where it is no JSON, or says something else."""
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
        case date():  # as are times
            return one.isoformat()
    from pydantic import BaseModel  # few results hold one, and the help of a command needs none

    if isinstance(one, BaseModel):
        return one.model_dump(mode="json")
    raise TypeError(f"{type(one).__name__}: no value of JSON; give a result of a read, or a list or a mapping of some")
