"""Of what is erased, names: of those who go, with those whom they were merged into and in what an app said of them; and of those
who stay, where nothing that stays calls them so. See `db.erasing.parts`.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, text

from db.undoing.entities import same_entity
from db.undoing.rows import of_lane
from db.unlearning import LETTER, is_said_still
from recollect.names import normalise

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_GONE: Final = "any(cast(:gone as uuid[]))"

# Who the gone became, where they were merged into others, be it for a while: their names went over to those.
_BECAME: Final = f"""
    became as (
        select one as entity_id from unnest(cast(:gone as uuid[])) as one
        union
        select cast(merge.fact ->> 'into' as uuid)
        from became join recollect.decisions as merge
          on {of_lane("merge")} and merge.action = 'merge' and merge.fact ->> 'entity_id' = cast(became.entity_id as text)
    )
"""

# An undo of what took a merge back makes the same names anew.
_ELSEWHERE: Final = f"""
    with recursive {_BECAME}
    delete from recollect.entity_aliases as now using became, recollect.decisions as merge
    where {of_lane("now")} and now.entity_id = became.entity_id and now.entity_id <> all(cast(:gone as uuid[]))
      and {of_lane("merge")} and merge.decision_id = now.made_by and merge.action in ('merge', 'undo')
      and not {is_said_still("now.alias")}
"""
_NAMES_ELSEWHERE: Final = text(f"""
    {_ELSEWHERE} and exists (
        select from recollect.entity_aliases as own
        where {of_lane("own")} and own.entity_id = {_GONE} and own.normalised = now.normalised)
""")
_NAME_ELSEWHERE: Final = text(f"{_ELSEWHERE} and now.normalised = :before")

# What an app said of them by its own hand, the id of whose event is the decision's; of what it brought, their lines and keys.
_COMMANDED: Final = f"""
    commanded as (
        select decision_id from recollect.decisions as decision
        where {of_lane("decision")} and decision.action in ('split', 'clarify')
          and (decision.entities && cast(:gone as uuid[]) or decision.fact ->> 'entity_id' = any(cast(:gone as text[])))
    )
"""
# Looked up once, and then by their keys: planned for a namespace of few rows, they would be looked up for each of many.
_OF_COMMANDED: Final = "any(array(select decision_id from commanded))"

_KEYS: Final = f"""
    keys as materialized (
        select array_agg(distinct key) as gone from recollect.entities
        where {_LANE} and entity_id = {_GONE} and key is not null
    )
"""


def _is_said(words: str) -> str:
    """Whether a memory about ``first`` that stays says some words, or a message that it came from does."""
    said = rf"~ ('(?<!{LETTER})' || regexp_replace(lower({words}), '(\W)', '\\\1', 'g') || '(?!{LETTER})')"
    return f"""
        exists (select from recollect.memory_entities as link
                where {same_entity("link", "first")} and (
                    exists (select from recollect.memories as memory
                            where {of_lane("memory")} and memory.memory_id = link.memory_id
                              and lower(memory.content) {said} offset 0)
                    or exists (select from recollect.memory_sources as source
                               where {of_lane("source")} and source.memory_id = link.memory_id
                                 and source.message_id <> all(cast(:messages as uuid[]))
                                 and lower(source.quote) {said} offset 0)))
    """


_CALLED: Final = text(f"""
    with first as (
        select distinct on (entity_id) * from recollect.entities as entity
        where {of_lane("entity")} and entity.entity_id = any(cast(:left as uuid[])) order by entity_id, known_from
    )
    select entity_id, name, coalesce(
        (select alias from recollect.entity_aliases as other
         where {same_entity("other", "first")} and other.known_to is null and other.alias <> first.name
           and {_is_said("other.alias")}
         order by length(alias) desc, alias limit 1),
        (select string_agg(word, ' ' order by place)
         from string_to_table(first.name, ' ') with ordinality as part (word, place) where {_is_said("part.word")}),
        entity_type) as called
    from first
    where key is null and not is_user and not {_is_said("first.name")} and exists (
        select from recollect.decision_memories as concerned
        where {of_lane("concerned")} and concerned.decision_id = first.made_by
          and concerned.memory_id = any(cast(:memories as uuid[])))
""")

_CALL: Final = text(f"update recollect.entities set name = :called where {_LANE} and entity_id = :entity_id")
_UNNAME: Final = text(f"""
    delete from recollect.entity_aliases where {_LANE} and entity_id = :entity_id and normalised in (:normalised, :before)
""")
_NAME: Final = text("""
    insert into recollect.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
    values (:tenant_id, :namespace_id, :entity_id, :called, :normalised)
""")


def call_anew(connection: Connection, parameters: Mapping[str, Any]) -> None:
    """Name whom an erased memory introduced, and of whom something else is known, as that does: by another of their names, by
    the words of the name that it says, or else by the kind of thing that they are. parameters: ``left``, ``memories``
    and ``messages``.
    """
    for row in connection.execute(_CALLED, parameters).all():
        names = {"called": row.called, "normalised": normalise(row.called), "before": normalise(row.name)}
        of_one = {**parameters, **names, "entity_id": row.entity_id, "gone": [row.entity_id]}
        for statement in (_CALL, _UNNAME, _NAME, _NAME_ELSEWHERE):
            connection.execute(statement, of_one)


STATEMENTS: Final = (
    ("entity_aliases", _NAMES_ELSEWHERE),
    (
        "events",
        text(f"""
            with {_COMMANDED}
            update recollect.events as event set type = 'erased', payload = jsonb_build_object('type', event.type)
            where {of_lane("event")} and event.event_id = {_OF_COMMANDED} and event.type <> 'erased'
        """),
    ),
    (
        "decisions",
        text(f"""
            with {_COMMANDED}
            update recollect.decisions as decision set fact = null, reason = 'erased'
            where {of_lane("decision")} and decision.decision_id = {_OF_COMMANDED}
        """),
    ),
    (
        "events",
        text(f"""
            with {_KEYS}
            update recollect.events as event
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
            update recollect.decisions as decision
            set fact = jsonb_set(decision.fact, '{{entities}}', (decision.fact -> 'entities') - keys.gone)
            from keys where {of_lane("decision")} and decision.fact -> 'entities' ?| keys.gone
        """),
    ),
)
"""The names of those that go, and what an app said of them; to be run while they are there still."""
