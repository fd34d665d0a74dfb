"""The eraser: carries out what is due to be erased, in threads of the scheduler.

It needs neither a worker's slot nor Redis: batches that hang may hold all slots, and a full Redis takes no hint.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import lanes
from mosshead.errors import MossheadError
from workers.dependencies import check_parts, parts
from workers.erasure.run import ErasureFailed, erase
from workers.failures import describe

_THREADS = 2
"""So that one which is large, or waits for an embedder, does not hold up all others."""

_AGAIN = timedelta(seconds=1)
"""One that failed is due again by then; one that is still at work is left alone."""

_BACK_OFF_SECONDS = 0.5
_GO_SECONDS = 8.0
"""What is at work may end; whoever supervises the scheduler waits for 15 seconds. What is cut off is done by the next."""

_log = structlog.get_logger()


class Eraser:
    """Erases until ``stopped``. Safe in several copies, which share what is due."""

    def __init__(self, engine: Engine, settings: Settings, stopped: Callable[[], bool]) -> None:
        self._engine = engine
        self._pause = settings.sweep_seconds
        self._stopped = stopped
        self._checked = False
        self._threads = [Thread(target=self._run, name=f"eraser-{number}", daemon=True) for number in range(_THREADS)]

    def start(self) -> None:
        """Start its threads."""
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until it has ended, for a while."""
        deadline = time.monotonic() + _GO_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _run(self) -> None:
        while not self._stopped():
            if not self._round():
                time.sleep(self._pause)

    def _round(self) -> bool:
        """Carry out one, if one is due; returns whether there may be another at once."""
        try:
            with self._engine.begin() as connection:
                due = lanes.to_erase(connection, limit=1, again=_AGAIN)
        except DBAPIError as error:
            _log.warning("sweep_interrupted", error=describe(error))
            time.sleep(_BACK_OFF_SECONDS)
            return False
        for lane in due:
            ids = {"tenant_id": str(lane.tenant_id), "namespace_id": str(lane.namespace_id)}
            with structlog.contextvars.bound_contextvars(**ids):
                try:
                    self._check()
                    erase(lane, parts())
                except ErasureFailed:
                    pass  # it was said, and is due again
                except MossheadError as error:
                    _log.error("erasure_failed", error=str(error))
        return bool(due)

    def _check(self) -> None:
        """Once, before the first: the embedder of what memories say from here on must be the database's own."""
        if not self._checked:
            check_parts()
            self._checked = True
