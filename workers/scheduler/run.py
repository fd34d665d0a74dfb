"""The scheduler: the only timer. Has what is due dispatched, erased, replays followed, and what is no longer needed cleared.

Safe in several copies.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache, partial
from itertools import groupby
from operator import attrgetter
from threading import Lock, Thread
from uuid import UUID

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import housekeeping, lanes, search_indexes
from db.keys import BatchRef
from mosshead.errors import MossheadError
from mosshead.store.connection import tenant_transaction
from workers.broker import check_broker
from workers.dependencies import Parts, check_parts, logged_in, parts
from workers.erasure.run import ErasureFailed, erase
from workers.failures import describe, is_of_all
from workers.replay.follow import follow_all
from workers.replay.replays import release_abandoned
from workers.scheduler.dispatch import dispatch

_SELDOM_SECONDS = 60.0
_AT_ONCE = 500

_THREADS = 2
"""Of erasures, so that one which is large, or waits for an embedder, does not hold up all others."""

_AGAIN = timedelta(seconds=1)
"""An erasure that failed is due again by then; one that is still at work is left alone."""

_GO_SECONDS = 8.0
"""What is at work may end; whoever supervises the scheduler waits for 15 seconds. What is cut off is done by the next."""

_Parts = dict[str, Callable[[], object]]
"""What a sweep does, in order, by its name in the log."""

_log = structlog.get_logger()


def run_scheduler(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start, where the login will not do."""
    broker_url = settings.broker()
    with logged_in(settings) as engine:
        check_broker(broker_url, stopped)
        _log.info("scheduler_started")
        often: _Parts = {"dispatch": partial(dispatch, engine, settings), "replays": partial(follow_all, engine)}
        seldom: _Parts = {
            "retention": partial(clear, engine, settings),
            "switches": partial(release_abandoned, engine),
            "indexes": _report_indexes(engine),
        }
        seldom_at = time.monotonic()
        with _erasing(engine, settings, stopped):
            while not stopped():
                _sweep(often)
                if time.monotonic() >= seldom_at:
                    _sweep(seldom)
                    seldom_at = time.monotonic() + _SELDOM_SECONDS
                time.sleep(settings.sweep_seconds)
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


@contextmanager
def _erasing(engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> Iterator[None]:
    """Carry out what is due, in threads of the scheduler, until ``stopped``. Safe in several copies, which share what is due.

    It needs neither a worker's slot nor Redis: batches that hang may hold all slots, and a full Redis takes no hint.
    """
    check, one_at_a_time = cache(check_parts), Lock()

    def checked_parts() -> Parts:
        with one_at_a_time:  # threads that first ask at the same moment would each open all that a worker needs
            # Once, before the first: the embedder of what memories say from here on must be the database's own.
            check()
            return parts()

    def run() -> None:
        while not stopped():
            if not _round(engine, checked_parts):
                time.sleep(settings.sweep_seconds)

    threads = [Thread(target=run, name=f"eraser-{number}", daemon=True) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        deadline = time.monotonic() + _GO_SECONDS
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _round(engine: Engine, checked_parts: Callable[[], Parts]) -> bool:
    """Carry out one, if one is due; returns whether there may be another at once."""
    try:
        with engine.begin() as connection:
            due = lanes.to_erase(connection, limit=1, again=_AGAIN)
    except DBAPIError as error:
        _log.warning("sweep_interrupted", error=describe(error))
        time.sleep(0.5)
        return False
    for lane in due:
        ids = {"tenant_id": str(lane.tenant_id), "namespace_id": str(lane.namespace_id)}
        with structlog.contextvars.bound_contextvars(**ids):
            try:
                erase(lane, checked_parts())
            except ErasureFailed:
                pass  # it was said, and is due again
            except MossheadError as error:
                _log.error("erasure_failed", error=str(error))
    return bool(due)


def clear(engine: Engine, settings: Settings) -> int:
    """Delete what batches left that ended longer ago than MOSSHEAD_RETENTION_DAYS, some hundred at a time; returns how many.

    Safe in several copies at once, and when it dies on the way: it goes on where it was.
    """
    age = timedelta(days=settings.retention_days)
    with engine.begin() as connection:
        housekeeping.clear_workers(connection, age=timedelta(days=1))
        housekeeping.clear_refusals(connection, age=timedelta(days=7))  # `status` counts those of a day
        finished = housekeeping.finished_batches(connection, age=age, limit=_AT_ONCE)
    tenant = attrgetter("lane.tenant_id")
    of_tenants = groupby(sorted(finished, key=tenant), key=tenant)
    cleared = sum(_cleared(engine, tenant_id, list(batches), age) for tenant_id, batches in of_tenants)
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
