"""Scopes: the memories or messages of one namespace under one model. A scope too large for a scan has its own indexes: HNSW for
vectors, GIN for words, and a btree for drawing a sample.

All are partial, so that other namespaces cannot crowd out results of a search in the scope. The owner of the tables creates and
drops them concurrently, so that writers need not wait; this requires a connection without transactions.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, LiteralString

from psycopg import sql
from sqlalchemy import Connection

from db.keys import LaneRef, as_jsonb
from mosshead.search.scans import Scanned
from mosshead.store.connection import Sql

OUTGROWN: Final = 20_000
"""Rows from which a scope gets its indexes: scanning that many takes about 40 ms."""

SHRUNK: Final = 15_000
"""Rows below which it loses them again: well below, so that a scope near the limit is not indexed repeatedly."""

_LOCK: Final = 0x696E6465786573  # "indexes"
_NAMED: Final = "_of_scope_"
_MEMORY: Final = "256MB"
"""Enough for about 200,000 vectors of 384 dimensions; a graph that does not fit takes many times as long."""

_WIDTH: Final[LiteralString] = "ef_construction=128"
"""How far a build searches for neighbours. With 64, pgvector's default, some clusters of memories are unreachable."""

_HNSW: Final[LiteralString] = "hnsw (({column}::halfvec({dimensions})) halfvec_ip_ops) with (" + _WIDTH + ")"
_WORDS: Final[LiteralString] = "gin (words) with (fastupdate = off)"
"""Without a pending list of new rows, which each search would have to read."""
_SAMPLE: Final[LiteralString] = "btree (uuid_hash({column}))"
"""Ordered by hash, so that the first rows are a sample: ids themselves begin with a time."""

_METHODS: Final[dict[Scanned, dict[str, LiteralString]]] = {
    "memories": {
        "embeddings": _HNSW.replace("{column}", "embedding"),
        "words": _WORDS,
        "sample": _SAMPLE.replace("{column}", "owner_id"),
    },
    "turns": {
        "turns_before": _HNSW.replace("{column}", "with_before"),
        "turns_words": _WORDS,
        "turns_sample": _SAMPLE.replace("{column}", "message_id"),
    },
}
"""How each index of a scope is made, by the prefix of its name."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One namespace under one model. dimensions: of a vector. rows: how many it holds."""

    lane: LaneRef
    model: str
    dimensions: int
    scanned: Scanned
    rows: int

    @property
    def indexes(self) -> tuple[str, ...]:
        """Return the names of its indexes."""
        named = f"{self.lane.tenant_id}/{self.lane.namespace_id}/{self.model}"
        ending = _NAMED + hashlib.sha256(named.encode()).hexdigest()[:16]
        return tuple(kind + ending for kind in _METHODS[self.scanned])


@contextmanager
def indexing(connection: Connection, owner: str) -> Iterator[bool]:
    """Let this session make indexes in the block, as the owner of the tables; yields False if another session does.

    A build uses one core, so that the service can run next to it, and has no time limit.
    """
    if not Sql("select pg_try_advisory_lock(%(lock)s)").holds(connection, lock=_LOCK):
        yield False
        return
    settings = ("statement_timeout = 0", "max_parallel_maintenance_workers = 0", f"maintenance_work_mem = '{_MEMORY}'")
    for setting in (f"role {owner}", *settings):
        connection.exec_driver_sql(f"set {setting}")
    yield True
    # A closed connection keeps its lock for a moment, in which the next session would not get it.
    Sql("select pg_advisory_unlock(%(lock)s)").run(connection, lock=_LOCK)


def large_scopes(connection: Connection, least: int) -> list[Scope]:
    """Return the scopes of all tenants with at least a number of rows, largest first."""
    rows = Sql("""
        select scope.tenant_id, scope.namespace_id, scope.model, known.dimensions, held.scanned, held.rows
        from mosshead.scopes as scope join mosshead.models as known using (model)
        cross join lateral (values ('memories', scope.memories), ('turns', scope.turns)) as held (scanned, rows)
        where held.rows >= %(least)s order by held.rows desc, scope.tenant_id, scope.namespace_id, scope.model, held.scanned
    """).run(connection, least=least)
    return [Scope(LaneRef(*row[:2]), *row[2:]) for row in rows]


def indexes(connection: Connection) -> dict[str, bool]:
    """Return the existing indexes of scopes, by name: whether each is valid. An interrupted or narrower build is not."""
    return Sql("""
        select relation.relname as name,
               index.indisvalid and (method.amname <> 'hnsw' or %(width)s = any(coalesce(relation.reloptions, '{}'))) as whole
        from pg_index as index
        join pg_class as relation on relation.oid = index.indexrelid
        join pg_am as method on method.oid = relation.relam
        where index.indrelid in ('mosshead.embeddings'::regclass, 'mosshead.turns'::regclass)
          and strpos(relation.relname, %(named)s) > 0
    """).pairs(connection, named=_NAMED, width=_WIDTH)


def make_index(connection: Connection, scope: Scope, name: str) -> None:
    """Make an index of a scope, one of its `indexes`. Needs a connection without transactions."""
    method = _METHODS[scope.scanned][name.partition(_NAMED)[0]]
    table, of_memories = ("turns", "") if scope.scanned == "turns" else ("embeddings", " and owner_kind = 'memory'")
    statement = sql.SQL(
        "create index concurrently {name} on mosshead.{table} using {method} "
        "where tenant_id = {tenant} and namespace_id = {namespace} and model = {model}{of_memories}"
    ).format(
        name=sql.Identifier(name),
        table=sql.Identifier(table),
        method=sql.SQL(method).format(dimensions=sql.Literal(scope.dimensions)),
        tenant=sql.Literal(scope.lane.tenant_id),
        namespace=sql.Literal(scope.lane.namespace_id),
        model=sql.Literal(scope.model),
        of_memories=sql.SQL(of_memories),
    )
    # A cursor of the driver's own, which quotes: statements like these take no parameters.
    connection.connection.cursor().execute(statement)


def drop_index(connection: Connection, name: str) -> None:
    """Drop an index of a scope. Needs a connection without transactions."""
    connection.exec_driver_sql(f"drop index concurrently if exists mosshead.{name}")


def gather_statistics(connection: Connection) -> None:
    """Update the statistics, so that Postgres uses the new indexes; by itself it does so after a tenth of the rows changed."""
    connection.exec_driver_sql("analyze mosshead.embeddings, mosshead.turns")


def tell(connection: Connection, indexed: Sequence[Scope]) -> None:
    """Tell readers which scopes have all their indexes, valid; no others do."""
    Sql("""
        with whole as (
            select tenant_id, namespace_id, model, bool_or(scanned = 'memories') as memories, bool_or(scanned = 'turns') as turns
            from jsonb_to_recordset(%(scopes)s) as one (tenant_id uuid, namespace_id uuid, model text, scanned text)
            group by tenant_id, namespace_id, model
        ), told as (
            select tenant_id, namespace_id, model,
                   coalesce(whole.memories, false) as indexed, coalesce(whole.turns, false) as turns_indexed
            from mosshead.scopes left join whole using (tenant_id, namespace_id, model)
        )
        update mosshead.scopes as scope set indexed = told.indexed, turns_indexed = told.turns_indexed from told
        where (told.tenant_id, told.namespace_id, told.model) = (scope.tenant_id, scope.namespace_id, scope.model)
          and (told.indexed, told.turns_indexed) <> (scope.indexed, scope.turns_indexed)
    """).run(
        connection, scopes=as_jsonb([{**one.lane.scope, "model": one.model, "scanned": one.scanned} for one in indexed])
    )


def due(connection: Connection) -> int:
    """Count the namespaces and models with a scope that is too large and lacks an index, or has shrunk and still has some.

    Sees all tenants.
    """
    return Sql("""
        select count(*) from mosshead.scopes
        where memories > %(outgrown)s and not indexed or memories < %(shrunk)s and indexed
           or turns > %(outgrown)s and not turns_indexed or turns < %(shrunk)s and turns_indexed
    """).number(connection, outgrown=OUTGROWN, shrunk=SHRUNK)
