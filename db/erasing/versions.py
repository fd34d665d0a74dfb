"""Of memories that stay because others bear them out, too, the versions: what each was made of, and what it says from here on.

See `db.erasing.parts`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db import memories
from db.erasing.told import TOLD
from db.memories import Vector
from db.refs import LaneRef
from db.undoing.rows import of_lane
from mosshead.zones import in_zone

Key = tuple[UUID, int]
"""A memory and a version of it."""

SAYS: Final = ("content", "attribute", "value", "occurred_from", "occurred_to", "granularity", "record_name", "record")
"""The columns that are taken from what was said."""

_TIMES: Final = ("occurred_from", "occurred_to")
_OFFSETS: Final = tuple(f"{name}_offset" for name in _TIMES)


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version. says: by column. erased: all that it was made of is; fact: else what it was made of, as the log has it."""

    key: Key
    says: Mapping[str, Any]
    erased: bool
    fact: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Retold:
    """What becomes of versions. anew: what they say, by column, where that changes. vectors: of new words, by their model."""

    gone: Collection[Key] = ()
    anew: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    vectors: Mapping[Key, Vector] = field(default_factory=dict)
    model: str = ""


def versions_of(
    connection: Connection, lane: LaneRef, repeated: Collection[UUID], messages: Collection[UUID]
) -> list[VersionRow]:
    """All versions of some memories, in order. messages: those that are erased."""
    rows = connection.execute(_VERSIONS, {**lane.scope, "repeated": list(repeated), "messages": list(messages)})
    return [
        VersionRow((row["memory_id"], row["version"]), _says(row), row["erased"], row["fact"])
        for row in rows.mappings()
    ]


def retell(connection: Connection, lane: LaneRef, retold: Retold) -> int:
    """Delete versions, and have others say something else; returns how many. New vectors are past ones until the end is known."""
    gone = [{"memory_id": str(memory_id), "version": version} for memory_id, version in retold.gone]
    anew = [{"memory_id": str(key[0]), "version": key[1], **_plain(says)} for key, says in retold.anew.items()]
    for statement in (_OLD_VECTORS, _ANEW):
        connection.execute(statement, {**lane.scope, "rows": anew})
    for (memory_id, version), vector in retold.vectors.items():
        new = {memory_id: vector}
        memories.set_vectors(connection, lane, retold.model, "past_memory", new, version=version)
    return connection.execute(_GONE, {**lane.scope, "rows": gone}).rowcount + len(anew)


def _says(row: Mapping[Any, Any]) -> dict[str, Any]:
    zoned = {name: in_zone(row[name], row[f"{name}_offset"]) for name in _TIMES if row[name]}
    return {name: row[name] for name in SAYS} | zoned


def _plain(says: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: str(says[name]) for name in _TIMES if says[name]}
    return memories.with_offsets(says) | times


_VERSIONS = text(f"""
    with {TOLD}
    select memory.memory_id, memory.version, {", ".join(f"memory.{column}" for column in (*SAYS, *_OFFSETS))},
           coalesce(told.alone, false) as erased,
           case when not coalesce(told.alone, false) and decision.memory_id = memory.memory_id and decision.decided_by <> 'app'
                and decision.action in ('add', 'update', 'none') then decision.fact end as fact
    from mosshead.memories as memory
    left join told on told.decision_id = memory.made_by
    left join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = memory.made_by
    where {of_lane("memory")} and memory.memory_id = any(cast(:repeated as uuid[]))
    order by memory.memory_id, memory.version
""")

_GONE = text(f"""
    delete from mosshead.memories as memory using jsonb_to_recordset(:rows) as one (memory_id uuid, version integer)
    where {of_lane("memory")} and memory.memory_id = one.memory_id and memory.version = one.version
""").bindparams(bindparam("rows", type_=JSONB))

_ANEW = text(f"""
    update mosshead.memories as memory set {", ".join(f"{column} = one.{column}" for column in (*SAYS, *_OFFSETS))}
    from jsonb_to_recordset(:rows) as one
        (memory_id uuid, version integer, content text, attribute text, value text, occurred_from timestamptz,
         occurred_to timestamptz, granularity text, record_name text, record jsonb,
         {", ".join(f"{name} smallint" for name in _OFFSETS)})
    where {of_lane("memory")} and memory.memory_id = one.memory_id and memory.version = one.version
""").bindparams(bindparam("rows", type_=JSONB))

# Of those that say something else; before they do.
_OLD_VECTORS = text(f"""
    delete from mosshead.embeddings as vector
    using mosshead.memories as memory
    join jsonb_to_recordset(:rows) as one (memory_id uuid, version integer, content text)
      on one.memory_id = memory.memory_id and one.version = memory.version
    where {of_lane("memory")} and memory.content <> one.content and {of_lane("vector")}
      and vector.owner_kind in ('memory', 'past_memory')
      and vector.owner_id = memory.memory_id and vector.version = memory.version
""").bindparams(bindparam("rows", type_=JSONB))
