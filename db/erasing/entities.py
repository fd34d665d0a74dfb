"""Of what is erased, what it told of entities: those of whom nothing else is known go. See `db.erasing.parts`."""

from typing import Final

from sqlalchemy import text

from db.erasing.told import TOLD
from db.undoing.entities import same_entity
from db.undoing.rows import of_lane
from db.unlearning import FORMING, decided_on, part_of

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_GONE: Final = "any(cast(:gone as uuid[]))"

TOUCHED: Final = text(f"""
    select distinct entity_id from mosshead.memory_entities
    where {_LANE} and memory_id = any(cast(:memories as uuid[]) || cast(:repeated as uuid[]))
""")
"""Whom the memories are about."""

LEARNED: Final = text(f"""
    with {TOLD}
    select decision_id from ({decided_on("any(cast(:memories as uuid[]))")}) as erased
    union
    select decision_id from ({decided_on("any(cast(:repeated as uuid[]))")}) as repeated
    where repeated.decision_id = any(array(select decision_id from told))
    union
    select decision_id from mosshead.decisions as decision
    where {of_lane("decision")} and decision.fact is null and decision.reason = 'erased' and decision.action in ({FORMING})
      and decision.entities && cast(:touched as uuid[])
""")
"""The decisions by which something may have been learned: of memories that stay, those that erased messages had a part in; and of
the ``touched``, those erased earlier, for what they taught stayed where others said it then.
"""

# Of a decision that was taken back, the rows that say what it taught are past already; so are those of who was merged into
# somebody, and of whom they were merged into for a while.
_WERE: Final = part_of("select unnest(cast(:touched as uuid[])) as entity_id", ever=True)
_MADE: Final = f"""{same_entity("made", "part_of")} and made.made_by = any(cast(:learned as uuid[]))"""


def _holds(table: str, what: str) -> str:
    """Whether somebody whom ``part_of`` became bears ``what`` of the row ``past`` now."""
    return f"""
        exists (select from part_of as other
                join mosshead.{table} as now on {of_lane("now")} and now.entity_id = other.now_id
                where other.entity_id = part_of.entity_id and now.known_to is null and now.{what} = past.{what})
    """


# What was unlearned stood in earlier rows of theirs, too.
UNLEARNED: Final = (
    (
        "entity_aliases",
        text(f"""
            with recursive {_WERE}
            delete from mosshead.entity_aliases as past using part_of join mosshead.entity_aliases as made on {_MADE}
            where {of_lane("past")} and past.entity_id = part_of.now_id and past.known_to is not null
              and past.normalised = made.normalised and not {_holds("entity_aliases", "normalised")}
        """),
    ),
    (
        "entities",
        text(f"""
            with recursive {_WERE}
            update mosshead.entities as past set description = null
            from part_of join mosshead.entities as made on {_MADE}
            left join mosshead.entities as before on {same_entity("before", "made")} and before.ended_by = made.made_by
            where {of_lane("past")} and past.entity_id = part_of.now_id and past.known_to is not null
              and made.description is distinct from before.description
              and past.description = made.description and not {_holds("entities", "description")}
        """),
    ),
    (
        "entity_aliases",
        text(f"""
            delete from mosshead.entity_aliases as past using mosshead.entity_aliases as ended
            where {same_entity("past", "ended")} and past.normalised = ended.normalised and past.known_to is not null
              and {of_lane("ended")} and ended.ended_by = :decision_id
        """),
    ),
    (
        "entities",
        text(f"""
            update mosshead.entities as past set description = null
            from mosshead.entities as ended
            join mosshead.entities as now on {same_entity("now", "ended")} and now.made_by = :decision_id
            where {of_lane("ended")} and ended.ended_by = :decision_id and ended.description is distinct from now.description
              and {same_entity("past", "ended")} and past.known_to is not null and past.description = ended.description
        """),
    ),
)

ORPHANS: Final = text(f"""
    with merged_into as materialized (
        select cast(merge.fact ->> 'into' as uuid) as entity_id from mosshead.decisions as merge
        where {of_lane("merge")} and merge.action = 'merge' and merge.in_effect and merge.fact ->> 'entity_id' = any(array(
            select cast(entity_id as text) from mosshead.entities where {_LANE} and entity_id <> all(cast(:gone as uuid[]))))
    )
    select distinct entity_id from mosshead.entities as entity
    where {of_lane("entity")} and entity.entity_id = any(cast(:touched as uuid[])) and entity.key is null
      and not entity.is_user
      and not exists (select from mosshead.memory_entities as link where {same_entity("link", "entity")})
      and not exists (
        select from mosshead.relations as relation
        where {of_lane("relation")} and entity.entity_id in (relation.subject_id, relation.object_id))
      and not exists (
        select from mosshead.entities as member
        where {of_lane("member")} and member.parent_id = entity.entity_id and member.entity_id <> all(cast(:gone as uuid[])))
      and not exists (
        select from mosshead.questions as question
        where {of_lane("question")} and entity.entity_id = any(question.candidates))
      and entity.entity_id <> all(array(select entity_id from merged_into))
""")
"""Of whom nothing is left: no memory, no relation, no member that stays, nor anybody that was merged into them; and no app named
them. Again and again, until nobody is: each may be all that another had.
"""

MEMBERS: Final = text(f"""
    select distinct entity_id from mosshead.entities
    where {_LANE} and parent_id = {_GONE} and entity_id <> all(cast(:gone as uuid[]))
""")
"""Who belongs to those that go: their profiles say so."""

STATEMENTS: Final = (
    *(
        (table, text(f"delete from mosshead.{table} where {_LANE} and entity_id = {_GONE}"))
        for table in ("examples", "memory_entities", "profiles", "entity_aliases", "entities")
    ),
    (
        "relations",
        text(f"delete from mosshead.relations where {_LANE} and (subject_id = {_GONE} or object_id = {_GONE})"),
    ),
    (None, text(f"update mosshead.entities set parent_id = null where {_LANE} and parent_id = {_GONE}")),
    # It tells the candidates apart by their names and what was known of them; whoever reads it is asked by what is known now.
    (
        None,
        text(f"""
            update mosshead.questions set text = 'Which ' || mention || ' do you mean?'
            where {_LANE} and candidates && (cast(:gone as uuid[]) || cast(:left as uuid[]))
        """),
    ),
    (
        None,
        text(f"""
            update mosshead.questions as question
            set candidates = array(select one from unnest(candidates) as one where one <> all(cast(:gone as uuid[])))
            where {_LANE} and candidates && cast(:gone as uuid[])
        """),
    ),
    (
        None,
        text(f"""
            update mosshead.examples as example
            set others = array(select one from unnest(others) as one where one <> all(cast(:gone as uuid[])))
            where {_LANE} and others && cast(:gone as uuid[])
        """),
    ),
    (
        "embeddings",
        text(f"""
            delete from mosshead.embeddings
            where {_LANE} and owner_kind = 'profile' and owner_id = any(cast(:gone as uuid[]) || cast(:left as uuid[]))
        """),
    ),
    (
        "profiles",
        text(f"""
            update mosshead.profiles set summary = '', holds = null
            where {_LANE} and entity_id = any(cast(:left as uuid[]))
        """),
    ),
)
"""gone: entities to be deleted. left: those of whom something else is known; their profiles are made anew of that."""
