"""Clearing what is no longer needed, a little at a time: the sweeper calls it about once a minute."""

from collections import defaultdict
from datetime import timedelta
from uuid import UUID

import structlog
from sqlalchemy import Engine

from config.settings import Settings
from db import retention
from db.refs import BatchRef
from recollect.tenancy import tenant_transaction

_AT_ONCE = 500
_WORKERS_SEEN = timedelta(days=1)

_log = structlog.get_logger()


def clear(engine: Engine, settings: Settings) -> int:
    """Delete what batches left that ended longer ago than RECOLLECT_RETENTION_DAYS, some hundred at a time; returns how many.

    Safe in several copies at once, and when it dies on the way: it goes on where it was.
    """
    age = timedelta(days=settings.retention_days)
    with engine.begin() as connection:
        retention.clear_workers(connection, age=_WORKERS_SEEN)
        finished = retention.finished_batches(connection, age=age, limit=_AT_ONCE)
    by_tenant: defaultdict[UUID, list[BatchRef]] = defaultdict(list)
    for batch in finished:
        by_tenant[batch.lane.tenant_id].append(batch)
    cleared = 0
    for tenant_id, batches in by_tenant.items():
        with tenant_transaction(engine, tenant_id) as connection:
            cleared += retention.clear_finished(connection, batches, age=age)
    if cleared:
        _log.info("batches_cleared", batches=cleared)
    return cleared
