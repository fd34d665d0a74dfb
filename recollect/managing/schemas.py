"""Schemas of the app's own: pydantic models, to JSON and back."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from recollect.errors import ConfigurationError

S = TypeVar("S", bound=BaseModel)


def by_name(schemas: Sequence[type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """The schemas by the names that a model is shown. Raises ConfigurationError where one is none, or two have one name."""
    found: dict[str, type[BaseModel]] = {}
    for schema in schemas:
        if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
            raise ConfigurationError(
                f"schemas: {schema!r} is no pydantic model; give classes that derive from BaseModel"
            )
        if schema.__name__ in found:
            raise ConfigurationError(f"schemas: two are called {schema.__name__}; rename one")
        found[schema.__name__] = schema
    return found


def as_json(value: BaseModel) -> dict[str, Any]:
    """A value as JSON has it, under the names that its JSON Schema gives the fields."""
    return value.model_dump(mode="json", by_alias=True, exclude_computed_fields=True)


def read(schema: type[S], data: Any) -> S:
    """The value that some JSON says. Raises ValueError, naming each field at fault and nothing of its content.

    A field that the schema does not have is a fault, unless it asks for such.
    """
    loose = schema.model_config.get("extra") == "allow"
    try:
        # As JSON: under ``strict`` a date is no text, and a tuple no list, in Python's own values.
        return schema.model_validate_json(json.dumps(data, default=str), extra=None if loose else "forbid")
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    named = sorted({f"{'.'.join(map(str, fault['loc'])) or 'data'}: {fault['type']}" for fault in faults})
    raise ValueError(f"does not fit {schema.__name__} ({'; '.join(named)})")
