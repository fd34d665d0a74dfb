"""New memories: a fact, and how much it matters, as the columns of a memory."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from db.memories import NewMemory
from pipeline.models import Fact
from pipeline.salience import tier_of


def new_memory(
    fact: Fact,
    memory_id: UUID,
    *,
    sureness: float,
    valid_from: datetime,
    salience: float,
    factors: Mapping[str, Any],
    marked: bool,
    said_by: str | None = None,
    key: str | None = None,
) -> NewMemory:
    """A memory of a fact. factors: how its salience came about (`Salience.explained`). key: the app's own name for it."""
    return NewMemory(
        memory_id=memory_id,
        kind=fact.kind,
        content=fact.content,
        salience=salience,
        factors=factors,
        confidence=sureness,
        tier=tier_of(sureness),
        attribute=fact.attribute,
        value=fact.value,
        **times_of(fact),
        valid_from=valid_from,
        said_by=said_by,
        marked=marked,
        record_name=fact.record.name if fact.record else None,
        record=fact.record.data if fact.record else None,
        key=key,
    )


def times_of(fact: Fact) -> dict[str, Any]:
    """When what a fact speaks of happened, as columns."""
    occurred = fact.occurred
    if occurred is None:
        return {"occurred_from": None, "occurred_to": None, "granularity": None}
    return {"occurred_from": occurred.start, "occurred_to": occurred.end, "granularity": occurred.granularity}
