"""Telling Celery that a stage is due. A hint may be lost: the scheduler gives it again."""

import time
from uuid import UUID

import structlog

from db.keys import BatchRef
from mosshead.publishing.queue import BROKER_ERRORS
from workers.celery_app import app

_REST_SECONDS = 1.0

_log = structlog.get_logger()


class _Rest:
    """After a failure hints rest for a while, so that a Redis that hangs costs its time-out once, and not for each hint."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self) -> None:
        self._until = time.monotonic() + _REST_SECONDS

    def lasts(self) -> bool:
        return time.monotonic() < self._until


_rest = _Rest()


def hint(batch: BatchRef, stage: str) -> bool:
    """Send the task of a stage, with ids only; returns whether Redis took it, and waits for that 2 seconds at most.

    It does not expire: a worker would judge that by a clock of its own, and were that ahead, it would drop every hint. One that
    comes late finds its stage done, or leased.
    """
    ids: tuple[UUID, ...] = (batch.lane.tenant_id, batch.lane.namespace_id, batch.batch_id)
    if _rest.lasts():
        return False
    try:
        app.send_task(f"mosshead.{stage}", args=[str(one) for one in ids], retry=False)
    except BROKER_ERRORS as error:
        _rest.begin()
        _log.warning("hint_not_sent", task=stage, error=type(error).__name__)
        return False
    return True
