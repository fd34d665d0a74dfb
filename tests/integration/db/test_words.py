"""Words stored beside the vectors of memories: always those of the memory, whoever writes it."""

from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from db import memories
from db.keys import LaneRef
from mosshead import Namespace
from mosshead.ids import uuid7
from tests.forming import Forming
from tests.given import MODEL, Remembering, direction
from tests.integration.workers.conftest import forming, sarah

__all__ = ["forming", "sarah"]


@pytest.fixture
def rows(admin_engine: Engine, lane: LaneRef) -> "Rows":
    """Return the rows of the fresh namespace."""
    return Rows(admin_engine, lane)


class Rows:
    """The vectors of one namespace, with their words."""

    def __init__(self, engine: Engine, lane: LaneRef) -> None:
        self._engine = engine
        self._lane = lane

    def of(self, owner: UUID) -> list[tuple[str, int, str | None, int | None]]:
        """Return kind, version, words and length of an owner's vectors."""
        with self._engine.connect() as connection:
            statement = text("""
                select owner_kind, version, cast(words as text), length from mosshead.embeddings
                where owner_id = :owner order by version
            """)
            return [tuple(row) for row in connection.execute(statement, {"owner": owner})]

    def strangers(self) -> int:
        """Return how many vectors have words that differ from their current memory's, or belong to no memory."""
        with self._engine.connect() as connection:
            statement = text("""
                select count(*) from mosshead.embeddings as vector
                left join mosshead.memories as memory on memory.tenant_id = vector.tenant_id
                  and memory.namespace_id = vector.namespace_id and memory.memory_id = vector.owner_id
                  and memory.known_to is null and vector.owner_kind = 'memory'
                where vector.tenant_id = :tenant_id and vector.namespace_id = :namespace_id
                  and (vector.words is distinct from memory.search or (vector.length is null) <> (memory.search is null))
            """)
            return int(connection.execute(statement, self._lane.scope).scalar_one())

    def memories(self) -> tuple[int, int]:
        """Return how many vectors of memories there are, and how many are counted."""
        with self._engine.connect() as connection:
            statement = text("""
                select (select count(*) from mosshead.embeddings where owner_kind = 'memory' and namespace_id = :namespace_id
                          and tenant_id = :tenant_id) as there,
                       (select sum(memories) from mosshead.scopes where namespace_id = :namespace_id
                          and tenant_id = :tenant_id) as counted
            """)
            found = connection.execute(statement, self._lane.scope).one()
            return found.there, int(found.counted)


def test_vector_has_its_memorys_words_and_their_number(remembering: Remembering, rows: Rows) -> None:
    memory_id = remembering.memory("Tea, tea and a big cake", direction(1))
    assert rows.of(memory_id) == [("memory", 1, "'big':5 'cake':6 'tea':1,2", 4)]


def test_words_are_those_of_the_version_that_began_with_the_text(
    remembering: Remembering, lane: LaneRef, rows: Rows
) -> None:
    memory_id = remembering.memory("User likes tea", direction(1))
    with remembering.stamped() as (connection, stamp):
        memories.change(connection, lane, memory_id, 1, stamp, content="User likes green tea")
        memories.retire_vector(connection, lane, memory_id)
        memories.set_vectors(connection, lane, MODEL, "memory", {memory_id: direction(1, 1)}, version=2)
    assert rows.of(memory_id) == [
        ("past_memory", 1, None, None),
        ("memory", 2, "'green':3 'like':2 'tea':4 'user':1", 4),
    ]


def test_profile_vector_has_no_words(remembering: Remembering, lane: LaneRef, rows: Rows) -> None:
    profile = uuid7()
    with remembering.transaction() as connection:
        memories.set_vectors(connection, lane, MODEL, "profile", {profile: direction(1)})
    assert rows.of(profile) == [("profile", 1, None, None)]


def test_words_and_count_follow_every_change_of_memories(forming: Forming, sarah: Namespace, rows: Rows) -> None:
    """Added, refined, superseded, undone, redone, and imported."""
    said = [
        "I live in Seattle with my sister Ruth.",
        "My brother Peter is a baker.",
        "I moved to Berlin.",
        "I like figs.",
    ]
    for one in said:
        forming.say(one)
        assert (rows.strangers(), len(set(rows.memories()))) == (0, 1)
    (move,) = [one for one in sarah.memories() if "Berlin" in one.content]
    for _ in range(2):
        forming.command(type="undo", decision_id=str(sarah.decisions.for_memory(move.id)[-1].id))
        assert (rows.strangers(), len(set(rows.memories()))) == (0, 1)
    before = rows.memories()[0]
    forming.command(type="import", memories=[{"id": "1", "content": "The boiler is in the cellar."}])

    assert (rows.strangers(), rows.memories()) == (0, (before + 1, before + 1))


def test_deleted_vector_counts_no_more(remembering: Remembering, rows: Rows, admin_engine: Engine) -> None:
    gone, _ = remembering.memory("one", direction(1)), remembering.memory("two", direction(0, 1))
    with admin_engine.begin() as connection:
        connection.execute(text("delete from mosshead.embeddings where owner_id = :id"), {"id": gone})
    assert rows.memories() == (1, 1)
