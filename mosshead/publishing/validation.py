"""Checks events as they are published, whichever way they go from there, and takes the secrets out of their texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from mosshead.errors import InvalidEvent
from mosshead.events import MAX_EVENT_BYTES, NOT_AN_OBJECT, AnyEvent, Import, parse_event
from mosshead.paths import REPLAY, NamespacePath
from mosshead.redaction import redact_event
from mosshead.timestamps import LIES_AHEAD, lies_ahead

_NOBODY = UUID(int=0)
_NUMBER = '{{"publisher":"{}","publisher_sequence":{},'
_NUMBER_BYTES = len(_NUMBER.format(_NOBODY, 2**63)) - 1  # in place of the brace that the body begins with


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """An event that fits, without secrets; body is JSON text without ``publisher`` and ``publisher_sequence``."""

    event_id: UUID
    path: NamespacePath
    body: str


def check_events(path: NamespacePath, events: Sequence[Mapping[str, Any]]) -> list[CheckedEvent]:
    """Check all events of a namespace, whose ``occurred_at`` is now by default. Raises InvalidEvent."""
    # The namespace too: its numbers are at stake, whatever an event says of itself.
    return [_checked({**event, "namespace": path.parts}) for event in events]


def check_event(event: object) -> CheckedEvent:
    """Check an event that brings its own namespace, as it came from elsewhere. Raises InvalidEvent."""
    if not isinstance(event, Mapping):
        raise InvalidEvent(NOT_AN_OBJECT)
    return _checked(event)


def taken_here(event: AnyEvent) -> AnyEvent:
    """The event, where its namespace takes any. Raises InvalidEvent where it is one that another is replayed into."""
    if NamespacePath(event.namespace).is_replay:
        raise InvalidEvent(
            f"event not accepted: namespace: {REPLAY!r} is where a namespace is replayed; publish to the path without it"
        )
    return event


def numbered(body: str, publisher: UUID, number: int) -> str:
    """The whole event as it travels: a checked body with its number."""
    return _NUMBER.format(publisher, number) + body[1:]


def _checked(given: Mapping[str, Any]) -> CheckedEvent:
    unnumbered = {"publisher": _NOBODY, "publisher_sequence": 1}
    event = redact_event(taken_here(parse_event({"occurred_at": datetime.now(UTC), **given, **unnumbered})))
    times = {"occurred_at": event.occurred_at}
    if isinstance(event, Import):
        said = {f"memories.{number}.occurred_at": one.occurred_at for number, one in enumerate(event.memories)}
        times |= {name: moment for name, moment in said.items() if moment}
    faults = [f"{name}: {LIES_AHEAD}" for name, moment in times.items() if lies_ahead(moment)]
    body = event.model_dump_json(exclude_none=True, exclude={"publisher", "publisher_sequence"})
    size = len(body.encode()) + _NUMBER_BYTES
    if size > MAX_EVENT_BYTES:
        faults.append(f"{size:,} bytes as JSON, at most {MAX_EVENT_BYTES:,}; split it, or leave out what is no text")
    if faults:
        raise InvalidEvent(f"event not accepted: {'; '.join(faults)}")
    return CheckedEvent(event.event_id, NamespacePath(event.namespace), body)
