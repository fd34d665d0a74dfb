"""Validate call arguments; errors name the argument."""

import json
import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, cast, get_args
from uuid import UUID

from mosshead.errors import NotFound
from mosshead.text import UNSTORABLE, readable

_MOST = 2**31 - 1
_MOST_AROUND = 50

OnTimeout = Literal["partial", "raise"]


def listed(given: Iterable[str]) -> list[str] | str:
    """Return texts as a list; keep a single text, so that event validation rejects it instead of reading its letters."""
    return given if isinstance(given, str) else list(given)


def id_of(name: str, given: UUID | str) -> UUID:
    """Return an id. Raises NotFound, naming the argument, if it is invalid."""
    try:
        return UUID(str(given))
    except ValueError:
        raise NotFound(f"{name}: {given!r} is not an id") from None


def id_or_name(given: str | UUID) -> str | UUID:
    """Return an id, parsed if it is text, or else the name."""
    try:
        return UUID(str(given))
    except ValueError:
        return given


def aware(moment: datetime | None, name: str = "as_of") -> datetime | None:
    """Return the time. Raises ValueError if it has no time zone."""
    if moment is not None and not isinstance(moment, datetime):
        raise ValueError(f"{name}: give a datetime, not {type(moment).__name__}")
    if moment is not None and moment.tzinfo is None:
        raise ValueError(f"{name}: has no time zone; give an aware time, such as datetime.now(UTC)")
    return moment


def checked_conversation(conversation: object) -> str | None:
    """Return a conversation's name, or None. Raises ValueError if it is not text."""
    return None if conversation is None else readable("conversation", conversation)


def checked_limit(limit: object, name: str = "limit", most: int | None = None) -> int:
    """Return a number of hits or tokens. Raises ValueError unless it is an integer from 1 to the maximum."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= (most or _MOST):
        raise ValueError(f"{name}: {f'from 1 to {most}' if most else 'must be at least 1'}, got {limit!r}")
    return limit


def before_and_after(around: int | tuple[int, int]) -> tuple[int, int]:
    """Return how many neighbours before and after each hit. Raises ValueError unless it is a number or pair, from 0 to 50."""
    pair = around if isinstance(around, tuple | list) else (around, around)
    if len(pair) != 2 or not all(type(one) is int and 0 <= one <= _MOST_AROUND for one in pair):
        raise ValueError(f"around: give a number or (before, after), each from 0 to {_MOST_AROUND}, got {around!r}")
    return pair[0], pair[1]


def checked_threshold(threshold: object) -> float | None:
    """Return a cosine threshold, or None for all. Raises ValueError unless it is a number from -1 to 1."""
    if threshold is None:
        return None
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not -1 <= threshold <= 1:
        raise ValueError(f"threshold: a cosine from -1 to 1, or None for all, got {threshold!r}")
    return float(threshold)


def checked_seconds(name: str, seconds: object) -> float:
    """Return a duration. Raises ValueError unless it is a finite number above 0."""
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not math.isfinite(seconds) or seconds <= 0:  # type: ignore[arg-type, operator]
        raise ValueError(f"{name}: seconds, more than 0, got {seconds!r}")
    return float(seconds)  # type: ignore[arg-type]


def checked_on_timeout(on_timeout: object) -> OnTimeout:
    """Return the action on a timeout. Raises ValueError unless it is "partial" or "raise"."""
    if on_timeout not in get_args(OnTimeout):
        raise ValueError(f"on_timeout: one of {', '.join(get_args(OnTimeout))}, got {on_timeout!r}")
    return cast("OnTimeout", on_timeout)


def checked_metadata(metadata: object) -> dict[str, Any] | None:
    """Return the fields to search for; None for any, also if there are none. Raises ValueError if they are not JSON."""
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
    # In JSON text, unstorable characters appear as escapes.
    if isinstance(value, str):
        return UNSTORABLE.sub("?", value)
    if isinstance(value, dict):
        return {_storable(name): _storable(inner) for name, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list) else value
