"""Of what is erased, the names of those who go: with those whom they were merged into, and in what an app said of them. Of those
who stay see `db.erasing.calling`, and of all of it `db.erasing.parts`.
"""

from typing import Final

from sqlalchemy import text

from db.undoing.rows import of_lane
from db.unlearning import is_said_still

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_GONE: Final = "any(cast(:gone as uuid[]))"

# Who the gone became, where they were merged into others, be it for a while: their names went over to those.
_BECAME: Final = f"""
    became as (
        select one as entity_id from unnest(cast(:gone as uuid[])) as one
        union
        select cast(merge.fact ->> 'into' as uuid)
        from became join mosshead.decisions as merge
          on {of_lane("merge")} and merge.action = 'merge' and merge.fact ->> 'entity_id' = cast(became.entity_id as text)
    )
"""

# An undo of what took a merge back makes the same names anew.
_ELSEWHERE: Final = f"""
    with recursive {_BECAME}
    delete from mosshead.entity_aliases as now using became, mosshead.decisions as merge
    where {of_lane("now")} and now.entity_id = became.entity_id and now.entity_id <> all(cast(:gone as uuid[]))
      and {of_lane("merge")} and merge.decision_id = now.made_by and merge.action in ('merge', 'undo')
      and not {is_said_still("now.alias")}
"""
_NAMES_ELSEWHERE: Final = text(f"""
    {_ELSEWHERE} and exists (
        select from mosshead.entity_aliases as own
        where {of_lane("own")} and own.entity_id = {_GONE} and own.normalised = now.normalised)
""")
NAME_ELSEWHERE: Final = text(f"{_ELSEWHERE} and now.normalised = :before")
"""The name ``before`` of those who are given as ``gone``."""

# What an app said of them by its own hand, the id of whose event is the decision's; of what it brought, their lines and keys.
_COMMANDED: Final = f"""
    commanded as (
        select decision_id from mosshead.decisions as decision
        where {of_lane("decision")} and decision.action in ('split', 'clarify')
          and (decision.entities && cast(:gone as uuid[]) or decision.fact ->> 'entity_id' = any(cast(:gone as text[])))
    )
"""
# Looked up once, and then by their keys: planned for a namespace of few rows, they would be looked up for each of many.
_OF_COMMANDED: Final = "any(array(select decision_id from commanded))"

_KEYS: Final = f"""
    keys as materialized (
        select array_agg(distinct key) as gone from mosshead.entities
        where {_LANE} and entity_id = {_GONE} and key is not null
    )
"""


NAME_STATEMENTS: Final = (
    ("entity_aliases", _NAMES_ELSEWHERE),
    (
        "events",
        text(f"""
            with {_COMMANDED}
            update mosshead.events as event set type = 'erased', payload = jsonb_build_object('type', event.type)
            where {of_lane("event")} and event.event_id = {_OF_COMMANDED} and event.type <> 'erased'
        """),
    ),
    (
        # Whom an app split off has the id of its event. Where they stay, so does that it gave them their name.
        "decisions",
        text(f"""
            with {_COMMANDED}
            update mosshead.decisions as decision set reason = 'erased', fact = case
                when decision.fact ? 'name' and decision.decision_id <> all(cast(:gone as uuid[]))
                then jsonb_build_object('name', decision.fact -> 'name') end
            where {of_lane("decision")} and decision.decision_id = {_OF_COMMANDED}
        """),
    ),
    (
        "events",
        text(f"""
            with {_KEYS}
            update mosshead.events as event
            set payload = jsonb_set(event.payload, '{{entities}}', coalesce(
                (select jsonb_agg(case when line ->> 'parent' = any(keys.gone) then line - 'parent' else line end order by place)
                 from jsonb_array_elements(event.payload -> 'entities') with ordinality as brought (line, place)
                 where not line ->> 'key' = any(keys.gone)), '[]'))
            from keys
            where {of_lane("event")} and event.type = 'import'
              and jsonb_path_query_array(event.payload, '$.entities[*].*') ?| keys.gone
        """),
    ),
    (
        "decisions",
        text(f"""
            with {_KEYS}
            update mosshead.decisions as decision
            set fact = jsonb_set(decision.fact, '{{entities}}', (decision.fact -> 'entities') - keys.gone)
            from keys where {of_lane("decision")} and decision.fact -> 'entities' ?| keys.gone
        """),
    ),
)
"""The names of those that go, and what an app said of them; to be run while they are there still."""
