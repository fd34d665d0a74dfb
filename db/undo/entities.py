"""How the entities that a decision made, changed or ended are brought back to what they were. See `db.undo.rows`.

Whom consolidation introduced stays when that is taken back, for other memories may be about it; only what was learned of it goes
(``introduces``). Whom the app introduced, by a split or as somebody new, goes with the decision, if nothing else rests on it.
"""

from typing import Final

from db.keys import of_lane
from db.temporal import ENDED, begin
from db.undo.rows import no_more

_MADE = f"{of_lane('made')} and made.entity_id = any(cast(:entities as uuid[])) and made.made_by = :undone"
_ENDED = f"{of_lane('ended')} and ended.entity_id = any(cast(:entities as uuid[])) and ended.ended_by = :undone"


def same_entity(one: str, other: str) -> str:
    """That two rows of a namespace are of one entity."""
    return f"{of_lane(one)} and {one}.entity_id = {other}.entity_id"


_BEFORE = f"left join mosshead.entities as before on {same_entity('before', 'made')} and before.ended_by = :undone"
_NEW = f"""
    select made.entity_id from mosshead.entities as made {_BEFORE}
    where {_MADE} and before.entity_id is null and not :introduces
"""

MOVED_ON: Final = f"""
    (select 1 from mosshead.entities as made {_BEFORE}
     where {_MADE} and (made.description, made.parent_id) is distinct from (before.description, before.parent_id)
       and not exists (
         select from mosshead.entities as now where {same_entity("now", "made")} and now.known_to is null
           and (made.description is not distinct from before.description or now.description is not distinct from made.description)
           and (made.parent_id is not distinct from before.parent_id or now.parent_id is not distinct from made.parent_id)))
    union all
    (select 1 from ({_NEW}) as made where not exists (
        select from mosshead.entities as now where {same_entity("now", "made")} and now.known_to is null))
    union all
    (select 1 from mosshead.entities as ended where {_ENDED}
       and not exists (select from mosshead.entities as made where {same_entity("made", "ended")} and made.made_by = :undone)
       and exists (select from mosshead.entities as now where {same_entity("now", "ended")} and now.known_to is null))
"""
"""Finds an entity of which what the decision said does not hold any more."""


def _others(table: str, key: tuple[str, ...], names: str) -> str:
    """Finds who made the rows of a table that name an entity which would go, and that are not the decision's own."""
    same = " and ".join(f"made.{column} = now.{column}" for column in key)
    return f"""
        (select now.made_by from mosshead.{table} as now join ({_NEW}) as new on {names}
         where {of_lane("now")} and now.known_to is null and not exists (
             select from mosshead.{table} as made where {of_lane("made")} and {same} and made.made_by = :undone))
    """


RESTING_ON: Final = (
    _others("memory_entities", ("memory_id", "entity_id"), "now.entity_id = new.entity_id"),
    _others("relations", ("relation_id",), "new.entity_id in (now.subject_id, now.object_id)"),
    _others("entities", ("entity_id",), "now.parent_id = new.entity_id"),
    _others("examples", ("example_id",), "now.entity_id = new.entity_id"),
)

BELONGING_TO_NO_MORE: Final = f"""
    (select gone.ended_by from mosshead.entities as ended
     left join mosshead.entities as made on {same_entity("made", "ended")} and made.made_by = :undone
     cross join {no_more("ended.parent_id")} as gone
     where {_ENDED} and (made.entity_id is null or made.parent_id is distinct from ended.parent_id))
"""
"""Finds who ended an entity to which another would belong again."""


def told_anew(source: str) -> str:
    """Ends the rows of entities that say otherwise than a table of a statement, and begins those that say the same.

    source: the table, of entity_id, description and parent_id.
    """
    return f"""
        over as (
            update mosshead.entities as now set {ENDED} from {source}
            where {same_entity("now", source)} and now.known_to is null
              and (now.description, now.parent_id) is distinct from ({source}.description, {source}.parent_id)
            returning now.*, {source}.description as new_description, {source}.parent_id as new_parent_id
        )
        {begin("entities", description="new_description", parent_id="new_parent_id")} from over
    """


REVERSE: Final = f"""
    with learned as (
        select now.entity_id,
               case when made.description is distinct from before.description
                    then before.description else now.description end as description,
               case when made.parent_id is distinct from before.parent_id
                    then before.parent_id else now.parent_id end as parent_id
        from mosshead.entities as made
        join mosshead.entities as now on {same_entity("now", "made")} and now.known_to is null
        {_BEFORE}
        where {_MADE} and (before.entity_id is not null or :introduces)
    ),
    {told_anew("learned")};

    update mosshead.entities as now set {ENDED} from ({_NEW}) as made
    where {same_entity("now", "made")} and now.known_to is null;

    {begin("entities")} from mosshead.entities as ended where {_ENDED}
      and not exists (select from mosshead.entities as made where {same_entity("made", "ended")} and made.made_by = :undone)
"""
