"""JSON Merge Patch (RFC 7396), and the fields that one changes. Pure.

A field is named by a JSON Pointer (RFC 6901): "/address/city". A list is one field: a patch replaces it whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Json = dict[str, Any]


def merged(document: Any, patch: Any) -> Any:
    """The document with the patch applied, a new value; https://www.rfc-editor.org/rfc/rfc7396#section-2."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(document) if isinstance(document, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def patch_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """The smallest patch that makes the second of the first. A null in a document cannot be patched in, and counts as absent."""
    patch: Json = {name: None for name in before if after.get(name) is None and before[name] is not None}
    for name, value in after.items():
        old = before.get(name)
        if value is None or value == old:
            continue
        patch[name] = patch_between(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return patch


def removed(document: Mapping[str, Any], field: str) -> Json:
    """The document without a field, given as a pointer, and without what held nothing else; the same where it is not there."""
    name, _, inner = field[1:].partition("/")
    key = _key(name)
    rest = {other: value for other, value in document.items() if other != key}
    if not inner or not isinstance(document.get(key), Mapping):
        return dict(document) if inner else rest
    left = removed(document[key], f"/{inner}")
    return {**document, key: left} if left or not document[key] else rest


def value_at(document: Mapping[str, Any], field: str) -> Any:
    """What a field holds, given as a pointer; None where it is not there."""
    value: Any = document
    for name in field[1:].split("/"):
        value = value.get(_key(name)) if isinstance(value, Mapping) else None
    return value


def replaced(document: Mapping[str, Any], field: str, value: Any) -> Json:
    """The document with another value of a field that is there, given as a pointer."""
    name, _, inner = field[1:].partition("/")
    return {**document, _key(name): replaced(document[_key(name)], f"/{inner}", value) if inner else value}


def fields_of(patch: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The fields that a patch sets or removes, as pointers."""
    for name, value in patch.items():
        pointer = f"{above}/{name.replace('~', '~0').replace('/', '~1')}"
        if isinstance(value, Mapping) and value:
            yield from fields_of(value, pointer)
        else:
            yield pointer


def without(patch: Mapping[str, Any], fields: Iterable[str], above: str = "") -> Json:
    """The patch without what it does to some fields, or to what is in them."""
    left: Json = {}
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
    """Whether two fields are the same, or one is in the other."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _key(name: str) -> str:
    """A part of a pointer as the document has it."""
    return name.replace("~1", "/").replace("~0", "~")
