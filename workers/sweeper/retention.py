"""Clearing what is no longer needed, a little at a time: the sweeper calls it about once a minute."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import housekeeping, refused_tasks
from db.keys import BatchRef
from mosshead.store.connection import tenant_transaction
from workers.retries import describe, is_of_all

_AT_ONCE = 500
_WORKERS_SEEN = timedelta(days=1)
_REFUSED_TASKS = timedelta(days=7)  # `status` counts those of a day

_log = structlog.get_logger()


def clear(engine: Engine, settings: Settings) -> int:
    """Delete what batches left that ended longer ago than MOSSHEAD_RETENTION_DAYS, some hundred at a time; returns how many.

    Safe in several copies at once, and when it dies on the way: it goes on where it was.
    """
    age = timedelta(days=settings.retention_days)
    with engine.begin() as connection:
        housekeeping.clear_workers(connection, age=_WORKERS_SEEN)
        refused_tasks.clear(connection, age=_REFUSED_TASKS)
        finished = housekeeping.finished_batches(connection, age=age, limit=_AT_ONCE)
    by_tenant: defaultdict[UUID, list[BatchRef]] = defaultdict(list)
    for batch in finished:
        by_tenant[batch.lane.tenant_id].append(batch)
    cleared = 0
    for tenant_id, batches in by_tenant.items():
        cleared += _cleared(engine, tenant_id, batches, age)
    if cleared:
        _log.info("batches_cleared", batches=cleared)
    return cleared


def _cleared(engine: Engine, tenant_id: UUID, batches: Sequence[BatchRef], age: timedelta) -> int:
    """Clear some batches of one tenant; one that cannot be cleared keeps neither the others nor another tenant's."""
    failed: Exception | None = None
    try:
        with tenant_transaction(engine, tenant_id) as connection:
            return housekeeping.clear_finished(connection, batches, age=age)
    except DBAPIError as error:
        failed = error
    if is_of_all(failed):
        raise failed
    if len(batches) == 1:
        _log.error("batch_not_cleared", batch_id=str(batches[0].batch_id), error=describe(failed))
        return 0
    half = len(batches) // 2
    return sum(_cleared(engine, tenant_id, some, age) for some in (batches[:half], batches[half:]))
