"""The sweeper: the only timer. Has what is due dispatched, erased, replays followed, and what is no longer needed cleared.

Safe in several copies.
"""

import time
from collections.abc import Callable
from functools import partial

import structlog
from sqlalchemy import Engine

from config.settings import Settings
from db import search_indexes
from db.engine import check_login, open_engine
from workers.broker import check_broker
from workers.erasing.eraser import Eraser
from workers.parts import WORKER_URL
from workers.replaying.following import follow_all
from workers.replaying.switching import release_abandoned
from workers.retries import describe, is_of_all
from workers.sweeper.dispatching import dispatch
from workers.sweeper.retention import clear

_BACK_OFF_SECONDS = 0.5
_SELDOM_SECONDS = 60.0

_Parts = dict[str, Callable[[], object]]
"""What a sweep does, in order, by its name in the log."""

_log = structlog.get_logger()


def run_sweeper(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start, where the login will not do."""
    broker_url = settings.broker()
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    check_login(engine, setting=WORKER_URL)
    check_broker(broker_url, stopped)
    eraser = Eraser(engine, settings, stopped)
    eraser.start()
    _log.info("sweeper_started")
    indexes = _IndexesDue(engine)
    often: _Parts = {"dispatch": partial(dispatch, engine, settings), "replays": partial(follow_all, engine)}
    seldom: _Parts = {
        "retention": partial(clear, engine, settings),
        "switches": partial(release_abandoned, engine),
        "indexes": indexes.report,
    }
    seldom_at = time.monotonic()
    while not stopped():
        _sweep(often)
        if time.monotonic() >= seldom_at:
            _sweep(seldom)
            seldom_at = time.monotonic() + _SELDOM_SECONDS
        time.sleep(settings.sweep_seconds)
    eraser.join()
    engine.dispose()
    _log.info("sweeper_stopped")


def _sweep(parts: _Parts) -> None:
    """Do each part, whatever becomes of those before it."""
    for name, part in parts.items():
        try:
            part()
        except Exception as error:  # noqa: BLE001 - the edge of the process: the next sweep does it again
            if is_of_all(error):
                _log.warning("sweep_interrupted", part=name, error=describe(error))
                time.sleep(_BACK_OFF_SECONDS)
            else:
                _log.error("sweep_failed", part=name, error=describe(error))


class _IndexesDue:
    """For how many namespaces `python -m workers index` has something to do; says so in the log when they become more."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reported = 0

    def report(self) -> None:
        """Look, and say so."""
        with self._engine.begin() as connection:
            due = search_indexes.due(connection)
        if due > self._reported:
            _log.warning("indexes_due", namespaces=due)
        self._reported = due
