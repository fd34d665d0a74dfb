"""Tables whose rows are never overwritten: one that changes is ended, and the next begins. Both name the decision."""

from dataclasses import dataclass
from typing import Final


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

_OF_ENTITIES: Final = "entity_id name entity_type tags is_user created_at key description parent_id".split()

_COLUMNS: Final = {"entities": _OF_ENTITIES} | {
    table.name: list(dict.fromkeys((*table.key, *table.says))) for table in TABLES
}

ENDED: Final = "known_to = :at, ended_by = :decision_id"
"""What a decision sets of a row that it ends."""


def begin(table: str, *, each: str = "", **changed: str) -> str:
    """The head of a statement that begins rows which say what others said, but for some columns; its ``from`` tells which others.

    each: what stands before the columns, such as ``distinct on (memory_id)``.
    """
    says = {column: changed.get(column, column) for column in ("tenant_id", "namespace_id", *_COLUMNS[table])}
    return f"""
        insert into mosshead.{table} ({", ".join(says)}, known_from, made_by)
        select {each} {", ".join(says.values())}, :at, :decision_id"""
