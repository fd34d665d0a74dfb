"""The tables whose rows decisions make and end: how one sees whether what a decision did still holds, and how it is taken back.

Statements take the decision as ``undone``, the undo's own stamp as ``decision_id`` and ``at``, and the ``memories`` and
``entities`` that the decision changed: a row is found by whose it is, for nothing is indexed by the decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause, text


@dataclass(frozen=True, slots=True)
class TemporalTable:
    """A table of such rows.

    owner: whose they are; key: what names a row; says: all else that it says.
    names: the entities that the row ``ended`` names, as an array.
    """

    name: str
    owner: str
    key: tuple[str, ...]
    says: tuple[str, ...]
    names: str = "cast('{}' as uuid[])"

    @property
    def moved_on(self) -> str:
        """Finds a row that does not hold as the decision left it."""
        return f"""
            (select 1 from mosshead.{self.name} as made where {self._rows("made", "made_by")} and not exists (
                select from mosshead.{self.name} as now
                where {self._same_key("now", "made")} and now.known_to is null and {alike(self.says, "now", "made")}))
            union all
            (select 1 from mosshead.{self.name} as ended where {self._rows("ended", "ended_by")} and not exists (
                select from mosshead.{self.name} as made
                where {self._same_key("made", "ended")} and made.made_by = :undone) and exists (
                select from mosshead.{self.name} as now where {self._same_key("now", "ended")} and now.known_to is null))
        """

    @property
    def naming_no_more(self) -> str:
        """Finds who ended an entity that a row names which would begin again."""
        return f"""
            (select gone.ended_by from mosshead.{self.name} as ended
             cross join unnest({self.names}) as named (entity_id) cross join {no_more("named.entity_id")} as gone
             where {self._rows("ended", "ended_by")})
        """

    @property
    def reverse(self) -> TextClause:
        """Ends what the decision made, and then begins again what it ended."""
        columns = ", ".join(("tenant_id", "namespace_id", *self.key, *self.says))
        return text(f"""
            with over as (
                update mosshead.{self.name} as now set known_to = :at, ended_by = :decision_id
                from mosshead.{self.name} as made
                where {self._rows("made", "made_by")} and {self._same_key("now", "made")} and now.known_to is null
                returning 1
            )
            insert into mosshead.{self.name} ({columns}, known_from, made_by)
            select {columns}, :at, :decision_id from mosshead.{self.name} as ended
            where {self._rows("ended", "ended_by")} and (select count(*) from over) >= 0
        """)

    def _rows(self, alias: str, mark: str) -> str:
        owners = ":memories" if self.owner == "memory_id" else ":entities"
        return f"{of_lane(alias)} and {alias}.{self.owner} = any(cast({owners} as uuid[])) and {alias}.{mark} = :undone"

    def _same_key(self, one: str, other: str) -> str:
        return f"{of_lane(one)} and {alike(self.key, one, other)}"


def of_lane(alias: str) -> str:
    """That a row is of the namespace."""
    return f"{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id"


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


def alike(columns: Sequence[str], one: str, other: str) -> str:
    """That two rows say the same."""
    return " and ".join(f"{one}.{column} is not distinct from {other}.{column}" for column in columns)


TABLES: Final = (
    TemporalTable("memory_sources", "memory_id", ("memory_id", "message_id"), ("quote", "stance")),
    TemporalTable(
        "memory_entities",
        "memory_id",
        ("memory_id", "entity_id"),
        ("role", "certainty"),
        names="array[ended.entity_id]",
    ),
    TemporalTable(
        "relations",
        "memory_id",
        ("relation_id",),
        ("subject_id", "predicate", "object_id", "memory_id", "valid_from", "valid_to"),
        names="array[ended.subject_id, ended.object_id]",
    ),
    TemporalTable("memory_edges", "from_id", ("from_id", "to_id", "kind"), ("weight",)),
    TemporalTable(
        "entity_aliases", "entity_id", ("normalised", "entity_id"), ("alias",), names="array[ended.entity_id]"
    ),
    TemporalTable(
        "questions",
        "memory_id",
        ("question_id", "memory_id"),
        (
            *("text", "mention", "candidates", "role", "message_id", "conversation_id", "relations"),
            *("asked_at", "answered_at", "answer_id"),
        ),
        names="""
            ended.candidates || array(
                select cast(one #>> '{}' as uuid)
                from jsonb_path_query(ended.relations, '$[*][0, 2] ? (@.type() == "string")') as one)
        """,
    ),
    TemporalTable(
        "examples",
        "entity_id",
        ("example_id",),
        ("mention", "text", "entity_id", "others", "message_id", "conversation_id"),
        names="ended.entity_id || ended.others",
    ),
)
"""But memories and entities, of which a decision changes parts (`db.undo.decisions`, `db.undo.entities`)."""
