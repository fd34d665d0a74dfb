"""A Postgres that is initialised and migrated once in a test process: each machine of a test begins with a copy of its data."""

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import psycopg

from db.migrate import migrate
from workers.machine.folder import held
from workers.machine.postgres import postgres, url


def put_database(data_dir: Path) -> None:
    """Put a migrated database into a data folder, before its servers start."""
    shutil.copytree(_migrated(), data_dir / "postgres")


@cache
def _migrated() -> Path:
    folder = Path(mkdtemp(prefix="recollect-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with held(folder) as held_folder, postgres(held_folder) as socket:
        migrate(url(socket), {})
        # Tests kill servers, and never the machine: what is written need not reach the disk.
        with psycopg.connect(url(socket), autocommit=True) as connection:
            connection.execute("alter system set fsync = off")
    return folder / "postgres"
