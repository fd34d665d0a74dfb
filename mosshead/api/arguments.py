"""The arguments of the public face, checked: one that does not fit is refused by its name, and any text can be asked about."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, cast, get_args
from uuid import UUID

from pydantic import BaseModel

from mosshead.errors import InvalidEvent, NotFound
from mosshead.events.transcripts import spoken
from mosshead.models.kinds import MemoryKind, Role
from mosshead.models.memories import Entity, StoredMemory
from mosshead.models.questions import Candidate
from mosshead.redaction import redact
from mosshead.text import UNSTORABLE, readable

_MOST = 2**31 - 1
_MOST_AROUND = 50

AMemory = StoredMemory | UUID | str
AnEntity = Entity | UUID | str
OnTimeout = Literal["partial", "raise"]


def listed(given: Iterable[str]) -> list[str] | str:
    """Texts as an event holds them. One text alone stays one, which the event's check refuses: it is no list of letters."""
    return given if isinstance(given, str) else list(given)


def id_of(name: str, given: UUID | str) -> UUID:
    """An id as one. Raises NotFound, which names the argument, where it is none."""
    try:
        return UUID(str(given))
    except ValueError:
        raise NotFound(f"{name}: {given!r} is not an id") from None


def id_or_name(given: str | UUID) -> str | UUID:
    """What an entity is asked for by: an id, also one that is written as text, or a name."""
    try:
        return UUID(str(given))
    except ValueError:
        return given


def memory_id(given: AMemory, name: str = "memories") -> UUID:
    """The id of a memory. Raises NotFound."""
    return given.id if isinstance(given, StoredMemory) else id_of(name, given)


def memory_ids(given: AMemory | Iterable[AMemory]) -> list[UUID]:
    """The ids of some memories, each once. Raises NotFound."""
    several = [given] if isinstance(given, StoredMemory | UUID | str) else given
    return list(dict.fromkeys(map(memory_id, several)))


def entity_id(given: AnEntity | Candidate, name: str = "entity") -> UUID:
    """The id of an entity. Raises NotFound."""
    if isinstance(given, Entity):
        return given.id
    return given.entity_id if isinstance(given, Candidate) else id_of(name, given)


def aware(moment: datetime | None, name: str = "as_of") -> datetime | None:
    """The same. Raises ValueError where it has no time zone."""
    if moment is not None and not isinstance(moment, datetime):
        raise ValueError(f"{name}: give a datetime, not {type(moment).__name__}")
    if moment is not None and moment.tzinfo is None:
        raise ValueError(f"{name}: has no time zone; give an aware time, such as datetime.now(UTC)")
    return moment


def redacted_history(history: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The texts of a history, as they are stored."""
    return tuple(redact(readable("history", content)) for content in spoken(list(history))) if history else ()


def asking_speaker(speaker: object, history: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of whoever asks: as given, or that of the history's last user message. Raises ValueError for what is no text."""
    if speaker is None:
        users = [one for one in history if isinstance(one, Mapping) and one.get("role") == Role.USER]
        named = users[-1].get("speaker") or users[-1].get("name") if users else None
        speaker = named if isinstance(named, str) else None
    return None if speaker is None else readable("speaker", speaker)


def checked_conversation(conversation: object) -> str | None:
    """The name of a conversation, or None for none. Raises ValueError where it is no text."""
    return None if conversation is None else readable("conversation", conversation)


def checked_limit(limit: object, name: str = "limit", most: int | None = None) -> int:
    """A number of hits, or of tokens. Raises ValueError where it is none, below 1, or above the most."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= (most or _MOST):
        raise ValueError(f"{name}: {f'from 1 to {most}' if most else 'must be at least 1'}, got {limit!r}")
    return limit


def before_and_after(around: int | tuple[int, int]) -> tuple[int, int]:
    """How many neighbours before and after each hit. Raises ValueError where it is neither a number nor a pair, from 0 to 50."""
    pair = around if isinstance(around, tuple | list) else (around, around)
    if len(pair) != 2 or not all(type(one) is int and 0 <= one <= _MOST_AROUND for one in pair):
        raise ValueError(f"around: give a number or (before, after), each from 0 to {_MOST_AROUND}, got {around!r}")
    return pair[0], pair[1]


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


def checked_on_timeout(on_timeout: object) -> OnTimeout:
    """What happens on a timeout. Raises ValueError where it is neither "partial" nor "raise"."""
    if on_timeout not in get_args(OnTimeout):
        raise ValueError(f"on_timeout: one of {', '.join(get_args(OnTimeout))}, got {on_timeout!r}")
    return cast("OnTimeout", on_timeout)


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


def schemas_of(name: str, given: Iterable[type[BaseModel] | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Schemas as events have them. Raises InvalidEvent where one is none, or two have one name: one of them would count."""
    if isinstance(given, type | str | Mapping):
        raise InvalidEvent(f"{name}: give a list of pydantic models, or of JSON Schemas with a title")
    shapes = [_shape(f"{name}.{number}", one) for number, one in enumerate(given)]
    twice = next((one for one, count in Counter(shape["name"] for shape in shapes).items() if count > 1), None)
    if twice is not None:
        raise InvalidEvent(f"{name}: two are called {twice}; rename one")
    return shapes


def _shape(name: str, schema: type[BaseModel] | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(schema, Mapping):
        return {"name": schema.get("title"), "json_schema": dict(schema)}
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise InvalidEvent(f"{name}: a pydantic model, or a JSON Schema with a title, got {type(schema).__name__}")
    return {"name": schema.__name__, "json_schema": _unfolded(schema.model_json_schema())}


def _unfolded(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema that says what it is: of a model that holds itself, pydantic's only points to that."""
    pointer = str(schema.get("$ref", "")).rpartition("/")[2]
    return {**schema["$defs"][pointer], "$defs": schema["$defs"]} if pointer else schema


def _storable(value: Any) -> Any:
    # In the JSON text itself what cannot be stored stands in escapes.
    if isinstance(value, str):
        return UNSTORABLE.sub("?", value)
    if isinstance(value, dict):
        return {_storable(name): _storable(inner) for name, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list) else value
