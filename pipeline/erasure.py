"""Find what remains of a memory once some of its sources are erased: what its other sources said.

A version that refines or repeats the one before still says the same. So erased content is in all later versions, until one says
something else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pipeline.models import Fact
from pipeline.statements import agree, is_more_precise


@dataclass(frozen=True, slots=True)
class Says:
    """What a version says, taken from messages."""

    content: str
    attribute: str | None = None
    value: str | None = None
    occurred_from: datetime | None = None
    occurred_to: datetime | None = None
    granularity: str | None = None
    record_name: str | None = None
    record: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """A stored version. erased: all its sources are. fact: the one it was made of; None for an undo and the like."""

    number: int
    says: Says
    erased: bool = False
    fact: Fact | None = None


def told_by_others(versions: Sequence[Version]) -> dict[int, Says]:
    """Return what each remaining version says now, by number; the others are deleted. versions: all of one memory, in order."""
    left: dict[int, Says] = {}
    lost: list[Says] = []
    verbatim = [_said(one.fact, None) for one in versions if one.fact is not None]
    for before, one in zip((None, *versions), versions, strict=False):
        says: Says | None = one.says
        if one.says in left.values():
            pass
        elif one.erased:
            says = one.says if one.says in verbatim else None
        elif one.says in lost or (before is not None and before.says in lost):
            says = _in_their_words(one, next(reversed(left.values()), None))
        if says is not None:
            left[one.number] = says
        if says != one.says:
            lost.append(one.says)
    return left


def _in_their_words(one: Version, last: Says | None) -> Says | None:
    """Return a version without its erased part: the last text of other sources, joined with its fact.

    If one of them says everything, or the fact gives another value, only that one remains.
    """
    if one.fact is None or (last is not None and _says(last.content, one.fact.content)):
        return last
    said = _said(one.fact, last)
    if last is None or _says(said.content, last.content) or said.value != (last.value or said.value):
        return said
    return replace(said, content=f"{last.content.rstrip('.')}; {said.content}")


def _says(one: str, other: str) -> bool:
    return is_more_precise(one, other) or agree(one, other)


def _said(fact: Fact, last: Says | None) -> Says:
    """Apply a fact to the last text of other sources."""
    said = replace(last, content=fact.content) if last else Says(fact.content, attribute=fact.attribute)
    if fact.value:
        said = replace(said, value=fact.value)
    if fact.occurred:
        time = fact.occurred
        said = replace(said, occurred_from=time.start, occurred_to=time.end, granularity=time.granularity.value)
    return replace(said, record_name=fact.record.name, record=fact.record.data) if fact.record else said
