"""An object that a model wrote as JSON text, because strict mode knows no free objects: read with care, or not at all."""

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from mosshead.language_model.answers import storable

MOST_CHARACTERS = 16_000
_DEEPEST = 20


def read_value(data: str) -> Any:
    """The value that a text says as JSON, its texts made storable.

    Raises ValueError where it is no JSON, too long, too deep, or holds a number that is none.
    """
    if len(data) > MOST_CHARACTERS:
        raise ValueError(f"is longer than {MOST_CHARACTERS:,} characters")
    try:
        read = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    if not _is_shallow(read):
        raise ValueError(f"is nested deeper than {_DEEPEST} levels")
    if not all(map(_is_finite, _numbers(read))):
        raise ValueError("holds a number that is not finite")
    return _clean(read)


def read_object(data: str) -> dict[str, Any]:
    """The same for an object. Raises ValueError where it is something else."""
    read = read_value(data)
    if not isinstance(read, dict):
        raise ValueError("is no object")  # noqa: TRY004 - it is what a model wrote that is wrong
    return read


def leaves(value: Any) -> Iterator[Any]:
    """What a value of JSON holds, without the names of its fields."""
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict | list):
        for one in inner:
            yield from leaves(one)
    else:
        yield value


def _is_shallow(value: Any, left: int = _DEEPEST) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left > 0 and all(_is_shallow(one, left - 1) for one in inner)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value


def _numbers(value: Any) -> Iterator[int | float]:
    yield from (leaf for leaf in leaves(value) if isinstance(leaf, int | float) and not isinstance(leaf, bool))


def _is_finite(number: float) -> bool:
    try:
        return isfinite(number)
    except OverflowError:
        return False
