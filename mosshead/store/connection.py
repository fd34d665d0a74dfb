"""Transactions of one tenant: the only place that sets the tenant for row-level security, for readers and writers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
from pgvector import HalfVector
from psycopg import AsyncRawCursor, RawCursor
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection, CursorResult, Engine, Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from mosshead.bridge import awaited, take_turn
from mosshead.deadline import ends_within, remaining, server_milliseconds
from mosshead.paths import NamespacePath
from mosshead.patterns import lazy_pattern

if TYPE_CHECKING:
    from mosshead.embeddings.protocol import Embedder

Parameters = Mapping[str, Any]
"""The values of the placeholders ``%(name)s``, by name. A list becomes an array, and a vector is a `BinaryVector`."""

_Row = Row[*tuple[Any, ...]]

OF_NAMESPACE = "tenant_id = %(tenant_id)s and namespace_id = %(namespace_id)s"
"""SQL condition for the rows of a namespace; its parameters are `NamespacePath.ids`."""


def of_namespace(alias: str) -> str:
    """Return the same condition for one of several tables in a statement, by its alias."""
    return f"{alias}.tenant_id = %(tenant_id)s and {alias}.namespace_id = %(namespace_id)s"


def same_namespace(one: str, other: str) -> str:
    """Return the SQL condition that two aliases' rows belong to the same namespace, for statements over several of them."""
    return f"{one}.tenant_id = {other}.tenant_id and {one}.namespace_id = {other}.namespace_id"


def both_of_namespace(one: str, other: str) -> str:
    """Return the SQL condition that two aliases' rows belong to the statement's namespace.

    It names the namespace for both: Citus sends a statement to one worker only if each of its tables is named that way.
    """
    return f"{one}.namespace_id = {other}.namespace_id and {of_namespace(one)}"


@contextmanager
def tenant_transaction(engine: Engine, tenant_id: UUID) -> Iterator[Connection]:
    """Open a transaction in which row-level security shows only this tenant's rows.

    The setting is local to the transaction: a plain SET would pass the tenant on to the next user of the pooled connection. A
    dead pooled connection is replaced, once. `mosshead.deadline` bounds the duration.
    """
    with ends_within(engine), _begin(engine, tenant_id) as connection:
        yield connection
        connection.commit()


def set_tenant(connection: Connection, tenant_id: UUID) -> None:
    """Make a transaction show only this tenant's rows from here until it ends."""
    milliseconds = server_milliseconds()
    # Two statements in one message, which the driver does not prepare: the text differs for each tenant.
    limit = "select" if milliseconds is None else f"set local statement_timeout = {int(milliseconds)}"
    connection.exec_driver_sql(f"{_set_tenant(tenant_id)}; {limit}")


def in_one_trip(engine: Engine, tenant_id: UUID, statements: Sequence["Sql"]) -> list[list[Any]]:
    """Return the rows of several reads of one tenant, in one transaction and one round trip to Postgres.

    A psycopg pipeline sends everything before it waits: the tenant and the statements, which are prepared once per connection and
    planned once for all parameters. Postgres runs a pipeline as one transaction; a begin and a commit would add two messages. JIT
    and parallel plans are off, as they cost more than they save in a few milliseconds. A dead pooled connection is replaced,
    once. `mosshead.deadline` bounds the duration.
    """
    with ends_within(engine):
        try:
            rows = _pipelined(engine, tenant_id, statements)
        except psycopg.OperationalError as error:
            if remaining() == 0 or (error.sqlstate is not None and not error.sqlstate.startswith(_GONE)):
                raise
            rows = _pipelined(engine, tenant_id, statements)
        take_turn()
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadStore:
    """Where to read, and what embeds."""

    engine: Engine
    path: NamespacePath
    embedder: "Embedder"

    def trip(self, statements: Sequence["Sql"]) -> list[list[Any]]:
        """Return the rows of some statements, in one round trip."""
        return in_one_trip(self.engine, self.path.tenant_id, statements)


@dataclass(frozen=True, slots=True)
class Sql:
    """SQL in psycopg's style, written inside the one function that runs it and gives it a name.

    A placeholder is ``%(name)s``, and any other percent sign is written twice. End each statement but the last with ``;`` at the
    end of a line. It runs inside a transaction that has set its tenant (or `in_one_trip`), and never commits.

    parameters: placeholder values known in advance; the methods take the others.
    """

    text: str
    parameters: Parameters = field(default_factory=dict)

    @property
    def statements(self) -> list[str]:
        """Return the statements, one by one."""
        return [one for one in _END_OF_STATEMENT.split(self.text) if one.strip()]

    def run(
        self, connection: Connection, parameters: Parameters | None = None, /, **more: Any
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run the statements in order with the same parameters; return the result of the last one."""
        given = {**self.parameters, **(parameters or {}), **more}
        *first, last = self.statements
        for statement in first:
            connection.exec_driver_sql(statement, given)
        return connection.exec_driver_sql(last, given)

    def run_each(self, connection: Connection, rows: Sequence[Parameters], /) -> None:
        """Run the statements once for each row of parameters; not at all without rows."""
        if rows:
            for statement in self.statements:
                connection.exec_driver_sql(statement, [{**self.parameters, **row} for row in rows])

    def rows(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> list[_Row]:
        """Return all rows."""
        return list(self.run(connection, parameters, **more))

    def row(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> _Row | None:
        """Return the only row, or None if there is none."""
        return self.run(connection, parameters, **more).one_or_none()

    def one(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> _Row:
        """Return the only row. Raises SQLAlchemy's NoResultFound or MultipleResultsFound if there is not exactly one."""
        return self.run(connection, parameters, **more).one()

    def scalars(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> list[Any]:
        """Return the first column of all rows."""
        return list(self.run(connection, parameters, **more).scalars())

    def pairs(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> dict[Any, Any]:
        """Return the second column of all rows, by the first."""
        return {row[0]: row[1] for row in self.run(connection, parameters, **more)}

    def scalar(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> Any:
        """Return the first column of the first row; None if there is none."""
        return self.run(connection, parameters, **more).scalar()

    def value(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> Any:
        """Return the first column of the only row. Raises as `one`."""
        return self.run(connection, parameters, **more).scalar_one()

    def number(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> int:
        """Return the first column of the only row, a number. Raises as `one`."""
        return int(self.value(connection, parameters, **more))

    def holds(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> bool:
        """Return whether the first column of the first row is true."""
        return bool(self.scalar(connection, parameters, **more))

    def exists(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> bool:
        """Return whether there is a row."""
        return self.run(connection, parameters, **more).first() is not None

    def changed(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> int:
        """Return how many rows were inserted, changed or deleted."""
        return self.run(connection, parameters, **more).rowcount

    def changes(self, connection: Connection, parameters: Parameters | None = None, /, **more: Any) -> bool:
        """Return whether a row was inserted, changed or deleted."""
        return self.changed(connection, parameters, **more) > 0


def _begin(engine: Engine, tenant_id: UUID) -> Connection:
    try:
        return _begin_once(engine, tenant_id)
    except DBAPIError as error:
        if not error.connection_invalidated or remaining() == 0:
            raise
        return _begin_once(engine, tenant_id)


def _begin_once(engine: Engine, tenant_id: UUID) -> Connection:
    connection = _connect(engine)
    try:
        set_tenant(connection, tenant_id)
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(engine: Engine) -> Connection:
    """Take a connection from the pool: if all are in use, wait for one until the read's deadline."""
    while True:
        try:
            return engine.connect()
        except PoolTimeout:
            if not remaining():
                raise


def _pipelined(engine: Engine, tenant_id: UUID, statements: Sequence["Sql"]) -> list[list[Any]]:
    with _connect(engine) as connection:
        driver: Any = connection.connection.driver_connection
        try:
            # Without autocommit psycopg begins a transaction itself, and waits for that. An interrupted read returns the
            # connection here, too.
            connection.execution_options(isolation_level="AUTOCOMMIT")
            if engine.dialect.is_async:
                return awaited(_sent_async(driver, tenant_id, statements))
            return _sent(driver, tenant_id, statements)
        except BaseException:
            if driver.broken:
                # Reported through SQLAlchemy, which then also closes idle connections before they are used again.
                with suppress(DBAPIError):
                    connection.exec_driver_sql("select")
            connection.invalidate()  # dead, or still in the transaction
            raise


def _sent(driver: psycopg.Connection[Any], tenant_id: UUID, statements: Sequence["Sql"]) -> list[list[Any]]:
    cursors = [RawCursor(driver, row_factory=namedtuple_row) for _ in statements]
    with driver.pipeline():
        RawCursor(driver).execute(*_numbered(_settings(tenant_id)), prepare=True)
        RawCursor(driver).execute(_set_tenant(tenant_id), prepare=False)
        for cursor, one in zip(cursors, statements, strict=True):
            cursor.execute(*_numbered(one), prepare=True, binary=True)
    return [cursor.fetchall() for cursor in cursors]


async def _sent_async(
    driver: psycopg.AsyncConnection[Any], tenant_id: UUID, statements: Sequence["Sql"]
) -> list[list[Any]]:
    """The same on an async connection."""
    cursors = [AsyncRawCursor(driver, row_factory=namedtuple_row) for _ in statements]
    async with driver.pipeline():
        await AsyncRawCursor(driver).execute(*_numbered(_settings(tenant_id)), prepare=True)
        await AsyncRawCursor(driver).execute(_set_tenant(tenant_id), prepare=False)
        for cursor, one in zip(cursors, statements, strict=True):
            await cursor.execute(*_numbered(one), prepare=True, binary=True)
    return [await cursor.fetchall() for cursor in cursors]


def _settings(tenant_id: UUID) -> "Sql":
    return Sql(_SET_PLANS, {"tenant_id": str(tenant_id), "milliseconds": server_milliseconds()})


def _set_tenant(tenant_id: UUID) -> str:
    """Return a statement that sets the tenant. Citus passes ``set local`` on to its workers, unlike ``set_config``.

    It takes no parameters. The literal is built from the id's number, so it can be nothing but an id.
    """
    return f"set local mosshead.tenant_id = '{UUID(int=tenant_id.int)}'"


def _numbered(one: "Sql") -> tuple[str, list[Any]]:
    numbered, names = _with_numbers(one.text)
    return numbered, [one.parameters[name] for name in names]


@lru_cache(256)  # a scope with an index has its own statements
def _with_numbers(sql: str) -> tuple[str, tuple[str, ...]]:
    """Replace the parameters by numbers, and return their names in order. psycopg would parse a long statement each time."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(sql)))
    numbers = {name: f"${number}" for number, name in enumerate(names, 1)}
    return _PARAMETER.sub(lambda found: numbers[found[1]], sql).replace("%%", "%"), names


class BinaryVector(HalfVector):
    """A half-precision vector sent in pgvector's binary format, which takes a fiftieth of the time of its text.

    A separate class, so that an app's own adapter of HalfVector stays in force.
    """


class _BinaryVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: BinaryVector) -> bytes:
        return obj.to_binary()


psycopg.adapters.register_dumper(BinaryVector, _BinaryVectorDumper)

_PARAMETER = lazy_pattern(r"%\((\w+)\)s")
_END_OF_STATEMENT = lazy_pattern(r";\s*(?:\n|$)")

_GONE = ("08", "57P")
"""The first characters of SQLSTATEs for a failed connection or a server going down; a dead connection gives none."""


# Citus needs the parameters to choose a worker, so it has no generic plans.
# The tenant, too: a server that does not treat a pipeline as a transaction, such as Postgres 17.0, ignores ``set local``.
_SET_PLANS = """
    select set_config('mosshead.tenant_id', %(tenant_id)s, true),
           set_config('statement_timeout', coalesce(%(milliseconds)s::text, current_setting('statement_timeout')), true),
           set_config('plan_cache_mode', case current_setting('citus.propagate_set_commands', true)
                                         when 'local' then 'auto' else 'force_generic_plan' end, true),
           set_config('jit', 'off', true),
           set_config('max_parallel_workers_per_gather', '0', true), set_config('transaction_read_only', 'on', true)
"""
