"""What every event carries, how large it may be, and the events of what was said."""

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from mosshead.ids import uuid7
from mosshead.models.kinds import Role
from mosshead.paths import NamespacePath
from mosshead.text import UNSTORABLE, by_one_name, text_of
from mosshead.timestamps import Moment

VERSION: Literal[1] = 1
MAX_NUMBER = 2**53 - 1
"""The largest number of an event: every reader of JSON has it exactly, and it is far below where Postgres stops counting."""
MAX_CONTENT_BYTES = 256 * 1024
MAX_METADATA_BYTES = 16 * 1024
MAX_EVENT_BYTES = 2 * MAX_CONTENT_BYTES
"""What the intake reads at most: escaped as JSON, a content at its limit can grow."""

MAX_INJECTED = 200


class EventPart(BaseModel):
    """Something that an event holds, or all of it.

    Silent about its input: an error's message may be logged, and the input is text of a conversation. Built when the first of its
    type is checked: most apps publish few of the types.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


class Envelope(EventPart):
    """What every event carries.

    event_id: names the event for good; publishing it twice stores it once.
    publisher, publisher_sequence: who published it, and its number among that publisher's events of the namespace, from 1 without
        gaps; the publishing library fills them in.
    occurred_at: when it happened, with a time zone, which "yesterday" in its text is resolved against.
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


NOT_STORABLE = "holds a NUL character or half a surrogate pair, which cannot be stored; remove it"


def storable(value: Any) -> bool:
    """Whether Postgres can store all the text in a value: it has no NUL character and no half of a surrogate pair."""
    if isinstance(value, str):
        return not UNSTORABLE.search(value)
    if isinstance(value, Mapping):
        return all(storable(name) and storable(inner) for name, inner in value.items())
    return not isinstance(value, list | tuple) or all(storable(inner) for inner in value)


class MessageEvent(Envelope):
    """Somebody said something.

    sequence: the app's own number of the message within its conversation, where it has one.
    speaker: the name of who spoke, where the role does not say it.
    content: text, or a list of parts as the chat completion API has it; only parts that
        are text are remembered. Those of the responses API become parts of type "text".
    tool_calls, tool_call_id: as the chat completion API has them.
    injected: the memories that were in the prompt of this turn: what merely repeats one of them is no news.
    """

    model_config = ConfigDict(defer_build=False)  # every app publishes messages: the first is not to wait for it

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
        """What was said, without pictures and calls of tools; empty where nothing was. SQL has it as mosshead.text_of."""
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
    """A conversation is over: what it holds is consolidated at once instead of after a pause."""

    type: Literal["conversation_ended"] = "conversation_ended"
    conversation: str = Field(min_length=1, max_length=200)
