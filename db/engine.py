"""Open the service's engines and check their logins."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import DisconnectionError, OperationalError, ProgrammingError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from db.schema.revision import IN_DATABASE, NEWEST
from db.schema.roles import BACKUP, OWNER, WORDS
from mosshead.errors import ConfigurationError
from mosshead.store.connection import Sql
from mosshead.urls import NOT_PREPARED, cannot_connect, lacks_rights, sqlalchemy_url

ADMIN_URL: Final = "MOSSHEAD_ADMIN_URL"
_CONNECT_SECONDS = 5
_IDLE_SECONDS = 1.0
_READ_ONLY = "25006"
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
"""Detects a silently dropped connection, as behind a firewall, within half a minute."""


def open_engine(url: str, *, setting: str, prepared: bool = True) -> Engine:
    """Return an engine for a login of the service; it connects on first use. Its role limits how long a statement may take.

    setting: the name of the setting that holds the URL, for error messages. prepared: whether connections prepare statements.
    Raises ConfigurationError if it is not a Postgres URL.
    """
    engine = create_engine(
        sqlalchemy_url(url, setting),
        pool_size=2,
        max_overflow=4,
        hide_parameters=True,  # error texts end up in logs, and parameters contain text of conversations
        connect_args={"connect_timeout": _CONNECT_SECONDS, **_KEEPALIVE, **({} if prepared else NOT_PREPARED)},
    )
    _ping_after_idling(engine)
    event.listen(engine, "handle_error", _leave_read_only)
    return engine


@contextmanager
def admin_engine(url: str) -> Iterator[Engine]:
    """Yield an engine for the administrator's login.

    Raises StoreUnavailable if Postgres does not answer, ConfigurationError if the URL or the login is unsuitable.
    """
    engine = create_engine(
        sqlalchemy_url(url, ADMIN_URL),
        hide_parameters=True,
        connect_args={"connect_timeout": _CONNECT_SECONDS},
    )
    try:
        yield engine
    except OperationalError as error:
        raise cannot_connect(engine.url, ADMIN_URL, error) from None
    except ProgrammingError as error:
        raise lacks_rights(engine.url, ADMIN_URL, error) from None
    finally:
        engine.dispose()


def check_login(engine: Engine, *, setting: str) -> None:
    """At the start of a service, refuse a login that bypasses row-level security, and a database older than the code.

    Raises StoreUnavailable if Postgres does not answer, ConfigurationError if the login has too many or too few rights.
    """
    try:
        with engine.connect() as connection:
            login = Sql(f"""
                select rolname as name, rolsuper, rolbypassrls, array(
                           select other.rolname::text from pg_roles as other
                           where other.rolname in ('{OWNER}', '{BACKUP}', '{WORDS}')
                             and pg_has_role(current_user, other.oid, 'member') order by 1) as may_be,
                       to_regnamespace('mosshead_write_v1') is not null
                         and (has_schema_privilege('mosshead', 'usage') or has_schema_privilege('mosshead_write_v1', 'usage'))
                       as migrated, {IN_DATABASE} as revision
                from pg_roles where rolname = current_user
            """).one(connection)
    except OperationalError as error:
        raise cannot_connect(engine.url, setting, error) from None
    beyond = _beyond(login)
    if beyond:
        raise ConfigurationError(
            f"{setting}: the login {login.name!r} {beyond} row-level security; a service must not. "
            "Use the role that 'mosshead service migrate' made for it (mosshead_ingest, mosshead_worker, mosshead_reader)"
        )
    if not login.migrated:
        raise ConfigurationError(
            f"{setting}: the database has no Mosshead schema that {login.name!r} may use. Run "
            "'mosshead service migrate' with MOSSHEAD_ADMIN_URL set"
        )
    if login.revision < NEWEST:
        raise ConfigurationError(
            f"{setting}: the database is of an earlier version ({login.revision or 'unknown'}) than this code ({NEWEST}). Run "
            "'mosshead service migrate' with MOSSHEAD_ADMIN_URL set"
        )


def _ping_after_idling(engine: Engine) -> None:
    """Ping a pooled connection that was idle, and replace it if it is dead. Quick successive transactions need no ping."""

    def note(_: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    def ping(connection: DBAPIConnection, record: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
        if time.monotonic() - record.info.get("idle_since", time.monotonic()) < _IDLE_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except psycopg.Error as error:
            if not engine.dialect.is_disconnect(error, connection, None):  # type: ignore[arg-type]  # the driver's own errors
                raise
            raise DisconnectionError from None  # makes the pool open another one

    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ping)


def _leave_read_only(context: ExceptionContext) -> None:
    """Give up all pooled connections to a server that may only be read since a failover; new ones find the primary."""
    if getattr(context.original_exception, "sqlstate", None) == _READ_ONLY:
        context.is_disconnect = True


def _beyond(login: Any) -> str | None:
    if login.rolsuper:
        return "is a superuser and bypasses"
    if login.rolbypassrls:
        return "bypasses"
    if OWNER in login.may_be:
        return "owns the tables and controls"
    return f"is a member of {login.may_be[0]} and bypasses" if login.may_be else None
