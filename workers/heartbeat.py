"""A worker's sign of life: its parent process tells the database that it is there, and how many tasks it can run at once."""

import threading
from collections.abc import Callable

import structlog
from sqlalchemy import Connection as DatabaseConnection
from sqlalchemy import Engine

from db import housekeeping, refused_tasks
from workers.refusals import REFUSALS, Refusals
from workers.retries import describe

_EVERY_SECONDS = 5.0
_LEAVE_SECONDS = 3.0

_log = structlog.get_logger()


class Heartbeat:
    """Beats from a thread of its own, for the parent's event loop waits for nobody, and sleeps through a soft shutdown.

    The engine is for it alone. Between two beats it has no connection that a child, forked at any time, could share.
    """

    def __init__(
        self,
        engine: Engine,
        worker: str,
        slots: Callable[[], int],
        *,
        model: str,
        every: float = _EVERY_SECONDS,
        refusals: Refusals = REFUSALS,
    ) -> None:
        """worker: the node name. slots: how many tasks the worker can run now. model: what it embeds with. every: seconds.

        refusals: counted in this process, and stored with each beat.
        """
        self._engine = engine
        self._worker = worker
        self._slots = slots
        self._model = model
        self._every = every
        self._refusals = refusals
        self._away = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Beat now, and go on."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more and leave; safe to repeat. A database that is away is not waited for: the last beat grows old."""
        self._ended.set()
        self._thread.join(_LEAVE_SECONDS)

    def _run(self) -> None:
        while not self._ended.is_set():
            self._tell(lambda connection: housekeeping.beat(connection, self._worker, self._slots(), self._model))
            self._store_refusals()
            self._ended.wait(self._every)
        self._store_refusals()
        self._tell(lambda connection: housekeeping.leave(connection, self._worker))

    def _store_refusals(self) -> None:
        """Counts that could not be stored are kept for the next beat."""
        counts = self._refusals.counts()
        if counts and self._tell(lambda connection: refused_tasks.add(connection, counts)):
            self._refusals.stored(counts)

    def _tell(self, statement: Callable[[DatabaseConnection], None]) -> bool:
        try:
            with self._engine.begin() as connection:
                statement(connection)
        except Exception as error:  # noqa: BLE001 - the edge of the thread: without it, the worker would get no more work
            if not self._away:  # once: it may be away for long
                _log.warning("heartbeat_missed", error=describe(error))
            self._away = True
            return False
        else:
            self._away = False
            return True
        finally:
            self._engine.dispose()
