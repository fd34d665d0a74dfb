"""`mosshead service migrate`: the roles and the extension as administrator, everything else as the owner of the tables."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import sql
from psycopg.errors import DeadlockDetected
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from db.engine import ADMIN_URL, admin_engine
from db.schema.revision import IN_DATABASE, NEWEST, mark
from db.schema.roles import BACKUP, LOGINS, OWNER, WORDS
from mosshead.errors import ConfigurationError
from mosshead.store.connection import Sql

_LOCK = 0x6D6F7373  # "moss": concurrent migrations take turns
_SCRIPTS = Path(__file__).parent  # of Alembic: env.py and versions/
_OLDEST_POSTGRES = 17
_TRIES = 10
_PAUSE_SECONDS = 0.2


def migrate(admin_url: str, passwords: Mapping[str, str | None]) -> None:
    """Bring a database up to date; safe to repeat, and to run twice at once.

    admin_url: a login that may create roles and the extension ``vector``.
    passwords: by login role; one that is missing or None leaves that role's password as it is.
    Raises StoreUnavailable where Postgres does not answer, ConfigurationError where it is too old, pgvector is missing, or the
    database is of a later version than this code.
    """
    with admin_engine(admin_url) as engine:
        tries = 1
        while not _migrated(engine, passwords, last=tries == _TRIES):
            tries += 1
            time.sleep(_PAUSE_SECONDS)


def _migrated(engine: Engine, passwords: Mapping[str, str | None], *, last: bool) -> bool:
    """Migrate in two transactions; return False after a deadlock, with nothing half done.

    The roles come first: Citus's workers learn of them with the commit. last: raise the error instead.
    """
    try:
        with _turn(engine) as connection:
            _revision(connection)  # raises if the database is newer
            _make_roles(connection, passwords)
            if not Sql("select from pg_available_extensions where name = 'vector'").exists(connection):
                raise ConfigurationError(
                    f"{ADMIN_URL}: this Postgres has no pgvector; install it, or use the image pgvector/pgvector:pg18"
                )
            connection.exec_driver_sql("create extension if not exists vector")
        with _turn(engine) as connection:
            there = _revision(connection)
            if not there:
                # On Citus, `distribute` moves the tables to the workers later. Elsewhere the setting means nothing.
                connection.exec_driver_sql("set local citus.enable_ddl_propagation = off")
            connection.exec_driver_sql(f"create schema if not exists mosshead authorization {OWNER}")
            connection.exec_driver_sql(f"set local role {OWNER}")
            if there != NEWEST:
                _upgrade(connection)
                mark(connection)
    except (OperationalError, DeadlockDetected) as error:
        # The migrations' scripts run on the driver's own cursor, and raise its errors.
        if last or not isinstance(getattr(error, "orig", error), DeadlockDetected):
            raise
        return False
    return True


@contextmanager
def _turn(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction as administrator. Migrations take turns."""
    with engine.begin() as connection:
        _check_postgres(connection)
        _take_time(connection)
        Sql("select pg_advisory_xact_lock(%(lock)s)").run(connection, lock=_LOCK)
        yield connection


def _check_postgres(connection: Connection) -> None:
    found = Sql("""
        select cast(current_setting('server_version_num') as integer) / 10000 as version,
               cast(current_setting('transaction_read_only') as boolean) as read_only
    """).one(connection)
    if found.version < _OLDEST_POSTGRES:
        raise ConfigurationError(
            f"{ADMIN_URL}: this is Postgres {found.version}; Mosshead needs {_OLDEST_POSTGRES} or newer, with pgvector 0.8 or "
            "newer"
        )
    if found.read_only:
        raise ConfigurationError(
            f"{ADMIN_URL}: this Postgres may only be read; give the address of the one that is written to"
        )


def _take_time(connection: Connection) -> None:
    # The default statement timeout is for apps: rewriting a table takes longer. In a deadlock the read should give way; by
    # default it would be the migration, which has waited longer.
    Sql("""
        select set_config(name, value, true)
        from (values ('statement_timeout', '0'), ('lock_timeout', '0'), ('deadlock_timeout', '60s')) as setting (name, value)
        where name <> 'deadlock_timeout' or has_parameter_privilege('deadlock_timeout', 'set')
    """).run(connection)


def _revision(connection: Connection) -> str:
    """Return the database's version. Raises ConfigurationError if it is later than this code's."""
    there = Sql(f"select {IN_DATABASE}").value(connection)
    if there > NEWEST:
        raise ConfigurationError(
            f"{ADMIN_URL}: the database is of a later version ({there}) than this code ({NEWEST}), which cannot take it back. "
            "Run the code that made it so, or put back a backup from before"
        )
    return str(there)


def _upgrade(connection: Connection) -> None:
    from alembic import command  # slower to import than checking an up-to-date database
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _make_roles(connection: Connection, passwords: Mapping[str, str | None]) -> None:
    existing = set(Sql("select rolname from pg_roles").scalars(connection))
    for role in (OWNER, *LOGINS, BACKUP, WORDS):
        if role not in existing:
            connection.exec_driver_sql(f"create role {role} nosuperuser nocreatedb nocreaterole")
    # Administrators of managed databases, who are not superusers, may only act as roles that they are members of.
    connection.exec_driver_sql(f"grant {OWNER} to current_user")
    # So that the owner can give it the function. The owner, as whom views are read, must not inherit its rights.
    connection.exec_driver_sql(f"grant {WORDS} to {OWNER} with inherit false, set true")
    Sql(f"""
        do $$ begin execute format('grant create, connect on database %%I to {OWNER}', current_database()); end $$
    """).run(connection)
    if Sql("select rolsuper from pg_roles where rolname = current_user").holds(connection):
        connection.exec_driver_sql(f"alter role {BACKUP} bypassrls")
    for role in LOGINS:
        connection.exec_driver_sql(f"alter role {role} login")
        password = passwords.get(role)
        if password is not None:
            driver: Any = connection.connection.driver_connection
            # As a verifier made here, so that a server that logs or counts statements never sees the password.
            verifier = driver.pgconn.encrypt_password(password.encode(), role.encode()).decode()
            # ALTER ROLE takes no parameters, so psycopg quotes.
            driver.execute(sql.SQL("alter role {} password {}").format(sql.Identifier(role), sql.Literal(verifier)))
    connection.exec_driver_sql("alter role mosshead_reader set default_transaction_read_only = on")
    # Limits are the roles', not a connection's: a pooler does not pass on what a connection asks for.
    connection.exec_driver_sql("alter role mosshead_reader set statement_timeout = '5s'")
    for role in ("mosshead_ingest", "mosshead_worker"):
        connection.exec_driver_sql(f"alter role {role} set statement_timeout = '30s'")
        connection.exec_driver_sql(f"alter role {role} set idle_in_transaction_session_timeout = '60s'")
