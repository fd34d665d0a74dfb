"""Scopes too large for a scan: their indexes are built, used by readers, rebuilt when broken, and dropped."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from pgvector import HalfVector
from sqlalchemy import Engine, text

from db import memories, search_indexes
from db.keys import LaneRef
from db.search_indexes import Scope
from mosshead.store.connection import tenant_transaction
from workers.cli.indexing import Work, index_scopes

DIMENSIONS = 16
MANY = 1_500
NEAREST = 10


@pytest.fixture
def model(admin_engine: Engine, admin_url: str) -> Iterator[str]:
    """Yield a model of small vectors that no other test uses; its rows are removed afterwards."""
    name = f"small'{uuid4().hex}"
    with admin_engine.begin() as connection:
        insert = text("insert into mosshead.models (model, dimensions) values (:name, :dimensions)")
        connection.execute(insert, {"name": name, "dimensions": DIMENSIONS})
    yield name
    with admin_engine.begin() as connection:
        for table in ("embeddings", "vocabulary", "scopes", "models"):
            connection.execute(text(f"delete from mosshead.{table} where model = :name"), {"name": name})
    index_scopes(admin_url)


@pytest.fixture
def vectors(worker_engine: Engine, lane: LaneRef, model: str) -> dict[UUID, Any]:
    """Add the fresh namespace's vectors, too many for a scan here, and a neighbour's, all nearer to the first of them."""
    drawn = np.random.default_rng(7).normal(size=(MANY, DIMENSIONS)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    found = {uuid4(): vector for vector in drawn}
    neighbour = LaneRef(lane.tenant_id, uuid4())
    with tenant_transaction(worker_engine, lane.tenant_id) as connection:
        memories.set_vectors(connection, lane, model, "memory", found)
        memories.set_vectors(connection, neighbour, model, "memory", {uuid4(): 2 * drawn[0] for _ in range(500)})
    return found


@pytest.fixture
def scope(lane: LaneRef, model: str) -> Scope:
    return Scope(lane, model, DIMENSIONS, "memories", MANY)


@pytest.fixture
def index(admin_url: str) -> Callable[[], Work]:
    """Return a function that does the index work as if these few thousand vectors were many."""

    def run() -> Work:
        done = index_scopes(admin_url, outgrown=MANY - 1, shrunk=MANY // 2)
        assert done is not None
        return done

    return run


def of_vectors(scope: Scope) -> str:
    """Return the name of the index of the scope's memory vectors."""
    return scope.indexes[0]


def search(scope: Scope, limit: int = NEAREST) -> str:
    """Return the statement a reader searches the index with; its scope and limit are literals."""
    model = scope.model.replace("'", "''")
    distance = f"embedding::halfvec({scope.dimensions}) <#> cast($1 as halfvec({scope.dimensions}))"
    return f"""
        select owner_id from mosshead_read_v1.embeddings
        where tenant_id = '{scope.lane.tenant_id}' and namespace_id = '{scope.lane.namespace_id}'
          and model = '{model}' and owner_kind = 'memory'
        order by {distance} limit {limit}
    """


def plan(engine: Engine, scope: Scope) -> str:
    """Return the plan of a reader's search, whatever it looks for."""
    with tenant_transaction(engine, scope.lane.tenant_id) as connection:
        rows = connection.exec_driver_sql(f"explain (generic_plan, costs off) {search(scope)}").scalars()
        return "\n".join(rows)


def told(engine: Engine, scope: Scope) -> tuple[bool, int]:
    """Return whether a reader sees the scope as indexed, and how many vectors it holds."""
    with tenant_transaction(engine, scope.lane.tenant_id) as connection:
        statement = text("""
            select indexed, memories, turns_indexed, turns from mosshead_read_v1.scopes
            where namespace_id = :namespace_id and model = :model
        """)
        row = connection.execute(statement, {**scope.lane.scope, "model": scope.model}).one()
        return (row.turns_indexed, row.turns) if scope.scanned == "turns" else (row.indexed, row.memories)


CUT_OFF = "update pg_index set indisvalid = false where indexrelid = to_regclass(:name)"
NARROW = "update pg_class set reloptions = null where oid = to_regclass(:name)"
"""An index as an interrupted build leaves it, and one built with a smaller search for neighbours."""


def test_reader_searches_a_scope_too_large_for_a_scan_through_its_index(
    *, scope: Scope, vectors: dict[UUID, Any], index: Callable[[], Work], reader_engine: Engine
) -> None:
    assert told(reader_engine, scope) == (False, MANY)
    assert of_vectors(scope) not in plan(reader_engine, scope)

    done = index()
    assert (scope, list(scope.indexes)) in done.make
    assert told(reader_engine, scope) == (True, MANY)
    assert f"Index Scan using {of_vectors(scope)}" in plan(reader_engine, scope)
    asked = next(iter(vectors.values()))
    with tenant_transaction(reader_engine, scope.lane.tenant_id) as connection:
        connection.exec_driver_sql("set local hnsw.ef_search = 100")
        driver: Any = connection.connection.driver_connection
        statement = search(scope).replace("$1", "%s")
        found = {row[0] for row in driver.execute(statement, (HalfVector(asked).to_text(),), prepare=True)}
    nearest = sorted(vectors, key=lambda one: -float(vectors[one] @ asked))[:NEAREST]
    assert len(found & set(nearest)) >= NEAREST - 1
    assert found <= set(vectors), "the neighbour's are nearer, and are not found"


@pytest.mark.usefixtures("vectors")
def test_valid_index_is_kept_and_a_broken_one_is_rebuilt(
    scope: Scope, index: Callable[[], Work], admin_engine: Engine, reader_engine: Engine
) -> None:
    index()
    for fault in (CUT_OFF, NARROW):
        again = index()
        assert scope.indexes in [one.indexes for one in again.whole]
        assert (again.drop, again.make) == ([], [])

        with admin_engine.begin() as connection:
            assert connection.execute(text(fault), {"name": f"mosshead.{of_vectors(scope)}"}).rowcount == 1
        anew = index()
        assert anew.drop == [of_vectors(scope)]
        assert [(one.indexes, names) for one, names in anew.make] == [(scope.indexes, [of_vectors(scope)])]
        assert told(reader_engine, scope) == (True, MANY)


def test_scope_that_shrank_well_below_the_limit_loses_its_index(
    *, scope: Scope, vectors: dict[UUID, Any], index: Callable[[], Work], worker_engine: Engine, reader_engine: Engine
) -> None:
    index()
    keys = list(vectors)

    def retire(some: list[UUID]) -> None:
        with tenant_transaction(worker_engine, scope.lane.tenant_id) as connection:
            for memory_id in some:
                memories.retire_vector(connection, scope.lane, memory_id)

    retire(keys[: MANY // 4])
    index()
    assert told(reader_engine, scope) == (True, MANY - MANY // 4)
    retire(keys[MANY // 4 : MANY // 2 + 1])
    done = index()
    assert {*scope.indexes} <= {*done.drop}
    assert told(reader_engine, scope) == (False, MANY - MANY // 2 - 1)
    assert of_vectors(scope) not in plan(reader_engine, scope)


def test_two_concurrent_runs_do_not_disturb_each_other(admin_url: str, admin_engine: Engine) -> None:
    """A later run does not wait until the server notices that the connection of the first is gone."""
    with admin_engine.connect() as connection:
        with search_indexes.indexing(connection, "mosshead_owner") as alone:
            assert alone
            assert index_scopes(admin_url) is None
        assert index_scopes(admin_url) is not None
        connection.invalidate()  # it has another role


@pytest.mark.usefixtures("vectors")
def test_scope_counts_as_due_until_it_is_indexed(
    scope: Scope, admin_engine: Engine, worker_engine: Engine, index: Callable[[], Work]
) -> None:
    def due() -> int:
        with worker_engine.begin() as connection:
            return search_indexes.due(connection)

    def count(memories: int) -> None:
        with admin_engine.begin() as connection:
            statement = text("update mosshead.scopes set memories = :count where model = :model and namespace_id = :id")
            connection.execute(statement, {"count": memories, "model": scope.model, "id": scope.lane.namespace_id})

    # Large scopes that other tests left get their indexes first, so that they no longer count as due.
    count(0)
    index()
    before = due()
    count(search_indexes.OUTGROWN + 1)
    assert due() == before + 1
    index()
    assert due() == before
    count(search_indexes.SHRUNK - 1)
    assert due() == before + 1
