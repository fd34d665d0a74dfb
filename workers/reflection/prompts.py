"""Prompts: what an app says about them (a new text, an earlier one again, feedback), and the reflection that improves them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

import structlog
from sqlalchemy import Connection

from db import decisions, prompts, reflections
from db.decisions import LoggedDecision
from db.keys import BatchRef, LaneRef
from db.prompts import PromptVersion, UnusedFeedback
from mosshead.contrib.prompt_optimizers import Feedback, Optimized, PromptTemplate, create_prompt_optimizer
from mosshead.contrib.prompt_optimizers.trajectories import trajectory_of
from mosshead.events import PromptFeedback, RollBackPrompt, SetPrompt
from mosshead.llm import LanguageModel
from mosshead.store.connection import tenant_transaction
from workers.dependencies import Parts
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing
from workers.stages.runner import Store

KIND: Final = "prompt"
"""The kind of reflection that feedback is news for; its subjects are the names of prompts."""

_APP: Final = "app"
_SAID_ALREADY: Final = "it says that already"
_AT_ONCE: Final = 100
_TRIES: Final = 3
"""Feedback that led so often to nothing that could be taken is used up: else it would be paid for for ever."""

_log = structlog.get_logger()


def prepare(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    """Ask how a prompt should be by the feedback that waits; what comes of it is stored against the version that was read.

    Feedback on a prompt that is not there yet, or is not to be improved, waits.
    """
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        current = prompts.current(connection, lane, due.subject)
        waiting = prompts.waiting_feedback(connection, lane, due.subject, limit=_AT_ONCE)
    if model is None or current is None or current.optimizer == "off" or not waiting:
        return store_nothing
    trajectories = [trajectory_of(one.messages, Feedback(one.comment, one.score)) for one in waiting]
    template = PromptTemplate(
        name=current.name,
        text=current.template,
        syntax=current.syntax,
        instructions=current.instructions,
        when_to_update=current.when_to_update,
    )
    found = create_prompt_optimizer(model, kind=current.optimizer)(trajectories, template)
    if found.refused is not None:
        _log.warning("prompt_refused", changed=found.changed)
    return partial(_store, due=due, read=current, used=waiting, found=found, by=model.name)


OPTIMIZING: Final = Reflection(dirtied=lambda *_: (), prepare=prepare)
"""Messages are no news for a prompt; feedback is, and touches it itself."""


def _store(
    connection: Connection,
    *,
    due: ReflectionDue,
    read: PromptVersion,
    used: Sequence[UnusedFeedback],
    found: Optimized,
    by: str,
) -> None:
    lane, ids = due.batch.lane, [one.feedback_id for one in used]
    (stamp,) = decisions.stamps(connection, 1)
    new = None
    if found.changed:
        version = read.version + 1
        new = replace(read, version=version, template=found.prompt, made_by=by, reason=found.reason, restores=None)
    if new is not None:
        prompts.add_version(connection, lane, new, stamp)
    if new is None and found.refused is not None:
        prompts.try_again(connection, lane, ids, stamp, most=_TRIES)
    else:
        prompts.use_feedback(connection, lane, ids, stamp, version=new.version if new else None)
        if prompts.waiting_feedback(connection, lane, read.name, limit=1):
            reflections.touch(connection, due.batch, [(KIND, read.name)], least=timedelta(0), most=timedelta(0))
    logged = LoggedDecision(
        stamp=stamp,
        action="optimize_prompt",
        reason=found.reason,
        decided_by=by,
        fact={
            **_logged_version(read.name, read, new),
            "optimizer": read.optimizer,
            "feedback": [str(one) for one in ids],
        },
        refused=found.refused,
        in_effect=new is not None,
    )
    decisions.log(connection, due.batch, [logged])


Command = SetPrompt | RollBackPrompt | PromptFeedback


def carry_out(batch: BatchRef, command: Command, parts: Parts) -> Store:
    if isinstance(command, PromptFeedback):
        return partial(_keep, batch=batch, command=command, parts=parts)
    return partial(_change, batch=batch, command=command, debounce=parts.settings.reflection_debounce)


def _change(
    connection: Connection, *, batch: BatchRef, command: SetPrompt | RollBackPrompt, debounce: Mapping[str, timedelta]
) -> None:
    stamp = decisions.stamp_of_event(connection, command.event_id)
    current = prompts.current(connection, batch.lane, command.name)
    found = (
        _set(command, current) if isinstance(command, SetPrompt) else _back(connection, batch.lane, command, current)
    )
    new, refused = (None, found) if isinstance(found, str) else (found, None)
    if new is not None:
        prompts.add_version(connection, batch.lane, new, stamp)
        if prompts.waiting_feedback(connection, batch.lane, command.name, limit=1):
            reflections.touch(connection, batch, [(KIND, command.name)], **debounce)
    fact = _logged_version(command.name, current, new)
    decisions.log(connection, batch, [decisions.by_app(stamp, command.type, fact=fact, refused=refused)])


def _set(command: SetPrompt, current: PromptVersion | None) -> PromptVersion | str:
    """The version to add after the one that there is, if there is one; or why there is none to add, in fixed words."""
    latest = current.version if current else 0
    if command.follows is not None and command.follows != latest:
        return f"it was to follow version {command.follows}, and there is version {latest}"
    new = PromptVersion(
        name=command.name,
        version=latest + 1,
        template=command.template,
        syntax=command.syntax,
        optimizer=command.optimizer or (current.optimizer if current else "metaprompt"),
        instructions=_or_before(command.instructions, current.instructions if current else ""),
        when_to_update=_or_before(command.when_to_update, current.when_to_update if current else ""),
        made_by=_APP,
        reason=command.reason or "the app said so",
    )
    return _SAID_ALREADY if current and _says_the_same(new, current) else new


def _back(
    connection: Connection, lane: LaneRef, command: RollBackPrompt, current: PromptVersion | None
) -> PromptVersion | str:
    """The same for an earlier text; what the app wants of the prompt stays as it is."""
    wanted = prompts.of_version(connection, lane, command.name, command.to)
    if wanted is None or current is None:
        return "there is no such version"
    new = replace(
        current,
        version=current.version + 1,
        template=wanted.template,
        syntax=wanted.syntax,
        made_by=_APP,
        reason=f"back to version {command.to}",
        restores=command.to,
    )
    return _SAID_ALREADY if _says_the_same(new, current) else new


def _keep(connection: Connection, *, batch: BatchRef, command: PromptFeedback, parts: Parts) -> None:
    """Keep feedback; it is looked at after a quiet time, or at once where much of it waits."""
    given = UnusedFeedback(
        feedback_id=command.event_id,
        messages=[{"role": str(turn.role), "content": turn.content} for turn in command.messages],
        comment=command.feedback,
        score=command.score,
    )
    waits = prompts.keep_feedback(connection, batch.lane, given, name=command.prompt, at=command.occurred_at)
    reflections.touch(connection, batch, [(KIND, command.prompt)], **parts.settings.reflection_debounce)
    if waits >= parts.settings.prompt_feedback_most:
        reflections.hasten(connection, batch.lane, kind=KIND, subject=command.prompt)


def _logged_version(name: str, before: PromptVersion | None, new: PromptVersion | None) -> dict[str, object]:
    """What the decision log says of a prompt: its name and the numbers of its versions, and none of its words."""
    numbers = {"follows": before.version if before else None, "version": new.version if new else None}
    return {"name": name, **{key: number for key, number in numbers.items() if number is not None}}


def _or_before(given: str | None, before: str) -> str:
    return before if given is None else given


def _says_the_same(new: PromptVersion, current: PromptVersion) -> bool:
    return (
        replace(new, version=current.version, made_by=current.made_by, reason=current.reason, restores=current.restores)
        == current
    )
