"""Of what is erased, the names of those who stay: whom nothing that stays calls so is called anew. See `db.erasing.parts`."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, text

from db.erasing.names import NAME_ELSEWHERE
from db.undoing.entities import same_entity
from db.undoing.rows import of_lane
from db.unlearning import LETTER
from mosshead.names import normalise

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"

# Whom an app split off without giving a name bears that of whom they were split off from. They have the id of its decision.
_NAMELESS: Final = f"""
    nameless as materialized (
        select decision_id as entity_id, cast(split.fact ->> 'entity_id' as uuid) as of_id from mosshead.decisions as split
        where {of_lane("split")} and split.action = 'split' and not split.fact ? 'name'
    )
"""

SHARING: Final = text(f"""
    with recursive {_NAMELESS},
    sharing as materialized (
        select of_id as giver_id, entity_id from nameless
        union all
        select cast(merge.fact ->> 'into' as uuid), cast(merge.fact ->> 'entity_id' as uuid) from mosshead.decisions as merge
        where {of_lane("merge")} and merge.action = 'merge'
    ),
    found as (
        select one as entity_id from unnest(cast(:touched as uuid[])) as one
        union
        select sharing.entity_id from found join sharing on sharing.giver_id = found.entity_id
    )
    select entity_id from found
""")
"""Some entities, with those who share names with them: whom an app split off and gave none, and who was ever merged into them."""


def _is_said(words: str) -> str:
    """Whether a memory that stays says some words, or a message that it came from does: one about those whose name it is."""
    said = rf"~ ('(?<!{LETTER})' || regexp_replace(lower({words}), '(\W)', '\\\1', 'g') || '(?!{LETTER})')"
    return f"""
        exists (select from mosshead.memory_entities as link
                where {of_lane("link")} and link.entity_id = any(named.givers) and (
                    exists (select from mosshead.memories as memory
                            where {of_lane("memory")} and memory.memory_id = link.memory_id
                              and lower(memory.content) {said} offset 0)
                    or exists (select from mosshead.memory_sources as source
                               where {of_lane("source")} and source.memory_id = link.memory_id
                                 and source.message_id <> all(cast(:messages as uuid[]))
                                 and lower(source.quote) {said} offset 0)))
    """


# What was erased earlier brought its names, too: they stayed where others said them then. An answer that it is somebody new gives
# them the name that was asked about.
_CALLED: Final = text(f"""
    with recursive {_NAMELESS},
    named_by as (
        select one as entity_id, one as giver_id from unnest(cast(:left as uuid[])) as one
        union
        select named_by.entity_id, nameless.of_id from named_by join nameless on nameless.entity_id = named_by.giver_id
    ),
    introduced as (
        select distinct on (entity_id) * from mosshead.entities as entity
        where {of_lane("entity")} and entity.entity_id = any(array(select giver_id from named_by)) order by entity_id, known_from
    ),
    brought as (
        select entity.entity_id from introduced as entity
        join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = entity.made_by
        where decision.decision_id = any(cast(:learned as uuid[])) or decision.fact is null and decision.reason = 'erased'
           or decision.action = 'clarify' and not exists (
                select from mosshead.decision_memories as concerned
                where {of_lane("concerned")} and concerned.decision_id = decision.decision_id
                  and concerned.memory_id <> all(cast(:memories as uuid[]) || cast(:repeated as uuid[])))
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
""")

_CALL: Final = text(f"update mosshead.entities set name = :called where {_LANE} and entity_id = :entity_id")
_UNNAME: Final = text(f"""
    delete from mosshead.entity_aliases where {_LANE} and entity_id = :entity_id and normalised in (:normalised, :before)
""")
_NAME: Final = text("""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
    values (:tenant_id, :namespace_id, :entity_id, :called, :normalised)
""")


def call_anew(connection: Connection, parameters: Mapping[str, Any]) -> None:
    """Name those of whom something else is known, and whose name was brought by what is erased, as that does: by another of
    their names, by the words of the name that it says, or else by the kind of thing that they are.

    parameters: a part's, with ``left`` and ``learned``. To be run after the statements of `db.erasing.names`, which tell whom an
    app split off from those who go.
    """
    for row in connection.execute(_CALLED, parameters).all():
        names = {"called": row.called, "normalised": normalise(row.called), "before": normalise(row.name)}
        of_one = {**parameters, **names, "entity_id": row.entity_id, "gone": [row.entity_id]}
        for statement in (_CALL, _UNNAME, _NAME, NAME_ELSEWHERE):
            connection.execute(statement, of_one)
