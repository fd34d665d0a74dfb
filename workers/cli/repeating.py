"""What an operator's command does again and again, until it is asked to stop."""

import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError

from mosshead.errors import StoreUnavailable
from workers.retries import describe

_TICK_SECONDS = 0.5

_log = structlog.get_logger()

T = TypeVar("T")


def repeat(work: Callable[[], object], stopped: Callable[[], bool], *, every: float, interrupted: str) -> None:
    """Do some work again and again until ``stopped``. every: seconds from the end of one to the next; the first comes then.

    Where Postgres is away, the next finds it back; interrupted: the log's event then.
    """
    due = time.monotonic() + every
    while not stopped():
        if time.monotonic() < due:
            time.sleep(min(_TICK_SECONDS, every))
            continue
        tried(work, interrupted=interrupted)
        due = time.monotonic() + every


def tried(work: Callable[[], T], *, interrupted: str) -> T | None:
    """Do some work that is done again later; where Postgres is away, says so in the log and returns None."""
    try:
        return work()
    except (StoreUnavailable, DBAPIError, psycopg.Error) as error:
        _log.warning(interrupted, error=describe(error))
        return None


def until_asked_to_stop() -> Callable[[], bool]:
    """Whether somebody pressed Ctrl-C, or told this process to end; from now on neither ends it by itself."""
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: asked
