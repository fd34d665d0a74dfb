"""Check facts in the app's own schemas against the schema and the messages."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any, Final

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError

from mosshead.llm.structured import leaves, read_object
from pipeline.extraction.mentions import SourceVocabulary
from pipeline.models import FactRecord, RecordSchema

_MOMENT: Final = re.compile(
    r"(?:\d{4}-\d\d-(?P<day>\d\d))?(?:(?:^|[T ])(?P<clock>\d\d:\d\d)(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)

_DURATION: Final = re.compile(r"-?P(?=T?\d)(?:\d+[YMWD])*(?:T(?:\d+(?:\.\d+)?[HMS])+)?")
_FIGURES: Final = re.compile(r"\d+(?:\.\d+)?")
_MIDNIGHT: Final = "00:00"


def read_record(name: str, data: str, schemas: Sequence[RecordSchema], grounds: SourceVocabulary) -> FactRecord | None:
    """Return the proposed record; None if its schema is unknown, or it does not fit or contains unsaid claims.

    data: JSON text of an object. grounds: what was said. A value listed in the schema as a choice need not have been said.
    """
    schema = next((one.schema for one in schemas if one.name == name), None)
    try:
        read = read_object(data)
    except ValueError:
        return None
    stands = schema is not None and fits(read, closed(schema)) and is_said(read, schema, grounds)
    return FactRecord(name=name, data=read) if stands else None


def is_said(data: Any, schema: Mapping[str, Any], grounds: SourceVocabulary) -> bool:
    """Whether every name and number in the data was said, or is a choice in the schema."""
    chosen = grounds | SourceVocabulary.of(_choices(schema))
    return not any(
        chosen.lacks_name_or_number_of(part) or chosen.doubts_an_opening_of(part)
        for text in written_in(data)
        for part in _spoken(text)
    )


def written_in(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in the data, at any depth."""
    given = (leaf for leaf in leaves(value) if isinstance(leaf, str | int | float) and not isinstance(leaf, bool))
    yield from map(str, given)


def _spoken(text: str) -> list[str]:
    """Return the parts of a text that must have been said; for a date or time, the day and the clock time.

    The month may have been named, and the year may be the message's; midnight stands for no time of day.
    """
    if moment := _MOMENT.fullmatch(text):
        day, clock = moment["day"], moment["clock"]
        return [part for part in (day, None if day and clock == _MIDNIGHT else clock) if part] or [text]
    if _DURATION.fullmatch(text):
        return [figures for figures in _FIGURES.findall(text) if float(figures)]
    return [text]


def _choices(schema: Any) -> Iterator[str]:
    """Yield the choices listed in a schema, at any depth."""
    if isinstance(schema, list | tuple):
        for one in schema:
            yield from _choices(one)
    elif isinstance(schema, Mapping):
        for key, inner in schema.items():
            if key in {"enum", "const"}:
                yield from written_in(inner)
            else:
                yield from _choices(inner)


_DEFINED: Final = frozenset({"$defs", "definitions"})
_NAMED: Final = _DEFINED | {"properties"}
"""The keys below these are the app's own names."""

_VALUES: Final = frozenset({"default", "enum", "const", "examples"})
_TOGETHER: Final = frozenset({"allOf", "if", "then", "else", "not"})
_EITHER: Final = frozenset({"anyOf", "oneOf"})
_SHUT: Final[Mapping[str, Any]] = {"not": {}}
"""Matches nothing, like false, but is recognisably the library's own."""

_NUMBER: Final = re.compile(r"[-+]?[\d.]+")


def fits(data: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether data fits a JSON Schema, including formats, so that a typed read accepts it.

    Nothing is loaded: a schema with external references matches nothing.
    """
    try:
        validator = jsonschema_rs.validator_for(dict(schema), offline=True, validate_formats=True, formats=_FORMATS)
        return validator.is_valid(data)
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def closed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Disallow undeclared fields in all objects of a JSON Schema, unless it allows them explicitly.

    A combined schema (``allOf``, ``if``) allows the fields of all its parts.
    """
    shared = set[str]()
    done: dict[str, Any] = _at_any_depth(schema, partial(_closed, shared))
    defined = {key: done[key] for key in _DEFINED if isinstance(done.get(key), Mapping)}
    return done | {
        key: {name: _opened(one) if f"#/{key}/{name}" in shared else one for name, one in named.items()}
        for key, named in defined.items()
    }


def _closed(shared: set[str], one: dict[str, Any]) -> dict[str, Any]:
    """Close one schema whose parts are closed already. shared: collects references to schemas that share its fields."""
    places = _TOGETHER | (_EITHER if "properties" in one else frozenset())
    parts = [part for key in places & one.keys() for part in _parts_in(one[key])]
    parts += [one] if "properties" in one and "$ref" in one else []
    if not any(part.keys() & {"properties", "$ref", "unevaluatedProperties"} for part in parts):
        return {"additionalProperties": _SHUT, **one} if "properties" in one else one
    shared.update(part["$ref"] for part in parts if "$ref" in part)
    opened = {key: _opened(one[key]) for key in places & one.keys()}
    says = one.keys() & {"additionalProperties", "unevaluatedProperties"}
    return {**one, **opened, **({} if says else {"unevaluatedProperties": _SHUT})}


def _opened(one: Any) -> Any:
    """Reopen a schema, or several."""
    if isinstance(one, list):
        return [_opened(part) for part in one]
    return {key: value for key, value in one.items() if value is not _SHUT} if isinstance(one, Mapping) else one


def _parts_in(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)]


def accepted(schema: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a document its schema still allows: the app may have changed the schema since."""
    left = _accepted(dict(body), partial(accepts, schema))
    return left if isinstance(left, dict) else {}


def accepts(schema: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Whether a schema allows part of a document; required fields may be missing."""
    return fits(part, _of_parts(closed(schema)))


def _accepted(value: Any, has_a_place: Callable[[Any], bool]) -> Any:
    """Drop what has no place in the schema; None if nothing is left."""
    if has_a_place(value):
        return value
    if isinstance(value, Mapping):
        fields = {name: _accepted(one, partial(_has_a_place_as, name, has_a_place)) for name, one in value.items()}
        return {name: one for name, one in fields.items() if one is not None} or None
    if isinstance(value, list):
        items = (_accepted(one, lambda part: has_a_place([part])) for one in value)
        return [one for one in items if one is not None]
    return None


def _has_a_place_as(name: str, has_a_place: Callable[[Any], bool], part: Any) -> bool:
    return has_a_place({name: part})


def _of_parts(schema: Any) -> Any:
    """Relax a JSON Schema for parts of a document, of which several alternatives may match."""
    return _at_any_depth(
        schema,
        lambda one: {"anyOf" if key == "oneOf" else key: value for key, value in one.items() if key != "required"},
    )


def _at_any_depth(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Apply a change to every schema within a JSON Schema."""
    if isinstance(schema, list | tuple):
        return [_at_any_depth(one, change) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    inner = {
        key: {name: _at_any_depth(one, change) for name, one in value.items()}
        if key in _NAMED and isinstance(value, Mapping)
        else value
        if key in _VALUES
        else _at_any_depth(value, change)
        for key, value in schema.items()
    }
    return change(inner)


def _read_as(shape: Any) -> Callable[[str], bool]:
    """Check time formats by typed reading, because JSON Schema's formats require a zone."""
    adapter = TypeAdapter(shape)

    def reads(text: str) -> bool:
        try:
            adapter.validate_json(json.dumps(text), strict=True)
        except ValidationError:
            return False
        return _NUMBER.fullmatch(text) is None  # pydantic reads a number as seconds since 1970

    return reads


_FORMATS: Final = {"date-time": _read_as(datetime), "time": _read_as(time), "duration": _read_as(timedelta)}
