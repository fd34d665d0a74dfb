"""The reflection that improves prompts with the waiting feedback."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

import structlog
from sqlalchemy import Connection, Row

from db import decisions, prompts, reflections
from db.decisions import LoggedDecision
from db.prompts import PromptVersion
from mosshead.contrib.prompt_optimizers import Feedback, Optimized, PromptTemplate, create_prompt_optimizer
from mosshead.contrib.prompt_optimizers.trajectories import trajectory_of
from mosshead.llm import LanguageModel
from mosshead.store.connection import tenant_transaction
from workers.dependencies import Parts, Store
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing

KIND: Final = "prompt"
"""The kind of reflection that feedback triggers; its subjects are the names of prompts."""

_AT_ONCE: Final = 100
_TRIES: Final = 3
"""Feedback is dropped after this many tries without a usable result; otherwise it would cost calls for ever."""

_log = structlog.get_logger()


def prepare(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    """Improve a prompt with the waiting feedback; the result is stored against the version that was read.

    Feedback on a prompt that does not exist yet, or should not be improved, waits.
    """
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        current = prompts.find(connection, lane, due.subject)
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


OPTIMIZING: Final = Reflection(prepare)
"""Messages do not trigger it; feedback does, and marks the prompt itself."""


def _store(
    connection: Connection,
    *,
    due: ReflectionDue,
    read: PromptVersion,
    used: Sequence[Row[Any]],
    found: Optimized,
    by: str,
) -> None:
    lane, ids = due.batch.lane, [one.feedback_id for one in used]
    (stamp,) = decisions.stamps(connection, 1)
    new = None
    if found.changed:
        version = read.version + 1
        new = replace(read, version=version, template=found.prompt, made_by=by, reason=found.reason, restores=None)
        prompts.add_version(connection, lane, new, stamp)
    if new is None and found.refused is not None:
        prompts.try_again(connection, lane, ids, stamp, most=_TRIES)
    else:
        prompts.use_feedback(connection, lane, ids, stamp, version=new.version if new else None)
        if prompts.waiting_feedback(connection, lane, read.name, limit=1):
            reflections.touch(connection, due.batch, [(KIND, read.name)], least=timedelta(0), most=timedelta(0))
    fact = version_as_logged(read.name, read, new) | {"optimizer": read.optimizer, "feedback": list(map(str, ids))}
    logged = LoggedDecision(
        stamp=stamp,
        action="optimize_prompt",
        reason=found.reason,
        decided_by=by,
        fact=fact,
        refused=found.refused,
        in_effect=new is not None,
    )
    decisions.log(connection, due.batch, [logged])


def version_as_logged(name: str, before: PromptVersion | None, new: PromptVersion | None) -> dict[str, object]:
    """Return what the decision log keeps of a prompt: its name and version numbers, without its text."""
    numbers = {"follows": before.version if before else None, "version": new.version if new else None}
    return {"name": name, **{key: number for key, number in numbers.items() if number is not None}}
