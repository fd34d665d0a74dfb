"""What is left of a memory that others bear out, too, once some of what it was taken from is erased: what those others said.

A version that is made more precise goes on saying what the one before it said, and so does one that is said again. So what is
erased is in all that follow, until one says something else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pipeline.models import Fact
from pipeline.statements import agree, is_more_precise


@dataclass(frozen=True, slots=True)
class Says:
    """What of a version is taken from what was said."""

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
    """A version as it is. erased: all that it was made of is. fact: else what it was made of; None of an undo and the like."""

    number: int
    says: Says
    erased: bool = False
    fact: Fact | None = None


def told_by_others(versions: Sequence[Version]) -> dict[int, Says]:
    """What each version that stays says from here on, by number; the others go.

    versions: all of one memory, in order.
    """
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
    """What a version says without what is erased: what others had said last, and its fact.

    One of the two alone where that says both, and its fact alone where that gives another value.
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
    """A fact, as it updates what others had said last."""
    said = replace(last, content=fact.content) if last else Says(fact.content, attribute=fact.attribute)
    if fact.value:
        said = replace(said, value=fact.value)
    if fact.occurred:
        time = fact.occurred
        said = replace(said, occurred_from=time.start, occurred_to=time.end, granularity=time.granularity.value)
    return replace(said, record_name=fact.record.name, record=fact.record.data) if fact.record else said
