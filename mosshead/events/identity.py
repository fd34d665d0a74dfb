"""Events that settle who is who."""

from typing import Literal
from uuid import UUID

from pydantic import Field, model_validator

from mosshead.events.envelope import Envelope
from mosshead.imported import MAX_ALIASES, Name, NameOfEntity

MAX_SPLIT_OFF = 1_000


class Clarify(Envelope):
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


class Merge(Envelope):
    """Two entities are one: all that is known of the first is known of the second from here on."""

    type: Literal["merge"] = "merge"
    entity_id: UUID
    into: UUID

    @model_validator(mode="after")
    def _check_two(self) -> "Merge":
        if self.entity_id == self.into:
            raise ValueError("into: is the same entity; name another")
        return self


class Split(Envelope):
    """One entity is two: some of the memories about it are about somebody else of the same name, or of another."""

    type: Literal["split"] = "split"
    entity_id: UUID
    memories: list[UUID] = Field(min_length=1, max_length=MAX_SPLIT_OFF)
    name: NameOfEntity | None = None
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)
    description: str | None = Field(None, min_length=1, max_length=500)
