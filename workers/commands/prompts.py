"""Commands about prompts: set a text, roll back to an earlier one, and give feedback, which a reflection uses to improve it."""

from dataclasses import replace
from functools import partial
from typing import Final

from sqlalchemy import Connection

from config.settings import Debounce
from db import decisions, prompts, reflections
from db.keys import BatchRef, LaneRef
from db.prompts import PromptVersion
from mosshead.events.commands import PromptFeedback, RollBackPrompt, SetPrompt
from workers.dependencies import Parts, Store
from workers.reflection.prompts import KIND, version_as_logged

_APP: Final = "app"
_SAID_ALREADY: Final = "it says that already"


def prepare(batch: BatchRef, command: SetPrompt | RollBackPrompt | PromptFeedback, parts: Parts) -> Store:
    """Prepare a command about a prompt."""
    if isinstance(command, PromptFeedback):
        return partial(_keep, batch=batch, command=command, parts=parts)
    return partial(_change, batch=batch, command=command, debounce=parts.settings.reflection_debounce)


def _change(
    connection: Connection, *, batch: BatchRef, command: SetPrompt | RollBackPrompt, debounce: Debounce
) -> None:
    stamp = decisions.stamp_of_event(connection, command.event_id)
    current = prompts.find(connection, batch.lane, command.name)
    found = (
        _set(command, current) if isinstance(command, SetPrompt) else _back(connection, batch.lane, command, current)
    )
    new, refused = (None, found) if isinstance(found, str) else (found, None)
    if new is not None:
        prompts.add_version(connection, batch.lane, new, stamp)
        if prompts.waiting_feedback(connection, batch.lane, command.name, limit=1):
            subjects = [(KIND, command.name)]
            reflections.touch(connection, batch, subjects, least=debounce.least, most=debounce.most)
    fact = version_as_logged(command.name, current, new)
    decisions.log(connection, batch, [decisions.by_app(stamp, command.type, fact=fact, refused=refused)])


def _set(command: SetPrompt, current: PromptVersion | None) -> PromptVersion | str:
    """Return the version to add after the current one, or, in fixed words, why none can be added."""
    latest = current.version if current else 0
    if command.follows is not None and command.follows != latest:
        return f"it should follow version {command.follows}, but the latest is version {latest}"
    wanted = {"optimizer": "metaprompt", "instructions": "", "when_to_update": ""}
    before = {name: getattr(current, name) for name in wanted} if current else wanted
    given = command.model_dump(include=set(wanted), exclude_none=True)
    new = PromptVersion(
        name=command.name,
        version=latest + 1,
        template=command.template,
        syntax=command.syntax,
        made_by=_APP,
        reason=command.reason or "the app said so",
        **before | given,
    )
    return _SAID_ALREADY if current and _says_the_same(new, current) else new


def _back(
    connection: Connection, lane: LaneRef, command: RollBackPrompt, current: PromptVersion | None
) -> PromptVersion | str:
    """The same for an earlier text; the app's settings for the prompt stay."""
    wanted = prompts.find(connection, lane, command.name, command.to)
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
    """Store feedback; it is processed after a quiet time, or at once if much of it waits."""
    waits = prompts.keep_feedback(
        connection,
        batch.lane,
        command.prompt,
        feedback_id=command.event_id,
        messages=[{"role": str(turn.role), "content": turn.content} for turn in command.messages],
        comment=command.feedback,
        score=command.score,
        given_at=command.occurred_at,
    )
    debounce = parts.settings.reflection_debounce
    reflections.touch(connection, batch, [(KIND, command.prompt)], least=debounce.least, most=debounce.most)
    if waits >= parts.settings.prompt_feedback_most:
        reflections.hasten(connection, batch.lane, kind=KIND, subject=command.prompt)


def _says_the_same(new: PromptVersion, current: PromptVersion) -> bool:
    told = ("template", "syntax", "optimizer", "instructions", "when_to_update")
    return all(getattr(new, name) == getattr(current, name) for name in told)
