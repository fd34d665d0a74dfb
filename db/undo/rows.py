"""The tables whose rows decisions make and end: how one sees whether what a decision did still holds, and how it is taken back.

Statements take the decision as ``undone``, the undo's own stamp as ``decision_id`` and ``at``, and the ``memories`` and
``entities`` that the decision changed: a row is found by whose it is, for nothing is indexed by the decision.
"""

from typing import Final

from db.keys import of_lane
from db.temporal import ENDED, TemporalTable, begin


def moved_on(table: TemporalTable) -> str:
    """Finds a row that does not hold as the decision left it."""
    return f"""
        (select 1 from mosshead.{table.name} as made where {_rows(table, "made", "made_by")} and not exists (
            select from mosshead.{table.name} as now
            where {_same_key(table, "now", "made")} and now.known_to is null and {alike(table.says, "now", "made")}))
        union all
        (select 1 from mosshead.{table.name} as ended where {_rows(table, "ended", "ended_by")} and not exists (
            select from mosshead.{table.name} as made
            where {_rows(table, "made", "made_by")} and {_same_key(table, "made", "ended")}) and exists (
            select from mosshead.{table.name} as now where {_same_key(table, "now", "ended")} and now.known_to is null))
    """


def naming_no_more(table: TemporalTable) -> str:
    """Finds who ended an entity that a row names which would begin again."""
    return f"""
        (select gone.ended_by from mosshead.{table.name} as ended
         cross join unnest({table.names}) as named (entity_id) cross join {no_more("named.entity_id")} as gone
         where {_rows(table, "ended", "ended_by")})
    """


def reverse(table: TemporalTable, **changed: str) -> str:
    """Ends what the decision made, and then begins again what it ended.

    changed: SQL for columns that differ from the ended row.
    """
    return f"""
        with over as (
            update mosshead.{table.name} as now set {ENDED} from mosshead.{table.name} as made
            where {_rows(table, "made", "made_by")} and {_same_key(table, "now", "made")} and now.known_to is null
            returning 1
        )
        {begin(table.name, **changed)} from mosshead.{table.name} as ended
        where {_rows(table, "ended", "ended_by")} and (select count(*) from over) >= 0
    """


def _rows(table: TemporalTable, alias: str, mark: str) -> str:
    owned = f"{alias}.{table.owner} = any(cast({_OWNERS[table.owner]} as uuid[]))"
    return f"{of_lane(alias)} and {owned} and {alias}.{mark} = :undone"


_OWNERS: Final = {
    "memory_id": ":memories",
    "from_id": ":memories",
    "document_id": ":documents",
    "entity_id": ":entities",
}
"""The parameter that holds the owners of rows, by the column that names them."""


def _same_key(table: TemporalTable, one: str, other: str) -> str:
    # Not `alike`, by which Postgres uses no index. The columns of a key are never null.
    return " and ".join((of_lane(one), *(f"{one}.{column} = {other}.{column}" for column in table.key.split())))


def told_by(vector: str, memory: str) -> str:
    """That the vector of an earlier version is of what a memory says now: a model may lack those of the versions between."""
    return f"""
        exists (select from mosshead.memories as said
                where {of_lane("said")} and said.memory_id = {vector}.owner_id and said.version = {vector}.version
                  and said.content = {memory}.content)
    """


def no_more(entity_id: str) -> str:
    """How the last row of an entity has ended, to be joined to a row that names it.

    Finds nothing of one that still stands, nor of one that the decision ended itself, and that would stand again.
    """
    return f"""
        lateral (
            select last.ended_by from (
                select one.* from mosshead.entities as one
                where {of_lane("one")} and one.entity_id = {entity_id} order by one.known_from desc limit 1) as last
            where last.known_to is not null and not exists (
                select from mosshead.entities as own
                where {of_lane("own")} and own.entity_id = last.entity_id and own.ended_by = :undone
                  and not exists (select from mosshead.entities as made
                                  where {of_lane("made")} and made.entity_id = last.entity_id and made.made_by = :undone)))
    """


def alike(columns: str, one: str, other: str) -> str:
    """That two rows say the same."""
    return " and ".join(f"{one}.{column} is not distinct from {other}.{column}" for column in columns.split())
