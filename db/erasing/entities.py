"""Of what is erased, what it told of entities: those of whom nothing else is known go. See `db.erasing.parts`."""

from typing import Final

from sqlalchemy import text

from db.undoing.entities import same_entity
from db.undoing.rows import of_lane

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_GONE: Final = "any(cast(:gone as uuid[]))"

TOUCHED: Final = text(f"""
    select distinct entity_id from recollect.memory_entities
    where {_LANE} and memory_id = any(cast(:memories as uuid[]) || cast(:repeated as uuid[]))
""")
"""Whom the memories are about."""

# Of a decision that was taken back, the rows that say what it taught are past already.
_TAUGHT: Final = f"""
    past.entity_id = any(cast(:touched as uuid[])) and past.known_to is not null and past.made_by in (
        select decision.decision_id
        from recollect.decision_memories as concerned
        join recollect.decisions as decision on {of_lane("decision")} and decision.decision_id = concerned.decision_id
        where {of_lane("concerned")} and concerned.memory_id = any(cast(:memories as uuid[]))
          and decision.action in ('add', 'update', 'supersede', 'contradict', 'none'))
"""

# What was unlearned stood in earlier rows of theirs, too.
UNLEARNED: Final = (
    (
        "entity_aliases",
        text(f"""
            delete from recollect.entity_aliases as past
            where {of_lane("past")} and {_TAUGHT} and not exists (
                select from recollect.entity_aliases as now
                where {same_entity("now", "past")} and now.known_to is null and now.normalised = past.normalised)
        """),
    ),
    (
        "entities",
        text(f"""
            update recollect.entities as past set description = null
            where {of_lane("past")} and {_TAUGHT} and past.description is not null and not exists (
                select from recollect.entities as now
                where {same_entity("now", "past")} and now.known_to is null and now.description = past.description)
        """),
    ),
    (
        "entity_aliases",
        text(f"""
            delete from recollect.entity_aliases as past using recollect.entity_aliases as ended
            where {same_entity("past", "ended")} and past.normalised = ended.normalised and past.known_to is not null
              and {of_lane("ended")} and ended.ended_by = :decision_id
        """),
    ),
    (
        "entities",
        text(f"""
            update recollect.entities as past set description = null
            from recollect.entities as ended
            join recollect.entities as now on {same_entity("now", "ended")} and now.made_by = :decision_id
            where {of_lane("ended")} and ended.ended_by = :decision_id and ended.description is distinct from now.description
              and {same_entity("past", "ended")} and past.known_to is not null and past.description = ended.description
        """),
    ),
)

ORPHANS: Final = text(f"""
    select distinct entity_id from recollect.entities as entity
    where {of_lane("entity")} and entity.entity_id = any(cast(:touched as uuid[])) and entity.key is null
      and not entity.is_user
      and not exists (select from recollect.memory_entities as link where {same_entity("link", "entity")})
      and not exists (
        select from recollect.relations as relation
        where {of_lane("relation")} and entity.entity_id in (relation.subject_id, relation.object_id))
      and not exists (
        select from recollect.entities as member where {of_lane("member")} and member.parent_id = entity.entity_id)
      and not exists (
        select from recollect.questions as question
        where {of_lane("question")} and entity.entity_id = any(question.candidates))
      and not exists (
        select from recollect.decisions as merge
        where {of_lane("merge")} and merge.action = 'merge' and merge.in_effect
          and merge.fact ->> 'into' = cast(entity.entity_id as text))
""")
"""Of whom nothing is left: no memory, no relation, no member, nobody that was merged into them; and no app named them."""

MEMBERS: Final = text(f"""
    select distinct entity_id from recollect.entities
    where {_LANE} and parent_id = {_GONE} and entity_id <> all(cast(:gone as uuid[]))
""")
"""Who belongs to those that go: their profiles say so."""

STATEMENTS: Final = (
    *(
        (table, text(f"delete from recollect.{table} where {_LANE} and entity_id = {_GONE}"))
        for table in ("examples", "memory_entities", "profiles", "entity_aliases", "entities")
    ),
    (
        "relations",
        text(f"delete from recollect.relations where {_LANE} and (subject_id = {_GONE} or object_id = {_GONE})"),
    ),
    (None, text(f"update recollect.entities set parent_id = null where {_LANE} and parent_id = {_GONE}")),
    # It tells the candidates apart by their names and what was known of them; whoever reads it is asked by what is known now.
    (
        None,
        text(f"""
            update recollect.questions set text = 'Which ' || mention || ' do you mean?'
            where {_LANE} and candidates && (cast(:gone as uuid[]) || cast(:left as uuid[]))
        """),
    ),
    (
        None,
        text(f"""
            update recollect.questions as question
            set candidates = array(select one from unnest(candidates) as one where one <> all(cast(:gone as uuid[])))
            where {_LANE} and candidates && cast(:gone as uuid[])
        """),
    ),
    (
        None,
        text(f"""
            update recollect.examples as example
            set others = array(select one from unnest(others) as one where one <> all(cast(:gone as uuid[])))
            where {_LANE} and others && cast(:gone as uuid[])
        """),
    ),
    (
        "embeddings",
        text(f"""
            delete from recollect.embeddings
            where {_LANE} and owner_kind = 'profile' and owner_id = any(cast(:gone as uuid[]) || cast(:left as uuid[]))
        """),
    ),
    (
        "profiles",
        text(f"""
            update recollect.profiles set summary = '', holds = null
            where {_LANE} and entity_id = any(cast(:left as uuid[]))
        """),
    ),
)
"""gone: entities to be deleted. left: those of whom something else is known; their profiles are made anew of that."""
