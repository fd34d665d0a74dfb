"""Dispatching: work for the workers' free slots, and no more. By the sweeper, and by a worker that has just become free."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, Engine

from config.settings import Settings
from db import housekeeping, lanes, providers
from db.keys import BatchRef, LaneRef
from mosshead.ids import uuid7
from mosshead.store.connection import tenant_transaction
from workers.providers import stages_that_wait
from workers.sweeper.claiming import claim, claim_without_events
from workers.sweeper.faults import pass_over
from workers.sweeper.hints import hint

_HINT_AGAIN = timedelta(seconds=1)
"""A hint is for a free slot: one that was not taken up by then is lost, or late, and then the lease makes it harmless."""

_SPARE = 20
"""More lanes are looked at than there are slots: one that an app publishes to at this moment is locked, and passed over."""


def dispatch(engine: Engine, settings: Settings) -> None:
    """A hint for each stage that is due and that nobody was told of lately; a batch for each lane that is due.

    At most as many as there are free slots; does nothing while another process dispatches.
    """
    with engine.begin() as connection:
        if not lanes.dispatch_alone(connection):
            return
        waiting = stages_that_wait(providers.paused(connection), settings)
        slots = lanes.slots(connection, alive=housekeeping.ALIVE, again=_HINT_AGAIN)
        first = _to_try_with(connection, engine, settings, slots, waiting)
        if first:
            waiting = stages_that_wait(_failed(connection), settings)
        free = slots.free - len(first)
        due = lanes.batches_to_hint(connection, limit=free, again=_HINT_AGAIN, but_not=waiting)
        claimed = [] if lanes.STAGES[0] in waiting else _claim(connection, engine, settings, slots, free - len(due))
    for batch, stage in (*first, *due, *claimed):
        hint(batch, stage)


def _to_try_with(
    connection: Connection, engine: Engine, settings: Settings, slots: lanes.Slots, waiting: Sequence[str]
) -> list[tuple[BatchRef, str]]:
    """A new batch, where one may try a provider that failed; it goes before those that waited.

    Among those may be questions that the provider never answers, though it answers all others. As many as there are slots would
    take every try, and nobody else would ever learn that it is there.
    """
    extract = lanes.STAGES[0]
    may_be_tried = extract not in waiting and extract in stages_that_wait(_failed(connection), settings)
    return _claim(connection, engine, settings, slots, min(1, slots.free)) if may_be_tried else []


def _failed(connection: Connection) -> list[str]:
    return [one.provider for one in providers.breakers(connection)]


def _claim(
    connection: Connection, engine: Engine, settings: Settings, slots: lanes.Slots, limit: int
) -> list[tuple[BatchRef, str]]:
    of_tenant = settings.tenant_slots or _share(slots.all, alone=lanes.of_one_tenant(connection))
    claimed: list[tuple[BatchRef, str]] = []
    for lane in lanes.due_lanes(connection, limit=limit + _SPARE, of_tenant=of_tenant):
        if len(claimed) == limit:
            break
        failed: Exception | None = None
        try:
            claimed += _claim_lane(engine, lane, settings)
        except Exception as error:  # noqa: BLE001 - whatever one lane's rows do, the lanes after it get their turn
            failed = error
        # Dealt with here and not above, so that what is raised drags no context along: an error's message can hold anything.
        if failed is not None:
            pass_over(engine, lane, failed)
    return claimed


def _claim_lane(engine: Engine, lane: LaneRef, settings: Settings) -> list[tuple[BatchRef, str]]:
    """The batch of a lane and the stage at which it begins, if there is anything to take."""
    with tenant_transaction(engine, lane.tenant_id) as own:
        if batch := claim(own, lane, uuid7(), settings):
            return [(batch, lanes.STAGES[0])]
        without_events = claim_without_events(own, lane, uuid7(), settings)
        return [without_events] if without_events else []


def _share(slots: int, *, alone: bool) -> int:
    """A quarter of the slots, and one at least, is kept for other tenants: an import, or a costly message, delays nobody's chat.

    alone: there is no other tenant, so that none of two or three slots need stand idle.
    """
    kept = slots // 4 if alone else max(1, slots // 4)
    return max(1, slots - kept)
