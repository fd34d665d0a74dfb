"""Taking a decision back: what it made is ended, and what it ended begins again, unless a later decision builds on it.

Which rows those are, the rows themselves say: they name the decision that made or ended them. A row that was made is compared
with the one that holds now by what it says, and not by who made it: an undo that was undone leaves things as they were.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, TextClause, text

from db.decisions import Stamp
from db.memories import IMAGE
from db.refs import LaneRef


@dataclass(frozen=True, slots=True)
class Done:
    """A decision as it stands in the log. memories: that it changed; entities: of which it learned something."""

    decision_id: UUID
    position: int
    in_effect: bool
    undoes: UUID | None
    memories: tuple[UUID, ...]
    entities: tuple[UUID, ...]


def find(connection: Connection, lane: LaneRef, decision_id: UUID) -> Done | None:
    """A decision of a namespace; None where there is no such one."""
    row = connection.execute(_FIND, {**lane.scope, "decision_id": decision_id}).one_or_none()
    if row is None:
        return None
    return Done(decision_id, row.position, row.in_effect, row.undoes, tuple(row.memories), tuple(row.entities))


def builders(connection: Connection, lane: LaneRef, done: Done) -> list[UUID]:
    """The later decisions that build on one: nothing of what it did may have changed since. Empty where it can be taken back."""
    parameters = {**lane.scope, **_of(done)}
    if connection.execute(_MOVED_ON, parameters).first() is None:
        return []
    return list(connection.execute(_LATER, {**parameters, "position": done.position}).scalars())


def reverse(connection: Connection, lane: LaneRef, done: Done, stamp: Stamp) -> None:
    """Take a decision back, of which `builders` found none. The undo is a decision of its own, and can be undone."""
    parameters = {**lane.scope, **stamp.columns, **_of(done)}
    for statement in _REVERSE:
        connection.execute(statement, parameters)
    toggled = {**lane.scope, "decision_id": done.decision_id, "undoes": done.undoes}
    connection.execute(_TOGGLE, toggled)


def _of(done: Done) -> dict[str, Any]:
    return {"undone": done.decision_id, "memories": list(done.memories), "entities": list(done.entities)}


@dataclass(frozen=True, slots=True)
class _Table:
    """A table whose rows decisions make and end. owner: whose they are; key: what names a row; says: all else that it says."""

    name: str
    owner: str
    key: tuple[str, ...]
    says: tuple[str, ...]

    def _rows(self, alias: str, mark: str) -> str:
        owners = ":memories" if self.owner == "memory_id" else ":entities"
        return (
            f"{_of_lane(alias)} and {alias}.{self.owner} = any(cast({owners} as uuid[])) and {alias}.{mark} = :undone"
        )

    def _same_key(self, one: str, other: str) -> str:
        return f"{_of_lane(one)} and {_alike(self.key, one, other)}"

    @property
    def moved_on(self) -> str:
        """Finds a row that does not hold as the decision left it."""
        return f"""
            (select 1 from recollect.{self.name} as made where {self._rows("made", "made_by")} and not exists (
                select from recollect.{self.name} as now
                where {self._same_key("now", "made")} and now.known_to is null and {_alike(self.says, "now", "made")}))
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


def _of_lane(alias: str) -> str:
    return f"{alias}.tenant_id = :tenant_id and {alias}.namespace_id = :namespace_id"


def _alike(columns: Sequence[str], one: str, other: str) -> str:
    return " and ".join(f"{one}.{column} is not distinct from {other}.{column}" for column in columns)


_TABLES = (
    _Table("memory_sources", "memory_id", ("memory_id", "message_id"), ("quote", "stance")),
    _Table("memory_entities", "memory_id", ("memory_id", "entity_id"), ("role", "certainty")),
    _Table(
        "relations",
        "memory_id",
        ("relation_id",),
        ("subject_id", "predicate", "object_id", "memory_id", "valid_from", "valid_to"),
    ),
    _Table("memory_edges", "from_id", ("from_id", "to_id", "kind"), ("weight",)),
    _Table("entity_aliases", "entity_id", ("normalised", "entity_id"), ("alias",)),
)

_SAME_MEMORY = f"{_of_lane('now')} and now.memory_id = made.memory_id"
_MADE_MEMORIES = f"{_of_lane('made')} and made.memory_id = any(cast(:memories as uuid[])) and made.made_by = :undone"

_MEMORY_MOVED_ON = f"""
    (select 1 from recollect.memories as made where {_MADE_MEMORIES} and not exists (
        select from recollect.memories as now
        where {_SAME_MEMORY} and now.known_to is null and {_alike(IMAGE, "now", "made")}))
"""

# The version before the decision says again what it said; a memory that the decision made is withdrawn.
_REVERSE_MEMORIES = text(f"""
    with now as (
        update recollect.memories as now set known_to = :at, ended_by = :decision_id from recollect.memories as made
        where {_MADE_MEMORIES} and {_SAME_MEMORY} and now.known_to is null
        returning now.*
    )
    insert into recollect.memories (tenant_id, namespace_id, memory_id, version, known_from, made_by, {
    ", ".join(IMAGE)
})
    select now.tenant_id, now.namespace_id, now.memory_id, now.version + 1, :at, :decision_id, {
    ", ".join(
        f"case when before.memory_id is not null then before.{column} else "
        + ("'withdrawn'" if column == "state" else f"now.{column}")
        + " end"
        for column in IMAGE
    )
}
    from now left join recollect.memories as before
      on before.tenant_id = now.tenant_id and before.namespace_id = now.namespace_id and before.memory_id = now.memory_id
     and before.ended_by = :undone
""")

_REVERSED = f"""
    recollect.memories as after join recollect.memories as until
      on until.tenant_id = after.tenant_id and until.namespace_id = after.namespace_id and until.memory_id = after.memory_id
     and until.ended_by = :decision_id
    where {_of_lane("after")} and after.memory_id = any(cast(:memories as uuid[])) and after.made_by = :decision_id
      and (after.content, after.state) is distinct from (until.content, until.state)
"""

_RETIRE_VECTORS = text(f"""
    update recollect.embeddings as vector set owner_kind = 'past_memory'
    where {_of_lane("vector")} and vector.owner_kind = 'memory' and vector.owner_id in (select after.memory_id from {_REVERSED})
""")

_RESTORE_VECTORS = text(f"""
    insert into recollect.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select distinct on (after.memory_id, vector.model)
           after.tenant_id, after.namespace_id, vector.model, 'memory', after.memory_id, after.version, vector.embedding
    from (select after.* from {_REVERSED} and after.state = 'active') as after
    join recollect.memories as before
      on before.tenant_id = after.tenant_id and before.namespace_id = after.namespace_id
     and before.memory_id = after.memory_id and before.ended_by = :undone
    join recollect.embeddings as vector
      on vector.tenant_id = after.tenant_id and vector.namespace_id = after.namespace_id
     and vector.owner_kind = 'past_memory' and vector.owner_id = after.memory_id and vector.version <= before.version
    order by after.memory_id, vector.model, vector.version desc
""")

# An entity stays, for other memories may be about it; what the decision learned of it goes, and what it forgot comes back.
_REVERSE_ENTITIES = text(f"""
    with learned as (
        select now.entity_id, now.known_from,
               case when made.description is distinct from before.description
                    then before.description else now.description end as description,
               case when made.parent_id is distinct from before.parent_id
                    then before.parent_id else now.parent_id end as parent_id
        from recollect.entities as made
        join recollect.entities as now
          on {_of_lane("now")} and now.entity_id = made.entity_id and now.known_to is null
        left join recollect.entities as before
          on {_of_lane("before")} and before.entity_id = made.entity_id and before.ended_by = :undone
        where {_of_lane("made")} and made.entity_id = any(cast(:entities as uuid[])) and made.made_by = :undone
    ),
    ended as (
        update recollect.entities as now set known_to = :at, ended_by = :decision_id from learned
        where {_of_lane("now")} and now.entity_id = learned.entity_id and now.known_to is null
          and (now.description, now.parent_id) is distinct from (learned.description, learned.parent_id)
        returning now.*, learned.description as new_description, learned.parent_id as new_parent_id
    )
    insert into recollect.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at,
         known_from, made_by)
    select tenant_id, namespace_id, entity_id, name, entity_type, new_description, new_parent_id, tags, is_user, created_at,
           :at, :decision_id
    from ended
""")

_MOVED_ON = text(f"{' union all '.join((_MEMORY_MOVED_ON, *(table.moved_on for table in _TABLES)))} limit 1")
_REVERSE = (
    *(table.reverse for table in _TABLES),
    *(_REVERSE_MEMORIES, _RETIRE_VECTORS, _RESTORE_VECTORS, _REVERSE_ENTITIES),
)

_FIND = text(f"""
    select position, in_effect, undoes, entities, array(
        select memory_id from recollect.decision_memories as concerned
        where {_of_lane("concerned")} and concerned.decision_id = decision.decision_id and changed order by memory_id) as memories
    from recollect.decisions as decision where {_of_lane("decision")} and decision_id = :decision_id
""")

_LATER = text(f"""
    select decision_id from recollect.decisions as later
    where {_of_lane("later")} and later.position > :position and later.in_effect and later.action <> 'undo' and (
        later.entities && cast(:entities as uuid[]) or exists (
            select from recollect.decision_memories as concerned
            where {_of_lane("concerned")} and concerned.decision_id = later.decision_id and changed
              and concerned.memory_id = any(cast(:memories as uuid[]))))
    order by later.position
""")

_TOGGLE = text(f"""
    update recollect.decisions as decision set in_effect = decision.decision_id <> :decision_id
    where {_of_lane("decision")} and decision_id in (:decision_id, cast(:undoes as uuid))
""")
