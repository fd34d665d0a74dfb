"""The results of a manager: values in the app's schemas, each with its id and the action taken."""

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

    id: stays the same when the memory changes; a new one derives from its content. action: of this call. reason: the model's, for
    a change. sources: the numbers of the messages that support it, from 1.
    """

    id: UUID
    value: BaseModel
    action: Action = "unchanged"
    reason: str | None = None
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedChange:
    """A proposed change that was refused.

    why: names the invalid field. action: as the model called it. id: of the memory to change. data: as the model wrote it.
    """

    why: str
    action: str | None = None
    id: UUID | None = None
    data: Any = None


@dataclass(frozen=True, slots=True)
class ManagedMemories(Sequence[Managed]):
    """The new state: existing memories in order, then new ones. Deleted ones are included and marked.

    refused: the refused proposals.
    """

    memories: tuple[Managed, ...]
    refused: tuple[RefusedChange, ...] = ()

    @property
    def standing(self) -> tuple[Managed, ...]:
        """All memories except deleted ones."""
        return tuple(one for one in self.memories if one.action != "deleted")

    @property
    def changed(self) -> tuple[Managed, ...]:
        """The memories that this call inserted, updated or deleted."""
        return tuple(one for one in self.memories if one.action != "unchanged")

    def of(self, schema: type[S]) -> list[S]:
        """Return the values of one schema, without deleted ones."""
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

    value: None if there is none yet. patch: the changes, as a JSON Merge Patch (RFC 7396); empty if there are none.
    refused: the refused proposals.
    """

    value: S | None
    patch: dict[str, Any]
    refused: tuple[RefusedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Sourced:
    """A proposed field of a document, a member of a JSON Merge Patch. sources: numbers of messages."""

    name: str
    value: Any
    sources: tuple[int, ...]


class ProposedField(Answer):
    """A new value of a document's field. value: JSON text; null removes it, and an object is merged into the current one."""

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
    """Return the valid, supported fields, and the refused ones with the reason. known, spoken: as for `check_sources`.

    The last proposal for a field counts.
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
"""Maximum changes of one answer; further ones are refused."""


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
    """Raise ValueError if a proposal's sources do not support it.

    known: the numbers of the shown messages. spoken: of those that can support a change.
    """
    if not set(sources) <= known:
        raise ValueError("sources: names a message that was not shown")
    if not set(sources) & spoken:
        raise ValueError("sources: no user message supports it")
