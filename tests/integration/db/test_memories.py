"""Memories are versioned: a changed version is closed and followed by the next, and nothing is lost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from sqlalchemy import Engine, text

from db import candidates, memories
from db.keys import BatchRef, LaneRef, VersionConflict
from tests.given import MODEL, NOON, Publishing, Remembering, claimed, direction, index_own
from workers.cli.indexing import index_scopes


def versions(engine: Engine, memory_id: UUID) -> list[Any]:
    """Return all rows of a memory, oldest first."""
    statement = text("select * from mosshead.memories where memory_id = :id order by version")
    with engine.connect() as connection:
        return list(connection.execute(statement, {"id": memory_id}))


def update(remembering: Remembering, memory_id: UUID, version: int, content: str = "User lives in Seattle") -> None:
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, memory_id, version, stamp, content=content, salience=4)


def supersede(remembering: Remembering, memory_id: UUID, version: int, by: UUID | None = None) -> None:
    changes = {"state": "superseded", "superseded_by": by or uuid4(), "valid_to": NOON + timedelta(days=1)}
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, remembering.lane, memory_id, version, stamp, **changes)
        memories.retire_vector(connection, remembering.lane, memory_id)


def test_update_closes_a_version_and_opens_the_next(remembering: Remembering, admin_engine: Engine) -> None:
    memory_id = remembering.memory("User lives in town", attribute="lives_in", value="town", salience=3)
    update(remembering, memory_id, 1)

    first, second = versions(admin_engine, memory_id)
    assert (first.version, first.content, second.version, second.content) == (
        *(1, "User lives in town"),
        *(2, "User lives in Seattle"),
    )
    assert (first.known_to, second.known_to) == (second.known_from, None)
    assert (second.attribute, second.value, second.salience) == ("lives_in", "town", 4)


def test_superseded_memory_stays_and_points_to_its_replacement(remembering: Remembering, admin_engine: Engine) -> None:
    old, new = remembering.memory("User lives in Boston"), remembering.memory("User lives in Seattle")
    supersede(remembering, old, 1, new)

    _, now = versions(admin_engine, old)
    assert (now.state, now.superseded_by, now.valid_to, now.known_to) == (
        "superseded",
        new,
        NOON + timedelta(days=1),
        None,
    )
    assert now.content == "User lives in Boston"


@pytest.mark.parametrize("change", [update, supersede])
def test_memory_that_changed_meanwhile_is_not_changed(
    remembering: Remembering, admin_engine: Engine, change: Callable[[Remembering, UUID, int], None]
) -> None:
    memory_id = remembering.memory("User lives in town")
    update(remembering, memory_id, 1)

    for version in (1, 3):
        with pytest.raises(VersionConflict, match=f"no longer at version {version}"):
            change(remembering, memory_id, version)
    assert len(versions(admin_engine, memory_id)) == 2


def test_kind_of_a_memory_does_not_change(remembering: Remembering) -> None:
    memory_id = remembering.memory("User lives in town")
    with remembering.stamped() as (connection, stamp), pytest.raises(ValueError, match="memory's kind cannot change"):
        memories.change(connection, remembering.lane, memory_id, 1, stamp, kind="event")


def test_knowledge_at_a_past_time_can_be_read(remembering: Remembering, admin_engine: Engine) -> None:
    memory_id = remembering.memory("one")
    for version, content in enumerate(("two", "three"), 1):
        update(remembering, memory_id, version, content)
    rows = versions(admin_engine, memory_id)

    for moment, content in ((row.known_from, row.content) for row in rows):
        held = [
            row.content for row in rows if row.known_from <= moment and (row.known_to is None or moment < row.known_to)
        ]
        assert held == [content]


def test_source_and_vector_are_stored_once(remembering: Remembering, admin_engine: Engine, lane: LaneRef) -> None:
    memory_id, message_id = remembering.memory("User likes tea", direction(1)), uuid4()
    for vector in (direction(0, 1), direction(0, 0, 1)):
        with remembering.stamped() as (connection, stamp):
            memories.add_sources(connection, lane, memory_id, {message_id: "I like tea"}, stamp)
            memories.set_vectors(connection, lane, MODEL, "memory", {memory_id: vector})
    with admin_engine.connect() as connection:
        scope = {"id": memory_id}
        sources = text("select message_id, quote from mosshead.memory_sources where memory_id = :id")
        vectors = text("select embedding::text from mosshead.embeddings where owner_id = :id")
        assert connection.execute(sources, scope).all() == [(message_id, "I like tea")]
        assert [row[:8] for row in connection.execute(vectors, scope).scalars()] == ["[0,0,1,0"]


class TestSimilar:
    """The memories that a batch's facts are compared with."""

    @pytest.fixture
    def batch(self, publishing: Publishing, worker_engine: Engine, remembering: Remembering, lane: LaneRef) -> BatchRef:
        """Return a batch with one fact whose vector points along the first axis and which says where User lives."""
        publishing.say("I live in Seattle")
        batch = claimed(worker_engine, lane)
        with remembering.transaction() as connection:
            candidates.store_facts(connection, batch, [{"content": "User lives in Seattle", "attribute": "lives_in"}])
            candidates.store_vectors(connection, batch, MODEL, {1: direction(1)})
        return batch

    def similar(self, remembering: Remembering, batch: BatchRef, limit: int = 5) -> list[tuple[str, float]]:
        with remembering.transaction() as connection:
            rows = candidates.similar_to_batch(connection, batch, MODEL, about={}, limit=limit, least=0.5)
        assert {row.fact_number for row in rows} <= {1}
        return [(row.content, round(row.similarity, 1)) for row in rows]

    def test_only_near_memories_are_found_nearest_first(self, remembering: Remembering, batch: BatchRef) -> None:
        remembering.memory("near", direction(1, 0.5))
        remembering.memory("nearer", direction(1, 0.1))
        remembering.memory("far", direction(0, 1))

        assert self.similar(remembering, batch) == [("nearer", 1.0), ("near", 0.9)]
        assert self.similar(remembering, batch, limit=1) == [("nearer", 1.0)]

    def test_same_attribute_is_found_at_any_distance(self, remembering: Remembering, batch: BatchRef) -> None:
        remembering.memory("User is a Bostonian", direction(0, 1), attribute="lives_in", value="Boston")

        assert self.similar(remembering, batch) == [("User is a Bostonian", 0.0)]

    def test_superseded_memory_is_not_found(self, remembering: Remembering, batch: BatchRef) -> None:
        memory_id = remembering.memory("near", direction(1), attribute="lives_in")
        supersede(remembering, memory_id, 1)

        assert self.similar(remembering, batch) == []

    def test_memory_of_another_namespace_of_the_tenant_is_not_found(
        self, remembering: Remembering, batch: BatchRef, worker_engine: Engine, lane: LaneRef
    ) -> None:
        neighbour = Remembering(worker_engine, LaneRef(lane.tenant_id, uuid4()))
        neighbour.memory("near", direction(1), attribute="lives_in")

        assert self.similar(remembering, batch) == []

    def test_same_subject_needs_half_the_nearness_and_each_entity_has_its_own_limit(
        self, remembering: Remembering, batch: BatchRef
    ) -> None:
        sarah, seattle, other = (remembering.entity(name) for name in ("Sarah", "Seattle", "Boston"))
        for name, entity in (("Sarah", sarah), ("Seattle", seattle), ("Boston", other)):
            remembering.memory(f"{name}, nearer", direction(0.45, 0.9), about={entity: ("subject", "sure")})
            remembering.memory(f"{name}, near", direction(0.3, 0.95), about={entity: ("subject", "sure")})
            remembering.memory(f"{name}, far", direction(0.2, 1), about={entity: ("subject", "sure")})
        remembering.memory("Perhaps Sarah", direction(0.45, 0.9), about={sarah: ("subject", "unsure")})

        with remembering.transaction() as connection:
            candidates.store_facts(connection, batch, [{"content": "Sarah moved to Seattle"}, {"content": "It rains"}])
            candidates.store_vectors(connection, batch, MODEL, {1: direction(1), 2: direction(1)})

        def found(limit: int) -> list[str]:
            with remembering.transaction() as connection:
                about = {1: [sarah, seattle], 2: [other]}
                rows = candidates.similar_to_batch(connection, batch, MODEL, about=about, limit=limit, least=0.5)
            return sorted(row.content for row in rows if row.fact_number == 1)

        assert found(1) == ["Sarah, nearer", "Seattle, nearer"]
        assert found(5) == ["Sarah, near", "Sarah, nearer", "Seattle, near", "Seattle, nearer"]

    def test_memory_of_any_length_is_found(self, remembering: Remembering, batch: BatchRef) -> None:
        """Long ones are in another index."""
        remembering.memory(" ".join(f"word{number}" for number in range(120)), direction(1))

        assert [similarity for _, similarity in self.similar(remembering, batch)] == [1.0]

    def test_large_namespace_is_searched_through_its_index(
        self, remembering: Remembering, batch: BatchRef, admin_url: str
    ) -> None:
        chance = np.random.default_rng(7)
        for number in range(60):
            remembering.memory(f"note {number}", direction(1, *0.3 * chance.standard_normal(6)))
        exact = self.similar(remembering, batch)
        try:
            index_own(admin_url, remembering.lane.tenant_id, outgrown=59)
            with remembering.transaction() as connection:
                # With sixty rows Postgres would rather sort them all.
                connection.exec_driver_sql("set local enable_sort = off")
                rows = candidates.similar_to_batch(connection, batch, MODEL, about={}, limit=5, least=0.5)
                searches = connection.execute(
                    text("""select sum(pg_stat_get_xact_numscans(indexrelid)) from pg_stat_user_indexes
                            where indexrelname like 'embeddings_of_scope_%'""")
                ).scalar_one()
        finally:
            index_scopes(admin_url)

        assert [(row.content, round(row.similarity, 1)) for row in rows] == exact
        assert searches == 1

    def test_memory_comes_with_its_subjects(self, remembering: Remembering, batch: BatchRef) -> None:
        sarah, seattle = remembering.entity("Sarah"), remembering.entity("Seattle")
        remembering.memory("near", direction(1), about={sarah: ("subject", "sure"), seattle: ("object", "sure")})
        with remembering.transaction() as connection:
            (row,) = candidates.similar_to_batch(connection, batch, MODEL, about={}, limit=5, least=0.5)

        assert (row.subject_ids, row.said_at, row.version) == ((sarah,), NOON, 1)
