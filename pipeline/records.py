"""Facts in a shape of the app's own: what a model wrote, held against the schema and against what was said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema_rs

from pipeline.facts import Record, RecordSchema
from pipeline.prompts.vocabulary import Vocabulary
from recollect.language_model.objects import leaves, read_object


def read_record(name: str, data: str, schemas: Sequence[RecordSchema], grounds: Vocabulary) -> Record | None:
    """The record that a model proposes, or None: its schema is unknown, it does not fit, or it says what nobody said.

    data: JSON text of an object. grounds: what was said. A value that the schema gives as a choice need not have been said.
    """
    schema = next((one.schema for one in schemas if one.name == name), None)
    try:
        read = read_object(data)
    except ValueError:
        return None
    if schema is None or not fits(read, schema):
        return None
    return Record(name=name, data=read) if is_said(read, schema, grounds) else None


def is_said(data: Any, schema: Mapping[str, Any], grounds: Vocabulary) -> bool:
    """Whether every name and number in some data occurs in what was said, or is a choice that the schema gives."""
    chosen = grounds | Vocabulary.of(_choices(schema))
    return all(_occurs(text, chosen) for text in _texts(data))


def fits(data: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether data fits a JSON Schema, its formats included: what does not, a typed read could not take.

    Nothing is loaded from anywhere: a schema that points elsewhere fits nothing.
    """
    try:
        return jsonschema_rs.validator_for(dict(schema), offline=True, validate_formats=True).is_valid(data)
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def _texts(value: Any) -> Iterator[str]:
    yield from (
        str(leaf) for leaf in leaves(value) if isinstance(leaf, str | int | float) and not isinstance(leaf, bool)
    )


def _occurs(text: str, grounds: Vocabulary) -> bool:
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
