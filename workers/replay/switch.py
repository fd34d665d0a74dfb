"""Switching: the two generations of a namespace change places, in one moment, while apps read and publish."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import Connection, Engine

from db.keys import LaneRef
from db.replay import generations, log
from db.replay.generations import Generation, exchange
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from pipeline.replay.translate import NOT_REPLAYED
from workers.replay.replays import ReplayRefused, locked

_ABANDONED: Final = timedelta(seconds=30)
"""Between holding two lanes and having their generation locked there is hardly a moment."""

_log = structlog.get_logger()


def switch(engine: Engine, path: NamespacePath, *, despite: bool = False, wait: float = 60.0) -> None:
    """Have the two change places once both are at rest and nothing is left to be replayed.

    despite: also where the replay lacks something that was left out, or given up. wait: seconds in which they may come to rest.
    Raises NotFound, or ReplayRefused, and then nothing has changed.
    """
    deadline = time.monotonic() + wait
    while why := _try(engine, path, despite=despite):
        if time.monotonic() > deadline:
            raise ReplayRefused(f"{path}: {why}; try again later")
        time.sleep(0.5)


def release_abandoned(engine: Engine) -> None:
    """Let the lanes go on that were held for a switch that was killed."""
    with engine.begin() as connection:
        released = generations.release_abandoned(connection, age=_ABANDONED)
    if released:
        _log.warning("switch_abandoned", lanes=released)


def _try(engine: Engine, path: NamespacePath, *, despite: bool) -> str | None:
    """Change places; returns why that has to wait."""
    with tenant_transaction(engine, path.tenant_id) as connection:
        generation = locked(connection, path)
        _check(connection, generation, path, despite=despite)
        if why := _not_yet(connection, generation):
            return why
        generations.hold(connection, generation)
    with _held(engine, path), tenant_transaction(engine, path.tenant_id) as connection:
        generation = locked(connection, path)
        if not generations.held(connection, generation):
            return "somebody else has the two change places"
        if why := _not_yet(connection, generation):
            return why
        exchange(connection, generation)
        # Whoever publishes waits since its end: what names things by ids came before that, or finds those that are read then.
        # If someone resumed the lane meanwhile, a batch may be running whose memories would land in the other generation.
        if generations.held(connection, generation):
            why = _named_meanwhile(connection, generation)
        else:
            why = "somebody had it go on meanwhile"
        if why:
            connection.rollback()
        return why


@contextmanager
def _held(engine: Engine, path: NamespacePath) -> Iterator[None]:
    """Nothing is claimed of the two lanes within the block."""
    try:
        yield
    finally:
        lane = LaneRef(path.tenant_id, path.namespace_id)
        with tenant_transaction(engine, path.tenant_id) as connection:
            # Not while somebody else is at it, who holds them as well.
            generations.lock(connection, lane)
            generations.release(connection, lane)


def _check(connection: Connection, generation: Generation, path: NamespacePath, *, despite: bool) -> None:
    if generations.quarantined(connection, generation):
        raise ReplayRefused(f"{path}: it or its replay is quarantined; see 'python -m workers lanes'")
    if despite:
        return
    if dead := generations.dead(connection, generation.replay):
        raise ReplayRefused(
            f"{path}: {dead} events died in the replay; see 'python -m workers dead list', or give --despite"
        )
    if generation.left_out:
        raise ReplayRefused(
            f"{path}: commands could not be replayed ({len(generation.left_out)}); 'python -m workers replay diff' lists them. "
            "Give --despite, and then do again in the app what is missing"
        )


def _not_yet(connection: Connection, generation: Generation) -> str | None:
    if log.upcoming(connection, generation, but_not=NOT_REPLAYED, limit=1):
        return "there is something left to be replayed"
    if not log.at_rest(connection, generation.replay):
        return "its replay is at work"
    if not generations.idle(connection, generation.lane):
        return "a batch of it is at work"
    return _named_meanwhile(connection, generation)


def _named_meanwhile(connection: Connection, generation: Generation) -> str | None:
    """What waits in the lane and would find nothing under its ids."""
    return "a command waits in it" if generations.commands_wait(connection, generation.lane) else None
