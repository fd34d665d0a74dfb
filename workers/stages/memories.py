"""New memories: a fact, and how much it matters, as the columns of a memory."""

from datetime import datetime
from typing import Any
from uuid import UUID

from db.memories import NewMemory
from pipeline.models import Fact
from pipeline.salience import score_salience, tier_of


def new_memory(fact: Fact, memory_id: UUID, *, sureness: float, valid_from: datetime, **given: Any) -> NewMemory:
    """A memory of a fact, which is scored unless ``factors`` are given. given: columns that outrank those of the fact."""
    columns = {
        "kind": fact.kind,
        "content": fact.content,
        "confidence": sureness,
        "tier": tier_of(sureness),
        "attribute": fact.attribute,
        "value": fact.value,
        **times_of(fact),
        "record_name": fact.record.name if fact.record else None,
        "record": fact.record.data if fact.record else None,
        "marked": fact.marked,
    }
    if "factors" not in given:
        scored = score_salience(fact)
        columns |= {"salience": scored.value, "factors": scored.explained(), "marked": scored.marked}
    return NewMemory(memory_id=memory_id, valid_from=valid_from, **{**columns, **given})


def times_of(fact: Fact) -> dict[str, Any]:
    """When what a fact speaks of happened, as columns."""
    occurred = fact.occurred
    if occurred is None:
        return {"occurred_from": None, "occurred_to": None, "granularity": None}
    return {"occurred_from": occurred.start, "occurred_to": occurred.end, "granularity": occurred.granularity}
