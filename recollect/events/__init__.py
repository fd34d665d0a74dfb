"""Events, version 1: the one way to write. The contract between the apps that publish and the service that consumes.

An event is JSON. A new type of event, or a new optional field, is an addition to version 1; anything else is a version 2, and the
service then takes both. docs/events.md shows each type.
"""

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from recollect.errors import InvalidEvent, InvalidNamespace
from recollect.events.commands import MAX_IMPORTED, Configure, Import, Reflect, Undo
from recollect.events.documents import EditDocument
from recollect.events.envelope import MAX_CONTENT_BYTES, MAX_EVENT_BYTES, VERSION, storable
from recollect.events.identity import Clarify, Merge, Split
from recollect.events.messages import ConversationEnded, MessageEvent
from recollect.events.remembering import Forget, Remember
from recollect.kinds import Role

__all__ = [
    "MAX_CONTENT_BYTES",
    "MAX_EVENT_BYTES",
    "MAX_IMPORTED",
    "VERSION",
    "AnyEvent",
    "Clarify",
    "Command",
    "Configure",
    "ConversationEnded",
    "EditDocument",
    "Event",
    "Forget",
    "Import",
    "Merge",
    "MessageEvent",
    "Reflect",
    "Remember",
    "Split",
    "Undo",
    "faults_of",
    "parse_event",
    "storable",
]

Command = Undo | Configure | Import | Reflect | Remember | Forget | Clarify | Merge | Split | EditDocument
"""Events that say nothing, but have something done: each is a batch of its own."""

AnyEvent = MessageEvent | ConversationEnded | Command
Event = Annotated[AnyEvent, Field(discriminator="type")]

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(Event)
_TYPES = tuple(str(one.model_fields["type"].default) for one in get_args(AnyEvent))


def parse_event(data: object, *, name_unknown: bool = True) -> AnyEvent:
    """Check one event, as an object or as it came from JSON.

    name_unknown: whether the error may name a field that no event has. An app's developer wants to know; in the log of a service
    that name is text from outside, and may be anything.
    Raises InvalidEvent, which names each field at fault and the fix, and shows nothing of the event's text.
    """
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        faults = faults_of(error, name_unknown=name_unknown)
    raise InvalidEvent(f"event not accepted: {faults}")


def faults_of(error: ValidationError, *, name_unknown: bool = True) -> str:
    """Each field at fault and the fix, with nothing of what was given. name_unknown: as for `parse_event`."""
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(sorted({_explain(fault, name_unknown) for fault in faults}))


def _explain(fault: ErrorDetails, name_unknown: bool) -> str:
    path = [str(part) for part in fault["loc"] if part not in _TYPES]
    named = fault["type"] != "extra_forbidden" or name_unknown
    field = (".".join(path) if named else "") or "event"
    if fault["type"] == "union_tag_not_found":
        return f"type: missing; one of {', '.join(_TYPES)}"
    if fault["type"] == "union_tag_invalid":
        return f"type: not a type of event of version {VERSION}; one of {', '.join(_TYPES)}"
    if fault["type"] == "value_error":
        # InvalidNamespace names the part itself.
        reason = fault["ctx"]["error"] if "ctx" in fault else fault["msg"]
        return str(reason) if isinstance(reason, InvalidNamespace) or not path else f"{field}: {reason}"
    return f"{field}: {_FIXES.get((field, fault['type'])) or _FIXES.get(fault['type']) or fault['msg'].lower()}"


_FIXES: dict[str | tuple[str, str], str] = {
    "missing": "missing",
    ("namespace", "missing"): "missing; give the tenant first, such as ['acme', 'sarah_123']",
    ("occurred_at", "missing"): "missing; give the time with its zone, such as 2026-03-02T09:00:00+00:00",
    "timezone_aware": "has no time zone; give an aware time, such as 2026-03-02T09:00:00+00:00",
    "extra_forbidden": "not a field of this type of event; leave it out, or put it into metadata",
    ("event", "extra_forbidden"): "has a field that no event of its type has; leave it out, or put it into metadata",
    ("role", "enum"): f"one of {', '.join(Role)}",
    ("version", "literal_error"): f"must be {VERSION}",
}
