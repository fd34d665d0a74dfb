"""The fields that a model proposes for a document, read one by one. Pure."""

from dataclasses import dataclass
from typing import Any

from mosshead.language_model.objects import read_value
from mosshead.managing.proposals import MOST_CHANGES, DocumentAnswer, ProposedField, unsourced
from mosshead.managing.values import Refused


@dataclass(frozen=True, slots=True)
class Sourced:
    """A field of a document and what a model proposes for it: a member of a JSON Merge Patch. sources: numbers of messages."""

    name: str
    value: Any
    sources: tuple[int, ...]


def read_fields(
    answer: DocumentAnswer, known: frozenset[int], spoken: frozenset[int]
) -> tuple[list[Sourced], list[Refused]]:
    """What can be read and is borne out, and what is refused, with why. known, spoken: as for `unsourced`.

    A field that is proposed twice counts as it was proposed last.
    """
    taken: dict[str, Sourced] = {}
    refused: list[Refused] = []
    for one in answer.fields[:MOST_CHANGES]:
        try:
            field = _read(one, known, spoken)
        except ValueError as error:
            refused.append(Refused(why=str(error), data=None if one is None else one.value))
        else:
            taken[field.name] = field
    beyond = len(answer.fields) - MOST_CHANGES
    if beyond > 0:
        refused.append(Refused(why=f"{beyond} fields beyond the first {MOST_CHANGES}"))
    return list(taken.values()), refused


def _read(one: ProposedField | None, known: frozenset[int], spoken: frozenset[int]) -> Sourced:
    if one is None:
        raise ValueError("the change is not in the shape that was asked for")
    if (why := unsourced(one.sources, known, spoken)) is not None:
        raise ValueError(why)
    try:
        return Sourced(one.name, read_value(one.value), one.sources)
    except ValueError as error:
        raise ValueError(f"value: {error}") from None
