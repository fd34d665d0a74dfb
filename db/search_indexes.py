"""Scopes: what one namespace holds under one model, memories or messages. One that has outgrown a scan has indexes of its own.

They are HNSW of the vectors, GIN of the words, and a btree by which a sample is drawn. All are partial, so that a search that
names its scope finds in them what no other namespace can crowd out. They are made and dropped by the owner of the tables, without
a lock that writers would wait for, and so on a connection without transactions.
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
"""Rows from which a scope gets its indexes: a scan of so many takes some 40 ms."""

SHRUNK: Final = 15_000
"""Rows below which it loses them again: well below, so that a scope at the limit is not indexed again and again."""

_LOCK: Final = 0x696E6465786573  # "indexes"
_NAMED: Final = "_of_scope_"
_MEMORY: Final = "256MB"
"""For some 200,000 vectors of 384 dimensions; a graph that does not fit takes many times as long."""

_WIDTH: Final[LiteralString] = "ef_construction=128"
"""How far a build looks for neighbours. With 64, pgvector's default, some clusters of memories are found from nowhere."""

_HNSW: Final[LiteralString] = "hnsw (({column}::halfvec({dimensions})) halfvec_ip_ops) with (" + _WIDTH + ")"
_WORDS: Final[LiteralString] = "gin (words) with (fastupdate = off)"
"""Without a list of what is new, which each search would have to read."""
_SAMPLE: Final[LiteralString] = "btree (uuid_hash({column}))"
"""In the order of hashes, whose first rows are a sample: ids begin with the time at which they were made."""

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
"""How each index of a scope is made, by how its name begins."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One namespace under one model. dimensions: of a vector. rows: how many there are of what it holds."""

    lane: LaneRef
    model: str
    dimensions: int
    scanned: Scanned
    rows: int

    @property
    def indexes(self) -> tuple[str, ...]:
        """The names of its indexes."""
        named = f"{self.lane.tenant_id}/{self.lane.namespace_id}/{self.model}"
        ending = _NAMED + hashlib.sha256(named.encode()).hexdigest()[:16]
        return tuple(kind + ending for kind in _METHODS[self.scanned])


@contextmanager
def indexing(connection: Connection, owner: str) -> Iterator[bool]:
    """Make this session the one that makes indexes within the block, as the owner of the tables; False where another is at it.

    A build takes one core, so that it can run beside the service, and as long as it takes.
    """
    if not Sql("select pg_try_advisory_lock(%(lock)s)").holds(connection, lock=_LOCK):
        yield False
        return
    settings = ("statement_timeout = 0", "max_parallel_maintenance_workers = 0", f"maintenance_work_mem = '{_MEMORY}'")
    for setting in (f"role {owner}", *settings):
        connection.exec_driver_sql(f"set {setting}")
    yield True
    # A connection that is closed has its lock for a moment more, in which whoever comes next would not get it.
    Sql("select pg_advisory_unlock(%(lock)s)").run(connection, lock=_LOCK)


def large_scopes(connection: Connection, least: int) -> list[Scope]:
    """The scopes of so many rows or more, of all tenants, the largest first."""
    rows = Sql("""
        select scope.tenant_id, scope.namespace_id, scope.model, known.dimensions, held.scanned, held.rows
        from mosshead.scopes as scope join mosshead.models as known using (model)
        cross join lateral (values ('memories', scope.memories), ('turns', scope.turns)) as held (scanned, rows)
        where held.rows >= %(least)s order by held.rows desc, scope.tenant_id, scope.namespace_id, scope.model, held.scanned
    """).run(connection, least=least)
    return [Scope(LaneRef(*row[:2]), *row[2:]) for row in rows]


def indexes(connection: Connection) -> dict[str, bool]:
    """The indexes of scopes that there are, by name: whether each is whole. One is not whose build was cut off, or narrower."""
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
    """Let Postgres see how many rows are a scope's, so that it takes the new indexes; by itself it looks when a tenth is new."""
    connection.exec_driver_sql("analyze mosshead.embeddings, mosshead.turns")


def tell(connection: Connection, indexed: Sequence[Scope]) -> None:
    """Tell readers which scopes have all of their indexes, whole; no others have."""
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
    """Of how many namespaces and models a scope has outgrown a scan and lacks an index, or has shrunk and still has its own.

    Sees all tenants.
    """
    return Sql("""
        select count(*) from mosshead.scopes
        where memories > %(outgrown)s and not indexed or memories < %(shrunk)s and indexed
           or turns > %(outgrown)s and not turns_indexed or turns < %(shrunk)s and turns_indexed
    """).number(connection, outgrown=OUTGROWN, shrunk=SHRUNK)
