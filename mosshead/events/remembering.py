"""Events of an agent's own hand: a memory put down as it is, or closed, without a conversation to take it from."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from mosshead.events.envelope import Envelope
from mosshead.kinds import MemoryKind

MAX_REMEMBERED = 8_000
MAX_FORGOTTEN = 200
MAX_ABOUT = 20

_Name = Annotated[str, Field(min_length=1, max_length=200)]


class Remember(Envelope):
    """A memory as it shall be known; `mosshead.ids.remembered_id` gives its id.

    about: names of whom it is about, its subject first; by default those that its content names. Who is not known by that name
        is not linked, nor is anybody where the words leave it open who is meant.
    replaces: a memory that it stands for from here on. A name that one of those bears whom that one is about means that one
        again, and where neither ``about`` nor the words name another of the sort of its subject, it is about that, too.
        of_version: the version of that one that was read; refused where it says something else by then.
    """

    type: Literal["remember"] = "remember"
    content: str = Field(min_length=1, max_length=MAX_REMEMBERED)
    kind: MemoryKind = MemoryKind.FACT
    about: list[_Name] | None = Field(None, max_length=MAX_ABOUT)
    replaces: UUID | None = None
    of_version: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _check_content(self) -> "Remember":
        if not self.content.strip():
            raise ValueError("content: is empty")
        if self.of_version is not None and self.replaces is None:
            raise ValueError("of_version: is of the memory that this one replaces; give replaces, too")
        return self


class Forget(Envelope):
    """Close memories: they are known no longer, and stay as what was known before. An undo of the event brings them back.

    reason: why, for the decision log.
    """

    type: Literal["forget"] = "forget"
    memories: list[UUID] = Field(min_length=1, max_length=MAX_FORGOTTEN)
    reason: str | None = Field(None, min_length=1, max_length=500)
