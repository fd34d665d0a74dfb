"""The nearest memories of a namespace: exact, and through a scope's index."""

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import Engine, create_engine, text

from mosshead.paths import NamespacePath
from mosshead.search.vectors import SearchTarget, by_index, search
from mosshead.store import memories
from mosshead.store.connection import Sql, in_one_trip
from mosshead.urls import sqlalchemy_url
from tests.given import MODEL, Remembering, direction, index_own
from workers.cli.indexing import index_scopes
from workers.local import Addresses

MANY = 300


@pytest.fixture
def reader(addresses: Addresses) -> Iterator[Engine]:
    """Yield a reader engine that no other test has used."""
    # Where a database holds only a few hundred rows, Postgres would rather sort them than use an index.
    options = {"options": "-c enable_sort=off"}
    engine = create_engine(sqlalchemy_url(addresses.database_url, "X"), connect_args=options)
    yield engine
    engine.dispose()


def scattered(count: int) -> NDArray[np.float32]:
    """Return unit vectors around a direction, so that none is far from all others."""
    vectors = direction(1) + 0.05 * np.random.default_rng(count).standard_normal((count, 384), np.float32)
    found: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


def nearest(engine: Engine, path: NamespacePath, vector: NDArray[np.float32], **given: Any) -> list[tuple[UUID, float]]:
    wanted = SearchTarget(model=MODEL, vector=vector, **{"limit": 10, **given})
    hits, _ = search(engine, path, wanted, memories.progress_statement(path))
    return [(hit.id, hit.similarity) for hit in hits]


def test_threshold_is_exclusive(reader: Engine, fresh_namespace: NamespacePath, remembering: Remembering) -> None:
    half = np.sqrt(np.float32(0.75))
    same, alike = remembering.memory("same", direction(1)), remembering.memory("alike", direction(0.5, half))

    assert nearest(reader, fresh_namespace, direction(1)) == [(same, 1.0), (alike, 0.5)]
    assert nearest(reader, fresh_namespace, direction(1), threshold=0.5) == [(same, 1.0)]
    assert nearest(reader, fresh_namespace, direction(1), threshold=0.499)[1:] == [(alike, 0.5)]
    assert nearest(reader, fresh_namespace, direction(1), threshold=1) == []


def test_similarity_of_a_text_to_itself_is_at_most_one(
    reader: Engine, fresh_namespace: NamespacePath, remembering: Remembering
) -> None:
    """Half-precision numbers are rounded, so a vector's product with itself is as often above 1 as below."""
    for vector in scattered(20):
        remembering.memory("note", vector)
    for vector in scattered(20):
        assert nearest(reader, fresh_namespace, vector, limit=1)[0][1] <= 1
        assert nearest(reader, fresh_namespace, vector, threshold=1) == []


def test_scope_with_an_index_is_searched_through_it(
    admin_url: str, admin_engine: Engine, reader: Engine, fresh_namespace: NamespacePath, remembering: Remembering
) -> None:
    vectors = scattered(MANY)
    remembering.memories([f"note {number}" for number in range(MANY)], [*vectors])
    asked = scattered(7)
    exact = [nearest(reader, fresh_namespace, one) for one in asked]
    try:
        index_own(admin_url, fresh_namespace.tenant_id, outgrown=MANY - 1)

        assert nearest(reader, fresh_namespace, asked[0]) == exact[0]  # reads that there is an index
        before = _scans(admin_engine, reader)
        found = [nearest(reader, fresh_namespace, one) for one in asked]
        _eventually(lambda: _scans(admin_engine, reader) == before + len(asked))
        same = sum(len({*map(_id, one)} & {*map(_id, best)}) for one, best in zip(found, exact, strict=True))
        assert same >= 0.95 * 10 * len(asked)
        assert _plan(reader, fresh_namespace, asked[0]).count("embeddings_of_scope_") == 1
        threshold = exact[0][4][1]
        assert all(
            similarity >= threshold for _, similarity in nearest(reader, fresh_namespace, asked[0], threshold=threshold)
        )
        assert len(nearest(reader, fresh_namespace, asked[0], limit=MANY)) == MANY
    finally:
        index_scopes(admin_url)

    assert nearest(reader, fresh_namespace, asked[0]) == exact[0]


def _id(found: tuple[UUID, float]) -> UUID:
    return found[0]


def _scans(engine: Engine, reader: Engine) -> int:
    """Return how often scope indexes were scanned. A backend reports statistics when it ends, or after ten idle seconds."""
    reader.dispose()
    with engine.connect() as connection:
        scans = text("select sum(idx_scan) from pg_stat_user_indexes where indexrelname like 'embeddings_of_scope_%'")
        return int(connection.execute(scans).scalar_one())


def _eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _plan(engine: Engine, path: NamespacePath, vector: NDArray[np.float32]) -> str:
    statement = by_index(path, SearchTarget(model=MODEL, vector=vector, limit=10))
    few_rows = Sql("select set_config('enable_sort', 'off', true)")
    rows = in_one_trip(engine, path.tenant_id, [few_rows, Sql(f"explain {statement.text}", statement.parameters)])[1]
    return "\n".join(row[0] for row in rows)


@pytest.mark.parametrize("model", ["o'clock", "100 %s", 'a"b\\c'])
def test_any_model_name_works_in_the_index_search(
    admin_engine: Engine, reader: Engine, fresh_namespace: NamespacePath, model: str
) -> None:
    statement = by_index(fresh_namespace, SearchTarget(model=model, vector=direction(1), limit=1))
    assert in_one_trip(reader, fresh_namespace.tenant_id, [statement]) == [[]]
    with admin_engine.connect() as connection:
        quoted = connection.execute(text("select quote_literal(cast(:model as text))"), {"model": model}).scalar_one()
    assert quoted.replace("%", "%%") in statement.text
