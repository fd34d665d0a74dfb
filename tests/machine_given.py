"""A Postgres that is initialised and migrated once per test process: each test's machine starts with a copy of its data."""

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import Engine, make_url

from config.settings import Settings
from db import embedding_models
from db.engine import open_engine
from db.schema.migrate import migrate
from mosshead.embeddings import MiniLM
from workers.local import Addresses, servers
from workers.local.data_dir import held
from workers.local.postgres import DATABASE, postgres, url

TEMPLATE = "migrated"
"""A second database without connections, to be cloned: a migration takes ten times as long."""

CITUS_URL = os.environ.get("MOSSHEAD_TEST_CITUS_URL")
"""The administrator's URL of a database on a Citus coordinator. Tests delete such settings later, so it is read here."""

_CLONE = sql.SQL("create database {} template {}")


def put_database(data_dir: Path) -> None:
    """Put a migrated database into a data folder, before its servers start."""
    shutil.copytree(_migrated(), data_dir / "postgres")


@contextmanager
def machine_of_minilm(data_dir: Path) -> Iterator[Addresses]:
    """Yield a running Postgres, migrated and with MiniLM as its active model, and a running Redis."""
    data_dir.mkdir(exist_ok=True)
    put_database(data_dir)
    with servers(Settings(data_dir=data_dir, flower_port=0)) as running:
        _embed_with_minilm(running)
        yield running


@contextmanager
def database_of_its_own(machine: Addresses) -> Iterator[Addresses]:
    """Yield another database on a machine's server, with MiniLM as its active model, for tests that change shared data."""
    assert machine.admin_url is not None
    name = f"clone_{uuid4().hex}"

    def cloned(url: str) -> str:
        return url.replace(f"/{DATABASE}?", f"/{name}?")

    with psycopg.connect(machine.admin_url, autocommit=True) as connection:
        connection.execute(_CLONE.format(sql.Identifier(name), sql.Identifier(TEMPLATE)))
        try:
            own = replace(
                machine,
                admin_url=cloned(machine.admin_url),
                database_url=cloned(machine.database_url),
                ingest_url=cloned(machine.ingest_url),
                worker_url=cloned(machine.worker_url),
            )
            _embed_with_minilm(own)
            yield own
        finally:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def scratch_database(engine: Engine, *, template: str | None = None) -> Iterator[str]:
    """Yield the administrator's address of a new database, empty or cloned from one without connections."""
    name = f"scratch_{uuid4().hex}"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"create database {name}" + (f" template {template}" if template else ""))
        try:
            yield engine.url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        finally:
            connection.exec_driver_sql(f"drop database {name} with (force)")


def name_of(database_url: str) -> str:
    """Return the name of a database, by its address."""
    return str(make_url(database_url).database)


def _embed_with_minilm(machine: Addresses) -> None:
    engine = open_engine(machine.worker_url, setting="MOSSHEAD_WORKER_URL")
    with engine.begin() as connection:
        embedding_models.set_active_model(connection, MiniLM().name, 384)
    engine.dispose()


@cache
def _migrated() -> Path:
    folder = Path(mkdtemp(prefix="mosshead-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with held(folder) as held_folder, postgres(held_folder) as socket:
        migrate(url(socket), {})
        with psycopg.connect(url(socket, database="postgres"), autocommit=True) as connection:
            connection.execute(_CLONE.format(sql.Identifier(TEMPLATE), sql.Identifier(DATABASE)))
            # Tests kill servers, never the machine: data need not reach the disk.
            connection.execute("alter system set fsync = off")
    return folder / "postgres"
