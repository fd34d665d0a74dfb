"""Profiles that await their refresh, and how to store them refreshed."""

from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from sqlalchemy import Connection

from db import memories, profiles
from db.refs import LaneRef
from pipeline.embed import embed
from pipeline.refresh_profiles import StaleProfile
from recollect.embedders import Vectors
from recollect.tenancy import tenant_transaction
from workers.parts import Parts
from workers.stages import Store

_AT_ONCE = 200
_MEMORIES = 40

Stale = tuple[StaleProfile, profiles.DirtyProfile]
"""A profile for the pipeline, and the row that it came from."""


def stale_profiles(lane: LaneRef, parts: Parts) -> list[Stale]:
    """The profiles of a namespace that await a refresh."""
    with tenant_transaction(parts.engine, lane.tenant_id) as connection:
        rows = profiles.dirty_profiles(connection, lane, limit=_AT_ONCE, memories=_MEMORIES)
    return [(StaleProfile(row.entity, row.summary, row.memories), row) for row in rows]


def how_to_store(lane: LaneRef, parts: Parts, stale: Sequence[Stale], summaries: Mapping[UUID, str]) -> Store:
    """Embed the summaries now, outside the transaction, and store both later, in it."""
    places = dict(enumerate(summaries))
    vectors = embed({place: summaries[key] for place, key in places.items()}, parts.embedder)
    by_entity = {places[place]: vector for place, vector in vectors.items()}
    return partial(_store, lane=lane, model=parts.embedder.name, stale=stale, summaries=summaries, vectors=by_entity)


def _store(
    connection: Connection,
    *,
    lane: LaneRef,
    model: str,
    stale: Sequence[Stale],
    summaries: Mapping[UUID, str],
    vectors: Mapping[UUID, Vectors],
) -> None:
    for _, row in stale:
        profiles.save_profile(connection, lane, row, summaries[row.entity.entity_id])
    memories.set_vectors(connection, lane, model, "profile", vectors)
