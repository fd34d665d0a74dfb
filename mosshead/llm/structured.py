"""Structured answers: their base class, which fits the API's strict mode, and the JSON schema sent to endpoints."""

import json
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic import ValidatorFunctionWrapHandler as Reader

from mosshead.patterns import lazy_pattern

_UNSTORABLE = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSTORABLE_IN_LINES = lazy_pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Answer(BaseModel):
    """A frozen model without extra fields, which hides its input in errors because answers repeat users' words.

    item_by_item: it is a list of independent items, which are usable even if the rest was cut off.
    """

    item_by_item: ClassVar[bool] = False
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def storable(text: str) -> str:
    """Trim a text and drop characters that Postgres rejects (NUL) or terminals obey (escapes)."""
    return _UNSTORABLE.sub(" ", text).strip()


def verbatim(text: str) -> str:
    """Drop these characters but keep spaces and line ends."""
    return _UNSTORABLE_IN_LINES.sub(" ", text)


def or_none(given: Any, read: Reader) -> Any:
    """Return None for a value that does not fit, without failing the rest: for a `WrapValidator`."""
    try:
        return read(given)
    except ValidationError:
        return None


Text = Annotated[str, AfterValidator(storable)]
"""Text of an answer, made storable."""

JsonText = Annotated[Text, BeforeValidator(lambda given: given if isinstance(given, str) else json.dumps(given))]
"""JSON as text, because strict mode allows no free-form objects; or as an object, as models without a schema write it."""

Verbatim = Annotated[str, AfterValidator(verbatim)]
"""Text to be searched for verbatim, or inserted into another: its outer spaces matter."""

_OF_NO_USE = frozenset({"title", "description", "default"})
"""Titles repeat field names, and descriptions repeat our docstrings; the prompt explains the fields."""

_PLAIN = frozenset({"string", "integer", "number", "boolean", "array"})


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop titles, descriptions and references from a schema, and fold "or null" into plain types. Not for recursive models."""
    said: dict[str, Any] = _compact(
        {key: value for key, value in schema.items() if key != "$defs"}, schema.get("$defs", {})
    )
    return said


def _compact(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_compact(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        own = {key: one for key, one in value.items() if key != "$ref"}
        return _compact({**definitions[value["$ref"].rpartition("/")[2]], **own}, definitions)
    # A property may be called "title": below "properties", keys are the app's names.
    kept = {
        key: {name: _compact(field, definitions) for name, field in one.items()}
        if key == "properties"
        else _compact(one, definitions)
        for key, one in value.items()
        if key not in _OF_NO_USE
    }
    match kept.get("anyOf"):  # "string or null" becomes one type with two names if it is simple
        case [{"type": str(name), **more} as one, {"type": "null"}] if name in _PLAIN and "enum" not in more:
            return {**{key: value for key, value in kept.items() if key != "anyOf"}, **one, "type": [name, "null"]}
    return kept


MOST_CHARACTERS = 16_000
_DEEPEST = 20


def read_value(data: str) -> Any:
    """Parse JSON into a storable value. Raises ValueError if it is invalid, too long, too deep, or not finite."""
    if len(data) > MOST_CHARACTERS:
        raise ValueError(f"is longer than {MOST_CHARACTERS:,} characters")
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    return _storable_value(read, _DEEPEST)


def read_object(data: str) -> dict[str, Any]:
    """Parse a JSON object. Raises ValueError if it is anything else."""
    read = read_value(data)
    if not isinstance(read, dict):
        raise ValueError("is no object")  # noqa: TRY004 - it is what a model wrote that is wrong
    return read


def leaves(value: Any) -> Iterator[Any]:
    """Yield the values in a JSON value, without field names."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        yield value


def _storable_value(value: Any, deeper: int) -> Any:
    if deeper == 0:
        raise ValueError(f"is nested deeper than {_DEEPEST} levels")
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(key): _storable_value(inner, deeper - 1) for key, inner in value.items()}
        case list():
            return [_storable_value(inner, deeper - 1) for inner in value]
        case int() | float():
            with suppress(OverflowError):
                if isfinite(value):
                    return value
            raise ValueError("holds a number that is not finite")
    return value
