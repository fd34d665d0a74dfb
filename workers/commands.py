"""Events that are nothing that was said, but something to be done: each a batch of its own, carried out by consolidate."""

from uuid import UUID

from sqlalchemy import Connection

from db import decisions, inbox, links, namespaces, profiles, undoing
from db.decisions import LoggedDecision
from db.refs import BatchRef, LaneRef
from db.undoing import Done
from recollect.events import Configure, Undo

_APP = "app"


def carry_out(connection: Connection, *, batch: BatchRef, command: Undo | Configure) -> None:
    """Do what an event says, and mark it as in effect. One that cannot be done is refused, and the log says why."""
    if isinstance(command, Undo):
        undo(connection, batch, command.decision_id)
    else:
        schemas = [schema.model_dump() for schema in command.schemas]
        namespaces.configure(connection, batch.lane, instructions=command.instructions, schemas=schemas)
    inbox.mark_done(connection, batch)


def undo(connection: Connection, batch: BatchRef, decision_id: UUID) -> str | None:
    """Take a decision back, or log why not; returns why not."""
    done = undoing.find(connection, batch.lane, decision_id)
    refused = _refusal(connection, batch.lane, done)
    (stamp,) = decisions.stamps(connection, 1)
    if done is not None and refused is None:
        touched = _entities_of(connection, batch.lane, done)
        undoing.reverse(connection, batch.lane, done, stamp)
        touched |= _entities_of(connection, batch.lane, done)
        profiles.touch(connection, batch.lane, sorted(touched))
    memories = frozenset(done.memories if done else ())
    logged = LoggedDecision(
        stamp=stamp,
        action="undo",
        reason="the app took it back",
        decided_by=_APP,
        memory_id=min(memories, default=None),
        undoes=decision_id,
        refused=refused,
        in_effect=refused is None,
        entities=done.entities if done and refused is None else (),
        changed=frozenset() if refused else memories,
        concerned=memories,
    )
    decisions.log(connection, batch, [logged])
    return refused


def _refusal(connection: Connection, lane: LaneRef, done: Done | None) -> str | None:
    if done is None:
        return "there is no such decision"
    if not done.in_effect:
        return "it is not in effect"
    if not done.memories:
        return "it changed nothing"
    later = undoing.builders(connection, lane, done)
    return f"later decisions build on it: {', '.join(map(str, later))}" if later else None


def _entities_of(connection: Connection, lane: LaneRef, done: Done) -> set[UUID]:
    of_memories = (links.entities_of_memory(connection, lane, memory_id) for memory_id in done.memories)
    return {*done.entities, *(entity_id for found in of_memories for entity_id in found)}
