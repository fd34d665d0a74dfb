"""Schemas of the app's own: pydantic models, to JSON and back."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import AliasChoices, BaseModel, RootModel, ValidationError
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from mosshead.errors import ConfigurationError
from mosshead.managing.patching import merged

S = TypeVar("S", bound=BaseModel)


def by_name(schemas: Sequence[type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """The schemas by the names that a model is shown. Raises ConfigurationError where one is none, or two have one name."""
    if isinstance(schemas, type):
        raise ConfigurationError(f"schemas: give a list, such as [{schemas.__name__}]")
    found: dict[str, type[BaseModel]] = {}
    for schema in schemas:
        if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
            raise ConfigurationError(
                f"schemas: {schema!r} is no pydantic model; give classes that derive from BaseModel"
            )
        if schema.__name__ in found:
            raise ConfigurationError(f"schemas: two are called {schema.__name__}; rename one")
        if not _can_be_shown(schema):
            raise ConfigurationError(
                f"schemas: {schema.__name__} has no JSON Schema, so that no model can be shown it; leave out what JSON has not"
            )
        found[schema.__name__] = schema
    return found


def _can_be_shown(schema: type[BaseModel]) -> bool:
    try:
        schema.model_json_schema()
    except (PydanticUserError, PydanticUndefinedAnnotation):
        return False
    return True


def as_json(value: BaseModel) -> dict[str, Any]:
    """A value as JSON has it, under the names that its JSON Schema gives the fields."""
    said: dict[str, Any] = _renamed(value, value.model_dump(mode="json", by_alias=False, exclude_computed_fields=True))
    return said


def alike(one: Any, other: Any, patch: Any) -> bool:
    """Whether two values are equal in what a patch sets: what their class makes up, as a time or an id, differs at each read."""
    if not (isinstance(patch, Mapping) and type(one) is type(other) and isinstance(one, BaseModel | Mapping)):
        return bool(one == other)
    mine, others = _values_by_name(one), _values_by_name(other)
    return all(alike(mine.get(name), others.get(name), value) for name, value in patch.items())


def _values_by_name(value: Any) -> Mapping[str, Any]:
    """What stands in a value, under the names that its JSON Schema gives the fields."""
    if isinstance(value, RootModel):
        return _values_by_name(value.root)
    if not isinstance(value, BaseModel):
        return value if isinstance(value, Mapping) else {}
    fields = type(value).model_fields.items()
    return {**(value.model_extra or {}), **{_name_of(name, field): getattr(value, name) for name, field in fields}}


def kept(before: S, after: S) -> S:
    """A value after a change, with what JSON does not tell, as a secret or a field that is left out, as it was before it."""
    old, new = as_json(before), as_json(after)
    names = {name: _name_of(name, field) for name, field in type(before).model_fields.items()}
    same = {name: getattr(before, name) for name, shown in names.items() if old.get(shown) == new.get(shown)}
    return after.model_copy(update=same)


def _renamed(value: Any, said: Any) -> Any:
    """What was dumped under the fields' own names, under those by which it is read."""
    if isinstance(value, RootModel):
        return _renamed(value.root, said)
    if isinstance(value, BaseModel) and isinstance(said, dict):
        fields = type(value).model_fields
        return {
            _name_of(name, fields[name]) if name in fields else name: _renamed(getattr(value, name, None), inner)
            for name, inner in said.items()
        }
    if isinstance(value, Mapping) and isinstance(said, dict) and len(value) == len(said):
        return {name: _renamed(one, inner) for one, (name, inner) in zip(value.values(), said.items(), strict=True)}
    if isinstance(value, list | tuple) and isinstance(said, list) and len(value) == len(said):
        return [_renamed(one, inner) for one, inner in zip(value, said, strict=True)]
    return said


def _name_of(name: str, field: FieldInfo) -> str:
    """The name that its JSON Schema gives a field."""
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        alias = alias.choices[0]
    return alias if isinstance(alias, str) else name


def read(schema: type[S], data: Any, *, as_shown: bool = False) -> S:
    """The value that some JSON says. Raises ValueError, naming each field at fault and nothing of its content.

    A field that the schema does not have is a fault, unless it asks for such. as_shown: so is one under another name than its
    JSON Schema gives it, also where the class would take it.
    """
    loose = schema.model_config.get("extra") == "allow"
    names = {"by_alias": True, "by_name": False} if as_shown else {}
    try:
        # As JSON: under ``strict`` a date is no text, and a tuple no list, in Python's own values.
        return schema.model_validate_json(json.dumps(data, default=str), extra=None if loose else "forbid", **names)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    named = sorted({f"{'.'.join(map(str, fault['loc'])) or 'data'}: {fault['type']}" for fault in faults})
    raise ValueError(f"does not fit {schema.__name__} ({'; '.join(named)})")


def patched(schema: type[S], before: S | None, patch: Mapping[str, Any]) -> S:
    """A value after a patch, with what the patch was made without knowing as it was (`kept`); raises ValueError as `read`.

    Where what it makes does not fit, what may be null is so, and an object of another kind than the one there takes its place:
    it has no fields of the old one.
    """
    stands = {} if before is None else {**_untold(before), **as_json(before)}
    try:
        after = read(schema, merged(stands, patch))
    except ValueError as error:
        whole = {
            name: one for name, one in patch.items() if one is None or _is_of_another_kind(before, stands, name, one)
        }
        try:
            after = read(schema, {**merged(stands, patch), **whole})
        except ValueError:
            raise error from None
    return after if before is None else kept(before, after)


def _is_of_another_kind(before: BaseModel | None, stands: Mapping[str, Any], name: str, given: Any) -> bool:
    if before is None or not (isinstance(given, Mapping) and isinstance(stands.get(name), Mapping)):
        return False
    try:
        after = read(type(before), {**stands, name: given})
    except ValueError:
        return False
    return type(_values_by_name(after).get(name)) is not type(_values_by_name(before).get(name))


def _untold(value: BaseModel) -> dict[str, Any]:
    """What is left out of a value as JSON, and its class does not do without."""
    fields = type(value).model_fields.items()
    return {
        _name_of(name, field): to_jsonable_python(getattr(value, name), fallback=str)
        for name, field in fields
        if field.exclude and field.is_required()
    }
