"""Contexts of a namespace with its own indexes: they hold the same as exact ones, of this namespace, as of now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import Engine, text

from db import memories, turns
from db.keys import LaneRef
from db.turns import NewTurn
from mosshead.paths import NamespacePath
from mosshead.search import memories as memories_sql
from mosshead.search import messages as messages_sql
from mosshead.search import scans
from mosshead.search import vectors as nearest_sql
from mosshead.search.scans import Spread
from mosshead.store.connection import Sql, in_one_trip, tenant_transaction
from tests.given import MODEL, Publishing, Remembering, direction, generic_plan, index_own
from workers.cli.indexing import index_scopes

MANY = 200
BIRDS = ("heron", "coot", "grebe", "teal", "swift", "rook", "dipper", "wren")
PLACES = ("lock", "weir", "mill", "quay", "ford")
NINE = datetime(2025, 3, 9, 9, tzinfo=UTC)
ASKED = (
    "Where does the heron of bird 17 nest?",
    "Which bird sleeps by the weir?",
    "Is it dry?",
    "coot, grebe or teal at the mill",
)


def content(number: int) -> str:
    return f"The {BIRDS[number % 8]} of bird {number} sleeps by the {PLACES[number % 5]}"


def scattered(count: int, seed: int) -> NDArray[np.float32]:
    """Return unit vectors around a direction, so that none is far from all others."""
    vectors = direction(1) + 0.05 * np.random.default_rng(seed).standard_normal((count, 384), np.float32)
    found: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


@dataclass(frozen=True)
class Large:
    """A namespace of that many memories and messages; a neighbour in its tenant holds copies of the first ones."""

    engine: Engine
    admin_url: str
    path: NamespacePath
    remembering: Remembering
    publishing: Publishing
    ada: UUID

    def index(self, outgrown: int = MANY - 1) -> None:
        index_own(self.admin_url, self.path.tenant_id, outgrown=outgrown)

    def vocabularies(self, message: str) -> Mapping[scans.Scanned, Any]:
        statement = scans.vocabulary_statement(self.path, MODEL, message)
        return scans.vocabularies(self.rows(statement))

    def rows(self, *statements: Sql) -> list[Any]:
        return in_one_trip(self.engine, self.path.tenant_id, statements)[-1]

    def statements(self, message: str, vector: NDArray[np.float32], *, exact: bool = False) -> tuple[Sql, Sql]:
        known = {} if exact else self.vocabularies(message)
        asked: dict[str, Any] = {"model": MODEL, "vector": vector, "message": message}
        return (
            memories_sql.statement_for(self.path, **asked, named=[self.ada], vocabulary=known.get("memories")),
            messages_sql.statement_for(self.path, **asked, each=30, vocabulary=known.get("turns")),
        )

    def scanned(self, *given: Any, **more: Any) -> tuple[memories_sql.ScannedMemories, messages_sql.ScannedMessages]:
        of_memories, of_messages = self.statements(*given, **more)
        return memories_sql.scanned(self.rows(of_memories)), messages_sql.scanned(self.rows(of_messages))

    def say(self, those: Mapping[str, NDArray[np.float32]], start: datetime = NINE) -> list[UUID]:
        events = [
            self.publishing.message(
                said, conversation=f"chat {number // 8}", occurred_at=(start + timedelta(minutes=number)).isoformat()
            )
            for number, said in enumerate(those)
        ]
        self.publishing.send(*events)
        ids = [UUID(event["event_id"]) for event in events]
        new = [
            NewTurn(message_id=key, said=said, embedding=vector, with_before=vector)
            for key, (said, vector) in zip(ids, those.items(), strict=True)
        ]
        with self.remembering.transaction() as connection:
            turns.add(connection, self.remembering.lane, MODEL, new)
        return ids


def remember(remembering: Remembering, those: Mapping[str, NDArray[np.float32]], whom: UUID | None) -> None:
    """Add memories; every twelfth is about an entity."""
    ids = remembering.memories([*those], [*those.values()])
    if whom is None:
        return
    with remembering.stamped() as (connection, stamp):
        for memory_id in ids[::12]:
            memories.link(connection, remembering.lane, memory_id, {whom: ("subject", "sure")}, stamp)


def lies(one: Spread) -> tuple[float, float]:
    """Return how a score is distributed over all rows."""
    return one.mean, one.deviation


@pytest.fixture
def large(
    *,
    admin_url: str,
    reader_engine: Engine,
    ingest_engine: Engine,
    worker_engine: Engine,
    fresh_namespace: NamespacePath,
    remembering: Remembering,
) -> Iterator[Large]:
    ada = remembering.entity("Ada")
    remember(remembering, {content(number): vector for number, vector in enumerate(scattered(MANY, 1))}, ada)
    neighbour = Remembering(worker_engine, LaneRef(fresh_namespace.tenant_id, uuid4()))
    remember(neighbour, {content(number): vector for number, vector in enumerate(scattered(40, 1))}, None)
    publishing = Publishing(ingest_engine, fresh_namespace)
    found = Large(reader_engine, admin_url, fresh_namespace, remembering, publishing, ada)
    found.say({content(number): vector for number, vector in enumerate(scattered(MANY, 2))})
    yield found
    index_scopes(admin_url)


def _memories(
    found: tuple[memories_sql.ScannedMemories, messages_sql.ScannedMessages],
) -> dict[UUID, tuple[float, float]]:
    return {one.memory.id: (one.cosine, one.words) for one in found[0].memories}


def _messages(
    found: tuple[memories_sql.ScannedMemories, messages_sql.ScannedMessages],
) -> dict[UUID, tuple[float, float]]:
    return {one.message.id: (one.cosine, one.words) for one in found[1].found}


def test_every_search_uses_an_index_and_scores_like_the_scan(large: Large) -> None:
    vectors = scattered(len(ASKED), 3)
    exact = [large.scanned(message, vector) for message, vector in zip(ASKED, vectors, strict=True)]
    large.index()
    of_memories, of_messages = (plan(large, one.text) for one in large.statements(ASKED[0], direction(1)))
    assert all(f"'{kind}_of_scope_" in of_memories for kind in ("embeddings", "sample"))
    assert all(f"'{kind}_of_scope_" in of_messages for kind in ("turns_before", "turns_sample"))
    found = [large.scanned(message, vector) for message, vector in zip(ASKED, vectors, strict=True)]

    for of in (_memories, _messages):
        both = [(of(one), of(best)) for one, best in zip(found, exact, strict=True)]
        assert all(one.keys() for one, _ in both)
        kept = sum(len(one.keys() & best.keys()) for one, best in both)
        assert kept >= 0.9 * sum(len(best) for _, best in both)
        for one, best in both:
            for key in one.keys() & best.keys():
                assert one[key] == pytest.approx(best[key], abs=1e-6)
    for (scanned, messages), (exactly, exact_messages) in zip(found, exact, strict=True):
        # With so few rows the sample is all of them; but it says nothing about rare words.
        assert lies(scanned.cosine) == pytest.approx(lies(exactly.cosine))
        assert lies(messages.with_before) == pytest.approx(lies(exact_messages.with_before))
        assert lies(scanned.words) == pytest.approx(lies(exactly.words), rel=0.1)
        assert lies(messages.words) == pytest.approx(lies(exact_messages.words), rel=0.1)


def plan(large: Large, statement: str) -> str:
    """Return a statement's plan; with so few rows Postgres would rather sort them all."""
    with tenant_transaction(large.engine, large.path.tenant_id) as connection:
        connection.exec_driver_sql("set local enable_sort = off")
        return str(generic_plan(connection, statement))


def test_all_messages_of_a_time_span_are_scored(large: Large) -> None:
    times: Sequence[tuple[int | None, int | None, Sequence[int]]] = (
        (90, 130, range(90, 130)),
        (180, None, range(180, MANY)),
        (None, 3, range(3)),
        (MANY, None, ()),
    )
    asked: dict[str, Any] = {"model": MODEL, "vector": direction(1), "message": "Is it dry?", "each": 60}

    def scanned(since: int | None, until: int | None) -> messages_sql.ScannedMessages:
        first, end = (None if at is None else NINE + timedelta(minutes=at) for at in (since, until))
        known = large.vocabularies("Is it dry?").get("turns")
        among = messages_sql.Among(since=first, until=end)
        return messages_sql.scanned(
            large.rows(messages_sql.statement_for(large.path, **asked, among=among, vocabulary=known))
        )

    exact = [scanned(since, until) for since, until, _ in times]
    large.index()
    for (since, until, minutes), exactly in zip(times, exact, strict=True):
        found = scanned(since, until)
        assert found.found == exactly.found
        assert {one.message.content for one in found.found} == {content(number) for number in minutes}
        assert lies(found.with_before) == pytest.approx(lies(exactly.with_before))


def test_rows_added_after_the_index_are_found_and_deleted_ones_are_not(large: Large) -> None:
    large.index()
    far = direction(0, 1)
    new = large.remembering.memory("The osprey eats perch", far)
    (said,) = large.say({"The osprey eats perch": far}, NINE + timedelta(days=1))
    for message, vector in (("What does the osprey eat?", direction(1)), ("Well?", far)):
        found = large.scanned(message, vector)
        assert new in _memories(found)
        assert said in _messages(found)
    with large.remembering.transaction() as connection:
        memories.retire_vector(connection, large.remembering.lane, new)
    assert new not in _memories(large.scanned("What does the osprey eat?", far))


def test_named_entities_and_their_neighbours_count_at_any_distance(large: Large) -> None:
    ben, far = large.remembering.entity("Ben"), direction(0, 1)
    sure = ("subject", "sure")
    of_ada = large.remembering.memory("She whistles", far, about={large.ada: sure})
    large.remembering.memory("The heron of bird 17 and Ben", direction(1), about={ben: sure})
    of_ben = large.remembering.memory("He hums", far, about={ben: sure})
    nobodys = large.remembering.memory("They yodel", far)
    large.index()
    found = _memories(large.scanned(ASKED[0], direction(1)))
    assert {of_ada, of_ben} <= found.keys()
    assert nobodys not in found


def test_oldest_memories_of_a_well_known_entity_count_at_any_distance(large: Large) -> None:
    about: dict[UUID, tuple[str, str]] = {large.ada: ("subject", "sure")}
    first = large.remembering.memory("She was born at sea", direction(0, 1), about=about, memory_id=UUID(int=1))
    large.remembering.memories(["She swims"] * 40, [direction(1)] * 40, about=about)
    large.index()

    assert first in _memories(large.scanned("Is it dry?", direction(1)))


def test_entity_with_too_many_memories_is_related_by_word_search(large: Large) -> None:
    zed, far = large.remembering.entity("Zed"), direction(0, 1)
    about: dict[UUID, tuple[str, str]] = {zed: ("subject", "sure")}
    large.remembering.memory("A heron is his", direction(1), about={**about, large.ada: ("object", "sure")})
    large.remembering.memories(["He swims"] * 100, [far] * 100, about=about)
    large.remembering.memories([f"A heron {number}" for number in range(60)], [direction(1, 0.1)] * 60)
    at_length = "Through all of that long winter a heron stood by the old bridge behind the house of {}"
    his = large.remembering.memory(at_length.format("his aunt"), far, about=about)
    nobodys = large.remembering.memory(at_length.format("her aunt"), far)
    large.index()

    found = _memories(large.scanned("Where was the heron?", direction(1)))
    assert his in found
    assert nobodys not in found


def test_namespace_without_indexes_is_scanned(large: Large, admin_engine: Engine) -> None:
    exact = large.scanned(ASKED[0], direction(1))
    assert large.vocabularies(ASKED[0]) == {}
    large.index()
    assert {scanned: known.rows for scanned, known in large.vocabularies(ASKED[0]).items()} == {
        "memories": MANY,
        "turns": MANY,
    }
    statements = large.statements(ASKED[0], direction(1))
    with admin_engine.connect() as connection:
        names = connection.execute(
            text(
                "select indexname from pg_indexes where schemaname = 'mosshead' and indexname like '%\\_of\\_scope\\_%'"
            )
        )
        for name in names.scalars().all():
            connection.exec_driver_sql(f"drop index mosshead.{name}")
        connection.commit()
    # A reader that was told of indexes dropped meanwhile finds no less.
    assert _memories(exact).keys() == {
        one.memory.id for one in memories_sql.scanned(large.rows(statements[0])).memories
    }
    large.index(10 * MANY)
    assert large.vocabularies(ASKED[0]) == {}
    assert _messages(large.scanned(ASKED[0], direction(1))) == _messages(exact)


@pytest.mark.parametrize("outgrown", ["memories", "turns"])
def test_only_the_kind_too_large_for_a_scan_is_found_by_index(large: Large, outgrown: str) -> None:
    said = {content(MANY): direction(1)}
    if outgrown == "turns":
        large.say(said, NINE + timedelta(days=1))
    else:
        remember(large.remembering, said, None)
    exact = large.scanned(ASKED[0], direction(1))
    large.index(MANY)

    assert {scanned: known.rows for scanned, known in large.vocabularies(ASKED[0]).items()} == {outgrown: MANY + 1}
    of_memories, of_messages = (plan(large, one.text) for one in large.statements(ASKED[0], direction(1)))
    assert ("embeddings_of_scope_" in of_memories, "turns_before_of_scope_" in of_messages) == (
        outgrown == "memories",
        outgrown == "turns",
    )
    found = large.scanned(ASKED[0], direction(1))
    scanned = _memories if outgrown == "turns" else _messages
    assert scanned(found) == scanned(exact)


def test_messages_are_counted_as_they_come_and_go(large: Large) -> None:
    def counted() -> int:
        statement = "select turns from mosshead_read_v1.scopes where namespace_id = %(namespace_id)s"
        return int(large.rows(Sql(statement, {"namespace_id": large.path.namespace_id}))[0].turns)

    assert counted() == MANY
    ids = large.say({f"Number {number}": direction(1) for number in range(3)}, NINE + timedelta(days=1))
    assert counted() == MANY + 3
    with large.remembering.transaction() as connection:
        connection.execute(text("delete from mosshead.messages where message_id = any(:ids)"), {"ids": ids[:2]})
    assert counted() == MANY + 1


def test_words_are_looked_up_only_in_ones_own_rows(large: Large, reader_engine: Engine) -> None:
    large.index()

    def holding(tenant_id: UUID, scanned: str, *sought: str, enough: int = 1000, most: int = 1000) -> list[UUID]:
        asked = {
            "namespace_id": large.path.namespace_id,
            "model": MODEL,
            "scanned": scanned,
            "sought": list(sought),
            "enough": enough,
            "most": most,
        }
        statement = """
            select mosshead_read_v1.holding(%(scanned)s, %(namespace_id)s, %(model)s, cast(%(sought)s as text[]),
                                             %(enough)s, %(most)s) as found
        """
        return [row.found for row in in_one_trip(reader_engine, tenant_id, [Sql(statement, asked)])[0]]

    mine = large.path.tenant_id
    for scanned in ("memories", "turns"):
        assert len(set(holding(mine, scanned, "'heron'"))) == MANY // 8
        assert len(holding(mine, scanned, "'heron' & 'lock'", "'heron'", enough=5)) == MANY // 40
        assert len(holding(mine, scanned, "'heron' & 'lock'", "'heron'", enough=7)) == MANY // 8
        assert len(holding(mine, scanned, "'heron'", most=3)) == 3
        assert holding(mine, scanned) == []
        assert holding(uuid4(), scanned, "'heron'") == []
    assert large.rows(Sql("select current_setting('enable_seqscan') as now"))[0].now == "on"


def test_deleted_neighbours_of_the_question_hide_nothing_before_a_vacuum(large: Large) -> None:
    """A vector index holds deleted rows until a vacuum; they must not take the places of live ones."""
    near = direction(0, 1)
    vectors = near + 0.01 * np.random.default_rng(7).standard_normal((300, 384), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    old = large.remembering.memories([f"She weighs {number} stone" for number in range(300)], [*vectors])
    said = large.say({f"I weigh {number} stone": one for number, one in enumerate(vectors)}, NINE + timedelta(days=1))
    large.index()
    with large.remembering.transaction() as connection:
        for one in old:
            memories.retire_vector(connection, large.remembering.lane, one)
        connection.execute(text("delete from mosshead.messages where message_id = any(:ids)"), {"ids": said})

    by_index = Sql("select set_config('enable_sort', 'off', true)")  # it would sort so few rows
    wanted = nearest_sql.SearchTarget(model=MODEL, vector=near, limit=10)
    assert len(large.rows(by_index, nearest_sql.by_index(large.path, wanted))) == 10
    of_memories, of_messages = large.statements("Well?", near)
    assert len(memories_sql.scanned(large.rows(by_index, of_memories)).memories) >= 40
    assert len(messages_sql.scanned(large.rows(by_index, of_messages)).found) >= 30
