"""The claim: a lane's waiting events put in order, and as many of them as one batch may hold; else what is due without any."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import Connection

from config.settings import Settings
from db import inbox, lanes
from db.keys import BatchRef, LaneRef
from pipeline.batching import WaitingEvent, next_batch, order_events


def claim(connection: Connection, lane: LaneRef, batch_id: UUID, settings: Settings) -> BatchRef | None:
    """Make a batch of a lane's next events; None where another claimed it, or nothing may be taken yet. Needs the tenant set."""
    if not lanes.lock_due(connection, lane):
        return None
    gap = timedelta(seconds=settings.gap_seconds)
    rows = inbox.waiting_events(connection, lane, gap=gap, limit=settings.batch_messages)
    ordered = order_events(WaitingEvent(**row) for row in rows)
    taken = next_batch(ordered, messages=settings.batch_messages, tokens=settings.batch_tokens)
    if not taken:
        lanes.wait_for_gap(connection, lane, gap=gap)
        return None
    batch = BatchRef(lane, batch_id)
    lanes.make_batch(connection, batch, [event.event_id for event in taken], gap=gap)
    return batch


def claim_without_events(
    connection: Connection, lane: LaneRef, batch_id: UUID, settings: Settings
) -> tuple[BatchRef, str] | None:
    """Make a batch for a lane's profiles or reflections that are due, where `claim` found no event to take.

    Returns it with the stage at which it begins; None where nothing is due.
    """
    stage = lanes.due_without_events(connection, lane)
    if stage is None:
        return None
    batch = BatchRef(lane, batch_id)
    lanes.make_empty_batch(connection, batch, stage, gap=timedelta(seconds=settings.gap_seconds))
    return batch, stage
