"""A document as the fields of a form, and what somebody made of them as a JSON Merge Patch (RFC 7396). Pure.

A field is a leaf of the document, named by its JSON Pointer (RFC 6901). A form brings for each what it showed and what it says
now; where the two differ, the field is part of the patch, so that what nobody touched overwrites nothing.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["text", "number", "boolean", "list", "json"]


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf. pointer: "/address/city". value: as its input shows it; a list has one entry a line."""

    pointer: str
    kind: Kind
    value: str

    @property
    def label(self) -> str:
        """address › city"""
        return " › ".join(_keys(self.pointer))


@dataclass(frozen=True, slots=True)
class Change:
    """What a form makes of a field. was: what the form showed. said: what it says now."""

    pointer: str
    kind: Kind
    was: str
    said: str


def fields_of(body: Mapping[str, Any]) -> list[Field]:
    """The leaves of a document, in its order."""
    return list(_leaves(body, ""))


def patch_of(changes: Iterator[Change] | list[Change]) -> dict[str, Any]:
    """The patch of what was changed; what was emptied is removed. Raises ValueError, which names the field that does not fit."""
    patch: dict[str, Any] = {}
    for change in changes:
        if plain(change.was) == plain(change.said):
            continue
        *above, last = _keys(change.pointer)
        inner = patch
        for key in above:
            inner = inner.setdefault(key, {})
        inner[last] = _value(change)
    return patch


def guessed(said: str) -> Any:
    """The value of a new field: JSON where it is some, else the text itself."""
    try:
        value = json.loads(said, parse_constant=_refuse)
        json.dumps(value, allow_nan=False)  # 1e999 is a number to Python and none to JSON
    except ValueError:
        return said.strip()
    return value


def _leaves(body: Mapping[str, Any], above: str) -> Iterator[Field]:
    for key, value in body.items():
        pointer = f"{above}/{key.replace('~', '~0').replace('/', '~1')}"
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, pointer)
        else:
            yield Field(pointer, *_shown(value))


def _shown(value: Any) -> tuple[Kind, str]:
    if isinstance(value, bool):
        return "boolean", "true" if value else "false"
    if isinstance(value, int | float):
        return "number", json.dumps(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, list) and all(
        isinstance(one, str) and one.strip() and len(one.splitlines()) == 1 for one in value
    ):
        return "list", "\n".join(value)
    return "json", "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _value(change: Change) -> Any:
    said = plain(change.said)
    if change.kind == "list":
        return [line.strip() for line in said.splitlines() if line.strip()]
    if not said.strip():
        return None
    if change.kind == "text":
        return said
    try:
        return json.loads(said, parse_constant=_refuse)
    except ValueError:
        what = {"number": "a number", "boolean": "true or false"}.get(change.kind, "JSON")
        raise ValueError(f"{change.pointer}: is to be {what}") from None


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def plain(text: str) -> str:
    """A text that a form brings: browsers send lines that end in CR LF."""
    return text.replace("\r\n", "\n")


def _keys(pointer: str) -> list[str]:
    return [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
