"""Memories that an app closes: known no longer, never removed, and brought back by an undo."""

from sqlalchemy import Connection

from db import decisions, entities, memories, profiles, relations
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef
from db.memories import Standing, memory_states
from db.unlearning import unlearn
from mosshead.events import Forget

_APP = "app"
_GONE = "there is no such memory, or it is closed already"


def forget(connection: Connection, *, batch: BatchRef, command: Forget) -> None:
    """Close those of the memories that are known, or log that none is."""
    stamp = decisions.stamp_of_event(connection, command.event_id)
    found = memory_states(connection, batch.lane, command.memories)
    known = [one for one in found.values() if one.state == "active"]
    for one in known:
        _close(connection, batch, one, stamp)
    closed = frozenset(one.memory_id for one in known)
    unlearned = unlearn(connection, batch.lane, closed, stamp)
    touched = unlearned.union(relations.entities_of_memory(connection, batch.lane, *closed))
    profiles.touch(connection, batch.lane, entities.existing(connection, batch.lane, touched))
    logged = LoggedDecision(
        stamp=stamp,
        action="forget",
        reason=command.reason or "the app said so",
        decided_by=_APP,
        memory_id=min(closed, default=None),
        refused=None if closed else _GONE,
        in_effect=bool(closed),
        entities=sorted(unlearned),
        changed=closed,
        concerned=frozenset(found),
    )
    decisions.log(connection, batch, [logged])


def _close(connection: Connection, batch: BatchRef, one: Standing, stamp: Stamp) -> None:
    """A memory is known no longer, nor what it states: from now on, whatever time the clock of the app tells."""
    memories.change(connection, batch.lane, one.memory_id, one.version, stamp, state="withdrawn")
    memories.retire_vector(connection, batch.lane, one.memory_id)
    relations.end_relations(connection, batch.lane, one.memory_id, stamp, valid_to=stamp.at)
