"""`python -m workers rewrite`: takes what was erased out of files, too: those of the event queue's Redis and of the tables.

A row that is deleted stays in its page until something else needs the place. Rewritten, a table's files hold its rows and nothing
else. Nobody reads or writes a table meanwhile, and there has to be room for a second one: an operator says when.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError, ProgrammingError

from db import namespaces
from db.erasure import erasures
from db.roles import OWNER
from mosshead.errors import StoreUnavailable
from mosshead.store.connection import tenant_transaction
from mosshead.urls import cannot_connect, lacks_rights, sqlalchemy_url
from workers.erasing.queue_files import rewrite_queue_files

_ADMIN: Final = "MOSSHEAD_ADMIN_URL"
_PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.1


def rewrite(admin_url: str, broker_url: str | None, tell: Callable[[str], object]) -> int:
    """Rewrite all files with content where something was erased since they last were; returns how many receipts say so now.

    broker_url: None where Redis's files are to be left alone. tell: is given the name of each file and table before it is
    rewritten. Raises StoreUnavailable where Postgres does not answer, or an older transaction does not end: it may see what was
    erased since it began, and Postgres keeps that for it. Raises what `rewrite_queue_files` raises, before it touches a table.
    """
    engine = create_engine(sqlalchemy_url(admin_url, _ADMIN), hide_parameters=True, connect_args={"connect_timeout": 5})
    try:
        return _rewrite(engine, broker_url, tell)
    except OperationalError as error:
        raise cannot_connect(engine.url, _ADMIN, error) from None
    except ProgrammingError as error:
        raise lacks_rights(engine.url, _ADMIN, error) from None
    finally:
        engine.dispose()


def _rewrite(engine: Engine, broker_url: str | None, tell: Callable[[str], object]) -> int:
    with _as_owner(engine) as connection:
        began, tenants = erasures.clock(connection), namespaces.tenants(connection)
    waiting = []
    for tenant_id in tenants:
        with _of_tenant(engine, tenant_id) as connection:
            if erasures.to_rewrite(connection, tenant_id):
                waiting.append(tenant_id)
    if not waiting:
        return 0
    if broker_url is not None:
        rewrite_queue_files(broker_url, tell)
    with _as_owner(engine) as connection:
        _outlast_others(connection)
        for table in erasures.tables_with_content(connection):
            tell(table)
            connection.exec_driver_sql(f"vacuum (full) mosshead.{table}")
            # Which pages all may see is not known of new files, and until it is, each search reads the table for its index.
            connection.exec_driver_sql(f"vacuum (analyze) mosshead.{table}")
    marked = 0
    for tenant_id in waiting:
        with _of_tenant(engine, tenant_id) as connection:
            marked += erasures.mark_rewritten(connection, tenant_id, before=began)
    return marked


def _outlast_others(connection: Connection) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    older = erasures.transactions(connection)
    while older & erasures.transactions(connection):
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                f"{_ADMIN}: a transaction that began before this command has not ended, and what was erased is kept for it; look "
                "for a dump or an app that does not commit in pg_stat_activity, and run this again afterwards"
            )
        time.sleep(_POLL_SECONDS)


@contextmanager
def _of_tenant(engine: Engine, tenant_id: UUID) -> Iterator[Connection]:
    with tenant_transaction(engine, tenant_id) as connection:
        connection.exec_driver_sql(f"set local role {OWNER}")
        yield connection


@contextmanager
def _as_owner(engine: Engine) -> Iterator[Connection]:
    """Outside any transaction, for as long as it takes."""
    with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"set role {OWNER}")
        connection.exec_driver_sql("set statement_timeout = 0")
        yield connection
