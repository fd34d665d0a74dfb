"""The kinds of reflection, and how a due one runs on what it has not seen yet. Nothing is lost:

a row marks it as dirty, and is deleted in the transaction that stores the result.
"""

from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlalchemy import Connection

from db import reflections, summaries
from db.keys import BatchRef
from mosshead.safety import steers
from mosshead.store.connection import tenant_transaction
from workers.dependencies import Parts, Store
from workers.reflection import documents, prompts
from workers.reflection.conversations import EPISODES, SUMMARY
from workers.reflection.expansions import EXPANSIONS
from workers.reflection.kinds import Reflection, ReflectionDue
from workers.stages import load

KINDS: Final[dict[str, Reflection]] = {
    "document": documents.DOCUMENT,
    "episodes": EPISODES,
    reflections.EXPANSIONS: EXPANSIONS,
    prompts.KIND: prompts.OPTIMIZING,
    summaries.KIND: SUMMARY,
}
"""Every kind, by the name in its rows."""

_log = structlog.get_logger()


def reflect(batch: BatchRef, parts: Parts) -> Store:
    """Run the reflection of a lane that has been due for longest; return how to store its result."""
    with tenant_transaction(parts.engine, batch.lane.tenant_id) as connection:
        due = reflections.first_due(connection, batch.lane)
        model = load.model_for(connection, batch, parts) if due else None
    if due is None:
        return partial(reflections.set_timer, lane=batch.lane)
    kind = KINDS.get(due.kind)
    if kind is None or (kind.needs_model and model is None):
        # A kind of another version of the service waits for that version.
        why = "waits for an LLM" if kind else "not a kind that this version knows"
        _log.warning("reflection_put_off", kind=due.kind, why=why)
        return partial(reflections.put_off, lane=batch.lane, due=due, pause=timedelta(minutes=5), why=why)
    with load.reading(batch, parts) as connection:
        said = load.messages_of(connection, *(BatchRef(batch.lane, one) for one in due.batches))
    # Without text that would steer the readers of the result.
    unseen = tuple(message for message in said if not steers(message))
    store = kind.prepare(ReflectionDue(batch, due.subject, unseen), model, parts)

    def settle(connection: Connection) -> None:
        # Storing may find more waiting work and mark it dirty again.
        reflections.settle(connection, batch.lane, due)
        store(connection)

    return settle
