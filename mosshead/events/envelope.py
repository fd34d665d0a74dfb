"""What every event carries, whatever it says, and how large an event may be."""

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from mosshead.text import UNSTORABLE
from mosshead.timestamps import Moment

VERSION: Literal[1] = 1
MAX_NUMBER = 2**53 - 1
"""The largest number of an event: every reader of JSON has it exactly, and it is far below where Postgres stops counting."""
MAX_CONTENT_BYTES = 256 * 1024
MAX_METADATA_BYTES = 16 * 1024
MAX_EVENT_BYTES = 2 * MAX_CONTENT_BYTES
"""What the intake reads at most: escaped as JSON, a content at its limit can grow."""


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
