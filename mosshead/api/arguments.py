"""What a read is asked with: each argument that does not fit is refused by its name, and any text can be asked about."""

import json
import math
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from mosshead.models.kinds import MemoryKind
from mosshead.text import _UNSTORABLE

_MOST = 2**31 - 1


def listed(given: Iterable[str]) -> list[str] | str:
    """Texts as an event holds them. One text alone stays one, which the event's check refuses: it is no list of letters."""
    return given if isinstance(given, str) else list(given)


def id_or_name(given: str | UUID) -> str | UUID:
    """What an entity is asked for by: an id, also one that is written as text, or a name."""
    try:
        return UUID(str(given))
    except ValueError:
        return given


def checked_limit(limit: object, name: str = "limit") -> int:
    """A number of hits, or of tokens. Raises ValueError where it is none, or below 1."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= _MOST:
        raise ValueError(f"{name}: must be at least 1, got {limit!r}")
    return limit


def checked_threshold(threshold: object) -> float | None:
    """A cosine above which hits lie, or None for all. Raises ValueError where it is no number from -1 to 1."""
    if threshold is None:
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not -1 <= threshold <= 1:
        raise ValueError(f"threshold: a cosine from -1 to 1, or None for all, got {threshold!r}")
    return float(threshold)


def checked_seconds(name: str, seconds: object) -> float:
    """How long something may take. Raises ValueError where it is no number above 0."""
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not math.isfinite(seconds) or seconds <= 0:  # type: ignore[arg-type, operator]
        raise ValueError(f"{name}: seconds, more than 0, got {seconds!r}")
    return float(seconds)  # type: ignore[arg-type]


def checked_kind(kind: object) -> MemoryKind | None:
    """A kind of memories, or None for all. Raises ValueError, which names the kinds."""
    if kind is None:
        return None
    try:
        return MemoryKind(str(kind))
    except ValueError:
        raise ValueError(f"kind: one of {', '.join(MemoryKind)}, or None for all, got {kind!r}") from None


def checked_metadata(metadata: object) -> dict[str, Any] | None:
    """Fields to look for, or None for any: no fields ask for nothing. Raises ValueError where they are none that JSON has."""
    if metadata is None:
        return None
    try:
        told = json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        told = ""
    if not isinstance(metadata, dict) or not told:
        raise ValueError('metadata: give fields and values that JSON has, such as {"channel": "support"}')
    fields: dict[str, Any] = _storable(json.loads(told))
    return fields or None


def _storable(value: Any) -> Any:
    # In the JSON text itself what cannot be stored stands in escapes.
    if isinstance(value, str):
        return _UNSTORABLE.sub("?", value)
    if isinstance(value, dict):
        return {_storable(name): _storable(inner) for name, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list) else value
