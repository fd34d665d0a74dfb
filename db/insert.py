"""Insert any number of rows with one statement, so that its triggers fire once."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from db.keys import as_jsonb
from mosshead.store.connection import Sql


def insert(
    connection: Connection,
    table: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    conflict: str = "",
    returning: str = "1",
    **computed: str,
) -> list[Any]:
    """Insert rows, in their order; returns a column of those that are new.

    rows: by column, all of the same columns. conflict: the clause after ``on conflict``, such as ``do nothing``.
    computed: SQL for further columns, of the row ``one``.
    """
    if not rows:
        return []
    columns = {column: f"one.{column}" for column in rows[0]} | computed
    return Sql(f"""
        insert into mosshead.{table} ({", ".join(columns)}) select {", ".join(columns.values())}
        from jsonb_populate_recordset(cast(null as mosshead.{table}), :rows) as one
        {conflict and f"on conflict {conflict}"} returning {returning}
    """).scalars(connection, rows=as_jsonb(rows))
