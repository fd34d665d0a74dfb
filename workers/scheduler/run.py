"""The scheduler: the only timer. Has what is due dispatched, erased, replays followed, and what is no longer needed cleared.

Safe in several copies.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import housekeeping, refused_tasks, search_indexes
from db.engine import check_login, open_engine
from db.keys import BatchRef
from mosshead.store.connection import tenant_transaction
from workers.broker import check_broker
from workers.dependencies import WORKER_URL
from workers.failures import describe, is_of_all
from workers.replay.follow import follow_all
from workers.replay.switch import release_abandoned
from workers.scheduler.dispatch import dispatch
from workers.scheduler.eraser import eraser_threads

_SELDOM_SECONDS = 60.0
_AT_ONCE = 500

_Parts = dict[str, Callable[[], object]]
"""What a sweep does, in order, by its name in the log."""

_log = structlog.get_logger()


def run_scheduler(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start, where the login will not do."""
    broker_url = settings.broker()
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    check_login(engine, setting=WORKER_URL)
    check_broker(broker_url, stopped)
    _log.info("scheduler_started")
    often: _Parts = {"dispatch": partial(dispatch, engine, settings), "replays": partial(follow_all, engine)}
    seldom: _Parts = {
        "retention": partial(clear, engine, settings),
        "switches": partial(release_abandoned, engine),
        "indexes": _report_indexes(engine),
    }
    seldom_at = time.monotonic()
    with eraser_threads(engine, settings, stopped):
        while not stopped():
            _sweep(often)
            if time.monotonic() >= seldom_at:
                _sweep(seldom)
                seldom_at = time.monotonic() + _SELDOM_SECONDS
            time.sleep(settings.sweep_seconds)
    engine.dispose()
    _log.info("scheduler_stopped")


def _sweep(parts: _Parts) -> None:
    for name, part in parts.items():
        try:
            part()
        except Exception as error:  # noqa: BLE001 - the edge of the process: the next sweep does it again
            if is_of_all(error):
                _log.warning("sweep_interrupted", part=name, error=describe(error))
                time.sleep(0.5)
            else:
                _log.error("sweep_failed", part=name, error=describe(error))


def _report_indexes(engine: Engine) -> Callable[[], None]:
    """Says in the log when `python -m workers index` has something to do for more namespaces than it had."""
    reported = 0

    def report() -> None:
        nonlocal reported
        with engine.begin() as connection:
            due = search_indexes.due(connection)
        if due > reported:
            _log.warning("indexes_due", namespaces=due)
        reported = due

    return report


def clear(engine: Engine, settings: Settings) -> int:
    """Delete what batches left that ended longer ago than MOSSHEAD_RETENTION_DAYS, some hundred at a time; returns how many.

    Safe in several copies at once, and when it dies on the way: it goes on where it was.
    """
    age = timedelta(days=settings.retention_days)
    with engine.begin() as connection:
        housekeeping.clear_workers(connection, age=timedelta(days=1))
        refused_tasks.clear(connection, age=timedelta(days=7))  # `status` counts those of a day
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
