"""The event that has something erased: not closed, as a `Forget` does, but gone."""

from typing import Literal, get_args
from uuid import UUID

from pydantic import Field, model_validator

from mosshead.events.envelope import Envelope

MAX_ERASED = 200

ErasedScope = Literal["everything", "conversation", "entity", "memories"]
"""What an erasure takes; each is a field of the event, of which it gives one."""


class Erase(Envelope):
    """Delete for good, whatever rests on it included, and keep out what was published before and comes later. Cannot be undone.

    It does not wait for its turn. One of: everything of the namespace; all that was said in a ``conversation``; an entity, with
    every memory that was ever linked to it; some memories. With a memory go the messages that it came from.
    """

    type: Literal["erase"] = "erase"
    everything: bool = False
    entity: UUID | None = None
    memories: list[UUID] = Field(default_factory=list, max_length=MAX_ERASED)

    @model_validator(mode="after")
    def _check_one(self) -> "Erase":
        if len(self._given()) != 1:
            raise ValueError("everything: give one of everything, conversation, entity and memories")
        return self

    @property
    def scope(self) -> ErasedScope:
        """What it takes."""
        return self._given()[0]

    def _given(self) -> list[ErasedScope]:
        return [scope for scope in get_args(ErasedScope) if getattr(self, scope)]
