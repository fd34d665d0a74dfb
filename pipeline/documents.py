"""A namespace's documents, as forming and editing them see them: the body, and since when each field is so, and by whose hand.

Fields are named by JSON Pointers; see `mosshead.managing.patching`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from typing import Any
from uuid import UUID

from mosshead.language_model.objects import leaves
from mosshead.managing.patching import fields_of, merged, removed, replaced, touches, value_at
from pipeline.facts import RecordSchema
from pipeline.schemas import closed, fits

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Mark:
    """Since when a field is as it is: when it was said, or edited. hand: the app edited it; else it was formed.

    by: the decision that set it; None where that is about to be made.
    """

    at: datetime
    hand: bool
    by: UUID | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """A document as it was read. version: 0 where there is none yet. marks: of every field that was ever set or removed."""

    body: Json = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Changed:
    """What a document becomes. patch: what makes the new body of the old one. marked: the fields that this sets or removes."""

    body: Json
    patch: Json
    marked: Mapping[str, Mark]


class Misfit(ValueError):
    """A change would make of a document what does not fit its schema."""


def edited(shape: RecordSchema, held: Held, patch: Json, at: datetime) -> Changed:
    """A document as the app edits it: the fields that it names are so from here on, whatever was said before. Raises Misfit."""
    return changed(shape, held, patch, dict.fromkeys(fields_of(patch), Mark(at, hand=True)))


def changed(shape: RecordSchema, held: Held, patch: Json, marked: Mapping[str, Mark]) -> Changed:
    """A document with a patch applied. Raises Misfit."""
    body = merged(held.body, patch)
    if not fits(body, closed(shape.schema)):
        raise Misfit(f"does not fit the schema {shape.name}")
    return Changed(body=body, patch=patch, marked=marked)


def unformed(
    versions: Sequence[Held], decisions: Collection[UUID], said: Mapping[UUID, str]
) -> tuple[list[Held], set[UUID]]:
    """The versions of a document, in order, without the fields that some decisions set, as if nobody had ever spoken of them; and
    the other decisions that had set more than is left. They need not fit their schema.

    What was set there may stand in what others made of it, as in a list that was added to: it goes from that, too, unless what
    they were made of says it. said: that, by decision.
    """
    lost = set[str]()
    left, trimmed = list[Held](), set[UUID]()
    for before, held in zip((Held(), *versions), versions, strict=False):
        gone = {pointer for pointer, mark in held.marks.items() if mark.by in decisions}
        for pointer in gone:
            lost |= _texts(value_at(held.body, pointer)) - _texts(before.body)
        body: Json = reduce(removed, sorted(gone), held.body)
        for pointer, mark in held.marks.items():
            value = value_at(body, pointer)
            if mark.hand or mark.by is None or value is None:
                continue
            own = said.get(mark.by, "")
            kept = _without(value, [one for one in lost if not _holds(own, [one])])
            if kept is None:
                gone.add(pointer)
            if kept != value:
                body = removed(body, pointer) if kept is None else replaced(body, pointer, kept)
                trimmed.add(mark.by)
        left.append(replace(held, body=body, marks={key: mark for key, mark in held.marks.items() if key not in gone}))
    return left, trimmed


def _texts(value: Any) -> set[str]:
    given = (
        str(one).casefold() for one in leaves(value) if isinstance(one, str | int | float) and not isinstance(one, bool)
    )
    return {one for one in given if one.strip()}


def _holds(value: Any, texts: Iterable[str]) -> bool:
    """Whether a value says one of some texts, as whole words."""
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", one) for text in texts for one in _texts(value))


def _without(value: Any, texts: Collection[str]) -> Any:
    """A value without what says one of some texts; None where nothing is left."""
    if isinstance(value, list):
        return [one for one in value if not _holds(one, texts)] or (None if value else value)
    return None if _holds(value, texts) else value


def settled(marks: Mapping[str, Mark], marked: Mapping[str, Mark]) -> dict[str, Mark]:
    """The marks after a change: a field that is set anew takes those of what was in it along."""
    kept = {
        old: mark for old, mark in marks.items() if not any(old == new or old.startswith(f"{new}/") for new in marked)
    }
    return kept | dict(marked)


def barred(marks: Mapping[str, Mark], fields: Iterable[str], said_at: datetime) -> set[str]:
    """Which of some fields a message of a time may not change: what was edited by hand after it was said stays so."""
    edits = [pointer for pointer, mark in marks.items() if mark.hand and mark.at > said_at]
    return {one for one in fields if any(touches(one, edit) for edit in edits)}
