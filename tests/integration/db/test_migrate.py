"""Migrations: repeatable, and safe to run twice at once. Each test has its own database on the shared server."""

import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Engine, create_engine, make_url, text

import db.schema.migrate
from db.engine import check_login, open_engine
from db.schema.migrate import migrate
from mosshead.errors import ConfigurationError, StoreUnavailable
from mosshead.urls import sqlalchemy_url
from tests.given import until_blocked
from tests.machine_given import scratch_database
from workers.local import Addresses


@pytest.fixture
def empty_database(admin_engine: Engine) -> Iterator[str]:
    """Return the administrator's address of a new database."""
    with scratch_database(admin_engine) as url:
        yield url


def columns(url: str) -> set[tuple[Any, ...]]:
    """Return the columns of all tables and views."""
    return rows(
        url,
        "select table_schema, table_name, column_name, data_type from information_schema.columns "
        "where table_schema ~ 'mosshead'",
    )


def schema(url: str) -> set[tuple[Any, ...]]:
    """Return all that a migration creates: columns, policies, functions, indexes and privileges."""
    return columns(url) | rows(
        url,
        "select schemaname, tablename, policyname, qual from pg_policies",
        "select proname, prosrc, proacl::text from pg_proc where pronamespace::regnamespace::text ~ 'mosshead'",
        "select indexname, indexdef, '' from pg_indexes where schemaname = 'mosshead'",
        "select relname, relacl::text, relrowsecurity, relforcerowsecurity from pg_class "
        "where relnamespace::regnamespace::text ~ 'mosshead' and relkind in ('r', 'v')",
    )


def rows(url: str, *statements: str) -> set[tuple[Any, ...]]:
    """Return the rows of several statements."""
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    with engine.connect() as connection:
        found = {tuple(row) for statement in statements for row in connection.execute(text(statement))}
    engine.dispose()
    return found


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a later version of the code, whose migration changes two large tables one after the other."""
    scripts = tmp_path / "schema"
    shutil.copytree(Path(db.schema.migrate.__file__).parent, scripts)
    (scripts / "versions" / "0002_next.py").write_text(_NEXT)
    monkeypatch.setattr(db.schema.migrate, "_SCRIPTS", scripts)
    monkeypatch.setattr(db.schema.migrate, "NEWEST", "0002")


_NEXT = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("alter table mosshead.embeddings add column next text")
    op.execute("alter table mosshead.turns add column next text")
"""


def test_second_migration_changes_nothing(empty_database: str) -> None:
    migrate(empty_database, {})
    first = schema(empty_database)
    migrate(empty_database, {})

    assert len(first) > 200
    assert schema(empty_database) == first


def test_backup_role_may_read_all_that_pg_dump_needs(migrated_database: str) -> None:
    unseen = """
        select relname from pg_class where relnamespace = 'mosshead'::regnamespace and case relkind
            when 'r' then not has_table_privilege('mosshead_backup', oid, 'select')
            when 'S' then not has_sequence_privilege('mosshead_backup', oid, 'select') end
    """
    assert rows(migrated_database, "select rolname from pg_roles where rolname = 'mosshead_backup' and rolbypassrls")
    assert rows(migrated_database, unseen) == set()


def test_two_migrations_at_once_take_turns(empty_database: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(migrate, empty_database, {}) for _ in range(2)]:
            done.result(timeout=60)

    assert schema(empty_database)


def test_read_gives_way_to_a_migration_in_a_deadlock(migrated_database: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("next_version")
    with (
        psycopg.connect(migrated_database) as reading,
        watched(migrated_database) as engine,
        ThreadPoolExecutor(1) as threads,
    ):
        reading.execute("select from mosshead.turns")
        migrating = threads.submit(migrate, migrated_database, {})
        until_blocked(engine, "")  # it has changed the other table and now needs this one
        with pytest.raises(psycopg.errors.DeadlockDetected):
            reading.execute("select from mosshead.embeddings")
        reading.rollback()
        migrating.result(timeout=60)
    assert rows(migrated_database, "select version_num from mosshead.alembic_version") == {("0002",)}


def test_default_statement_timeout_does_not_end_a_migration(
    migrated_database: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("next_version")
    with administrating(migrated_database) as connection:
        for limit in ("statement_timeout", "lock_timeout"):
            connection.exec_driver_sql(f"alter database {make_url(migrated_database).database} set {limit} = 200")
    with (
        psycopg.connect(migrated_database, options="-c statement_timeout=0 -c lock_timeout=0") as reading,
        watched(migrated_database) as engine,
        ThreadPoolExecutor(1) as threads,
    ):
        reading.execute("select from mosshead.turns")
        migrating = threads.submit(migrate, migrated_database, {})
        until_blocked(engine, "")
        time.sleep(0.5)
        reading.rollback()
        migrating.result(timeout=60)
    assert rows(migrated_database, "select version_num from mosshead.alembic_version") == {("0002",)}


def test_service_refuses_a_database_older_than_its_code(
    migrated_database: str, worker_engine: Engine, ingest_engine: Engine
) -> None:
    def check(engine: Engine) -> None:
        there = engine.url.set(database=make_url(migrated_database).database)
        own = open_engine(there.render_as_string(hide_password=False), setting="MOSSHEAD_URL")
        try:
            check_login(own, setting="MOSSHEAD_URL")
        finally:
            own.dispose()

    with administrating(migrated_database) as connection:
        connection.exec_driver_sql("comment on schema mosshead is '0000'")
    for engine in (worker_engine, ingest_engine):
        with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_URL: .* earlier version \(0000\)"):
            check(engine)
    migrate(migrated_database, {})
    for engine in (worker_engine, ingest_engine):
        check(engine)

    with administrating(migrated_database) as connection:
        connection.exec_driver_sql("comment on schema mosshead is '9999'")
    check(worker_engine)  # a later version, which this one works with


@contextmanager
def administrating(url: str) -> Iterator[Connection]:
    """Open a transaction of the administrator, who sees every tenant."""
    engine = create_engine(sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@contextmanager
def watched(url: str) -> Iterator[Engine]:
    """Yield an administrator's engine without timeouts, to watch other sessions of a database."""
    engine = create_engine(
        sqlalchemy_url(url, "MOSSHEAD_ADMIN_URL"), connect_args={"options": "-c statement_timeout=0"}
    )
    yield engine
    engine.dispose()


def test_password_with_any_characters_is_set(migrated_database: str, admin_engine: Engine) -> None:
    def stored() -> str | None:
        with admin_engine.connect() as connection:
            statement = text("select rolpassword from pg_authid where rolname = 'mosshead_ingest'")
            return connection.execute(statement).scalar_one()  # type: ignore[no-any-return]

    migrate(migrated_database, {"mosshead_ingest": 'it\'s % :odd "word"', "mosshead_reader": None})
    first = stored()
    assert first is not None
    assert first.startswith("SCRAM-SHA-256")

    migrate(migrated_database, {})
    assert stored() == first


def test_server_that_logs_statements_does_not_see_the_password(
    migrated_database: str, admin_engine: Engine, addresses: Addresses
) -> None:
    with admin_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        name = migrated_database.partition("?")[0].rpartition("/")[2]
        connection.exec_driver_sql(f"alter database {name} set log_statement = 'ddl'")
    migrate(migrated_database, {"mosshead_ingest": "s3cret-of-the-day"})
    logged = (addresses.data_dir / "logs" / "postgres.log").read_text()

    assert 'alter role "mosshead_ingest" password \'SCRAM-SHA-256$' in logged
    assert "s3cret-of-the-day" not in logged


def test_database_of_a_later_version_is_reported_and_not_changed(migrated_database: str) -> None:
    """As after a deployment that was rolled back."""
    with administrating(migrated_database) as connection:
        connection.exec_driver_sql("update mosshead.alembic_version set version_num = '9999'")
        connection.exec_driver_sql("comment on schema mosshead is '9999'")
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: the database is of a later version \(9999\)"):
        migrate(migrated_database, {})


def test_postgres_that_is_too_old_is_reported(addresses: Addresses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db.schema.migrate, "_OLDEST_POSTGRES", 99)
    assert addresses.admin_url is not None
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: this is Postgres 18; Mosshead needs 99"):
        migrate(addresses.admin_url, {})


def test_read_only_postgres_is_reported(addresses: Addresses) -> None:
    assert addresses.admin_url is not None
    url = make_url(addresses.admin_url).update_query_dict({"options": "-c default_transaction_read_only=on"})
    with pytest.raises(ConfigurationError, match=r"^MOSSHEAD_ADMIN_URL: this Postgres may only be read"):
        migrate(url.render_as_string(hide_password=False), {})


def test_wrong_address_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable, match=r"^MOSSHEAD_ADMIN_URL: cannot connect to \S*127\.0\.0\.1:9") as caught:
        migrate("postgresql://postgres:s3cret@127.0.0.1:9/mosshead", {})
    assert "s3cret" not in str(caught.value)
