"""Following: what took effect in a namespace is put into the lane of its replay, in the same order, a little at a time.

Messages go as they are. A command names memories, entities, questions and decisions by ids that the replay does not have; it
waits until all before it took effect there, and then names what tells of the same (`pipeline.replay`).
"""

from itertools import takewhile
from typing import Final

import structlog
from sqlalchemy import Connection, Engine

from db import lanes
from db.keys import LaneRef
from db.replay import generations, log
from db.replay.generations import Generation
from mosshead.events import Command, parse_event
from mosshead.store.connection import tenant_transaction
from pipeline.replay.translate import NOT_REPLAYED, TRANSLATED, LeftOut, left_unsaid, translate
from workers.failures import describe, is_of_values
from workers.replay.knowledge import refused_there, what_both_know

_AT_ONCE: Final = 500
_AHEAD: Final = 2_000
"""So many events may wait in the lane of a replay: more are put there when these took effect."""

_NAMESPACES: Final = 10

_log = structlog.get_logger()


def follow_all(engine: Engine) -> None:
    """Go on with what is replayed, a step of each. One that fails holds up nobody else.

    It is tried again, but where its own rows are at fault: its lane is quarantined then, and followed again once it is resumed.
    """
    with engine.begin() as connection:
        due = log.due(connection, limit=_NAMESPACES)
    for lane in due:
        failed: Exception | None = None
        try:
            follow(engine, lane)
        except Exception as error:  # noqa: BLE001 - what it says may be what was said
            failed = error
        if failed is not None:
            _log.error("replay_failed", namespace_id=str(lane.namespace_id), error=describe(failed))
            if is_of_values(failed):
                with tenant_transaction(engine, lane.tenant_id) as connection:
                    if generation := generations.of(connection, lane):
                        why = f"cannot be replayed: {describe(failed)}"
                        lanes.set_aside(connection, generation.replay, why)


def follow(engine: Engine, lane: LaneRef) -> bool:
    """Go on with the replay of a namespace by one step; returns whether there was one to take, and nobody else at it."""
    with tenant_transaction(engine, lane.tenant_id) as connection:
        # A switch takes seconds, in which the scheduler has others to look after.
        generation = generations.lock(connection, lane, wait=False)
        if generation is None:
            return False
        generations.follow_configuration(connection, generation)
        coming = log.upcoming(connection, generation, but_not=NOT_REPLAYED, limit=_AT_ONCE)
        said = list(takewhile(lambda one: one.type not in TRANSLATED, coming))
        if said:
            if log.waiting(connection, generation.replay) >= _AHEAD:
                return False
            log.replay(connection, generation, [one.event_id for one in said])
            return True
        if coming and log.at_rest(connection, generation.replay):
            _replay_command(connection, generation, coming[0])
            return True
        return False


def _replay_command(connection: Connection, generation: Generation, coming: log.Upcoming) -> None:
    command = parse_event(log.payload(connection, generation.lane, coming.event_id))
    if not isinstance(command, Command) or refused_there(connection, generation.lane, coming.event_id):
        log.leave_out(connection, generation, coming.event_id)
        return
    then, now = what_both_know(connection, generation, command)
    translated = translate(command, then, now)
    if isinstance(translated, LeftOut):
        why = None if translated.done else translated.why
        log.leave_out(connection, generation, coming.event_id, why=why)
        return
    told = translated.model_dump(mode="json", exclude_none=True)
    log.replay(connection, generation, [coming.event_id], payload=told)
    if why := left_unsaid(command, then, now):
        log.leave_out(connection, generation, coming.event_id, why=why)
