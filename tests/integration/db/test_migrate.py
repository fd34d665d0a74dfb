"""Migrations: repeatable, safe at once, and reversible. Each test has a database of its own on the shared server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, text

import db.migrate
from db.migrate import OWNER, migrate
from recollect.errors import StoreUnavailable
from recollect.urls import sqlalchemy_url


@pytest.fixture
def empty_database(admin_engine: Engine) -> Iterator[str]:
    """The administrator's address of a new database."""
    name = f"scratch_{uuid4().hex}"
    with admin_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"create database {name}")
        yield admin_engine.url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        connection.exec_driver_sql(f"drop database {name} with (force)")


def columns(url: str) -> set[tuple[Any, ...]]:
    """The columns of all tables and views."""
    return rows(
        url,
        "select table_schema, table_name, column_name, data_type from information_schema.columns "
        "where table_schema ~ 'recollect'",
    )


def schema(url: str) -> set[tuple[Any, ...]]:
    """All that a migration makes: columns, policies, functions, indexes, and who may use what."""
    return columns(url) | rows(
        url,
        "select schemaname, tablename, policyname, qual from pg_policies",
        "select proname, prosrc, proacl::text from pg_proc where pronamespace::regnamespace::text ~ 'recollect'",
        "select indexname, indexdef, '' from pg_indexes where schemaname = 'recollect'",
        "select relname, relacl::text, relrowsecurity, relforcerowsecurity from pg_class "
        "where relnamespace::regnamespace::text ~ 'recollect' and relkind in ('r', 'v')",
    )


def rows(url: str, *statements: str) -> set[tuple[Any, ...]]:
    """What some statements find."""
    engine = create_engine(sqlalchemy_url(url, "RECOLLECT_ADMIN_URL"))
    with engine.connect() as connection:
        found = {tuple(row) for statement in statements for row in connection.execute(text(statement))}
    engine.dispose()
    return found


def run(url: str, direction: Any, revision: str) -> None:
    """An Alembic command as the owner, on a connection of its own."""
    engine = create_engine(sqlalchemy_url(url, "RECOLLECT_ADMIN_URL"))
    config = Config()
    config.set_main_option("script_location", str(Path(db.migrate.__file__).parent / "migrations"))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"set local role {OWNER}")
        config.attributes["connection"] = connection
        direction(config, revision)
    engine.dispose()


def test_a_second_migration_changes_nothing(empty_database: str) -> None:
    migrate(empty_database, {})
    first = schema(empty_database)
    migrate(empty_database, {})

    assert len(first) > 200
    assert schema(empty_database) == first


def test_two_migrations_at_once_take_turns(empty_database: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(migrate, empty_database, {}) for _ in range(2)]:
            done.result(timeout=60)

    assert schema(empty_database)


def test_down_takes_everything_away_and_up_brings_it_back(empty_database: str) -> None:
    migrate(empty_database, {})
    before = schema(empty_database)
    run(empty_database, command.downgrade, "base")

    assert {table for _, table, *_ in columns(empty_database)} == {"alembic_version"}
    migrate(empty_database, {})
    assert schema(empty_database) == before


def test_a_password_is_set_whatever_its_characters(empty_database: str, admin_engine: Engine) -> None:
    def stored() -> str | None:
        with admin_engine.connect() as connection:
            statement = text("select rolpassword from pg_authid where rolname = 'recollect_admin'")
            return connection.execute(statement).scalar_one()  # type: ignore[no-any-return]

    migrate(empty_database, {"recollect_admin": 'it\'s % :odd "word"', "recollect_reader": None})
    first = stored()
    assert first is not None
    assert first.startswith("SCRAM-SHA-256")

    migrate(empty_database, {})
    assert stored() == first


def test_a_wrong_address_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailable, match=r"^RECOLLECT_ADMIN_URL: cannot connect to \S*127\.0\.0\.1:9") as caught:
        migrate("postgresql://postgres:s3cret@127.0.0.1:9/recollect", {})
    assert "s3cret" not in str(caught.value)
