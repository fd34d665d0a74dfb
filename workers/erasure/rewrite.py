"""`mosshead service rewrite`: takes what was erased out of files, too: those of the event queue's Redis and of the tables.

A row that is deleted stays in its page until something else needs the place. Rewritten, a table's files hold its rows and nothing
else. Nobody reads or writes a table meanwhile, and there has to be room for a second one: an operator says when. Redis's
append-only file repeats every event that went through the queue until Redis writes the file anew, and a snapshot holds what
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
from mosshead.publishing.broker import BROKER_ERRORS, QUEUE, open_connection
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
    """Take what was erased out of the files of Redis and, with MOSSHEAD_ADMIN_URL, out of those of the tables.

    Nobody reads or writes a table meanwhile.
    """
    chosen = settings()
    admin_url = chosen.administrator()
    marked = rewrite_files(admin_url, None if tables_only else chosen.broker(), lambda name: console.print(f"{name} …"))
    if not marked:
        console.print("Nothing was erased since the tables were last rewritten.")
        return
    whose = "the tables" if tables_only else "the tables and of Redis"
    console.print(f"{marked:,} erasure{'s are' if marked > 1 else ' is'} in no file of {whose} any more.")
    left = "Redis's files, " if tables_only else ""
    console.print(
        f"Not reached, and yours: {left}replicas, backups, and the write-ahead log of Postgres until it is recycled; see "
        "docs/how-to/erase.md.",
        soft_wrap=True,
    )


def rewrite_files(admin_url: str, broker_url: str | None, tell: Callable[[str], object]) -> int:
    """Rewrite all files with content where something was erased since they last were; returns how many receipts say so now.

    broker_url: None where Redis's files are to be left alone. tell: is given the name of each file and table before it is
    rewritten. Raises StoreUnavailable where Postgres does not answer, or an older transaction does not end: it may see what was
    erased since it began, and Postgres keeps that for it. Raises what `_rewrite_queue_files` raises, before it touches a table.
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
                # Which pages all may see is not known of new files, and until it is, each search reads the table for its index.
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
    """Outside any transaction, for as long as it takes."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"set role {OWNER}")
        connection.exec_driver_sql("set statement_timeout = 0")
        yield connection


def _rewrite_queue_files(broker_url: str, tell: Callable[[str], object]) -> None:
    """Have Redis write its append-only file and its snapshot anew, where it has them, and wait until it has.

    tell: is given the name of each before it is rewritten. Raises QueueUnavailable where Redis does not answer or fails, or the
    queue does not empty: what waits there may have been erased. Raises ConfigurationError where the login may not, or Redis has
    no such command.
    """
    with open_connection(broker_url) as connection:
        where = connection.as_uri()
        try:
            with connection.channel().conn_or_acquire() as redis:
                _outlast_queue(redis)
                persistence = redis.info("persistence")
                if persistence["aof_enabled"]:
                    tell("Redis's append-only file")
                    _write(redis, redis.bgrewriteaof, "aof_last_bgrewrite_status")
                if _makes_snapshots(redis, persistence):
                    tell("Redis's snapshot")
                    _write(redis, redis.bgsave, "rdb_last_bgsave_status")
        except ResponseError as error:
            why = "the login has not the right" if isinstance(error, NoPermissionError) else "it refuses"
            raise ConfigurationError(
                f"{_SETTING}: the files of {where} were not rewritten: {why} ({error}). Run this with a login there that may "
                "call LLEN, INFO, BGREWRITEAOF and BGSAVE. Where a provider allows no such thing, use --tables-only, and ask "
                "the provider when its files and backups are replaced"
            ) from None
        except BROKER_ERRORS as error:
            raise QueueUnavailable(f"{_SETTING}: cannot connect to {where} ({type(error).__name__})") from None


def _outlast_queue(redis: Any) -> None:
    """Wait until all that was published before this is out of Redis: it may be of what was erased meanwhile."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while waiting := redis.llen(QUEUE.name):
        if time.monotonic() > deadline:
            raise QueueUnavailable(
                f"{_SETTING}: {waiting:,} events wait in the queue, and may be of what was erased; check that the intake runs, "
                "and run this again when 'mosshead status' tells of an empty queue"
            )
        time.sleep(_POLL_SECONDS)


def _write(redis: Any, command: Callable[[], object], status: str) -> None:
    """Run a command that works in the background, from its beginning to its end. status: what INFO calls its outcome."""
    started = False
    while not started:
        _outlast_background(redis)  # what began earlier may write what it saw then
        try:
            command()
            started = True
        except ResponseError as error:
            if "in progress" not in str(error):  # one that Redis began by itself in between
                raise
    _outlast_background(redis)
    if redis.info("persistence")[status] != "ok":
        raise QueueUnavailable(
            f"{_SETTING}: Redis could not write its file anew ({status}); its log says why. Most likely its disk is full"
        )


def _outlast_background(redis: Any) -> None:
    while any(redis.info("persistence").get(one) for one in _BUSY):
        time.sleep(_POLL_SECONDS)


def _makes_snapshots(redis: Any, persistence: dict[str, Any]) -> bool:
    """Whether there may be a snapshot of this server's. Where the login may not look, there may."""
    server = redis.info("server")
    began = server["server_time_usec"] // 10**6 - server["uptime_in_seconds"]
    try:
        regular = bool(redis.config_get("save").get("save", "yes"))
    except ResponseError:
        regular = True
    return regular or persistence["rdb_last_save_time"] - began > _NOT_FROM_A_START
