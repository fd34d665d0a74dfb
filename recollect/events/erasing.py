"""The event that has something erased: not closed, as a `Forget` does, but gone."""

from typing import Literal
from uuid import UUID

from pydantic import Field, model_validator

from recollect.events.envelope import Envelope

MAX_ERASED = 200


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
        given = (self.everything, self.conversation is not None, self.entity is not None, bool(self.memories))
        if given.count(True) != 1:
            raise ValueError("everything: give one of everything, conversation, entity and memories")
        return self
