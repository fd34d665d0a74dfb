"""The kinds of reflection about conversations: episodes, once a conversation rests, and summaries on request.

An episode is stored as a memory with a record, and never changed.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from sqlalchemy import Connection

from db import decisions, memories, namespaces, summaries
from db.decisions import LoggedDecision
from db.keys import BatchRef
from db.memories import NewMemory
from mosshead.contrib.managers.prompts import COLLECTION_VERSION
from mosshead.embeddings import Vectors
from mosshead.ids import uuid7
from mosshead.llm import LanguageModel
from mosshead.models.kinds import SPEAKING
from mosshead.store.connection import tenant_transaction
from pipeline.embedding import embed
from pipeline.reflection.conversations import MOST_TELLING, FormedEpisode, form_episodes, sum_up
from pipeline.salience import INFERRED, score_salience
from workers.dependencies import Parts, Store
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing
from workers.stages import load
from workers.stages.consolidate.plan import new_memory

_QUOTED: Final = 200
"""Characters of a message kept as an episode's source; an episode rests on more than fits a quote."""

_log = structlog.get_logger()


def _form_episodes(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        wanted = namespaces.configuration(connection, lane)
    said = [message for message in due.messages if message.conversation == (due.subject or None)]
    if model is None or not wanted.episodes:
        return store_nothing
    formed = form_episodes(said, model, instructions=wanted.instructions)
    load.report_refused("episodes", formed.refused)
    new = [(_memory_of(one), one) for one in formed.episodes]
    vectors = embed({memory.memory_id: one.fact.content for memory, one in new}, parts.embedder)
    return partial(_keep, batch=due.batch, new=new, vectors=(parts.embedder.name, vectors), decided_by=model.name)


def _memory_of(episode: FormedEpisode) -> NewMemory:
    scored = score_salience(episode.fact)
    return new_memory(
        episode.fact,
        uuid7(),
        sureness=INFERRED,
        valid_from=episode.said_at,
        salience=scored.value,
        factors=scored.explained(),
        marked=False,
    )


def _keep(
    connection: Connection,
    *,
    batch: BatchRef,
    new: Sequence[tuple[NewMemory, FormedEpisode]],
    vectors: tuple[str, Mapping[UUID, Vectors]],
    decided_by: str,
) -> None:
    """vectors: the model, and its vector of each, by id."""
    stamped = [(*one, stamp) for one, stamp in zip(new, decisions.stamps(connection, len(new)), strict=True)]
    memories.add_all(connection, batch.lane, [(memory, stamp) for memory, _, stamp in stamped])
    memories.set_vectors(connection, batch.lane, vectors[0], "memory", vectors[1])
    for memory, one, stamp in stamped:
        quotes = {message.event_id: message.content[:_QUOTED] for message in one.sources}
        memories.add_sources(connection, batch.lane, memory.memory_id, quotes, stamp)
    logged = [
        LoggedDecision(
            stamp=stamp,
            action="add",
            reason="an episode of a conversation",
            decided_by=decided_by,
            memory_id=memory.memory_id,
            fact=one.fact.model_dump(mode="json"),
            prompt_version=COLLECTION_VERSION,
            changed=frozenset({memory.memory_id}),
        )
        for memory, one, stamp in stamped
    ]
    decisions.log(connection, batch, logged)


EPISODES: Final = Reflection(_form_episodes)
"""The kind of reflection that forms episodes; the subject '' means messages outside any conversation."""


def _sum_up(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
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


SUMMARY: Final = Reflection(_sum_up, needs_model=False)
"""The kind of reflection that summarizes a conversation on request, also without an LLM."""
