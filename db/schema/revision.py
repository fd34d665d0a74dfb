"""Which version of the tables a database has, and which this code works with: the first must not be older."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

NEWEST: Final = max(file.name[:4] for file in (Path(__file__).parent / "versions").glob("[0-9]*.py"))
"""The number of the last migration."""

IN_DATABASE: Final = "coalesce(obj_description(to_regnamespace('mosshead'), 'pg_namespace'), '')"
"""SQL for the number of a database's last migration; empty before the first. Every login may run it."""


def mark(connection: Connection) -> None:
    """Store a database's version as a comment, since not every login may read the tables."""
    (version,) = connection.exec_driver_sql("select version_num from mosshead.alembic_version").scalars()
    connection.exec_driver_sql(f"comment on schema mosshead is '{version}'")
