"""What a manager gives back: values in shapes of the app's own, each with its id and with what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, overload
from uuid import UUID

from pydantic import BaseModel, Field, WithJsonSchema, WrapValidator

from mosshead.llm.structured import Answer, JsonText, Text, or_none, read_value

S = TypeVar("S", bound=BaseModel)

Action = Literal["inserted", "updated", "deleted", "unchanged"]


class Note(BaseModel):
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
class RefusedChange:
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
    refused: tuple[RefusedChange, ...] = ()

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
    refused: tuple[RefusedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Sourced:
    """A field of a document and what a model proposes for it: a member of a JSON Merge Patch. sources: numbers of messages."""

    name: str
    value: Any
    sources: tuple[int, ...]


class ProposedField(Answer):
    """A new value of one field of a document. value: JSON text; null removes it, and an object is merged into the one there."""

    name: Text
    value: JsonText
    sources: tuple[int, ...]


class DocumentAnswer(Answer):
    fields: tuple[
        Annotated[ProposedField | None, WrapValidator(or_none), WithJsonSchema(ProposedField.model_json_schema())],
        ...,
    ]


def read_fields(
    answer: DocumentAnswer, known: frozenset[int], spoken: frozenset[int]
) -> tuple[list[Sourced], list[RefusedChange]]:
    """What can be read and is borne out, and what is refused, with why. known, spoken: as for `check_sources`.

    A field that is proposed twice counts as it was proposed last.
    """
    taken: dict[str, Sourced] = {}
    refused: list[RefusedChange] = []
    for one in answer.fields[:MOST_CHANGES]:
        try:
            field = _read(one, known, spoken)
        except ValueError as error:
            refused.append(RefusedChange(why=str(error), data=None if one is None else one.value))
        else:
            taken[field.name] = field
    beyond = len(answer.fields) - MOST_CHANGES
    if beyond > 0:
        refused.append(RefusedChange(why=f"{beyond} fields beyond the first {MOST_CHANGES}"))
    return list(taken.values()), refused


def _read(one: ProposedField | None, known: frozenset[int], spoken: frozenset[int]) -> Sourced:
    if one is None:
        raise ValueError("the change is not in the shape that was asked for")
    check_sources(one.sources, known, spoken)
    try:
        return Sourced(one.name, read_value(one.value), one.sources)
    except ValueError as error:
        raise ValueError(f"value: {error}") from None


MOST_CHANGES = 100
"""Of one answer; what comes after them is refused."""


class ProposedChange(Answer):
    """A change to a collection of memories.

    action: "insert", "update" or "delete". memory: the number of the one to change. kind: the schema of one that is new.
    data: JSON text: all of it for an insert, a JSON Merge Patch for an update. sources: numbers of the messages that bear it out.
    """

    action: Annotated[Text, WithJsonSchema({"type": "string", "enum": ["insert", "update", "delete"]})]
    memory: int | None
    kind: Text | None
    data: JsonText | None
    sources: tuple[int, ...]
    reason: Text


class ManagerAnswer(Answer):
    changes: tuple[
        Annotated[ProposedChange | None, WrapValidator(or_none), WithJsonSchema(ProposedChange.model_json_schema())],
        ...,
    ]


def check_sources(sources: tuple[int, ...], known: frozenset[int], spoken: frozenset[int]) -> None:
    """Raise ValueError where a proposal's sources bear nothing out.

    known: the numbers of the messages that were shown. spoken: of those that may be the ground of a change.
    """
    if not set(sources) <= known:
        raise ValueError("sources: names a message that was not shown")
    if not set(sources) & spoken:
        raise ValueError("sources: nothing that the user said bears it out")
