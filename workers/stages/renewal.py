"""A lease that lasts as long as the task that holds it: short, so that a death is noticed, and renewed while the task lives."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from db import leases
from mosshead.store.connection import tenant_transaction
from workers.parts import Parts
from workers.retries import NoThread, describe

_log = structlog.get_logger()


@contextmanager
def renewed(lease: leases.Lease, used: Parts) -> Iterator[None]:
    """Renew a lease from a thread while the block runs, for ``stage_seconds`` at most: a stage that hangs is taken over then,
    and that is counted.

    Raises NoThread where the process gets none.
    """
    ended = threading.Event()
    try:
        threading.Thread(target=_renew, args=(lease, used, ended), name="renewal", daemon=True).start()
    except RuntimeError:
        raise NoThread("the process gets no more threads") from None
    try:
        yield
    finally:
        ended.set()


def _renew(lease: leases.Lease, used: Parts, ended: threading.Event) -> None:
    seconds = used.settings.lease_seconds
    deadline = time.monotonic() + used.settings.stage_seconds
    while not ended.wait(seconds / 3):
        try:
            with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
                if time.monotonic() >= deadline:
                    _overrun(connection, lease, used)
                    return
                kept = leases.renew(connection, lease, lasting=timedelta(seconds=seconds))
        except DBAPIError as error:
            _log.warning("lease_not_renewed", stage=lease.stage, error=describe(error))
            continue
        if not kept:
            return


def _overrun(connection: Connection, lease: leases.Lease, used: Parts) -> None:
    """Counted here, while the process lives: it is killed in its task soon, and its parent knows only that it died."""
    if leases.overrun(connection, lease, error=f"ran for longer than {used.settings.stage_seconds:g} s"):
        _log.error("stage_overran", stage=lease.stage, batch_id=str(lease.batch.batch_id))
