"""The kind of reflection that writes phrases someone might use when talking about a memory: one call for many memories.

It has its own budget. Changes by a batch trigger it, not messages (`db.reflections.note_changes`).
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection

from config.settings import Settings
from db import expansions, reflections
from db.keys import BatchRef
from mosshead.llm import LanguageModel
from mosshead.store.connection import tenant_transaction
from pipeline.expansion import VERSION, expand
from workers.dependencies import Parts, Store
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing

_MEMORIES: Final = 30
"""Memories per call: they and a dozen phrases each fit into one answer of a model."""

_PAUSE: Final = timedelta(hours=1)

_log = structlog.get_logger()


def _expand(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    lane = due.batch.lane
    if model is None or not parts.expands:
        return store_nothing
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        over = _is_over(connection, lane.tenant_id, parts.settings)
        contents = {} if over else expansions.lacking(connection, lane, _MEMORIES)
    if over:
        _log.info("expansions_put_off", tenant_id=str(lane.tenant_id))
        return partial(_go_on, batch=due.batch, pause=_PAUSE)
    if not contents:
        return store_nothing
    phrases = expand(contents, model)
    return partial(_keep, batch=due.batch, phrases=phrases, contents=contents, model=model.name)


def _is_over(connection: Connection, tenant_id: UUID, settings: Settings) -> bool:
    return expansions.spent(connection, tenant_id) >= settings.expansion_tokens_per_day


def _keep(
    connection: Connection,
    *,
    batch: BatchRef,
    phrases: Mapping[UUID, Sequence[str]],
    contents: Mapping[UUID, str],
    model: str,
) -> None:
    expansions.keep(connection, batch.lane, phrases, contents, version=VERSION, model=model)
    if expansions.lacking(connection, batch.lane, 1):
        _go_on(connection, batch=batch, pause=timedelta())


def _go_on(connection: Connection, *, batch: BatchRef, pause: timedelta) -> None:
    reflections.touch(connection, batch, [(reflections.EXPANSIONS, "")], least=pause, most=pause)


EXPANSIONS: Final = Reflection(_expand)
"""The kind of reflection that writes expansions."""
