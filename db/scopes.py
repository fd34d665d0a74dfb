"""Scopes: the memories' vectors of one namespace and model. One that has outgrown a scan has an HNSW index of its own.

The index is partial, so that a search that names its scope finds in it what no other namespace can crowd out. It is made and
dropped by the owner of the tables, without a lock that writers would wait for, and so on a connection without transactions.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from psycopg import sql
from sqlalchemy import Connection, text

from db.refs import LaneRef

OUTGROWN: Final = 20_000
"""Vectors from which a scope gets its index: a scan of so many takes some 40 ms."""

SHRUNK: Final = 15_000
"""Vectors below which it loses it again: well below, so that a scope at the limit is not indexed again and again."""

_LOCK: Final = 0x696E6465786573  # "indexes"
_NAMED: Final = "embeddings_of_scope_"
_MEMORY: Final = (
    "256MB"  # for some 200,000 vectors of 384 dimensions; a graph that does not fit takes many times as long
)


@dataclass(frozen=True, slots=True)
class Scope:
    """One namespace's memories under one model. dimensions: of a vector. memories: how many vectors there are."""

    lane: LaneRef
    model: str
    dimensions: int
    memories: int

    @property
    def index(self) -> str:
        """The name of its index."""
        named = f"{self.lane.tenant_id}/{self.lane.namespace_id}/{self.model}"
        return _NAMED + hashlib.sha256(named.encode()).hexdigest()[:16]


def prepare_session(connection: Connection, owner: str) -> bool:
    """Make this session the one that makes indexes, as the owner of the tables; False where another is at it.

    A build takes one core, so that it can run beside the service, and as long as it takes.
    """
    if not connection.execute(_LOCK_SESSION, {"lock": _LOCK}).scalar_one():
        return False
    settings = ("statement_timeout = 0", "max_parallel_maintenance_workers = 0", f"maintenance_work_mem = '{_MEMORY}'")
    for setting in (f"role {owner}", *settings):
        connection.exec_driver_sql(f"set {setting}")
    return True


def large_scopes(connection: Connection, least: int) -> list[Scope]:
    """The scopes of so many vectors or more, of all tenants, the largest first."""
    rows = connection.execute(_LARGE, {"least": least})
    return [Scope(LaneRef(row.tenant_id, row.namespace_id), row.model, row.dimensions, row.memories) for row in rows]


def indexes(connection: Connection) -> dict[str, bool]:
    """The indexes of scopes that there are, by name: whether each is whole. One whose build was cut off is not."""
    return {row.name: row.whole for row in connection.execute(_INDEXES, {"named": _NAMED})}


def make_index(connection: Connection, scope: Scope) -> None:
    """Make the index of a scope. Needs a connection without transactions."""
    statement = sql.SQL(
        "create index concurrently {name} on recollect.embeddings "
        "using hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) "
        "where tenant_id = {tenant} and namespace_id = {namespace} and model = {model} and owner_kind = 'memory'"
    ).format(
        name=sql.Identifier(scope.index),
        dimensions=sql.Literal(scope.dimensions),
        tenant=_uuid(scope.lane.tenant_id),
        namespace=_uuid(scope.lane.namespace_id),
        model=sql.Literal(scope.model),
    )
    _run(connection, statement)


def drop_index(connection: Connection, name: str) -> None:
    """Drop the index of a scope. Needs a connection without transactions."""
    _run(connection, sql.SQL("drop index concurrently if exists recollect.{}").format(sql.Identifier(name)))


def tell(connection: Connection, indexed: Sequence[Scope]) -> None:
    """Tell readers which scopes have a whole index; no others have."""
    parameters: dict[str, list[Any]] = {
        "tenants": [scope.lane.tenant_id for scope in indexed],
        "namespaces": [scope.lane.namespace_id for scope in indexed],
        "models": [scope.model for scope in indexed],
    }
    connection.execute(_TELL, parameters)


def due(connection: Connection) -> int:
    """How many scopes have outgrown a scan and have no index, or have shrunk and still have one. Sees all tenants."""
    return int(connection.execute(_DUE, {"outgrown": OUTGROWN, "shrunk": SHRUNK}).scalar_one())


def _uuid(one: UUID) -> sql.Composable:
    return sql.SQL("{}::uuid").format(sql.Literal(str(one)))


def _run(connection: Connection, statement: sql.Composable) -> None:
    # A cursor of the driver's own, which quotes: statements like these take no parameters.
    connection.connection.cursor().execute(statement)


_LOCK_SESSION = text("select pg_try_advisory_lock(:lock)")

_LARGE = text("""
    select tenant_id, namespace_id, model, dimensions, memories from recollect.scopes join recollect.models using (model)
    where memories >= :least order by memories desc, tenant_id, namespace_id, model
""")

_INDEXES = text("""
    select relation.relname as name, index.indisvalid as whole from pg_index as index
    join pg_class as relation on relation.oid = index.indexrelid
    where index.indrelid = 'recollect.embeddings'::regclass and starts_with(relation.relname, :named)
""")

_TELL = text("""
    update recollect.scopes as scope set indexed = not scope.indexed
    where scope.indexed <> exists (
        select from unnest(cast(:tenants as uuid[]), cast(:namespaces as uuid[]), cast(:models as text[]))
            as whole (tenant_id, namespace_id, model)
        where (whole.tenant_id, whole.namespace_id, whole.model) = (scope.tenant_id, scope.namespace_id, scope.model))
""")

_DUE = text("""
    select count(*) from recollect.scopes
    where memories > :outgrown and not indexed or memories < :shrunk and indexed
""")
