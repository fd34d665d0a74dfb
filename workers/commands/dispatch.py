"""Commands: events that ask for an action. Each is its own batch, carried out by consolidate."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from db import decisions, entities, inbox, namespaces, reflections, summaries
from db import undo as undoing
from db.keys import BatchRef, LaneRef
from db.memories import entities_of_memory
from db.undo import Done
from mosshead.events import Command
from mosshead.events import commands as events
from workers.commands import entities as identity_commands
from workers.commands import imports, memories, prompts
from workers.dependencies import Parts, Store
from workers.reflection import documents

_FOR_GOOD: Final = {
    **dict.fromkeys(
        ("set_prompt", "roll_back_prompt", "optimize_prompt"),
        "it is about a prompt: roll_back_prompt brings an earlier text back",
    ),
    "erase": "what is erased cannot be brought back",
}
"""Decisions that cannot be undone, and why."""


def prepare(batch: BatchRef, command: Command, parts: Parts) -> Store:
    """Prepare a command: slow work is done now, outside any transaction; the rest runs in one.

    A command that cannot be carried out is refused, and the decision log says why.
    """
    work = _CARRIED_OUT[type(command)](batch, command, parts)

    def carry_out(connection: Connection) -> None:
        work(connection)
        inbox.mark_done(connection, batch)

    return carry_out


def _within(work: Callable[..., object]) -> Callable[[BatchRef, Any, Parts], Store]:
    """Prepare a command that needs only its transaction."""
    return lambda batch, command, _: partial(work, batch=batch, command=command)


def _undo(batch: BatchRef, command: events.Undo, _: Parts) -> Store:
    return partial(undo, batch=batch, event_id=command.event_id, decision_id=command.decision_id)


def _configure(batch: BatchRef, command: events.Configure, _: Parts) -> Store:
    wanted = namespaces.Configuration(**command.model_dump(include=set(namespaces.Configuration.__slots__)))
    return partial(namespaces.configure, lane=batch.lane, wanted=wanted)


def _reflect(batch: BatchRef, command: events.Reflect, _: Parts) -> Store:
    conversations = None if command.conversation is None else [command.conversation]
    narrowed: dict[str, Any] = {"kind": command.kind, "subject": command.subject, "conversations": conversations}
    return partial(reflections.hasten, lane=batch.lane, again=True, **narrowed)


_CARRIED_OUT: Final[Mapping[type[Command], Callable[[BatchRef, Any, Parts], Store]]] = {
    events.Undo: _undo,
    events.Configure: _configure,
    events.Import: imports.prepare,
    events.Reflect: _reflect,
    events.Remember: memories.prepare,
    events.Forget: _within(memories.forget),
    events.Summarise: lambda batch, command, _: partial(
        summaries.ask_for, lane=batch.lane, conversation=command.conversation
    ),
    events.Clarify: identity_commands.prepare,
    events.Merge: identity_commands.prepare,
    events.Split: identity_commands.prepare,
    events.EditDocument: _within(documents.edit),
    events.SetPrompt: prompts.prepare,
    events.RollBackPrompt: prompts.prepare,
    events.PromptFeedback: prompts.prepare,
}
"""The handler of each command."""


def undo(connection: Connection, *, batch: BatchRef, event_id: UUID, decision_id: UUID) -> str | None:
    """Undo a decision as an event asks, or log why not; return why not."""
    done = undoing.find(connection, batch.lane, decision_id)
    refused = _refusal(connection, batch.lane, done)
    stamp = decisions.stamp_of_event(connection, event_id)
    if done is not None and refused is None:
        touched = _entities_of(connection, batch.lane, done)
        undoing.reverse(connection, batch.lane, done, stamp)
        touched |= _entities_of(connection, batch.lane, done)
        entities.touch_profiles(connection, batch.lane, entities.existing(connection, batch.lane, touched))
    changed = frozenset(done.memories if done else ())
    logged = decisions.by_app(
        stamp,
        "undo",
        reason="the app took it back",
        memory_id=min(changed, default=None),
        target_id=next(iter(done.documents if done else ()), None),
        undoes=decision_id,
        refused=refused,
        entities=done.entities if done and refused is None else (),
        changed=frozenset() if refused else changed,
        concerned=changed,
    )
    decisions.log(connection, batch, [logged])
    return refused


def _refusal(connection: Connection, lane: LaneRef, done: Done | None) -> str | None:
    if done is None:
        return "there is no such decision"
    if not done.in_effect:
        return "it is not in effect"
    if done.action in _FOR_GOOD:
        return _FOR_GOOD[done.action]
    changed = done.memories or done.entities or done.documents
    if not changed and done.action != "forget":  # which hides messages
        return "it changed nothing"
    later = undoing.builders(connection, lane, done)
    if later is None:
        return None
    return f"later decisions build on it: {', '.join(map(str, later))}" if later else "what it did has changed since"


def _entities_of(connection: Connection, lane: LaneRef, done: Done) -> set[UUID]:
    return {*done.entities, *entities_of_memory(connection, lane, *done.memories)}
