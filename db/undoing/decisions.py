"""Taking a decision back: what it made is ended, and what it ended begins again, unless a later decision builds on it.

Which rows those are, the rows themselves say: they name the decision that made or ended them. A row that was made is compared
with the one that holds now by what it says, and not by who made it: an undo that was undone leaves things as they were.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.refs import LaneRef
from db.undoing import documents as of_documents
from db.undoing import entities as of_entities
from db.undoing import memories as of_memories
from db.undoing.rows import TABLES, of_lane

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
    row = connection.execute(_FIND, {**lane.scope, "decision_id": decision_id}).one_or_none()
    if row is None:
        return None
    memories, entities, documents = tuple(row.memories), tuple(row.entities), tuple(row.documents)
    return Done(decision_id, row.action, row.position, row.in_effect, memories, entities, documents)


def builders(connection: Connection, lane: LaneRef, done: Done) -> list[UUID] | None:
    """The later decisions that build on one: nothing of what it did may have changed since, and nobody whom it would bring back.

    None where it can be taken back. What changed can be the work of none that is in effect; then the list is empty.
    """
    parameters = {**lane.scope, **_of(done)}
    resting = list(connection.execute(_RESTING_ON, parameters).scalars())
    if not resting and connection.execute(_MOVED_ON, parameters).first() is None:
        return None
    later = {**parameters, "position": done.position, "resting": [one for one in resting if one is not None]}
    return list(connection.execute(_LATER, later).scalars())


def reverse(connection: Connection, lane: LaneRef, done: Done, stamp: Stamp) -> None:
    """Take a decision back, of which `builders` found none. The undo is a decision of its own, and can be undone."""
    parameters = {**lane.scope, **stamp.columns, **_of(done)}
    for statement in _REVERSE:
        connection.execute(statement, parameters)
    connection.execute(_TOGGLE, {**lane.scope, "decision_id": done.decision_id})


def _of(done: Done) -> dict[str, Any]:
    return {
        "undone": done.decision_id,
        "memories": list(done.memories),
        "entities": list(done.entities),
        "documents": list(done.documents),
        "introduces": done.action in _INTRODUCING,
    }


_RESTING_ON = text(
    " union all ".join(
        (
            *of_entities.RESTING_ON,
            *(table.naming_no_more for table in TABLES),
            of_entities.BELONGING_TO_NO_MORE,
        )
    )
)
_MOVED_ON = text(
    " union all ".join(
        (
            of_memories.MEMORIES_MOVED_ON,
            *(table.moved_on for table in TABLES),
            of_entities.MOVED_ON,
            of_documents.MOVED_ON,
        )
    )
    + " limit 1"
)
_REVERSE = (
    *(table.reverse for table in TABLES),
    *of_memories.REVERSE_MEMORIES,
    *of_entities.REVERSE,
    of_documents.REVERSE,
)

_FIND = text(f"""
    select action, position, in_effect, entities,
           case when action in ('document', 'undo') and target_id is not null then array[target_id] else '{{}}' end as documents,
           array(
        select memory_id from mosshead.decision_memories as concerned
        where {of_lane("concerned")} and concerned.decision_id = decision.decision_id and changed order by memory_id) as memories
    from mosshead.decisions as decision where {of_lane("decision")} and decision_id = :decision_id
""")

_LATER = text(f"""
    select decision_id from mosshead.decisions as later
    where {of_lane("later")} and later.position > :position and later.in_effect and later.action <> 'undo' and (
        later.decision_id = any(cast(:resting as uuid[])) or later.entities && cast(:entities as uuid[])
        or later.action = 'document' and later.target_id = any(cast(:documents as uuid[])) or exists (
            select from mosshead.decision_memories as concerned
            where {of_lane("concerned")} and concerned.decision_id = later.decision_id and changed
              and concerned.memory_id = any(cast(:memories as uuid[]))))
    order by later.position
""")

# What it took back is in effect again, and what that had taken back is no more, and so on.
_TOGGLE = text(f"""
    with recursive chain as (
        select decision_id, undoes, false as in_effect from mosshead.decisions as decision
        where {of_lane("decision")} and decision_id = :decision_id
        union all
        select decision.decision_id, decision.undoes, not chain.in_effect
        from chain join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = chain.undoes
    )
    update mosshead.decisions as decision set in_effect = chain.in_effect
    from chain where {of_lane("decision")} and decision.decision_id = chain.decision_id
""")
