"""The kind of reflection that sums conversations up: those for which an app asked."""

from collections.abc import Sequence
from functools import partial

import structlog
from sqlalchemy import Connection

from db import summaries
from db.keys import LaneRef
from mosshead.llm import LanguageModel
from mosshead.models.kinds import SPEAKING
from mosshead.store.connection import tenant_transaction
from pipeline.reflection.summaries import MOST_TELLING, sum_up
from workers.dependencies import Parts
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing
from workers.stages.runner import Store

_log = structlog.get_logger()


def dirtied(connection: Connection, lane: LaneRef, conversations: Sequence[str | None]) -> list[str]:
    """The conversations that are to be summed up."""
    return summaries.asked_for(connection, lane, {one for one in conversations if one is not None})


def prepare(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    """The summary of a conversation, with what was said since it was last written."""
    said = [one for one in due.messages if one.conversation == due.subject and one.role in SPEAKING]
    if not said:
        return store_nothing
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        old, version = summaries.summary(connection, lane, due.subject)
        telling = summaries.most_telling(connection, lane, due.subject, MOST_TELLING)
    new = sum_up(old, said, telling, model)
    if new.refused is not None:
        _log.warning("summary_refused", reason=new.refused)
    return partial(
        summaries.save,
        lane=lane,
        conversation=due.subject,
        content=new.text,
        up_to=said[-1].event_id,
        version=version,
    )


SUMMARY = Reflection(dirtied=dirtied, prepare=prepare, needs_model=False)
