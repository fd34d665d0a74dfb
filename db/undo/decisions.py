"""Taking a decision back: what it made is ended, and what it ended begins again, unless a later decision builds on it.

Which rows those are, the rows themselves say: they name the decision that made or ended them. A row that was made is compared
with the one that holds now by what it says, and not by who made it: an undo that was undone leaves things as they were.
"""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.keys import LaneRef, of_lane
from db.memories import IMAGE
from db.temporal import ENDED, TABLES
from db.undo import entities as of_entities
from db.undo.rows import alike, moved_on, naming_no_more, told_by
from db.undo.rows import reverse as reverse_rows

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
            *map(naming_no_more, TABLES),
            of_entities.BELONGING_TO_NO_MORE,
        )
    )
)

_DOCUMENTS = "any(cast(:documents as uuid[]))"
_MADE = f"{of_lane('made')} and made.document_id = {_DOCUMENTS} and made.made_by = :undone"
_ENDED = f"{of_lane('ended')} and ended.document_id = {_DOCUMENTS} and ended.ended_by = :undone"


def _same(one: str, other: str) -> str:
    return f"{of_lane(one)} and {one}.document_id = {other}.document_id"


MOVED_ON: Final = f"""
    (select 1 from mosshead.documents as made where {_MADE} and not exists (
        select from mosshead.documents as now
        where {_same("now", "made")} and now.known_to is null and now.body = made.body and now.fields = made.fields))
    union all
    (select 1 from mosshead.documents as ended where {_ENDED}
       and not exists (select from mosshead.documents as made where {_same("made", "ended")} and made.made_by = :undone)
       and exists (select from mosshead.documents as now where {_same("now", "ended")} and now.known_to is null))
"""
"""Finds a document that is not as the decision left it."""

_SAME_MEMORY = f"{of_lane('now')} and now.memory_id = made.memory_id"
_MADE_MEMORIES = f"{of_lane('made')} and made.memory_id = any(cast(:memories as uuid[])) and made.made_by = :undone"

MEMORIES_MOVED_ON: Final = f"""
    (select 1 from mosshead.memories as made where {_MADE_MEMORIES} and not exists (
        select from mosshead.memories as now
        where {_SAME_MEMORY} and now.known_to is null and {alike(IMAGE, "now", "made")}))
"""
"""Finds a memory that is not as the decision left it."""

_MOVED_ON = text(
    " union all ".join(
        (
            MEMORIES_MOVED_ON,
            *map(moved_on, TABLES),
            of_entities.MOVED_ON,
            MOVED_ON,
        )
    )
    + " limit 1"
)

# The version before the decision says again what it said, under the next number; a document that the decision made is gone.
REVERSE: Final = text(f"""
    with over as (
        update mosshead.documents as now set {ENDED} from mosshead.documents as made
        where {_MADE} and {_same("now", "made")} and now.known_to is null
        returning 1
    )
    insert into mosshead.documents
        (tenant_id, namespace_id, document_id, schema_name, body, fields, version, known_from, made_by)
    select tenant_id, namespace_id, document_id, schema_name, body, fields,
           (select max(version) + 1 from mosshead.documents as one where {_same("one", "ended")}), :at, :decision_id
    from mosshead.documents as ended where {_ENDED} and (select count(*) from over) >= 0
""")

# The version before the decision says again what it said; a memory that the decision made is withdrawn.
_REVERSE_MEMORIES = text(f"""
    with now as (
        update mosshead.memories as now set {ENDED} from mosshead.memories as made
        where {_MADE_MEMORIES} and {_SAME_MEMORY} and now.known_to is null
        returning now.*
    )
    insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, known_from, made_by, {", ".join(IMAGE)})
    select now.tenant_id, now.namespace_id, now.memory_id, now.version + 1, :at, :decision_id, {
    ", ".join(
        f"case when before.memory_id is not null then before.{column} else "
        + ("'withdrawn'" if column == "state" else f"now.{column}")
        + " end"
        for column in IMAGE
    )
}
    from now left join mosshead.memories as before
      on before.tenant_id = now.tenant_id and before.namespace_id = now.namespace_id and before.memory_id = now.memory_id
     and before.ended_by = :undone
""")

_REVERSED = f"""
    mosshead.memories as after join mosshead.memories as until
      on until.tenant_id = after.tenant_id and until.namespace_id = after.namespace_id and until.memory_id = after.memory_id
     and until.ended_by = :decision_id
    where {of_lane("after")} and after.memory_id = any(cast(:memories as uuid[])) and after.made_by = :decision_id
      and (after.content, after.state) is distinct from (until.content, until.state)
"""

_RETIRE_VECTORS = text(f"""
    update mosshead.embeddings as vector set owner_kind = 'past_memory'
    where {of_lane("vector")} and vector.owner_kind = 'memory' and vector.owner_id in (select after.memory_id from {_REVERSED})
""")

_RESTORE_VECTORS = text(f"""
    insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding)
    select distinct on (after.memory_id, vector.model)
           after.tenant_id, after.namespace_id, vector.model, 'memory', after.memory_id, after.version, vector.embedding
    from (select after.* from {_REVERSED} and after.state = 'active') as after
    join mosshead.memories as before
      on before.tenant_id = after.tenant_id and before.namespace_id = after.namespace_id
     and before.memory_id = after.memory_id and before.ended_by = :undone
    join mosshead.embeddings as vector
      on vector.tenant_id = after.tenant_id and vector.namespace_id = after.namespace_id
     and vector.owner_kind = 'past_memory' and vector.owner_id = after.memory_id and vector.version <= before.version
    where {told_by("vector", "after")}
    order by after.memory_id, vector.model, vector.version desc
""")

REVERSE_MEMORIES: Final = (_REVERSE_MEMORIES, _RETIRE_VECTORS, _RESTORE_VECTORS)
"""To be run in this order."""

_REVERSE = (
    *map(reverse_rows, TABLES),
    *REVERSE_MEMORIES,
    *of_entities.REVERSE,
    REVERSE,
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
