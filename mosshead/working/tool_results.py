"""The things in a tool's result, found by a mapping that the app declares once. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

_DEEPEST = 20

Fields = Mapping[str, Mapping[str, str]]
"""By type, the names of fields: ``{"page": {"id": "page_id", "label": "title"}}``."""

_KNOWN = ("id", "label", "under")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How things of a type look in a result.

    id, label: the fields that hold them; without a label, the id is one. under: the field that holds the thing, or a list of such
    things; anywhere without it.
    """

    type: str
    id: str
    label: str | None = None
    under: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A thing in a result."""

    type: str
    id: str
    label: str


def shapes_of(declared: Fields) -> tuple[Shape, ...]:
    """The mapping, checked. Raises ValueError, which names the field."""
    for kind, fields in declared.items():
        if not isinstance(fields, Mapping) or not fields.get("id") or set(fields) - {*_KNOWN}:
            raise ValueError(
                f'entities_in: of {kind!r} give the fields "id" and, if there are such, "label" and "under", '
                'as in {"page": {"id": "page_id", "label": "title"}}'
            )
    return tuple(Shape(type=kind, **fields) for kind, fields in declared.items())


def things_in(result: str | Mapping[str, Any] | Sequence[Any], shapes: Sequence[Shape]) -> tuple[Found, ...]:
    """The things in a result, each once, in its order. Raises ValueError where it is a text, and no JSON."""
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            raise ValueError("result: is no JSON; give what the tool returned, or name its entities yourself") from None
    found: dict[tuple[str, str], Found] = {}
    for one in _walk(result, None, shapes, _DEEPEST):
        found.setdefault((one.type, one.id), one)
    return tuple(found.values())


def _walk(value: Any, under: str | None, shapes: Sequence[Shape], deeper: int) -> Iterator[Found]:
    if deeper == 0:
        return
    if isinstance(value, Mapping):
        for shape in shapes:
            if shape.under in {None, under} and (found := _thing(value, shape)):
                yield found
        for name, inner in value.items():
            yield from _walk(inner, str(name), shapes, deeper - 1)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for inner in value:
            yield from _walk(inner, under, shapes, deeper - 1)


def _thing(value: Mapping[str, Any], shape: Shape) -> Found | None:
    key, label = _plain(value.get(shape.id)), _plain(value.get(shape.label)) if shape.label else None
    return Found(type=shape.type, id=key, label=label or key) if key else None


def _plain(value: object) -> str | None:
    """A text, a whole number or a UUID as text; None of anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | UUID):
        return None
    return str(value).strip() or None
