"""The sweeper: the only timer. Claims what is due, and gives hints, again where one was lost. Safe in several copies."""

import time
from collections.abc import Callable
from datetime import timedelta

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import lanes
from db.engine import check_login, open_engine
from recollect.ids import uuid7
from recollect.tenancy import tenant_transaction
from workers.hints import hint
from workers.parts import WORKER_URL
from workers.retries import describe

_AT_ONCE = 50
_GAP = timedelta(seconds=30)
_HINT_AGAIN = timedelta(seconds=10)
_BACK_OFF_SECONDS = 2.0

_log = structlog.get_logger()


def run_sweeper(settings: Settings, stopped: Callable[[], bool]) -> None:
    """Sweep until ``stopped``. Raises ConfigurationError or StoreUnavailable at the start, where the login will not do."""
    settings.broker()
    engine = open_engine(settings.login("worker"), setting=WORKER_URL)
    check_login(engine, setting=WORKER_URL)
    _log.info("sweeper_started")
    while not stopped():
        try:
            sweep(engine, settings)
        except DBAPIError as error:
            _log.warning("sweep_interrupted", error=describe(error))
            time.sleep(_BACK_OFF_SECONDS)
        time.sleep(settings.sweep_seconds)
    engine.dispose()
    _log.info("sweeper_stopped")


def sweep(engine: Engine, settings: Settings) -> None:
    """One round: a batch for each lane that is due, and a hint for each stage that nobody was told of lately."""
    with engine.begin() as connection:
        due = lanes.due_lanes(connection, _AT_ONCE)
    for lane in due:
        with tenant_transaction(engine, lane.tenant_id) as connection:
            batch = lanes.claim(
                connection,
                lane,
                uuid7(),
                messages=settings.batch_messages,
                characters=settings.batch_characters,
                gap=_GAP,
            )
        if batch is not None:
            hint(batch, lanes.STAGES[0], expires=settings.lease_seconds)
    with engine.begin() as connection:
        waiting = lanes.batches_to_hint(connection, limit=_AT_ONCE, again=_HINT_AGAIN)
    for batch, stage in waiting:
        hint(batch, stage, expires=_HINT_AGAIN.total_seconds())
