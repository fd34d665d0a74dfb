"""The JSON Schema that a model is given with every call, as short as it can be said: all of it is paid for each time. Pure."""

from typing import Any

_OF_NO_USE = frozenset({"title", "description", "default"})
"""Titles repeat the names of fields, descriptions are the docstrings of our code, and in strict mode every field is required.
What a field is for stands in the prompt."""
_PLAIN = frozenset({"string", "integer", "number", "boolean", "array"})


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without titles and descriptions, with each definition where it is used, and "or null" beside a plain type.

    schema: of a pydantic model that does not hold itself.
    """
    definitions = schema.get("$defs", {})
    said = _compact({key: value for key, value in schema.items() if key != "$defs"}, definitions)
    assert isinstance(said, dict)  # noqa: S101 - a dict stays one
    return said


def _compact(value: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_compact(one, definitions) for one in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        own = {key: one for key, one in value.items() if key != "$ref"}
        return _compact({**definitions[value["$ref"].rpartition("/")[2]], **own}, definitions)
    # A property may be called "title": below "properties" the keys are the app's names and no words of the schema.
    kept = {
        key: {name: _compact(field, definitions) for name, field in one.items()}
        if key == "properties"
        else _compact(one, definitions)
        for key, one in value.items()
        if key not in _OF_NO_USE
    }
    return _or_null(kept)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """ "string, or null" as one type of two names, where it is that simple."""
    match schema.get("anyOf"):
        case [{"type": str(name), **more} as one, {"type": "null"}] if name in _PLAIN and "enum" not in more:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return {**rest, **one, "type": [one["type"], "null"]}
    return schema
