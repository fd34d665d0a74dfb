"""Facts and the memories they are compared with, for the tests of consolidation."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from mosshead.models.kinds import EntityType, Granularity, MemoryKind
from mosshead.models.occurrence import FactOccurrence
from pipeline.consolidation.consolidate import consolidate
from pipeline.models import Fact, FactMention, FactOutcome, Known, NewFact

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER, EARLIER = NOON + timedelta(days=1), NOON - timedelta(days=1)
USER, PETER, OTHER_PETER = (frozenset({UUID(int=number)}) for number in (1, 2, 3))
NOBODY: frozenset[UUID] = frozenset()


def known(content: str, number: int = 1, subjects: frozenset[UUID] = USER, **given: Any) -> Known:
    """Return a memory of the user, said at noon, with some fields given."""
    fields: dict[str, Any] = {"attribute": None, "value": None, "said_at": NOON, **given}
    return Known(number=number, content=content, subject_ids=subjects, **fields)


def new(
    content: str,
    *near: tuple[Known, float],
    number: int = 1,
    subjects: frozenset[UUID] = USER,
    said_at: datetime = LATER,
    said_by: str | None = None,
    **given: Any,
) -> NewFact:
    """Return a fact about the user, said the day after, compared with what is near it."""
    fields: dict[str, Any] = {"kind": MemoryKind.FACT, "quote": content, **given}
    fact = Fact(content=content, sources=(1,), **fields)
    return NewFact(number, fact, said_at, subjects, near, said_by)


def days(first: int, last: int | None = None) -> FactOccurrence:
    """Return the span from midnight of a day of April 2026 to midnight of the day after (or of another)."""
    start, end = (datetime(2026, 4, day, tzinfo=UTC) for day in (first, last or first + 1))
    return FactOccurrence(start=start, end=end, granularity=Granularity.DAY if last is None else Granularity.WEEK)


def lives(value: str, **given: Any) -> dict[str, Any]:
    """Return where somebody lives, as an attribute."""
    return {"attribute": "lives_in", "value": value, **given}


def named(value: str) -> dict[str, Any]:
    """Return what somebody is called, as an attribute."""
    return {"attribute": "name", "value": value}


def about(*names: str) -> tuple[FactMention, ...]:
    """Return the people that a fact describes."""
    return tuple(FactMention(name=name, entity_type=EntityType.PERSON, role="subject") for name in names)


def only(fact: NewFact) -> FactOutcome:
    """Return the rules' decision about one fact."""
    (decision,) = consolidate([fact], None)
    return decision
