"""What was learned of entities with a memory that an app closes: other names, what tells them apart, where they belong.

It goes with the memory, unless another one that holds says it still. Whom the memory introduced stays, under the first name, for
other memories may be about them.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, text

from db.decisions import Stamp
from db.refs import LaneRef
from db.undoing_entities import same_entity, told_anew
from db.undoing_rows import of_lane


def unlearn(connection: Connection, lane: LaneRef, memory_ids: Iterable[UUID], stamp: Stamp) -> set[UUID]:
    """Forget what was learned with memories that are closed already; returns of whom something was."""
    parameters = {**lane.scope, **stamp.columns, "memory_ids": list(memory_ids)}
    return {key for statement in (_NAMES, _TRAITS) for key in connection.execute(statement, parameters).scalars()}


def _is_said_still(words: str) -> str:
    """Whether a memory that holds says some words of the entity ``now``."""
    return f"""
        exists (select from recollect.memory_entities as link
                join recollect.memories as memory on {of_lane("memory")} and memory.memory_id = link.memory_id
                where {same_entity("link", "now")} and link.known_to is null and link.certainty = 'sure'
                  and memory.known_to is null and memory.state = 'active'
                  and strpos(lower(memory.content), lower({words})) > 0)
    """


# By whom something was learned, for nothing is indexed by the decision alone.
_TAUGHT: Final = f"""
    taught as (
        select decision.decision_id, learned.entity_id
        from recollect.decision_memories as concerned
        join recollect.decisions as decision on {of_lane("decision")} and decision.decision_id = concerned.decision_id
        cross join unnest(decision.entities) as learned (entity_id)
        where {of_lane("concerned")} and concerned.memory_id = any(cast(:memory_ids as uuid[]))
          and decision.memory_id = concerned.memory_id and decision.in_effect
          and decision.action in ('add', 'update', 'supersede', 'contradict', 'none')
    )
"""

_NAMES = text(f"""
    with {_TAUGHT}
    update recollect.entity_aliases as now set known_to = :at, ended_by = :decision_id
    from recollect.entities as entity
    where {same_entity("now", "entity")} and now.known_to is null
      and {of_lane("entity")} and entity.known_to is null and entity.name <> now.alias
      and exists (select from taught join recollect.entity_aliases as made on made.made_by = taught.decision_id
                  where taught.entity_id = now.entity_id and {same_entity("made", "now")} and made.normalised = now.normalised)
      and not {_is_said_still("now.alias")}
    returning now.entity_id
""")

_TRAITS = text(f"""
    with {_TAUGHT},
    learned as (
        select made.entity_id,
               array_agg(made.description) filter (where made.description is distinct from before.description) as descriptions,
               array_agg(made.parent_id) filter (where made.parent_id is distinct from before.parent_id) as parents
        from taught
        join recollect.entities as made on {same_entity("made", "taught")} and made.made_by = taught.decision_id
        left join recollect.entities as before on {same_entity("before", "made")} and before.ended_by = made.made_by
        group by made.entity_id
    ),
    kept as (
        select now.entity_id,
               case when now.description <> all(learned.descriptions) or {_is_said_still("now.description")}
                    or learned.descriptions is null then now.description end as description,
               case when now.parent_id <> all(learned.parents) or {_is_said_still("parent.name")}
                    or learned.parents is null then now.parent_id end as parent_id
        from learned
        join recollect.entities as now on {same_entity("now", "learned")} and now.known_to is null
        left join recollect.entities as parent
          on {of_lane("parent")} and parent.entity_id = now.parent_id and parent.known_to is null
    ),
    {told_anew("kept")}
    returning entity_id
""")
