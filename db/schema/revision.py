"""Which version of the tables a database has, and which this code works with: the first must not be older."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection

NEWEST: Final = max(file.name[:4] for file in (Path(__file__).parent / "versions").glob("[0-9]*.py"))
"""The number of the last migration."""

IN_DATABASE: Final = "coalesce(obj_description(to_regnamespace('mosshead'), 'pg_namespace'), '')"
"""SQL for the number of the last migration that a database has had; empty before the first. Every login may ask."""


def mark(connection: Connection) -> None:
    """Say in a database which version it has now. As a comment: the tables are not for every login to read."""
    (version,) = connection.exec_driver_sql("select version_num from mosshead.alembic_version").scalars()
    connection.exec_driver_sql(f"comment on schema mosshead is '{version}'")
