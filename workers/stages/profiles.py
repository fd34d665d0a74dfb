"""Profiles due for a refresh, a few at a time, and how to store them."""

from collections.abc import Mapping
from uuid import UUID

import structlog
from sqlalchemy import Connection

from db import entities, memories
from db.embedding_models import outdate
from db.keys import LaneRef
from mosshead.models.kinds import MemoryKind
from mosshead.models.notes import dated_note
from mosshead.store.connection import tenant_transaction
from mosshead.store.memories import occurrence_of
from mosshead.timestamps import in_zone
from pipeline.embedding import embed
from pipeline.profiles import ProfileMemory, Refreshed, StaleProfile
from workers.dependencies import Parts, Store

_BY_RULES = 20
_BY_MODEL = 8
"""How many are refreshed at once: the lane's messages wait meanwhile."""

_TELLING = 40
_MOST_HELD = 100
"""A summary based on more memories is rewritten from the most salient ones: one that is only added to drifts."""

_log = structlog.get_logger()


def due_profiles(lane: LaneRef, parts: Parts) -> tuple[tuple[StaleProfile, ...], entities.ProfilesDue]:
    """Return some due profiles of a namespace, each with what became known since its last refresh, and their rows."""
    settings = parts.settings
    limit = _BY_MODEL if settings.llm_profiles and settings.uses_llm else _BY_RULES
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        debounce = settings.profile_debounce
        rows = entities.due_profiles(connection, lane, least=debounce.least, most=debounce.most, limit=limit)
        news = entities.news_of(connection, lane, rows.profiles, limit=_TELLING)
        current = {
            key: one for key, one in news.items() if not one.ended and len(one.held) + len(one.new) <= _MOST_HELD
        }
        anew = [row.entity.entity_id for row in rows.profiles if row.entity.entity_id not in current]
        telling = entities.most_telling(connection, lane, anew, limit=_TELLING)
    return tuple(_stale(row, current, telling) for row in rows.profiles), rows


def how_to_store(lane: LaneRef, parts: Parts, due: entities.ProfilesDue, refreshed: Mapping[UUID, Refreshed]) -> Store:
    """Embed the changed summaries now, outside the transaction; return how to store them in it."""
    old = {row.entity.entity_id: row.summary for row in due.profiles}
    changed = {key: one.summary for key, one in refreshed.items() if one.summary != old[key]}
    vectors = embed(changed, parts.embedder)
    for key, one in refreshed.items():
        if one.refused is not None:
            _log.warning("profile_refused", entity_id=str(key), reason=one.refused)

    def store(connection: Connection) -> None:
        for row in due.profiles:
            one = refreshed[row.entity.entity_id]
            entities.save_profile(connection, lane, row, summary=one.summary, holds=one.holds)
        entities.forget_profiles(connection, lane, due.gone)
        memories.set_vectors(connection, lane, parts.embedder.name, "profile", vectors)
        outdate(connection, lane, parts.embedder.name, "profile", list(vectors))
        debounce = parts.settings.profile_debounce
        entities.set_profiles_timer(connection, lane, least=debounce.least, most=debounce.most)

    return store


def _stale(
    row: entities.DueProfile,
    current: Mapping[UUID, entities.News],
    telling: Mapping[UUID, tuple[entities.StoredProfileMemory, ...]],
) -> StaleProfile:
    news = current.get(row.entity.entity_id)
    if news is None:
        return StaleProfile(row.entity, "", (), _told(telling[row.entity.entity_id]))
    return StaleProfile(row.entity, row.summary, _told(news.held), _told(news.new))


def _told(rows: tuple[entities.StoredProfileMemory, ...]) -> tuple[ProfileMemory, ...]:
    return tuple(ProfileMemory(row.memory_id, _note(row), row.subject, row.salience, row.valid_from) for row in rows)


def _note(row: entities.StoredProfileMemory) -> str:
    said_at = in_zone(row.valid_from, row.valid_from_offset)
    return dated_note(row.content, kind=MemoryKind(row.kind), occurred=occurrence_of(row), said_at=said_at)
