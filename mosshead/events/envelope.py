"""The envelope of every event, size limits, message events, and the check of an event."""

from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from mosshead.errors import InvalidEvent, InvalidNamespace
from mosshead.fork_safety import ForkSafeLock
from mosshead.ids import uuid7
from mosshead.models.kinds import Role
from mosshead.paths import NamespacePath
from mosshead.text import UNSTORABLE, by_one_name, text_of
from mosshead.timestamps import Moment

if TYPE_CHECKING:
    from mosshead.events import AnyEvent

VERSION: Literal[1] = 1
MAX_NUMBER = 2**53 - 1
"""The largest number of an event: exact in every JSON reader, and far below the limit of Postgres."""
MAX_CONTENT_BYTES = 256 * 1024
MAX_METADATA_BYTES = 16 * 1024
MAX_EVENT_BYTES = 2 * MAX_CONTENT_BYTES
"""Maximum size that the intake reads: escaping as JSON makes a content at its limit longer."""

MAX_INJECTED = 200


class EventPart(BaseModel):
    """An event or a part of one.

    Errors do not show the input: they may be logged, and the input is text of a conversation. The validator is built on first
    use: most apps publish few of the types.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class Envelope(EventPart):
    """The fields of every event.

    event_id: identifies the event for good; publishing it twice stores it once.
    publisher, publisher_sequence: who published it, and its number among that publisher's events of the namespace, from 1
        without gaps; the publishing library fills them in.
    occurred_at: when it happened, with a time zone; "yesterday" in its text is relative to it.
    """

    version: Literal[1] = VERSION
    event_id: UUID = Field(default_factory=uuid7)
    namespace: tuple[str, ...]
    publisher: UUID
    publisher_sequence: int = Field(ge=1, le=MAX_NUMBER)
    conversation: str | None = Field(None, min_length=1, max_length=200)
    occurred_at: Moment

    @model_validator(mode="before")
    @classmethod
    def _check_storable(cls, data: Any) -> Any:
        for name in cls.model_fields if isinstance(data, Mapping) else ():
            if not storable(data.get(name)):
                raise ValueError(f"{name}: {NOT_STORABLE}")
        return data

    @field_validator("namespace")
    @classmethod
    def _check_namespace(cls, parts: tuple[str, ...]) -> tuple[str, ...]:
        return NamespacePath.of(parts).parts


TOO_DEEP = "nested too deeply"
NOT_STORABLE = "contains a NUL character or half a surrogate pair, which cannot be stored; remove it"


def storable(value: Any) -> bool:
    """Whether Postgres can store all text in a value: it contains no NUL character and no half of a surrogate pair."""
    if isinstance(value, str):
        return not UNSTORABLE.search(value)
    if isinstance(value, Mapping):
        return all(storable(name) and storable(inner) for name, inner in value.items())
    return not isinstance(value, list | tuple) or all(storable(inner) for inner in value)


class MessageEvent(Envelope):
    """A message.

    sequence: the app's own number of the message within its conversation, if any.
    speaker: the speaker's name, if the role does not identify the speaker.
    content: text, or a list of parts as in the chat completion API; only text parts are remembered. Those of the responses API
        become parts of type "text".
    tool_calls, tool_call_id: as in the chat completion API.
    injected: the memories in the prompt of this turn: a mere repetition of one is not news.
    imported: whether it comes from a chat export. The lane then does not wait for further messages.
    """

    model_config = ConfigDict(defer_build=False)  # every app publishes messages, so build it in advance

    type: Literal["message"] = "message"
    role: Role
    speaker: str | None = Field(None, min_length=1, max_length=200)
    content: str | list[dict[str, JsonValue]] | None = None
    sequence: int | None = Field(None, ge=0, lt=2**63)
    tool_calls: list[dict[str, JsonValue]] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    injected: list[UUID] | None = Field(None, max_length=MAX_INJECTED)
    imported: Literal[True] | None = None

    @property
    def text(self) -> str:
        """The text without pictures and tool calls; may be empty. The SQL equivalent is mosshead.text_of."""
        return text_of(self.content) or ""

    @model_validator(mode="after")
    def _check_something_said(self) -> "MessageEvent":
        if self.content is None and not self.tool_calls:
            raise ValueError("content: missing")
        return self

    @field_validator("content", mode="before")
    @classmethod
    def _check_content(cls, content: Any) -> Any:
        size = len(str(content).encode())
        if size > MAX_CONTENT_BYTES:
            raise ValueError(f"{size:,} bytes, at most {MAX_CONTENT_BYTES:,}; split it, or publish a summary of it")
        return content

    @field_validator("content")
    @classmethod
    def _name_parts(cls, content: str | list[dict[str, JsonValue]] | None) -> str | list[dict[str, JsonValue]] | None:
        return by_one_name(content) if isinstance(content, list) else content

    @field_validator("metadata", mode="before")
    @classmethod
    def _check_metadata(cls, metadata: Any) -> Any:
        if len(str(metadata)) > MAX_METADATA_BYTES:
            raise ValueError(f"more than {MAX_METADATA_BYTES:,} bytes; keep references in it, not contents")
        return metadata


class ConversationEnded(Envelope):
    """A conversation has ended: its messages are consolidated at once instead of after a pause."""

    type: Literal["conversation_ended"] = "conversation_ended"
    conversation: str = Field(min_length=1, max_length=200)


def parse_event(data: object, *, name_unknown: bool = True) -> "AnyEvent":
    """Check one event, given as an object or as parsed JSON.

    name_unknown: whether the error may name an unknown field. This helps an app's developer, but in a service's log that name is
    untrusted text. Raises InvalidEvent, which names each invalid field and the fix, and shows no text of the event.
    """
    # By the model of its type, not a union of all, so that only the models in use are built.
    model = _model_of(data)
    with nullcontext() if model in _used else _FIRST_USE:
        try:
            event = model.model_validate(data)
            if model not in _used:
                event.model_dump()
                _used.add(model)
            return cast("AnyEvent", event)
        except ValidationError as error:
            faults = faults_of(error, name_unknown=name_unknown)
        except RecursionError:
            faults = f"event: {TOO_DEEP}"
    raise InvalidEvent(f"event not accepted: {faults}")


# Pydantic builds and imports what a model needs when it first checks, writes or refuses something, under locks that a fork in
# between leaves held in the child, which would then wait for good.
_FIRST_USE = ForkSafeLock()
_used: set[type[Envelope]] = set()


def _model_of(data: object) -> type[Envelope]:
    if not isinstance(data, Mapping):
        raise InvalidEvent("event not accepted: event: not a JSON object")
    if len(data) > _MOST_FIELDS:
        raise InvalidEvent(
            f"event not accepted: event: {len(data):,} fields, at most {_MOST_FIELDS}; put others into metadata"
        )
    models, kind = _models(), data.get("type")
    if isinstance(kind, str) and kind in models:
        return models[kind]
    fault = f"not an event type of version {VERSION}" if "type" in data else "missing"
    raise InvalidEvent(f"event not accepted: type: {fault}; one of {', '.join(models)}")


@cache
def _models() -> dict[str, type[Envelope]]:
    """Return the models of all events by type; `mosshead.events` imports them all."""
    return {str(one.model_fields["type"].default): one for one in Envelope.__subclasses__()}


def faults_of(error: ValidationError, *, name_unknown: bool = True) -> str:
    """Return each invalid field with the fix, without the given values. name_unknown: as for `parse_event`."""
    if error.error_count() > _MOST_EXPLAINED:
        return (
            f"event: {error.error_count():,} values or fields that its type does not have; "
            "send what docs/reference/events.md shows"
        )
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(sorted({_explain(fault, name_unknown) for fault in faults}))


def _explain(fault: ErrorDetails, name_unknown: bool) -> str:
    path = [str(part) for part in fault["loc"]]
    if path[:1] == ["content"] and path[1:]:  # what follows are pydantic's names for the allowed forms of a content
        return "content: give a text, or a list of parts, such as {'type': 'text', 'text': '…'}, that can be written as JSON"
    if fault["type"] == "recursion_depth_exceeded":
        return f"{path[0] if path else 'event'}: {TOO_DEEP}"
    named = fault["type"] != "extra_forbidden" or name_unknown
    field = (".".join(path) if named else "") or "event"
    if fault["type"] == "value_error":
        # InvalidNamespace names the part itself.
        reason = fault["ctx"]["error"] if "ctx" in fault else fault["msg"]
        return str(reason) if isinstance(reason, InvalidNamespace) or not path else f"{field}: {reason}"
    return f"{field}: {_FIXES.get((field, fault['type'])) or _FIXES.get(fault['type']) or fault['msg'].lower()}"


_MOST_EXPLAINED = 200
"""Maximum number of faults listed per event: each takes time to format."""

_MOST_FIELDS = 100
"""Maximum number of an event's fields; no type has a third of that."""

_FIXES: dict[str | tuple[str, str], str] = {
    "missing": "missing",
    ("namespace", "missing"): "missing; give the tenant first, such as ['acme', 'sarah_123']",
    ("namespace", "tuple_type"): "give a list of its parts, the tenant first, such as ['acme', 'sarah_123']",
    ("occurred_at", "missing"): "missing; give the time with its zone, such as 2026-03-02T09:00:00+00:00",
    "timezone_aware": "has no time zone; give an aware time, such as 2026-03-02T09:00:00+00:00",
    "extra_forbidden": "not a field of this type of event; omit it, or put it into metadata",
    ("event", "extra_forbidden"): "has a field that its type does not have; omit it, or put it into metadata",
    ("role", "enum"): f"one of {', '.join(Role)}",
    ("version", "literal_error"): f"must be {VERSION}",
}
