"""Events, version 1: the one way to write. The contract between the apps that publish and the service that consumes.

An event is JSON. A new type of event, or a new optional field, is an addition to version 1; anything else is a version 2, and the
service then takes both. docs/events.md shows each type.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from recollect.errors import InvalidEvent, InvalidNamespace
from recollect.ids import uuid7
from recollect.imported import MAX_ALIASES, ImportedEntity, ImportedMemory
from recollect.kinds import Role
from recollect.namespaces import NamespacePath

VERSION: Literal[1] = 1
MAX_CONTENT_BYTES = 256 * 1024
MAX_METADATA_BYTES = 16 * 1024
MAX_INJECTED = 200
MAX_INSTRUCTIONS = 4_000
MAX_SCHEMAS = 20
MAX_IMPORTED = 200
MAX_EVENT_BYTES = 2 * MAX_CONTENT_BYTES
"""What the intake reads at most: escaped as JSON, a content at its limit can grow."""


class _Event(BaseModel):
    """What every event carries.

    event_id: names the event for good; publishing it twice stores it once.
    publisher, publisher_sequence: who published it, and its number among that publisher's events of the namespace, from 1 without
        gaps; the publishing library fills them in.
    occurred_at: when it happened, with a time zone, which "yesterday" in its text is resolved against.
    """

    # Silent about its input: an error's message may be logged, and the input is text of a conversation.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = VERSION
    event_id: UUID = Field(default_factory=uuid7)
    namespace: tuple[str, ...]
    publisher: UUID
    publisher_sequence: int = Field(ge=1, lt=2**63)
    conversation: str | None = Field(None, min_length=1, max_length=200)
    occurred_at: AwareDatetime

    @model_validator(mode="before")
    @classmethod
    def _check_storable(cls, data: Any) -> Any:
        for name in cls.model_fields if isinstance(data, Mapping) else ():
            if not storable(data.get(name)):
                raise ValueError(
                    f"{name}: holds a NUL character or half a surrogate pair, which cannot be stored; remove it"
                )
        return data

    @field_validator("namespace")
    @classmethod
    def _check_namespace(cls, parts: tuple[str, ...]) -> tuple[str, ...]:
        return NamespacePath.of(parts).parts


class MessageEvent(_Event):
    """Somebody said something.

    sequence: the app's own number of the message within its conversation, where it has one.
    speaker: the name of who spoke, where the role does not say it.
    content: text, or a list of parts as the chat completion API has it; only parts of type "text" are remembered.
    tool_calls, tool_call_id: as the chat completion API has them.
    injected: the memories that were in the prompt of this turn: what merely repeats one of them is no news.
    """

    type: Literal["message"] = "message"
    role: Role
    speaker: str | None = Field(None, min_length=1, max_length=200)
    content: str | list[dict[str, JsonValue]] | None = None
    sequence: int | None = Field(None, ge=0, lt=2**63)
    tool_calls: list[dict[str, JsonValue]] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    injected: list[UUID] | None = Field(None, max_length=MAX_INJECTED)

    @property
    def text(self) -> str:
        """What was said, without pictures and calls of tools; empty where nothing was. SQL has it as recollect.text_of."""
        if isinstance(self.content, list):
            parts = (part.get("text") for part in self.content if part.get("type") == "text")
            return "\n".join(part for part in parts if isinstance(part, str))
        return self.content or ""

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

    @field_validator("metadata", mode="before")
    @classmethod
    def _check_metadata(cls, metadata: Any) -> Any:
        if len(str(metadata)) > MAX_METADATA_BYTES:
            raise ValueError(f"more than {MAX_METADATA_BYTES:,} bytes; keep references in it, not contents")
        return metadata


class ConversationEnded(_Event):
    """A conversation is over: what it holds is consolidated at once instead of after a pause."""

    type: Literal["conversation_ended"] = "conversation_ended"
    conversation: str = Field(min_length=1, max_length=200)


class Undo(_Event):
    """Take back what a decision did. Refused where later decisions build on it; what came of it stands in the decision log."""

    type: Literal["undo"] = "undo"
    decision_id: UUID


class SchemaOfRecords(BaseModel):
    """A shape in which the app wants some facts: its name and its JSON Schema, of type object."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")
    json_schema: dict[str, JsonValue]

    @field_validator("json_schema")
    @classmethod
    def _check_schema(cls, schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if schema.get("type") != "object":
            raise ValueError("must be a JSON Schema of type object, as a pydantic model's is")
        if len(str(schema)) > MAX_METADATA_BYTES:
            raise ValueError(f"more than {MAX_METADATA_BYTES:,} bytes; describe fewer fields")
        return schema


class Configure(_Event):
    """What the app wants of a namespace's memories from here on; replaces what an earlier one said.

    instructions: in the app's own words, for the LLM that extracts. schemas: records that it shall fill in beside the facts.
    """

    type: Literal["configure"] = "configure"
    instructions: str = Field("", max_length=MAX_INSTRUCTIONS)
    schemas: list[SchemaOfRecords] = Field(default_factory=list, max_length=MAX_SCHEMAS)


class Import(_Event):
    """Entities and memories brought from elsewhere. Each memory stays one of its own; the same key twice is the same thing."""

    type: Literal["import"] = "import"
    entities: list[ImportedEntity] = Field(default_factory=list, max_length=MAX_IMPORTED)
    memories: list[ImportedMemory] = Field(default_factory=list, max_length=MAX_IMPORTED)


class Clarify(_Event):
    """The answer to "Which Peter?".

    question_id: of a question that the service holds open; what waits for the answer is linked then. Without it the answer is to
        a question that a read asked: mention is the name, and text what was said around it.
    entity_id: who is meant; None for nobody that is known, but somebody new.
    """

    type: Literal["clarify"] = "clarify"
    question_id: UUID | None = None
    mention: str | None = Field(None, min_length=1, max_length=200)
    text: str | None = Field(None, min_length=1, max_length=8_000)
    entity_id: UUID | None = None

    @model_validator(mode="after")
    def _check_question(self) -> "Clarify":
        if self.question_id is None and (self.mention is None or self.text is None):
            raise ValueError("question_id: missing; or give the mention and the text that it stands in")
        if self.question_id is None and self.entity_id is None:
            raise ValueError(
                "entity_id: missing; only a question that the service holds can be answered with somebody new"
            )
        return self


class Merge(_Event):
    """Two entities are one: all that is known of the first is known of the second from here on."""

    type: Literal["merge"] = "merge"
    entity_id: UUID
    into: UUID

    @model_validator(mode="after")
    def _check_two(self) -> "Merge":
        if self.entity_id == self.into:
            raise ValueError("into: is the same entity; name another")
        return self


class Split(_Event):
    """One entity is two: some of the memories about it are about somebody else of the same name, or of another."""

    type: Literal["split"] = "split"
    entity_id: UUID
    memories: list[UUID] = Field(min_length=1, max_length=1_000)
    name: str | None = Field(None, min_length=1, max_length=200)
    aliases: list[str] = Field(default_factory=list, max_length=MAX_ALIASES)
    description: str | None = Field(None, min_length=1, max_length=500)


Command = Undo | Configure | Import | Clarify | Merge | Split
"""Events that say nothing, but have something done: each is a batch of its own."""

AnyEvent = MessageEvent | ConversationEnded | Command
Event = Annotated[AnyEvent, Field(discriminator="type")]

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(Event)
_TYPES = ("message", "conversation_ended", "undo", "configure", "import", "clarify", "merge", "split")


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


def storable(value: Any) -> bool:
    """Whether Postgres can store all the text in a value: it has no NUL character and no half of a surrogate pair."""
    if isinstance(value, str):
        return "\x00" not in value and not _SURROGATE.search(value)
    if isinstance(value, Mapping):
        return all(storable(name) and storable(inner) for name, inner in value.items())
    return not isinstance(value, list | tuple) or all(storable(inner) for inner in value)


_SURROGATE = re.compile(r"[\ud800-\udfff]")

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
