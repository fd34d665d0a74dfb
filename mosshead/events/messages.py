"""Events of what was said."""

from typing import Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from mosshead.events.envelope import MAX_CONTENT_BYTES, MAX_METADATA_BYTES, Envelope
from mosshead.models.kinds import Role
from mosshead.text import by_one_name, text_of

MAX_INJECTED = 200


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
