"""How every stage runs: lease, work outside any transaction, store and advance in one, then hint the next.

A stage is done again from its start whenever something dies on the way; what it stores, it stores once, under its lease.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from db import leases
from db.keys import BatchRef
from db.lanes import DONE
from mosshead.store.connection import tenant_transaction
from workers.dependencies import Parts, parts
from workers.failures import GiveUp, NoThread, after_failure, describe, too_many_crashes, too_many_overruns
from workers.providers import admitted, leave
from workers.scheduler.dispatch import dispatch, hint
from workers.stages import failures

Store = Callable[[Connection], object]
"""Writes a stage's result; runs in the transaction that also moves the batch on."""

Work = Callable[[BatchRef, Parts], Store]
"""Loads, computes and returns how to store; holds no transaction while it computes."""

_log = structlog.get_logger()


class StageFailed(Exception):
    """A stage failed; the scheduler has it tried again, or its events are dead. Holds no text of a conversation."""


def run_stage(stage: str, batch: BatchRef, work: Work, owner: str) -> None:
    """Run one stage of a batch, unless it is done, not due, or another's. Raises StageFailed after a failure was dealt with.

    owner: names this run, so that its lease can be told from that of another.
    """
    used = parts()
    lease = _take_lease(stage, batch, owner, used)
    if lease is None:
        return
    started = time.monotonic()
    failed: Exception | None = None
    following: str | None = None
    try:
        with renewed(lease, used):
            following = _work_and_store(lease, used, work)
    except Exception as error:  # noqa: BLE001 - the edge of the process: every failure is dealt with
        failed = error
    except BaseException:
        # The worker is told to stop, and another may go on at once; or the stage hangs, and that counts as a crash.
        if time.monotonic() - started < used.settings.stage_seconds:
            failures.put_off(lease, used, "stopped")
        raise
    # Dealt with here and not above, so that what is raised drags no context along: an error's message can hold anything.
    if failed is not None:
        what = describe(failed)
        failures.settle(lease, used, after_failure(failed, lease.attempts, used.settings.attempts), what)
        raise StageFailed(f"{stage}: {what}")
    _go_on(batch, following, used)


def _take_lease(stage: str, batch: BatchRef, owner: str, used: Parts) -> leases.Lease | None:
    lasting = timedelta(seconds=used.settings.lease_seconds)
    with tenant_transaction(used.engine, batch.lane.tenant_id) as connection:
        lease = leases.take(connection, batch, stage, owner=owner, lasting=lasting)
        if lease is None:
            _log.info("stage_not_due", stage=stage)
            return None
        if not admitted(connection, stage, used.settings):
            leases.put_off(connection, lease, error="left alone", delay=timedelta(0), counts=False)
            return None
    what = _in_vain(lease, used)
    if what is not None:
        failures.settle(lease, used, GiveUp(), what)
        raise StageFailed(f"{stage}: {what}")
    return lease


def _in_vain(lease: leases.Lease, used: Parts) -> str | None:
    """Why a stage is not to be tried again like this; None where it is."""
    if too_many_overruns(lease.overruns):
        return f"ran for longer than {used.settings.stage_seconds:g} s {lease.overruns} times"
    if too_many_crashes(lease.crashes, lease.events):
        return f"ended its worker {lease.crashes} times"
    return None


def _work_and_store(lease: leases.Lease, used: Parts, work: Work) -> str | None:
    store = work(lease.batch, used)
    with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
        if not leases.holds(connection, lease):
            _log.warning("stage_fenced", stage=lease.stage, epoch=lease.epoch)
            return None
        store(connection)
        following = leases.advance(connection, lease)
        leave(connection, lease.stage, used.settings)
    _log.info("stage_done", stage=lease.stage, next=following)
    return following


def _go_on(batch: BatchRef, following: str | None, used: Parts) -> None:
    if following == DONE:  # this task's slot is free, and need not wait for the scheduler
        try:
            dispatch(used.engine, used.settings)
        except DBAPIError as error:
            _log.warning("dispatch_interrupted", error=describe(error))
    elif following is not None:
        hint(batch, following)


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
                    # Counted here, while the process lives: it is killed in its task soon, and its parent knows no more.
                    why = f"ran for longer than {used.settings.stage_seconds:g} s"
                    if leases.overrun(connection, lease, error=why):
                        _log.error("stage_overran", stage=lease.stage, batch_id=str(lease.batch.batch_id))
                    return
                kept = leases.renew(connection, lease, lasting=timedelta(seconds=seconds))
        except DBAPIError as error:
            _log.warning("lease_not_renewed", stage=lease.stage, error=describe(error))
            continue
        if not kept:
            return
