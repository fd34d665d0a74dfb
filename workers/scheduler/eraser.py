"""The scheduler's threads that carry out erasures as soon as they are due."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from threading import Lock, Thread

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import lanes
from mosshead.errors import MossheadError
from workers.dependencies import Parts, check_parts, parts
from workers.erasure.run import ErasureFailed, erase
from workers.failures import describe

_THREADS = 2
"""So that one which is large, or waits for an embedder, does not hold up all others."""

_AGAIN = timedelta(seconds=1)
"""One that failed is due again by then; one that is still at work is left alone."""

_GO_SECONDS = 8.0
"""What is at work may end; whoever supervises the scheduler waits for 15 seconds. What is cut off is done by the next."""

_log = structlog.get_logger()


@contextmanager
def eraser_threads(engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> Iterator[None]:
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
