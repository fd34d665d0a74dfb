"""Events, version 1: the one way to write. The contract between the apps that publish and the service that consumes.

An event is JSON. A new type of event, or a new optional field, is an addition to version 1; anything else is a version 2, and the
service then takes both. docs/events.md shows each type.
"""

from collections.abc import Mapping
from typing import get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mosshead.errors import InvalidEvent, InvalidNamespace
from mosshead.events.commands import Command, Erase
from mosshead.events.envelope import MAX_EVENT_BYTES, VERSION, ConversationEnded, MessageEvent
from mosshead.models.kinds import Role

__all__ = [
    "MAX_EVENT_BYTES",
    "AnyEvent",
    "Command",
    "ConversationEnded",
    "MessageEvent",
    "faults_of",
    "parse_event",
]

AnyEvent = MessageEvent | ConversationEnded | Command | Erase

_MODELS: dict[str, type[AnyEvent]] = {str(one.model_fields["type"].default): one for one in get_args(AnyEvent)}
_TYPES = ", ".join(_MODELS)


def parse_event(data: object, *, name_unknown: bool = True) -> AnyEvent:
    """Check one event, as an object or as it came from JSON.

    name_unknown: whether the error may name a field that no event has. An app's developer wants to know; in the log of a service
    that name is text from outside, and may be anything.
    Raises InvalidEvent, which names each field at fault and the fix, and shows nothing of the event's text.
    """
    # By the model of its type, and not by a union of all: no more than what an app publishes is ever built.
    try:
        return _model_of(data).model_validate(data)
    except ValidationError as error:
        faults = faults_of(error, name_unknown=name_unknown)
    except RecursionError:
        faults = "event: nested too deeply"
    raise InvalidEvent(f"event not accepted: {faults}")


def _model_of(data: object) -> type[AnyEvent]:
    if not isinstance(data, Mapping):
        raise InvalidEvent("event not accepted: event: not a JSON object")
    if len(data) > _MOST_FIELDS:
        raise InvalidEvent(
            f"event not accepted: event: {len(data):,} fields, at most {_MOST_FIELDS}; put others into metadata"
        )
    if "type" not in data:
        raise InvalidEvent(f"event not accepted: type: missing; one of {_TYPES}")
    kind = data["type"]
    model = _MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise InvalidEvent(f"event not accepted: type: not a type of event of version {VERSION}; one of {_TYPES}")
    return model


def faults_of(error: ValidationError, *, name_unknown: bool = True) -> str:
    """Each field at fault and the fix, with nothing of what was given. name_unknown: as for `parse_event`."""
    if error.error_count() > _MOST_EXPLAINED:
        return f"event: {error.error_count():,} values or fields that no event of its type has; send what docs/events.md shows"
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(sorted({_explain(fault, name_unknown) for fault in faults}))


def _explain(fault: ErrorDetails, name_unknown: bool) -> str:
    path = [str(part) for part in fault["loc"]]
    if path[:1] == ["content"] and path[1:]:  # what follows are pydantic's names for the forms that a content may have
        return "content: give a text, or a list of parts, such as {'type': 'text', 'text': '…'}, that can be written as JSON"
    named = fault["type"] != "extra_forbidden" or name_unknown
    field = (".".join(path) if named else "") or "event"
    if fault["type"] == "value_error":
        # InvalidNamespace names the part itself.
        reason = fault["ctx"]["error"] if "ctx" in fault else fault["msg"]
        return str(reason) if isinstance(reason, InvalidNamespace) or not path else f"{field}: {reason}"
    return f"{field}: {_FIXES.get((field, fault['type'])) or _FIXES.get(fault['type']) or fault['msg'].lower()}"


_MOST_EXPLAINED = 200
"""Faults of one event that are named: each takes time to put into words."""

_MOST_FIELDS = 100
"""Of an event; no type has a third of them."""

_FIXES: dict[str | tuple[str, str], str] = {
    "missing": "missing",
    ("namespace", "missing"): "missing; give the tenant first, such as ['acme', 'sarah_123']",
    ("namespace", "tuple_type"): "give a list of its parts, the tenant first, such as ['acme', 'sarah_123']",
    ("occurred_at", "missing"): "missing; give the time with its zone, such as 2026-03-02T09:00:00+00:00",
    "timezone_aware": "has no time zone; give an aware time, such as 2026-03-02T09:00:00+00:00",
    "extra_forbidden": "not a field of this type of event; leave it out, or put it into metadata",
    ("event", "extra_forbidden"): "has a field that no event of its type has; leave it out, or put it into metadata",
    ("role", "enum"): f"one of {', '.join(Role)}",
    ("version", "literal_error"): f"must be {VERSION}",
}
