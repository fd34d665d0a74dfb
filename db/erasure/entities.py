"""Erase what the erased part said about entities, and entities about which nothing else is known. See `db.erasure.scopes`."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection

from db.erasure.memories import TOLD
from db.keys import same_entity
from db.unlearn import FORMING, LETTER, decided_on, is_said_still, part_of
from mosshead.language.names import normalise
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace

_GONE: Final = "any(%(gone)s::uuid[])"

TOUCHED: Final = f"""
    select distinct entity_id from mosshead.memory_entities
    where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[] || %(repeated)s::uuid[])
"""
"""The entities that the memories are about."""

LEARNED: Final = f"""
    with {TOLD}
    select decision_id from ({decided_on("any(%(memories)s::uuid[])")}) as erased
    union
    select decision_id from ({decided_on("any(%(repeated)s::uuid[])")}) as repeated
    where repeated.decision_id = any(array(select decision_id from told))
    union
    select decision_id from mosshead.decisions as decision
    where {of_namespace("decision")} and decision.fact is null and decision.reason = 'erased' and decision.action in ({FORMING})
      and decision.entities && %(touched)s::uuid[]
"""
"""The decisions that may have taught something: of memories that stay, those that used erased messages; of the ``touched``, also
those erased earlier, because what others also said then was kept.
"""

# The rows that an undone decision taught are already past; so are those of merged entities, and of their temporary targets.
_WERE: Final = part_of("select unnest(%(touched)s::uuid[]) as entity_id", ever=True)
_MADE: Final = f"""{same_entity("made", "part_of")} and made.made_by = any(%(learned)s::uuid[])"""


def _holds(table: str, what: str) -> str:
    """Return SQL for whether the current entity of ``part_of`` has ``what`` of the row ``past``."""
    return f"""
        exists (select from part_of as other
                join mosshead.{table} as now on {of_namespace("now")} and now.entity_id = other.now_id
                where other.entity_id = part_of.entity_id and now.known_to is null and now.{what} = past.{what})
    """


# Their earlier rows also held what was unlearned.
UNLEARNED: Final = f"""
    with recursive {_WERE}
    delete from mosshead.entity_aliases as past using part_of join mosshead.entity_aliases as made on {_MADE}
    where {of_namespace("past")} and past.entity_id = part_of.now_id and past.known_to is not null
      and past.normalised = made.normalised and not {_holds("entity_aliases", "normalised")};

    with recursive {_WERE}
    update mosshead.entities as past set description = null
    from part_of join mosshead.entities as made on {_MADE}
    left join mosshead.entities as before on {same_entity("before", "made")} and before.ended_by = made.made_by
    where {of_namespace("past")} and past.entity_id = part_of.now_id and past.known_to is not null
      and made.description is distinct from before.description
      and past.description = made.description and not {_holds("entities", "description")};

    delete from mosshead.entity_aliases as past using mosshead.entity_aliases as ended
    where {same_entity("past", "ended")} and past.normalised = ended.normalised and past.known_to is not null
      and {of_namespace("ended")} and ended.ended_by = %(decision_id)s;

    update mosshead.entities as past set description = null
    from mosshead.entities as ended
    join mosshead.entities as now on {same_entity("now", "ended")} and now.made_by = %(decision_id)s
    where {of_namespace("ended")} and ended.ended_by = %(decision_id)s and ended.description is distinct from now.description
      and {same_entity("past", "ended")} and past.known_to is not null and past.description = ended.description
"""

ORPHANS: Final = f"""
    with merged_into as materialized (
        select cast(merge.fact ->> 'into' as uuid) as entity_id from mosshead.decisions as merge
        where {of_namespace("merge")} and merge.action = 'merge' and merge.in_effect and merge.fact ->> 'entity_id' = any(array(
            select cast(entity_id as text) from mosshead.entities where {OF_NAMESPACE} and entity_id <> all(%(gone)s::uuid[])))
    )
    select distinct entity_id from mosshead.entities as entity
    where {of_namespace("entity")} and entity.entity_id = any(%(touched)s::uuid[]) and entity.key is null
      and not entity.is_user
      and not exists (select from mosshead.memory_entities as link where {same_entity("link", "entity")})
      and not exists (
        select from mosshead.relations as relation
        where {of_namespace("relation")} and entity.entity_id in (relation.subject_id, relation.object_id))
      and not exists (
        select from mosshead.entities as member
        where {of_namespace("member")} and member.parent_id = entity.entity_id and member.entity_id <> all(%(gone)s::uuid[]))
      and not exists (
        select from mosshead.questions as question
        where {of_namespace("question")} and entity.entity_id = any(question.candidates))
      and entity.entity_id <> all(array(select entity_id from merged_into))
"""
"""Entities with nothing left: no memory, relation, remaining member or entity merged into them, and no name from an app. Run it
until it finds none: each may be all that another had.
"""

MEMBERS: Final = f"""
    select distinct entity_id from mosshead.entities
    where {OF_NAMESPACE} and parent_id = {_GONE} and entity_id <> all(%(gone)s::uuid[])
"""
"""The members of deleted entities, whose profiles mention them."""

STATEMENTS: Final = f"""
    delete from mosshead.examples where {OF_NAMESPACE} and entity_id = {_GONE};
    delete from mosshead.memory_entities where {OF_NAMESPACE} and entity_id = {_GONE};
    delete from mosshead.profiles where {OF_NAMESPACE} and entity_id = {_GONE};
    delete from mosshead.entity_aliases where {OF_NAMESPACE} and entity_id = {_GONE};
    delete from mosshead.entities where {OF_NAMESPACE} and entity_id = {_GONE};
    delete from mosshead.relations where {OF_NAMESPACE} and (subject_id = {_GONE} or object_id = {_GONE});

    -- kept
    update mosshead.entities set parent_id = null where {OF_NAMESPACE} and parent_id = {_GONE};

    -- kept, but a question tells the candidates apart by their names and what was known of them: it is put by what is known now
    update mosshead.questions set text = 'Which ' || mention || ' do you mean?'
    where {OF_NAMESPACE} and candidates && (%(gone)s::uuid[] || %(left)s::uuid[]);

    -- kept
    update mosshead.questions as question
    set candidates = array(select one from unnest(candidates) as one where one <> all(%(gone)s::uuid[]))
    where {OF_NAMESPACE} and candidates && %(gone)s::uuid[];

    -- kept
    update mosshead.examples as example
    set others = array(select one from unnest(others) as one where one <> all(%(gone)s::uuid[]))
    where {OF_NAMESPACE} and others && %(gone)s::uuid[];

    delete from mosshead.embeddings
    where {OF_NAMESPACE} and owner_kind = 'profile' and owner_id = any(%(gone)s::uuid[] || %(left)s::uuid[]);

    update mosshead.profiles set summary = '', holds = null where {OF_NAMESPACE} and entity_id = any(%(left)s::uuid[])
"""
"""gone: entities to be deleted. left: those about which something else is known; their profiles are rebuilt from that."""

# An entity that an app split off without a name has the name of its origin. Its id is that of the decision.
_NAMELESS: Final = f"""
    nameless as materialized (
        select decision_id as entity_id, cast(split.fact ->> 'entity_id' as uuid) as of_id from mosshead.decisions as split
        where {of_namespace("split")} and split.action = 'split' and not split.fact ? 'name'
    )
"""

SHARING: Final = f"""
    with recursive {_NAMELESS},
    sharing as materialized (
        select of_id as giver_id, entity_id from nameless
        union all
        select cast(merge.fact ->> 'into' as uuid), cast(merge.fact ->> 'entity_id' as uuid) from mosshead.decisions as merge
        where {of_namespace("merge")} and merge.action = 'merge'
    ),
    found as (
        select one as entity_id from unnest(%(touched)s::uuid[]) as one
        union
        select sharing.entity_id from found join sharing on sharing.giver_id = found.entity_id
    )
    select entity_id from found
"""
"""Entities with those that share their names: unnamed ones split off from them, and those ever merged into them."""


def _is_said(words: str) -> str:
    """Return SQL for whether a remaining memory about the entity, or one of its messages, contains the words of a name."""
    said = rf"~ ('(?<!{LETTER})' || regexp_replace(lower({words}), '(\W)', '\\\1', 'g') || '(?!{LETTER})')"
    return f"""
        exists (select from mosshead.memory_entities as link
                where {of_namespace("link")} and link.entity_id = any(named.givers) and (
                    exists (select from mosshead.memories as memory
                            where {of_namespace("memory")} and memory.memory_id = link.memory_id
                              and lower(memory.content) {said} offset 0)
                    or exists (select from mosshead.memory_sources as source
                               where {of_namespace("source")} and source.memory_id = link.memory_id
                                 and source.message_id <> all(%(messages)s::uuid[])
                                 and lower(source.quote) {said} offset 0)))
    """


def call_anew(connection: Connection, parameters: Mapping[str, Any]) -> None:
    """Rename remaining entities whose name came from erased content: to another of their names, to the words of the name in what
    remains, or else to their type.

    parameters: a part's, with ``left`` and ``learned``. Run it after STATEMENTS, which separate split-off entities from deleted
    ones.
    """
    # Earlier erasures kept the names that others also said then. An answer of "somebody new" gives the name in question.
    found = Sql(f"""
        with recursive {_NAMELESS},
        named_by as (
            select one as entity_id, one as giver_id from unnest(%(left)s::uuid[]) as one
            union
            select named_by.entity_id, nameless.of_id from named_by join nameless on nameless.entity_id = named_by.giver_id
        ),
        introduced as (
            select distinct on (entity_id) * from mosshead.entities as entity
            where {of_namespace("entity")} and entity.entity_id = any(array(select giver_id from named_by))
            order by entity_id, known_from
        ),
        brought as (
            select entity.entity_id from introduced as entity
            join mosshead.decisions as decision on {of_namespace("decision")} and decision.decision_id = entity.made_by
            where decision.decision_id = any(%(learned)s::uuid[]) or decision.fact is null and decision.reason = 'erased'
               or decision.action = 'clarify' and not exists (
                    select from mosshead.decision_memories as concerned
                    where {of_namespace("concerned")} and concerned.decision_id = decision.decision_id
                      and concerned.memory_id <> all(%(memories)s::uuid[] || %(repeated)s::uuid[]))
        ),
        named as materialized (
            select entity_id, array_agg(giver_id) as givers from named_by
            group by entity_id having bool_or(giver_id in (select entity_id from brought))
        )
        select first.entity_id, name, coalesce(
            (select alias from mosshead.entity_aliases as other
             where {same_entity("other", "first")} and other.known_to is null and other.alias <> first.name
               and {_is_said("other.alias")}
             order by length(alias) desc, alias limit 1),
            (select string_agg(word, ' ' order by place)
             from string_to_table(first.name, ' ') with ordinality as part (word, place) where {_is_said("part.word")}),
            entity_type) as called
        from named join introduced as first using (entity_id)
        where key is null and not is_user and not {_is_said("first.name")}
    """).rows(connection, parameters)
    for row in found:
        names = {"called": row.called, "normalised": normalise(row.called), "before": normalise(row.name)}
        Sql(f"""
            update mosshead.entities set name = %(called)s where {OF_NAMESPACE} and entity_id = %(entity_id)s;

            delete from mosshead.entity_aliases
            where {OF_NAMESPACE} and entity_id = %(entity_id)s and normalised in (%(normalised)s, %(before)s);

            insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
            values (%(tenant_id)s, %(namespace_id)s, %(entity_id)s, %(called)s, %(normalised)s);

            {_ELSEWHERE} and now.normalised = %(before)s
        """).run(connection, parameters, entity_id=row.entity_id, gone=[row.entity_id], **names)


# Merges, even temporary ones, moved the names of the gone to others. Undoing the undo of a merge makes the same names again.
_ELSEWHERE: Final = f"""
    with recursive {part_of("select unnest(%(gone)s::uuid[]) as entity_id", ever=True)}
    delete from mosshead.entity_aliases as now using part_of, mosshead.decisions as merge
    where {of_namespace("now")} and now.entity_id = part_of.now_id and now.entity_id <> all(%(gone)s::uuid[])
      and {of_namespace("merge")} and merge.decision_id = now.made_by and merge.action in ('merge', 'undo')
      and not {is_said_still("now.alias")}
"""

# The app's own statements about them, whose event id is the decision's; of imports, their lines and keys.
_COMMANDED: Final = f"""
    commanded as (
        select decision_id from mosshead.decisions as decision
        where {of_namespace("decision")} and decision.action in ('split', 'clarify')
          and (decision.entities && %(gone)s::uuid[] or decision.fact ->> 'entity_id' = any(%(gone)s::text[]))
    )
"""

# Found once, then used by key: the plan for an average, small namespace would repeat the lookup for each row.
_OF_COMMANDED: Final = "any(array(select decision_id from commanded))"

_KEYS: Final = f"""
    keys as materialized (
        select array_agg(distinct key) as gone from mosshead.entities
        where {OF_NAMESPACE} and entity_id = {_GONE} and key is not null
    )
"""

NAME_STATEMENTS: Final = f"""
    {_ELSEWHERE} and exists (
        select from mosshead.entity_aliases as own
        where {of_namespace("own")} and own.entity_id = {_GONE} and own.normalised = now.normalised);

    with {_COMMANDED}
    update mosshead.events as event set type = 'erased', payload = (select jsonb_build_object('type', event.type))
    where {of_namespace("event")} and event.event_id = {_OF_COMMANDED} and event.type <> 'erased';

    -- Whom an app split off has the id of its event. Where they stay, so does that it gave them their name.
    with {_COMMANDED}
    update mosshead.decisions as decision set reason = 'erased', fact = (select case
        when decision.fact ? 'name' and decision.decision_id <> all(%(gone)s::uuid[])
        then jsonb_build_object('name', decision.fact -> 'name') end)
    where {of_namespace("decision")} and decision.decision_id = {_OF_COMMANDED};

    with {_KEYS}
    update mosshead.events as event
    set payload = (select jsonb_set(event.payload, '{{entities}}', coalesce(
        (select jsonb_agg(case when line ->> 'parent' = any(keys.gone) then line - 'parent' else line end order by place)
         from jsonb_array_elements(event.payload -> 'entities') with ordinality as brought (line, place)
         where not line ->> 'key' = any(keys.gone)), '[]')))
    from keys
    where {of_namespace("event")} and event.type = 'import'
      and jsonb_path_query_array(event.payload, '$.entities[*].*') ?| keys.gone;

    with {_KEYS}
    update mosshead.decisions as decision
    set fact = jsonb_set(decision.fact, '{{entities}}', (decision.fact -> 'entities') - keys.gone)
    from keys where {of_namespace("decision")} and decision.fact -> 'entities' ?| keys.gone
"""
"""The names of deleted entities, and what an app said about them. Run it before they are deleted."""
