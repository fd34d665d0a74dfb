"""The sweeper: the only timer. Has what is due dispatched, replays followed, and what is no longer needed cleared.

Safe in several copies.
"""

import time
from collections.abc import Callable

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import scopes
from db.engine import check_login, open_engine
from workers.broker import check_broker
from workers.parts import WORKER_URL
from workers.replaying.following import follow_all
from workers.replaying.switching import release_abandoned
from workers.retries import describe
from workers.sweeper.dispatching import dispatch
from workers.sweeper.retention import clear

_BACK_OFF_SECONDS = 0.5
_CLEAR_SECONDS = 60.0

_log = structlog.get_logger()


def run_sweeper(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start, where the login will not do."""
    broker_url = settings.broker()
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    check_login(engine, setting=WORKER_URL)
    check_broker(broker_url, stopped)
    _log.info("sweeper_started")
    clear_at = time.monotonic()
    due = 0
    while not stopped():
        try:
            dispatch(engine, settings)
            follow_all(engine)
            if time.monotonic() >= clear_at:
                clear(engine, settings)
                release_abandoned(engine)
                due = _report_indexes(engine, due)
                clear_at = time.monotonic() + _CLEAR_SECONDS
        except DBAPIError as error:
            _log.warning("sweep_interrupted", error=describe(error))
            time.sleep(_BACK_OFF_SECONDS)
        time.sleep(settings.sweep_seconds)
    engine.dispose()
    _log.info("sweeper_stopped")


def _report_indexes(engine: Engine, reported: int) -> int:
    """Say so where the number of namespaces changed for which `python -m workers index` has something to do; returns it."""
    with engine.begin() as connection:
        due = scopes.due(connection)
    if due > reported:
        _log.warning("indexes_due", namespaces=due)
    return due
