"""Events that are nothing that was said, but something to be done: each a batch of its own, carried out by consolidate."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from sqlalchemy import Connection

from db import decisions, inbox, links, namespaces, profiles, reflections, registry, undoing
from db.decisions import LoggedDecision
from db.refs import BatchRef, LaneRef
from db.undoing import Done
from recollect.events import (
    Clarify,
    Command,
    Configure,
    EditDocument,
    Forget,
    Import,
    Merge,
    Reflect,
    Remember,
    Split,
    Undo,
)
from workers import documents, forgetting, identity_commands, importing, remembering
from workers.parts import Parts
from workers.stages import Store

_APP = "app"


def prepare(batch: BatchRef, command: Command, parts: Parts) -> Store:
    """How a command is carried out: what takes its time is done now, outside any transaction, and the rest within one.

    One that cannot be done is refused, and the decision log says why.
    """
    return partial(_carry_out, batch=batch, work=_work_of(batch, command, parts))


def _carry_out(connection: Connection, *, batch: BatchRef, work: Callable[[Connection], object]) -> None:
    work(connection)
    inbox.mark_done(connection, batch)


def _work_of(batch: BatchRef, command: Command, parts: Parts) -> Callable[[Connection], object]:  # noqa: PLR0911 - a table
    match command:
        case Undo():
            return partial(undo, batch=batch, event_id=command.event_id, decision_id=command.decision_id)
        case Configure():
            configured = namespaces.Configuration(
                instructions=command.instructions,
                schemas=[schema.model_dump() for schema in command.schemas],
                profiles=[schema.model_dump() for schema in command.profiles],
                episodes=command.episodes,
            )
            return partial(namespaces.configure, lane=batch.lane, wanted=configured)
        case Import():
            return importing.prepare(batch, command, parts)
        case Reflect():
            conversations = None if command.conversation is None else [command.conversation]
            return partial(
                reflections.hasten,
                lane=batch.lane,
                kind=command.kind,
                subject=command.subject,
                conversations=conversations,
                again=True,
            )
        case Remember():
            return remembering.prepare(batch, command, parts)
        case Forget():
            return partial(forgetting.forget, batch=batch, command=command)
        case Clarify() | Merge() | Split():
            return identity_commands.prepare(batch, command, parts)
        case EditDocument():
            return partial(documents.edit, batch=batch, command=command)


def undo(connection: Connection, *, batch: BatchRef, event_id: UUID, decision_id: UUID) -> str | None:
    """Take a decision back, as an event wants, or log why not; returns why not."""
    done = undoing.find(connection, batch.lane, decision_id)
    refused = _refusal(connection, batch.lane, done)
    stamp = decisions.stamp_of_event(connection, event_id)
    if done is not None and refused is None:
        touched = _entities_of(connection, batch.lane, done)
        undoing.reverse(connection, batch.lane, done, stamp)
        touched |= _entities_of(connection, batch.lane, done)
        profiles.touch(connection, batch.lane, registry.standing(connection, batch.lane, touched))
    memories = frozenset(done.memories if done else ())
    logged = LoggedDecision(
        stamp=stamp,
        action="undo",
        reason="the app took it back",
        decided_by=_APP,
        memory_id=min(memories, default=None),
        target_id=next(iter(done.documents if done else ()), None),
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
    if not done.memories and not done.entities and not done.documents:
        return "it changed nothing"
    later = undoing.builders(connection, lane, done)
    if later is None:
        return None
    return f"later decisions build on it: {', '.join(map(str, later))}" if later else "what it did has changed since"


def _entities_of(connection: Connection, lane: LaneRef, done: Done) -> set[UUID]:
    return {*done.entities, *links.entities_of_memory(connection, lane, *done.memories)}
