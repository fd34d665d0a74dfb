"""`mosshead service rewrite`: remove erased content also from the files of the event queue's Redis and of the tables.

A deleted row stays in its page until the space is reused; a rewritten table's files hold only its rows. Meanwhile nobody can read
or write the table, and there must be disk space for a second copy: an operator chooses the time.

Redis's append-only file keeps every event that went through the queue until Redis rewrites the file, and a snapshot holds what
waited when it was made.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any
from uuid import UUID

import typer
from redis.exceptions import NoPermissionError, ResponseError
from sqlalchemy import Connection, Engine

from config.settings import settings
from db import namespaces
from db.engine import ADMIN_URL, admin_engine
from db.erasure import erasures
from db.schema.roles import OWNER
from mosshead.cli.output import console
from mosshead.errors import ConfigurationError, QueueUnavailable, StoreUnavailable
from mosshead.publishing.broker import BROKER_ERRORS, QUEUE, broker_at
from workers.cli.rounds import each_tenant

_SETTING = "MOSSHEAD_BROKER_URL"
_BUSY = ("aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress")

_NOT_FROM_A_START = 2
"""Seconds. A server that never made a snapshot names its own start as the time of the last one."""

_PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.1


def rewrite(
    tables_only: Annotated[bool, typer.Option("--tables-only", help="Leave the files of Redis alone.")] = False,
) -> None:
    """Remove erased content from the files of Redis and, with MOSSHEAD_ADMIN_URL, of the tables.

    A table cannot be read or written meanwhile.
    """
    chosen = settings()
    admin_url = chosen.administrator()
    marked = rewrite_files(admin_url, None if tables_only else chosen.broker(), lambda name: console.print(f"{name} …"))
    if not marked:
        console.print("Nothing was erased since the tables were last rewritten.")
        return
    whose = "the tables" if tables_only else "the tables and of Redis"
    console.print(f"{marked:,} erasure{'s are' if marked > 1 else ' is'} in no file of {whose} any more.")
    left = "the broker's files, " if tables_only else ""
    console.print(
        f"Not reached, and yours: {left}replicas, backups, and the write-ahead log of Postgres until it is recycled; see "
        "docs/how-to/erase.md.",
        soft_wrap=True,
    )


def rewrite_files(admin_url: str, broker_url: str | None, tell: Callable[[str], object]) -> int:
    """Rewrite all files with content if something was erased since the last time; return how many receipts say so now.

    broker_url: None to leave Redis's files alone. tell: gets the name of each file and table before it is rewritten. Raises
    StoreUnavailable if Postgres does not answer, or an older transaction does not end: Postgres keeps for it what was erased
    since it began. Raises what `_rewrite_queue_files` raises, before it touches a table.
    """
    with admin_engine(admin_url) as engine:
        with _as_owner(engine) as connection:
            began, tenants = erasures.clock(connection), namespaces.tenants(connection)
        waiting = [one for one, connection in _each(engine, tenants) if erasures.to_rewrite(connection, one)]
        if not waiting:
            return 0
        if broker_url is not None:
            _rewrite_queue_files(broker_url, tell)
        with _as_owner(engine) as connection:
            _outlast_others(connection)
            for table in erasures.tables_with_content(connection):
                tell(table)
                connection.exec_driver_sql(f"vacuum (full) mosshead.{table}")
                # New files have no visibility map, and without it each index search also reads the table.
                connection.exec_driver_sql(f"vacuum (analyze) mosshead.{table}")
        of_each = _each(engine, waiting)
        return sum(erasures.mark_rewritten(connection, one, before=began) for one, connection in of_each)


def _outlast_others(connection: Connection) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    older = erasures.transactions(connection)
    while older & erasures.transactions(connection):
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                f"{ADMIN_URL}: a transaction that began before this command has not ended, and what was erased is kept for it; "
                "look for a dump or an app that does not commit in pg_stat_activity, and run this again afterwards"
            )
        time.sleep(_POLL_SECONDS)


def _each(engine: Engine, tenants: Sequence[UUID]) -> Iterator[tuple[UUID, Connection]]:
    for tenant_id, connection in each_tenant(engine, tenants):
        connection.exec_driver_sql(f"set local role {OWNER}")
        yield tenant_id, connection


@contextmanager
def _as_owner(engine: Engine) -> Iterator[Connection]:
    """Connect as the owner, outside any transaction, without a time limit."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"set role {OWNER}")
        connection.exec_driver_sql("set statement_timeout = 0")
        yield connection


def _rewrite_queue_files(broker_url: str, tell: Callable[[str], object]) -> None:
    """Have Redis rewrite its append-only file and its snapshot, if it has them, and wait until it is done.

    tell: gets the name of each before it is rewritten. Raises QueueUnavailable if Redis does not answer or fails, or the queue
    does not become empty: it may hold erased content. Raises ConfigurationError if the login lacks the right, or Redis the
    command.
    """
    broker = broker_at(broker_url)
    where = broker.address
    with broker.open() as connection:
        try:
            broker.connect(connection)
            with broker.redis(connection) as redis:
                if redis is None:
                    raise ConfigurationError(
                        f"{_SETTING}: RabbitMQ cannot be asked to rewrite its files; it deletes them some time after their "
                        "events were taken. Use --tables-only"
                    )
                _outlast_queue(redis)
                persistence = redis.info("persistence")
                if persistence["aof_enabled"]:
                    tell("Redis's append-only file")
                    _write(redis, redis.bgrewriteaof, "aof_last_bgrewrite_status")
                if _makes_snapshots(redis, persistence):
                    tell("Redis's snapshot")
                    _write(redis, redis.bgsave, "rdb_last_bgsave_status")
        except ResponseError as error:
            why = "the login lacks the right" if isinstance(error, NoPermissionError) else "it refuses"
            raise ConfigurationError(
                f"{_SETTING}: the files of {where} were not rewritten: {why} ({error}). Run this with a login that may "
                "call LLEN, INFO, BGREWRITEAOF and BGSAVE. If a provider does not allow that, use --tables-only, and ask "
                "the provider when its files and backups are replaced"
            ) from None
        except BROKER_ERRORS as error:
            raise QueueUnavailable(f"{_SETTING}: cannot connect to {where} ({type(error).__name__})") from None


def _outlast_queue(redis: Any) -> None:
    """Wait until Redis holds no event published before this: it may contain erased content."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while waiting := redis.llen(QUEUE.name):
        if time.monotonic() > deadline:
            raise QueueUnavailable(
                f"{_SETTING}: {waiting:,} events wait in the queue, and may contain erased content; check that the intake runs, "
                "and run this again when 'mosshead status' shows an empty queue"
            )
        time.sleep(_POLL_SECONDS)


def _write(redis: Any, command: Callable[[], object], status: str) -> None:
    """Run a background command and wait for its end. status: the INFO field with its outcome."""
    started = False
    while not started:
        _outlast_background(redis)  # an earlier run may write what it saw at its start
        try:
            command()
            started = True
        except ResponseError as error:
            if "in progress" not in str(error):  # Redis started one by itself in between
                raise
    _outlast_background(redis)
    if redis.info("persistence")[status] != "ok":
        raise QueueUnavailable(
            f"{_SETTING}: Redis could not rewrite its file ({status}). Most likely its disk is full; check its log"
        )


def _outlast_background(redis: Any) -> None:
    while any(redis.info("persistence").get(one) for one in _BUSY):
        time.sleep(_POLL_SECONDS)


def _makes_snapshots(redis: Any, persistence: dict[str, Any]) -> bool:
    """Whether this server may have a snapshot; True if the login may not check."""
    server = redis.info("server")
    began = server["server_time_usec"] // 10**6 - server["uptime_in_seconds"]
    try:
        regular = bool(redis.config_get("save").get("save", "yes"))
    except ResponseError:
        regular = True
    return regular or persistence["rdb_last_save_time"] - began > _NOT_FROM_A_START
