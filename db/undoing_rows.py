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
    """A table of such rows. owner: whose they are; key: what names a row; says: all else that it says."""

    name: str
    owner: str
    key: tuple[str, ...]
    says: tuple[str, ...]

    @property
    def moved_on(self) -> str:
        """Finds a row that does not hold as the decision left it."""
        return f"""
            (select 1 from recollect.{self.name} as made where {self._rows("made", "made_by")} and not exists (
                select from recollect.{self.name} as now
                where {self._same_key("now", "made")} and now.known_to is null and {alike(self.says, "now", "made")}))
            union all
            (select 1 from recollect.{self.name} as ended where {self._rows("ended", "ended_by")} and not exists (
                select from recollect.{self.name} as made
                where {self._same_key("made", "ended")} and made.made_by = :undone) and exists (
                select from recollect.{self.name} as now where {self._same_key("now", "ended")} and now.known_to is null))
        """

    @property
    def reverse(self) -> TextClause:
        """Ends what the decision made, and then begins again what it ended."""
        columns = ", ".join(("tenant_id", "namespace_id", *self.key, *self.says))
        return text(f"""
            with over as (
                update recollect.{self.name} as now set known_to = :at, ended_by = :decision_id
                from recollect.{self.name} as made
                where {self._rows("made", "made_by")} and {self._same_key("now", "made")} and now.known_to is null
                returning 1
            )
            insert into recollect.{self.name} ({columns}, known_from, made_by)
            select {columns}, :at, :decision_id from recollect.{self.name} as ended
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


def alike(columns: Sequence[str], one: str, other: str) -> str:
    """That two rows say the same."""
    return " and ".join(f"{one}.{column} is not distinct from {other}.{column}" for column in columns)


TABLES: Final = (
    TemporalTable("memory_sources", "memory_id", ("memory_id", "message_id"), ("quote", "stance")),
    TemporalTable("memory_entities", "memory_id", ("memory_id", "entity_id"), ("role", "certainty")),
    TemporalTable(
        "relations",
        "memory_id",
        ("relation_id",),
        ("subject_id", "predicate", "object_id", "memory_id", "valid_from", "valid_to"),
    ),
    TemporalTable("memory_edges", "from_id", ("from_id", "to_id", "kind"), ("weight",)),
    TemporalTable("entity_aliases", "entity_id", ("normalised", "entity_id"), ("alias",)),
    TemporalTable(
        "questions",
        "memory_id",
        ("question_id", "memory_id"),
        (
            *("text", "mention", "candidates", "role", "message_id", "conversation_id", "relations"),
            *("asked_at", "answered_at", "answer_id"),
        ),
    ),
    TemporalTable(
        "examples",
        "entity_id",
        ("example_id",),
        ("mention", "text", "entity_id", "others", "message_id", "conversation_id"),
    ),
)
"""But memories and entities, of which a decision changes parts (`db.undoing_memories`, `db.undoing_entities`)."""
