"""What a manager gives back: values in shapes of the app's own, each with its id and with what became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, overload
from uuid import UUID

from pydantic import BaseModel, Field

S = TypeVar("S", bound=BaseModel)

Action = Literal["inserted", "updated", "deleted", "unchanged"]


class Fact(BaseModel):
    """One thing worth remembering, in the third person.

    importance: from 0 (a detail) to 10 (must not be forgotten).
    """

    content: str = Field(min_length=1)
    importance: int = Field(5, ge=0, le=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Managed:
    """A memory after a manager has seen a conversation.

    id: stays the same whatever the memory says later; a new one follows from what it says. action: what became of it in this
    call. reason: the model's, for what it changed. sources: the numbers of the messages that bear that out, from 1.
    """

    id: UUID
    value: BaseModel
    action: Action = "unchanged"
    reason: str | None = None
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A change that the model proposed and that was not made.

    why: names the field at fault. action: as the model called it. id: of the memory that it was to change. data: as the model
    wrote it.
    """

    why: str
    action: str | None = None
    id: UUID | None = None
    data: Any = None


@dataclass(frozen=True, slots=True)
class ManagedMemories(Sequence[Managed]):
    """The new state: what was there, in its order, then what is new. Deleted ones are in it, marked so.

    refused: what the model proposed and was not done.
    """

    memories: tuple[Managed, ...]
    refused: tuple[Refused, ...] = ()

    @property
    def standing(self) -> tuple[Managed, ...]:
        """All but the deleted."""
        return tuple(one for one in self.memories if one.action != "deleted")

    @property
    def changed(self) -> tuple[Managed, ...]:
        """What this call inserted, updated or deleted."""
        return tuple(one for one in self.memories if one.action != "unchanged")

    def of(self, schema: type[S]) -> list[S]:
        """The values of one schema that stand."""
        return [one.value for one in self.standing if isinstance(one.value, schema)]

    @overload
    def __getitem__(self, place: int) -> Managed: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Managed, ...]: ...

    def __getitem__(self, place: int | slice) -> Managed | tuple[Managed, ...]:
        return self.memories[place]

    def __iter__(self) -> Iterator[Managed]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedProfile(Generic[S]):
    """A profile after a manager has seen a conversation.

    value: None where there is none yet. patch: what was changed, as a JSON Merge Patch (RFC 7396); empty where nothing was.
    refused: what the model proposed and was not done.
    """

    value: S | None
    patch: dict[str, Any]
    refused: tuple[Refused, ...] = ()
