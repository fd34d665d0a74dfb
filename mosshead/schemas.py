"""The app's own schemas: pydantic models, to JSON and back."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import AliasChoices, BaseModel, RootModel, ValidationError
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from mosshead.errors import ConfigurationError

S = TypeVar("S", bound=BaseModel)


def by_name(schemas: Sequence[type[BaseModel]]) -> dict[str, type[BaseModel]]:
    """Index schemas by the names that a model is shown. Raises ConfigurationError if one is no schema, or two share a name."""
    if isinstance(schemas, type):
        raise ConfigurationError(f"schemas: give a list, such as [{schemas.__name__}]")
    found: dict[str, type[BaseModel]] = {}
    for schema in schemas:
        if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
            raise ConfigurationError(
                f"schemas: {schema!r} is not a pydantic model; give classes that derive from BaseModel"
            )
        if schema.__name__ in found:
            raise ConfigurationError(f"schemas: two are called {schema.__name__}; rename one")
        try:
            schema.model_json_schema()
        except (PydanticUserError, PydanticUndefinedAnnotation) as error:
            raise ConfigurationError(
                f"schemas: {schema.__name__} has no JSON Schema to show to a model; remove the types that JSON lacks"
            ) from error
        found[schema.__name__] = schema
    return found


def as_json(value: BaseModel) -> dict[str, Any]:
    """Return a value as JSON, with the field names of its JSON Schema."""
    said: dict[str, Any] = _renamed(value, value.model_dump(mode="json", by_alias=False, exclude_computed_fields=True))
    return said


def alike(one: Any, other: Any, patch: Any) -> bool:
    """Whether two values agree in what a patch sets: generated defaults, such as times and ids, differ at each read."""
    if not (isinstance(patch, Mapping) and type(one) is type(other) and isinstance(one, BaseModel | Mapping)):
        return bool(one == other)
    mine, others = _values_by_name(one), _values_by_name(other)
    return all(alike(mine.get(name), others.get(name), value) for name, value in patch.items())


def _values_by_name(value: Any) -> Mapping[str, Any]:
    """Return a value's fields by their names in the JSON Schema."""
    if isinstance(value, RootModel):
        return _values_by_name(value.root)
    if not isinstance(value, BaseModel):
        return value if isinstance(value, Mapping) else {}
    fields = type(value).model_fields.items()
    return {**(value.model_extra or {}), **{_name_of(name, field): getattr(value, name) for name, field in fields}}


def _renamed(value: Any, said: Any) -> Any:
    """Rename dumped fields to the names by which they are read."""
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
    """Return a field's name in the JSON Schema."""
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        alias = alias.choices[0]
    return alias if isinstance(alias, str) else name


def read(schema: type[S], data: Any, *, as_shown: bool = False) -> S:
    """Parse JSON as an instance of a schema. Raises ValueError, naming each invalid field but no content.

    Extra fields are invalid unless the schema allows them. as_shown: only accept the field names of the JSON Schema, even if the
    class accepts others.
    """
    loose = schema.model_config.get("extra") == "allow"
    names = {"by_alias": True, "by_name": False} if as_shown else {}
    try:
        # As JSON text: under ``strict``, Python values reject text for dates and lists for tuples.
        return schema.model_validate_json(json.dumps(data, default=str), extra=None if loose else "forbid", **names)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    named = sorted({f"{'.'.join(map(str, fault['loc'])) or 'data'}: {fault['type']}" for fault in faults})
    raise ValueError(f"does not fit {schema.__name__} ({'; '.join(named)})")


def patched(schema: type[S], before: S | None, patch: Mapping[str, Any]) -> S:
    """Apply a patch to a value; what JSON cannot express, such as a secret, stays. Raises ValueError as `read` does.

    If the result does not fit, null fields are set to null, and an object of another kind replaces the existing one instead of
    merging with it.
    """
    old = {} if before is None else as_json(before)
    stands = {} if before is None else {**_untold(before), **old}
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
    if before is None:
        return after
    new, fields = as_json(after), {name: _name_of(name, field) for name, field in type(before).model_fields.items()}
    same = {name: getattr(before, name) for name, shown in fields.items() if old.get(shown) == new.get(shown)}
    return after.model_copy(update=same)


def _is_of_another_kind(before: BaseModel | None, stands: Mapping[str, Any], name: str, given: Any) -> bool:
    if before is None or not (isinstance(given, Mapping) and isinstance(stands.get(name), Mapping)):
        return False
    try:
        after = read(type(before), {**stands, name: given})
    except ValueError:
        return False
    return type(_values_by_name(after).get(name)) is not type(_values_by_name(before).get(name))


def _untold(value: BaseModel) -> dict[str, Any]:
    """Return required fields that a value excludes from its JSON."""
    fields = type(value).model_fields.items()
    return {
        _name_of(name, field): to_jsonable_python(getattr(value, name), fallback=str)
        for name, field in fields
        if field.exclude and field.is_required()
    }


def merged(document: Any, patch: Any) -> Any:
    """Return the document with the patch applied, as a new value; https://www.rfc-editor.org/rfc/rfc7396#section-2."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(document) if isinstance(document, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def patch_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the smallest patch from the first document to the second. A null cannot be patched in, and counts as absent."""
    patch: dict[str, Any] = {name: None for name in before if after.get(name) is None and before[name] is not None}
    for name, value in after.items():
        old = before.get(name)
        if value is None or value == old:
            continue
        patch[name] = patch_between(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return patch


def removed(document: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return the document without a field, given as a pointer, and its emptied parents; unchanged if the field is missing."""
    name, _, inner = field[1:].partition("/")
    key = _key(name)
    rest = {other: value for other, value in document.items() if other != key}
    if not inner or not isinstance(document.get(key), Mapping):
        return dict(document) if inner else rest
    left = removed(document[key], f"/{inner}")
    return {**document, key: left} if left or not document[key] else rest


def value_at(document: Mapping[str, Any], field: str) -> Any:
    """Return the value of a field, given as a pointer; None if missing."""
    value: Any = document
    for name in field[1:].split("/"):
        value = value.get(_key(name)) if isinstance(value, Mapping) else None
    return value


def replaced(document: Mapping[str, Any], field: str, value: Any) -> dict[str, Any]:
    """Return the document with another value for an existing field, given as a pointer."""
    name, _, inner = field[1:].partition("/")
    return {**document, _key(name): replaced(document[_key(name)], f"/{inner}", value) if inner else value}


def fields_of(patch: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the fields that a patch sets or removes, as pointers."""
    for name, value in patch.items():
        pointer = f"{above}/{name.replace('~', '~0').replace('/', '~1')}"
        if isinstance(value, Mapping) and value:
            yield from fields_of(value, pointer)
        else:
            yield pointer


def without(patch: Mapping[str, Any], fields: Iterable[str], above: str = "") -> dict[str, Any]:
    """Return the patch without its changes to some fields and their contents."""
    left: dict[str, Any] = {}
    barred = frozenset(fields)
    for name, value in patch.items():
        pointer = f"{above}/{name.replace('~', '~0').replace('/', '~1')}"
        if pointer in barred:
            continue
        if isinstance(value, Mapping) and value:
            inner = without(value, barred, pointer)
            if inner:
                left[name] = inner
        else:
            left[name] = value
    return left


def touches(one: str, other: str) -> bool:
    """Whether two fields are the same, or one contains the other."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _key(name: str) -> str:
    """Decode a part of a pointer."""
    return name.replace("~1", "/").replace("~0", "~")
