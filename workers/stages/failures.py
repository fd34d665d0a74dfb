"""How a stage ends that did not succeed: put off, split, or buried; under its lease, in one transaction."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from db import inbox, lanes, leases, profiles, reflections
from mosshead.store.connection import tenant_transaction
from workers import providers
from workers.dependencies import Parts
from workers.failures import GiveUp, Retry, Wait, describe

_TOO_MUCH_PAUSE = timedelta(hours=1)

_log = structlog.get_logger()


def settle(lease: leases.Lease, used: Parts, outcome: Wait | Retry | GiveUp, what: str) -> None:
    """Carry out what a failure means. what: the failure in words, without text of a conversation."""

    def end(connection: Connection) -> str:
        if isinstance(outcome, Wait):
            delay = providers.trip(connection, outcome.provider, what, outcome.pause)
            lighter = _lighten(connection, lease, what) if outcome.by_less else None
            if lighter is not None:
                return lighter
            least = outcome.least or timedelta(0)
            leases.put_off(connection, lease, error=what, delay=max(delay, least), counts=outcome.least is not None)
            return f"waits for {outcome.provider}"
        if isinstance(outcome, Retry):
            leases.put_off(connection, lease, error=what, delay=outcome.delay, counts=outcome.counts)
            return "tried again"
        if lease.stage == lanes.REFLECT:
            return _end_reflection(connection, lease, what, reflections.give_up)
        if lease.stage == lanes.STAGES[-1]:
            profiles.put_off(connection, lease.batch.lane, pause=timedelta(minutes=5))
        return _split(connection, lease, what) if lease.events > 1 else _bury(connection, lease, used, what)

    _under_lease(lease, used, end, what, patience=used.settings.stage_seconds)


def put_off(lease: leases.Lease, used: Parts, what: str) -> None:
    """Have a stage done again at once, for a reason that is not the batch's."""

    def end(connection: Connection) -> str:
        leases.put_off(connection, lease, error=what, delay=timedelta(0), counts=False)
        return "given back"

    _under_lease(lease, used, end, what, patience=used.settings.lease_seconds)


def _end_reflection(connection: Connection, lease: leases.Lease, what: str, then: Callable[..., str]) -> str:
    """The batch's events are already in effect, so a failed reflection loses nothing and blocks nothing."""
    due = reflections.first_due(connection, lease.batch.lane)
    leases.end(connection, lease, lanes.DONE, error=what)
    if due is None:
        return "not due any more"
    return f"{due.kind}: {then(connection, lease.batch.lane, due, why=what)}"


def _lighten(connection: Connection, lease: leases.Lease, what: str) -> str | None:
    """Have less asked at once, or the lane go on without it: what never comes in time would hold it up for ever. None where
    neither can be."""
    lane = lease.batch.lane
    if lease.stage == lanes.REFLECT:
        return _end_reflection(connection, lease, what, partial(reflections.lighten, pause=_TOO_MUCH_PAUSE))
    if lease.stage == lanes.STAGES[-1]:
        profiles.put_off(connection, lane, pause=_TOO_MUCH_PAUSE)
        leases.end(connection, lease, lanes.DONE, error=what)
        return "put off"
    return _split(connection, lease, what) if lease.events > 1 else None


def _split(connection: Connection, lease: leases.Lease, what: str) -> str:
    inbox.give_back(connection, lease.batch)
    leases.end(connection, lease, "split", error=what)
    return "split"


def _bury(connection: Connection, lease: leases.Lease, used: Parts, what: str) -> str:
    inbox.mark_dead(connection, lease.batch, f"{lease.stage}: {what}")
    leases.end(connection, lease, "dead", error=what)
    lane, most = lease.batch.lane, used.settings.quarantine_after
    if lanes.quarantine(connection, lane, dead=most, within=timedelta(hours=1)):
        _log.error("lane_quarantined", dead_letters=most)
    return "dead"


def _under_lease(
    lease: leases.Lease, used: Parts, end: Callable[[Connection], str], what: str, *, patience: float
) -> None:
    """An ending that the database did not hear of would pass for a crash of the batch. One that is away is waited for.

    patience: for so many seconds; without the database a task's slot is of no use to others.
    """
    deadline = time.monotonic() + patience
    waited = False
    while True:
        try:
            with tenant_transaction(used.engine, lease.batch.lane.tenant_id) as connection:
                outcome = end(connection) if leases.holds(connection, lease) else _fenced(connection, lease, waited)
                providers.leave(connection, lease.stage, used.settings)
            break
        except DBAPIError as error:
            if time.monotonic() > deadline:
                _log.error("stage_not_settled", stage=lease.stage, error=describe(error))
                return
            waited = True
        time.sleep(0.5)
    _log.error("stage_failed", stage=lease.stage, error=what, outcome=outcome)


def _fenced(connection: Connection, lease: leases.Lease, waited: bool) -> str:
    """Another has the stage. Where that came of an outage, the other took it for a crash's."""
    if waited:
        leases.forgive(connection, lease)
    return "fenced"
