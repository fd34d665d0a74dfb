"""What a model proposes to a manager, read change by change: one that cannot be read leaves the others as they are."""

from typing import Annotated, Any

from pydantic import ValidationError, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator

from mosshead.language_model.answers import Answer, JsonText, Text

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


class ProposedField(Answer):
    """A new value of one field of a document. value: JSON text; null removes it, and an object is merged into the one there."""

    name: Text
    value: JsonText
    sources: tuple[int, ...]


def _or_none(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(given)
    except ValidationError:
        return None


class ManagerAnswer(Answer):
    """The changes to a collection; None for one that cannot be read."""

    changes: tuple[
        Annotated[ProposedChange | None, WrapValidator(_or_none), WithJsonSchema(ProposedChange.model_json_schema())],
        ...,
    ]


class DocumentAnswer(Answer):
    """The changes to a document; None for one that cannot be read."""

    fields: tuple[
        Annotated[ProposedField | None, WrapValidator(_or_none), WithJsonSchema(ProposedField.model_json_schema())],
        ...,
    ]


def unsourced(sources: tuple[int, ...], known: frozenset[int], spoken: frozenset[int]) -> str | None:
    """Why a proposal's sources bear nothing out, or None.

    known: the numbers of the messages that were shown. spoken: of those that may be the ground of a change.
    """
    if not set(sources) <= known:
        return "sources: names a message that was not shown"
    return None if set(sources) & spoken else "sources: nothing that the user said bears it out"
