"""Forget what a closed memory taught about entities: other names, descriptions, parents.

It is removed with the memory unless another active one still says it. An entity that the memory introduced stays under its first
name, because other memories may be about it.
"""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from db.decisions import Stamp
from db.keys import ENDED, LaneRef, as_jsonb, same_entity, told_anew
from mosshead.store.connection import Sql, of_namespace


def unlearn(connection: Connection, lane: LaneRef, memory_ids: Iterable[UUID], stamp: Stamp) -> set[UUID]:
    """Forget what was learned with closed memories; return the entities concerned."""
    learned = Sql(decided_on("any(%(memory_ids)s::uuid[])")).scalars(
        connection, lane.scope, memory_ids=list(memory_ids)
    )
    return unlearn_decided(connection, lane, learned, stamp)


def unlearn_decided(connection: Connection, lane: LaneRef, learned: Iterable[UUID], stamp: Stamp) -> set[UUID]:
    """Forget what was learned by decisions; return the entities concerned."""
    parameters = {**lane.scope, **stamp.columns, "learned": list(learned)}
    renamed = Sql(_NAMES).scalars(connection, parameters)
    kept = [row._asdict() for row in Sql(_TRAITS).rows(connection, parameters)]
    return {*renamed, *(Sql(_TOLD_ANEW).scalars(connection, parameters, kept=as_jsonb(kept)) if kept else ())}


LETTER: Final = "[0-9a-z\u00df-\u024f\u0370-\u052f]"
"""Letters of scripts that separate words; in others the end of a name is not visible."""


def is_said_still(words: str) -> str:
    """Return SQL for whether an active memory of the entity ``now`` contains whole words: "Peter" does not contain "Pete".

    The offset prevents a join: each memory is looked up by its key.
    """
    literally = rf"regexp_replace(lower({words}), '(\W)', '\\\1', 'g')"
    return f"""
        exists (select from mosshead.memory_entities as link
                where {same_entity("link", "now")} and link.known_to is null and link.certainty = 'sure' and exists (
                    select from mosshead.memories as memory
                    where {of_namespace("memory")} and memory.memory_id = link.memory_id
                      and memory.known_to is null and memory.state = 'active'
                      and lower(memory.content) ~ ('(?<!{LETTER})' || {literally} || '(''?s)?(?!{LETTER})') offset 0))
    """


FORMING: Final = "'add', 'update', 'supersede', 'contradict', 'none'"
"""The actions that form memories."""


def decided_on(memories: str) -> str:
    """Return the decisions that formed memories."""
    # Here and below the rows are found once: the plan for an average, small namespace would repeat the search for each row.
    concerned = f"""
        select concerned.decision_id, concerned.memory_id from mosshead.decision_memories as concerned
        where {of_namespace("concerned")} and concerned.memory_id = {memories}"""
    return f"""
        select decision.decision_id from mosshead.decisions as decision
        where {of_namespace("decision")} and decision.action in ({FORMING})
          and decision.decision_id = any(array(select decision_id from ({concerned}) as concerned))
          and coalesce((decision.decision_id, decision.memory_id) in ({concerned}), false)
    """


# By entity, because nothing is indexed by the decision alone.
_TAUGHT: Final = f"""
    taught as materialized (
        select decision.decision_id, learned.entity_id
        from mosshead.decisions as decision cross join unnest(decision.entities) as learned (entity_id)
        where {of_namespace("decision")} and decision.decision_id = any(%(learned)s::uuid[]) and decision.in_effect
    )
"""


def part_of(seeds: str, *, ever: bool = False) -> str:
    """Return the current entities of merged ones, to which what was learned has moved.

    ever: also their temporary targets.
    """
    return f"""
        merges as materialized (
            select fact ->> 'entity_id' as entity_id, cast(fact ->> 'into' as uuid) as into_id
            from mosshead.decisions as merge
            where {of_namespace("merge")} and merge.action = 'merge' {"" if ever else "and merge.in_effect"}
        ),
        part_of as (
            select entity_id, entity_id as now_id from ({seeds}) as seed
            union
            select part_of.entity_id, merges.into_id
            from part_of join merges on merges.entity_id = cast(part_of.now_id as text)
        )
    """


_NAMES = f"""
    with recursive {_TAUGHT}, {part_of("select entity_id from taught")},
    made as materialized (
        select entity_id, normalised from mosshead.entity_aliases as made
        where {of_namespace("made")} and made.entity_id = any(array(select entity_id from taught))
          and coalesce((made.entity_id, made.made_by) in (select entity_id, decision_id from taught), false)
    ),
    learned as materialized (select part_of.now_id as entity_id, made.normalised from made join part_of using (entity_id))
    update mosshead.entity_aliases as now set {ENDED}
    where {of_namespace("now")} and now.known_to is null and now.entity_id = any(array(select entity_id from learned))
      and coalesce(cast(now.entity_id as text) || now.normalised in (
          select cast(entity_id as text) || normalised from learned), false)
      and exists (select from mosshead.entities as entity
                  where {same_entity("entity", "now")} and entity.known_to is null and entity.name <> now.alias)
      and not {is_said_still("now.alias")}
    returning now.entity_id
"""

_TRAITS = f"""
    with recursive {_TAUGHT},
    told as (
        select made.entity_id,
               case when made.description is distinct from before.description then made.description end as description,
               case when made.parent_id is distinct from before.parent_id then made.parent_id end as parent_id
        from taught
        join mosshead.entities as made on {same_entity("made", "taught")} and made.made_by = taught.decision_id
        left join mosshead.entities as before on {same_entity("before", "made")} and before.ended_by = made.made_by
    ),
    {part_of("select entity_id from told union select parent_id from told where parent_id is not null")},
    learned as (
        select part_of.now_id as entity_id,
               array_agg(told.description) filter (where told.description is not null) as descriptions,
               array_agg(parent.now_id) filter (where parent.now_id is not null) as parents
        from told join part_of using (entity_id) left join part_of as parent on parent.entity_id = told.parent_id
        group by part_of.now_id
    ),
    kept as (
        select now.entity_id, now.name,
               case when now.description <> all(learned.descriptions) or {is_said_still("now.description")}
                    or learned.descriptions is null then now.description end as description,
               case when now.parent_id <> all(learned.parents) or {is_said_still("parent.name")}
                    or learned.parents is null then now.parent_id end as parent_id
        from learned
        join mosshead.entities as now on {same_entity("now", "learned")} and now.known_to is null
        left join mosshead.entities as parent
          on {of_namespace("parent")} and parent.entity_id = now.parent_id and parent.known_to is null
    )
    select entity_id, name, description, parent_id from kept
"""

# Separate: Citus translates ``insert … select`` with a recursive CTE wrongly for a worker.
_TOLD_ANEW = f"""
    with kept as materialized (
        select * from jsonb_to_recordset(%(kept)s) as one (entity_id uuid, name text, description text, parent_id uuid)
    ),
    {told_anew("kept")}
"""
