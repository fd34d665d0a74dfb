"""Taking a decision back: what it made is ended, and what it ended begins again, unless a later decision builds on it.

Which rows those are, the rows themselves say: they name the decision that made or ended them. A row that was made is compared
with the one that holds now by what it says, and not by who made it: an undo that was undone leaves things as they were.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.decisions import Stamp
from db.keys import LaneRef, of_lane
from db.memories import IMAGE
from db.temporal import DOCUMENTS, ENDED, TABLES, TemporalTable
from db.undo import entities as of_entities
from db.undo.rows import moved_on, naming_no_more, told_by
from db.undo.rows import reverse as reverse_rows
from mosshead.store.connection import Sql, same_namespace

_INTRODUCING = frozenset({"add", "update", "supersede", "contradict", "none"})


@dataclass(frozen=True, slots=True)
class Done:
    """A decision as it stands in the log.

    memories, documents: that it changed; entities: of which it learned something, or forgot.
    """

    decision_id: UUID
    action: str
    position: int
    in_effect: bool
    memories: tuple[UUID, ...]
    entities: tuple[UUID, ...]
    documents: tuple[UUID, ...] = ()


def find(connection: Connection, lane: LaneRef, decision_id: UUID) -> Done | None:
    """A decision of a namespace; None where there is no such one."""
    row = Sql(f"""
        select action, position, in_effect, entities,
               case when action in ('document', 'undo') and target_id is not null
               then array[target_id] else '{{}}' end as documents,
               array(select memory_id from mosshead.decision_memories as concerned
                     where {of_lane("concerned")} and concerned.decision_id = decision.decision_id and changed
                     order by memory_id) as memories
        from mosshead.decisions as decision where {of_lane("decision")} and decision_id = :decision_id
    """).row(connection, lane.scope, decision_id=decision_id)
    if row is None:
        return None
    memories, entities, documents = tuple(row.memories), tuple(row.entities), tuple(row.documents)
    return Done(decision_id, row.action, row.position, row.in_effect, memories, entities, documents)


def builders(connection: Connection, lane: LaneRef, done: Done) -> list[UUID] | None:
    """The later decisions that build on one: nothing of what it did may have changed since, and nobody whom it would bring back.

    None where it can be taken back. What changed can be the work of none that is in effect; then the list is empty.
    """
    parameters = {**lane.scope, **_of(done)}
    resting = Sql(" union all ".join(_RESTING_ON)).scalars(connection, parameters)
    if not resting and not Sql(" union all ".join(_MOVED_ON) + " limit 1").exists(connection, parameters):
        return None
    return Sql(f"""
        select decision_id from mosshead.decisions as later
        where {of_lane("later")} and later.position > :position and later.in_effect and later.action <> 'undo' and (
            later.decision_id = any(cast(:resting as uuid[])) or later.entities && cast(:entities as uuid[])
            or later.action = 'document' and later.target_id = any(cast(:documents as uuid[])) or exists (
                select from mosshead.decision_memories as concerned
                where {of_lane("concerned")} and concerned.decision_id = later.decision_id and changed
                  and concerned.memory_id = any(cast(:memories as uuid[]))))
        order by later.position
    """).scalars(connection, parameters, position=done.position, resting=[one for one in resting if one is not None])


def reverse(connection: Connection, lane: LaneRef, done: Done, stamp: Stamp) -> None:
    """Take a decision back, of which `builders` found none. The undo is a decision of its own, and can be undone."""
    Sql(_REVERSE).run(connection, lane.scope | stamp.columns | _of(done))
    # What it took back is in effect again, and what that had taken back is no more, and so on.
    Sql(f"""
        with recursive chain as (
            select decision_id, undoes, false as in_effect from mosshead.decisions as decision
            where {of_lane("decision")} and decision_id = :decision_id
            union all
            select decision.decision_id, decision.undoes, not chain.in_effect
            from chain join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = chain.undoes
        )
        update mosshead.decisions as decision set in_effect = chain.in_effect
        from chain where {of_lane("decision")} and decision.decision_id = chain.decision_id
    """).run(connection, lane.scope, decision_id=done.decision_id)


def _of(done: Done) -> dict[str, Any]:
    return {
        "undone": done.decision_id,
        "memories": list(done.memories),
        "entities": list(done.entities),
        "documents": list(done.documents),
        "introduces": done.action in _INTRODUCING,
    }


_RESTING_ON = (*of_entities.RESTING_ON, *map(naming_no_more, TABLES), of_entities.BELONGING_TO_NO_MORE)

_MEMORIES = TemporalTable("memories", "memory_id", "memory_id", " ".join(IMAGE))
_MOVED_ON = (*map(moved_on, (_MEMORIES, *TABLES, DOCUMENTS)), of_entities.MOVED_ON)

# A document that was replaced says again what it said, under the next number.
_NEXT_NUMBER = f"""(
    select max(version) + 1 from mosshead.documents as one where {of_lane("one")} and one.document_id = ended.document_id)"""

_MADE_MEMORIES = f"{of_lane('made')} and made.memory_id = any(cast(:memories as uuid[])) and made.made_by = :undone"

# What a memory that the decision made says from now on: the same, but that it is withdrawn.
_WITHDRAWN = {column: f"now.{column}" for column in IMAGE} | {"state": "'withdrawn'"}
_SAID_BEFORE = ", ".join(
    f"case when before.memory_id is not null then before.{column} else {_WITHDRAWN[column]} end" for column in IMAGE
)

# The version before the decision says again what it said; a memory that the decision made is withdrawn.
_REVERSE_MEMORIES = f"""
    with now as (
        update mosshead.memories as now set {ENDED} from mosshead.memories as made
        where {_MADE_MEMORIES} and {of_lane("now")} and now.memory_id = made.memory_id and now.known_to is null
        returning now.*
    )
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, known_from, made_by, {", ".join(IMAGE)})
    select now.tenant_id, now.namespace_id, now.memory_id, now.version + 1, :at, :decision_id, {_SAID_BEFORE}
    from now left join mosshead.memories as before
      on {same_namespace("before", "now")} and before.memory_id = now.memory_id
     and before.ended_by = :undone
"""

_REVERSED = f"""
    mosshead.memories as after join mosshead.memories as until
      on {same_namespace("until", "after")} and until.memory_id = after.memory_id
     and until.ended_by = :decision_id
    where {of_lane("after")} and after.memory_id = any(cast(:memories as uuid[])) and after.made_by = :decision_id
      and (after.content, after.state) is distinct from (until.content, until.state)
"""

_REVERSE_VECTORS = f"""
    update mosshead.embeddings as vector set owner_kind = 'past_memory'
    where {of_lane("vector")} and vector.owner_kind = 'memory' and vector.owner_id in (select after.memory_id from {_REVERSED});

    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select distinct on (after.memory_id, vector.model)
           after.tenant_id, after.namespace_id, vector.model, 'memory', after.memory_id, after.version, vector.embedding
    from (select after.* from {_REVERSED} and after.state = 'active') as after
    join mosshead.memories as before
      on {same_namespace("before", "after")} and before.memory_id = after.memory_id and before.ended_by = :undone
    join mosshead.embeddings as vector
      on {same_namespace("vector", "after")}
     and vector.owner_kind = 'past_memory' and vector.owner_id = after.memory_id and vector.version <= before.version
    where {told_by("vector", "after")}
    order by after.memory_id, vector.model, vector.version desc
"""

_REVERSE_DOCUMENTS = reverse_rows(DOCUMENTS, version=_NEXT_NUMBER)
_REVERSE_ROWS = (
    *map(reverse_rows, TABLES),
    _REVERSE_MEMORIES,
    _REVERSE_VECTORS,
    of_entities.REVERSE,
    _REVERSE_DOCUMENTS,
)
_REVERSE = ";\n".join(_REVERSE_ROWS)
