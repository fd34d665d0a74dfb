"""Parts common to all tables: the leading ids of keys, inserts, and changes to temporal tables.

There a changed row is ended and the next begins; both name the decision.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


@dataclass(frozen=True, slots=True)
class LaneRef:
    """A namespace, by its ids."""

    tenant_id: UUID
    namespace_id: UUID

    @property
    def scope(self) -> dict[str, UUID]:
        """Return the parameters that every statement takes."""
        return {"tenant_id": self.tenant_id, "namespace_id": self.namespace_id}


@dataclass(frozen=True, slots=True)
class BatchRef:
    """A batch of a namespace's events, by its ids."""

    lane: LaneRef
    batch_id: UUID

    @property
    def scope(self) -> dict[str, UUID]:
        """Return the parameters of every statement about a batch."""
        return {**self.lane.scope, "batch_id": self.batch_id}


def ids_of(lanes: Sequence[LaneRef]) -> dict[str, list[UUID]]:
    """The parameters of a statement about many lanes."""
    return {"tenants": [one.tenant_id for one in lanes], "namespaces": [one.namespace_id for one in lanes]}


OF_BATCH: Final = f"{OF_NAMESPACE} and batch_id = %(batch_id)s"


def seconds(interval: str) -> str:
    """Return SQL for an interval's seconds, as a float."""
    return f"cast(extract(epoch from {interval}) as float8)"


def insert(
    connection: Connection,
    table: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    conflict: str = "",
    returning: str = "1",
    given: str = "",
    **computed: str,
) -> list[Any]:
    """Insert rows with one statement, so that its triggers fire once, in order; return a column of the new rows.

    rows: by column, all with the same columns. conflict: the clause after ``on conflict``, such as ``do nothing``.
    computed: SQL for further columns, over the row ``one``. given: a CTE that it reads. Both take the first row's columns as
        parameters.
    """
    if not rows:
        return []
    columns = {column: f"one.{column}" for column in rows[0]} | computed
    return Sql(f"""
        {given and f"with {given}"}
        insert into mosshead.{table} ({", ".join(columns)}) select {", ".join(columns.values())}
        from jsonb_populate_recordset(cast(null as mosshead.{table}), %(rows)s) as one
        {conflict and f"on conflict {conflict}"} returning {returning}
    """).scalars(connection, rows[0], rows=as_jsonb(rows))


def as_jsonb(value: object) -> Jsonb:
    """Wrap a value as a jsonb parameter, with ids and times as text.

    Raises TypeError, when it is sent, for any other value that JSON cannot express; ValueError for NaN.
    """
    return Jsonb(value, dumps=partial(json.dumps, default=_as_text, allow_nan=False))


def _as_text(value: object) -> str:
    if isinstance(value, UUID | datetime):
        return str(value)
    raise TypeError(f"{type(value).__name__} is neither JSON, nor an id, nor a time")


class VersionConflict(Exception):
    """A row changed between read and write; the stage is repeated with the current rows."""


@dataclass(frozen=True, slots=True)
class TemporalTable:
    """A table whose rows are never overwritten.

    owner: the owner's column; key: the columns that identify a row; says: its other columns.
    names: SQL for an array of the entities that the row ``ended`` names.
    """

    name: str
    owner: str
    key: str
    says: str
    names: str = "cast('{}' as uuid[])"


_NAMED_IN_QUESTION: Final = """
    ended.candidates || array(
        select cast(one #>> '{}' as uuid)
        from jsonb_path_query(ended.relations, '$[*][0, 2] ? (@.type() == "string")') as one)
"""

_MEMORY: Final = """
    kind content salience factors confidence tier reinforced attribute value state superseded_by occurred_from occurred_to
    granularity valid_from valid_to said_by marked record_name record key
    valid_from_offset occurred_from_offset occurred_to_offset
"""
_QUESTION: Final = "text mention candidates role message_id conversation_id relations asked_at answered_at answer_id"
_RELATION: Final = "subject_id predicate object_id memory_id valid_from valid_to"
_EXAMPLE: Final = "mention text entity_id others message_id conversation_id"

TABLES: Final = (
    TemporalTable("memory_sources", "memory_id", "memory_id message_id", "quote stance"),
    TemporalTable("memory_entities", "memory_id", "memory_id entity_id", "role certainty", "array[ended.entity_id]"),
    TemporalTable("relations", "memory_id", "relation_id", _RELATION, "array[ended.subject_id, ended.object_id]"),
    TemporalTable("memory_edges", "from_id", "from_id to_id kind", "weight"),
    TemporalTable("entity_aliases", "entity_id", "normalised entity_id", "alias", "array[ended.entity_id]"),
    TemporalTable("questions", "memory_id", "question_id memory_id", _QUESTION, _NAMED_IN_QUESTION),
    TemporalTable("examples", "entity_id", "example_id", _EXAMPLE, "ended.entity_id || ended.others"),
)
"""All but documents, and memories and entities, of which a decision changes parts (`db.undo`)."""

MEMORIES: Final = TemporalTable("memories", "memory_id", "memory_id", _MEMORY)
DOCUMENTS: Final = TemporalTable("documents", "document_id", "document_id", "body fields")

_COLUMNS: Final = {table.name: list(dict.fromkeys(f"{table.key} {table.says}".split())) for table in TABLES} | {
    "entities": "entity_id name entity_type tags is_user created_at key description parent_id".split(),
    "documents": "document_id schema_name body fields version".split(),
    "memories": f"memory_id version {_MEMORY}".split(),
}

ENDED: Final = "known_to = %(at)s, ended_by = %(decision_id)s"
"""The columns that a decision sets in a row that it ends."""


def renew(table: str, which: str, *, each: str = "", of: str = "ended", **changed: str) -> str:
    """Build a statement that ends current rows and inserts successors with some columns changed.

    which: the condition for the rows, under the alias ``row``. each: as for `begin`. of: the ``from`` clause of the successors;
    ``ended`` holds the ended rows, and it may end with ``on conflict``. changed: SQL for columns that differ from the ended row.
    """
    return f"""
        with ended as (
            update mosshead.{table} as row set {ENDED}
            where {of_namespace("row")} and row.known_to is null and {which} returning *
        )
        {begin(table, each=each, **changed)} from {of} returning 1"""


def begin(table: str, *, each: str = "", **changed: str) -> str:
    """Build the head of a statement that copies rows with some columns changed; its ``from`` names the originals.

    each: SQL before the columns, such as ``distinct on (memory_id)``.
    """
    says = {column: changed.get(column, column) for column in ("tenant_id", "namespace_id", *_COLUMNS[table])}
    return f"""
        insert into mosshead.{table} ({", ".join(says)}, known_from, made_by)
        select {each} {", ".join(says.values())}, %(at)s, %(decision_id)s"""


def same_entity(one: str, other: str) -> str:
    """Return SQL for whether two rows of a namespace belong to the same entity."""
    return f"{of_namespace(one)} and {one}.entity_id = {other}.entity_id"


def told_anew(source: str) -> str:
    """Build SQL that brings entities in line with a table of the statement, ending those that differ, and returns their ids.

    source: the table of entity_id, name, description and parent_id.
    """
    return f"""
        over as (
            update mosshead.entities as now set {ENDED} from {source}
            where {same_entity("now", source)} and now.known_to is null
              and (now.name, now.description, now.parent_id)
                  is distinct from ({source}.name, {source}.description, {source}.parent_id)
            returning now.*, {source}.name as new_name, {source}.description as new_description,
                      {source}.parent_id as new_parent_id
        )
        {begin("entities", name="new_name", description="new_description", parent_id="new_parent_id")} from over
        returning entity_id
    """
