"""Episodes: formed of a conversation once it rests, and kept as memories that hold a record; nothing of them is ever changed."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from sqlalchemy import Connection

from db import decisions, memories, namespaces
from db.decisions import LoggedDecision, Stamp
from db.keys import BatchRef, LaneRef
from db.memories import NewMemory
from mosshead.contrib.managers.prompts import COLLECTION_VERSION
from mosshead.embeddings import Vectors
from mosshead.ids import uuid7
from mosshead.llm import LanguageModel
from mosshead.store.connection import tenant_transaction
from pipeline import salience
from pipeline.embedding import embed
from pipeline.reflection.episodes import FormedEpisode, form_episodes
from pipeline.salience import score_salience
from workers.dependencies import Parts
from workers.reflection.kinds import Reflection, ReflectionDue, store_nothing
from workers.stages import load
from workers.stages.runner import Store

_QUOTED: Final = 200
"""Characters of a message that are kept as the words which carry an episode: it rests on more than fits a quote."""


def dirtied(connection: Connection, lane: LaneRef, conversations: Sequence[str | None]) -> Iterable[str]:
    """The conversations, where the namespace wants episodes; the empty name stands for what was said in none."""
    wanted = namespaces.configuration(connection, lane).episodes
    return {conversation or "" for conversation in conversations} if wanted else ()


def prepare(due: ReflectionDue, model: LanguageModel | None, parts: Parts) -> Store:
    """Ask for the episodes of a conversation and embed them, outside any transaction."""
    lane = due.batch.lane
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        wanted = namespaces.configuration(connection, lane)
    said = [message for message in due.messages if message.conversation == (due.subject or None)]
    if model is None or not wanted.episodes:
        return store_nothing
    formed = form_episodes(said, model, instructions=wanted.instructions)
    load.report_refused("episodes", formed.refused)
    vectors = embed({place: one.fact.content for place, one in enumerate(formed.episodes)}, parts.embedder)
    return partial(
        _keep,
        batch=due.batch,
        episodes=formed.episodes,
        model=parts.embedder.name,
        vectors=vectors,
        decided_by=model.name,
    )


def _keep(
    connection: Connection,
    *,
    batch: BatchRef,
    episodes: Sequence[FormedEpisode],
    model: str,
    vectors: Mapping[int, Vectors],
    decided_by: str,
) -> None:
    new = [
        (_memory(one), stamp) for one, stamp in zip(episodes, decisions.stamps(connection, len(episodes)), strict=True)
    ]
    memories.add_all(connection, batch.lane, new)
    by_id = {memory.memory_id: vectors[place] for place, (memory, _) in enumerate(new)}
    memories.set_vectors(connection, batch.lane, model, "memory", by_id)
    for (memory, stamp), one in zip(new, episodes, strict=True):
        quotes = {message.event_id: message.content[:_QUOTED] for message in one.sources}
        memories.add_sources(connection, batch.lane, memory.memory_id, quotes, stamp)
    logged = [_logged(memory, one, stamp, decided_by) for (memory, stamp), one in zip(new, episodes, strict=True)]
    decisions.log(connection, batch, logged)


def _memory(one: FormedEpisode) -> NewMemory:
    scored = score_salience(one.fact)
    return NewMemory(
        memory_id=uuid7(),
        kind=one.fact.kind,
        content=one.fact.content,
        salience=scored.value,
        factors=scored.explained(),
        confidence=salience.INFERRED,
        tier=salience.tier_of(salience.INFERRED),
        valid_from=one.said_at,
        record_name=one.fact.record.name if one.fact.record else None,
        record=one.fact.record.data if one.fact.record else None,
    )


def _logged(memory: NewMemory, one: FormedEpisode, stamp: Stamp, decided_by: str) -> LoggedDecision:
    return LoggedDecision(
        stamp=stamp,
        action="add",
        reason="an episode of a conversation",
        decided_by=decided_by,
        memory_id=memory.memory_id,
        fact=one.fact.model_dump(mode="json"),
        prompt_version=COLLECTION_VERSION,
        changed=frozenset({memory.memory_id}),
    )


EPISODES: Final = Reflection(dirtied=dirtied, prepare=prepare)
"""The kind of reflection that keeps episodes; its subjects are conversations."""
