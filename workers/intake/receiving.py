"""Storing what arrived: events in the inbox, what was refused in the dead letters, all in one transaction."""

from collections.abc import Sequence
from datetime import timedelta

import structlog
from sqlalchemy import Connection as DatabaseConnection
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from config.settings import Settings
from db import inbox
from workers.intake.arrivals import Accepted, Arrival, Refused
from workers.retries import describe, is_of_values

_log = structlog.get_logger()


def receive(engine: Engine, arrivals: Sequence[Arrival], settings: Settings) -> int:
    """Store what arrived; returns how many events were new. Safe to repeat.

    One that the database cannot store holds nothing back: it becomes a dead letter, and the others are stored. Raises DBAPIError
    where the trouble is the database's own; what is stored by then is stored.
    """
    refusal: DBAPIError | None = None
    try:
        with engine.begin() as connection:
            stored = put_in(connection, arrivals, settings)
    except DBAPIError as error:
        if not is_of_values(error):
            raise
        refusal = error
    if refusal is None:
        _tell_refused(arrivals)
        return stored
    return sum(receive(engine, part, settings) for part in _parts(arrivals, refusal))


def put_in(connection: DatabaseConnection, arrivals: Sequence[Arrival], settings: Settings) -> int:
    """The same in a transaction of the caller's, which it leaves without a tenant; raises DBAPIError for any of them."""
    events = [one.event for one in arrivals if isinstance(one, Accepted)]
    refused = [one.as_json() for one in arrivals if isinstance(one, Refused)]
    quiet, most = timedelta(seconds=settings.debounce_seconds), timedelta(seconds=settings.debounce_most_seconds)
    stored = inbox.publish(connection, events, quiet=quiet, most=most) if events else 0
    if refused:
        inbox.refuse(connection, refused)
    return stored


def refusal_of(error: DBAPIError) -> str:
    """The reason of a dead letter that the database refused."""
    return f"event: the database cannot store it ({describe(error)})"


def _parts(arrivals: Sequence[Arrival], error: DBAPIError) -> list[Sequence[Arrival]]:
    """What to try instead: the halves, or, of a single one, less of it."""
    if len(arrivals) > 1:
        half = len(arrivals) // 2
        return [arrivals[:half], arrivals[half:]]
    (one,) = arrivals
    if isinstance(one, Accepted):
        return [[one.refused(refusal_of(error))]]
    if one.event is None:
        raise error
    return [[one.without_event()]]


def _tell_refused(arrivals: Sequence[Arrival]) -> None:
    for one in arrivals:
        if isinstance(one, Refused):
            _log.warning("event_refused", reason=one.reason, bytes=len(one.body))
