"""How every stage runs: lease, work outside any transaction, store and advance in one, then hint the next.

A stage is done again from its start whenever something dies on the way; what it stores, it stores once, under its lease.
"""

from collections.abc import Callable
from datetime import timedelta

import structlog
from sqlalchemy import Connection

from db import inbox, lanes
from db.refs import BatchRef
from recollect.tenancy import tenant_transaction
from workers.hints import hint
from workers.parts import Parts, parts
from workers.retries import GiveUp, after_failure, describe

Store = Callable[[Connection], None]
"""Writes a stage's result; runs in the transaction that also moves the batch on."""

Work = Callable[[BatchRef, Parts], Store]
"""Loads, computes and returns how to store; holds no transaction while it computes."""

_log = structlog.get_logger()


class StageFailed(Exception):
    """A stage did not succeed; the sweeper will have it tried again, or its events are dead. Holds no text of a conversation."""


def run_stage(stage: str, batch: BatchRef, work: Work) -> None:
    """Run one stage of a batch, unless it is done, not due, or another's. Raises StageFailed after a failure was dealt with."""
    used = parts()
    seconds = timedelta(seconds=used.settings.lease_seconds)
    with tenant_transaction(used.engine, batch.lane.tenant_id) as connection:
        lease = lanes.take_lease(connection, batch, stage, seconds)
    if lease is None:
        _log.info("stage_not_due", stage=stage)
        return
    failed: Exception | None = None
    try:
        following = _work_and_store(lease, used, work)
    except Exception as error:  # noqa: BLE001 - the edge of the process: every failure is dealt with
        failed = error
    # Dealt with here and not above, so that what is raised drags no context along: an error's message can hold anything.
    if failed is not None:
        raise StageFailed(_deal_with(failed, lease, used))
    if following not in {None, lanes.DONE}:
        hint(batch, str(following), expires=used.settings.lease_seconds)


def _work_and_store(lease: lanes.Lease, used: Parts, work: Work) -> str | None:
    store = work(lease.batch, used)
    with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
        if not lanes.holds(connection, lease):
            _log.warning("stage_fenced", stage=lease.stage, epoch=lease.epoch)
            return None
        store(connection)
        following = lanes.advance(connection, lease)
    _log.info("stage_done", stage=lease.stage, next=following)
    return following


def _deal_with(error: Exception, lease: lanes.Lease, used: Parts) -> str:
    what = describe(error)
    outcome = after_failure(error, lease.attempts, used.settings.attempts)
    with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
        if not lanes.holds(connection, lease):
            return f"{lease.stage}: {what}; fenced"
        if isinstance(outcome, GiveUp):
            inbox.mark_dead(connection, lease.batch, f"{lease.stage}: {what}")
            lanes.give_up(connection, lease, what)
        else:
            lanes.put_off(connection, lease, error=what, delay=outcome.delay, counts=outcome.counts)
    _log.error("stage_failed", stage=lease.stage, error=what, outcome=type(outcome).__name__)
    return f"{lease.stage}: {what}"
