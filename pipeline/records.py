"""Facts in a shape of the app's own: what a model wrote, held against the schema and against what was said."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import jsonschema_rs

from pipeline.facts import Record, RecordSchema
from pipeline.prompts.answers import storable
from pipeline.prompts.vocabulary import Vocabulary

_MOST_CHARACTERS = 16_000
_DEEPEST = 20


def read_record(name: str, data: str, schemas: Sequence[RecordSchema], grounds: Vocabulary) -> Record | None:
    """The record that a model proposes, or None: its schema is unknown, it does not fit, or it says what nobody said.

    data: JSON text of an object. grounds: what was said. A value that the schema gives as a choice need not have been said.
    """
    schema = next((one.schema for one in schemas if one.name == name), None)
    read = _parsed(data)
    if schema is None or read is None or not _fits(read, schema):
        return None
    chosen = grounds | Vocabulary.of(_choices(schema))
    return Record(name=name, data=read) if all(_is_said(text, chosen) for text in _texts(read)) else None


def _parsed(data: str) -> dict[str, Any] | None:
    try:
        read = json.loads(data) if len(data) <= _MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        return None
    usable = isinstance(read, dict) and _is_shallow(read) and all(_is_finite(number) for number in _numbers(read))
    return _clean(read) if usable else None


def _fits(data: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Nothing is loaded from anywhere: a schema that points elsewhere fits nothing."""
    try:
        return jsonschema_rs.validator_for(dict(schema), offline=True).is_valid(data)
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def _is_shallow(value: Any, left: int = _DEEPEST) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_is_shallow(one, left - 1) for one in inner)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value


def _leaves(value: Any) -> Iterator[Any]:
    """What a value of JSON holds, without the names of its fields."""
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict | list):
        for one in inner:
            yield from _leaves(one)
    else:
        yield value


def _numbers(value: Any) -> Iterator[int | float]:
    yield from (leaf for leaf in _leaves(value) if isinstance(leaf, int | float) and not isinstance(leaf, bool))


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _texts(value: Any) -> Iterator[str]:
    yield from (
        str(leaf) for leaf in _leaves(value) if isinstance(leaf, str | int | float) and not isinstance(leaf, bool)
    )


def _is_said(text: str, grounds: Vocabulary) -> bool:
    return not (grounds.lacks_name_or_number_of(text) or grounds.doubts_an_opening_of(text))


def _choices(schema: Any) -> Iterator[str]:
    """The values and the names of fields that a schema gives, at any depth."""
    if isinstance(schema, list | tuple):
        for one in schema:
            yield from _choices(one)
    elif isinstance(schema, Mapping):
        for key, inner in schema.items():
            if key in {"enum", "const"}:
                yield from _texts(inner)
            else:
                yield from _choices(inner)
