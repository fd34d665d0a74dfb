"""Of what is erased, the memories, with what hangs on them and what the log saw of them. See `db.erasing.parts`."""

from typing import Final

from sqlalchemy import text

from db.undoing.rows import of_lane

EPISODE: Final = "Episode"
"""The name of the record that makes a memory one; it tells of a whole conversation."""

_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_ERASED: Final = "any(cast(:memories as uuid[]))"
_REPEATED: Final = "any(cast(:repeated as uuid[]))"

# A fact names its messages by their places among those of its batch, from 1. The shells of erased ones keep theirs.
_TOLD: Final = f"""
    numbered as (
        select event.batch_id, event.event_id, row_number() over (partition by event.batch_id order by event.place) as number
        from recollect.events as event
        where {of_lane("event")} and event.payload ->> 'type' = 'message' and event.batch_id in (
            select batch_id from recollect.events
            where {_LANE} and event_id = any(cast(:messages as uuid[])) and batch_id is not null)
    ),
    told as (
        select decision.decision_id, bool_and(numbered.event_id = any(cast(:messages as uuid[]))) as alone
        from recollect.decisions as decision
        cross join lateral jsonb_array_elements_text(
            case jsonb_typeof(decision.fact -> 'sources') when 'array' then decision.fact -> 'sources' else '[]' end) as source
        join numbered on numbered.batch_id = decision.batch_id and numbered.number = cast(source.value as bigint)
        where {of_lane("decision")} and decision.batch_id in (select batch_id from numbered)
          and decision.fact #>> '{{record,name}}' is distinct from '{EPISODE}'
        group by decision.decision_id having bool_or(numbered.event_id = any(cast(:messages as uuid[])))
    )
"""

# Versions of a memory that stays whose words nobody else brought: an update by what was said there.
_VERSIONS = text(f"""
    with {_TOLD},
    brought as (
        select memory.memory_id, memory.version, memory.content, coalesce(told.alone, false) as alone
        from recollect.memories as memory left join told on told.decision_id = memory.made_by
        where {of_lane("memory")} and memory.memory_id = {_REPEATED}
    )
    delete from recollect.memories as gone using brought
    where {of_lane("gone")} and gone.memory_id = brought.memory_id and gone.version = brought.version and not exists (
        select from brought as other
        where other.memory_id = brought.memory_id and other.content = brought.content and not other.alone)
""")

# The last one that others brought holds again.
_LAST_VERSION = text(f"""
    update recollect.memories as last set known_to = null, ended_by = null
    where {of_lane("last")} and last.memory_id = {_REPEATED} and last.known_to is not null and not exists (
        select from recollect.memories as later
        where {of_lane("later")} and later.memory_id = last.memory_id and later.version > last.version)
""")

_VECTORS = text(f"""
    delete from recollect.embeddings as vector
    where {of_lane("vector")} and vector.owner_kind in ('memory', 'past_memory') and (
        vector.owner_id = {_ERASED}
        or vector.owner_id = {_REPEATED} and not exists (
            select from recollect.memories as memory
            where {of_lane("memory")} and memory.memory_id = vector.owner_id and memory.version = vector.version))
""")

_LAST_VECTOR = text(f"""
    update recollect.embeddings as vector set owner_kind = 'memory'
    from recollect.memories as memory
    where {of_lane("vector")} and vector.owner_kind = 'past_memory' and vector.owner_id = {_REPEATED}
      and {of_lane("memory")} and memory.memory_id = vector.owner_id and memory.known_to is null and memory.state = 'active'
      and vector.version = (
        select max(latest.version) from recollect.embeddings as latest
        where {of_lane("latest")} and latest.model = vector.model and latest.owner_id = vector.owner_id
          and latest.owner_kind in ('memory', 'past_memory'))
""")

# What made and changed them, what was decided of what was said there and became no memory, and what documents took from there.
_DECISIONS = text(f"""
    with {_TOLD}
    update recollect.decisions as decision
    set fact = null, candidates = '[]', reason = 'erased', refused = case when refused is not null then 'erased' end
    where {of_lane("decision")} and (
        decision.decision_id in (select decision_id from told)
        or decision.action = 'document' and decision.fact -> 'messages' ?| cast(cast(:messages as uuid[]) as text[])
        or decision.action in ('add', 'update', 'supersede', 'contradict', 'none', 'forget') and exists (
            select from recollect.decision_memories as concerned
            where {of_lane("concerned")} and concerned.memory_id = {_ERASED}
              and concerned.decision_id = decision.decision_id))
""")

# What an app put down or closed by its own hand: the decision has the event's id.
_BY_HAND = text(f"""
    update recollect.events as event
    set type = 'erased', payload = jsonb_build_object('type', event.type)
    where {of_lane("event")} and event.type in ('remember', 'forget') and event.event_id in (
        select decision_id from recollect.decision_memories where {_LANE} and memory_id = {_ERASED})
""")

# Of what was brought from elsewhere, the lines of these.
_IMPORTED = text(f"""
    with keys as (
        select array_agg(distinct key) as erased from recollect.memories
        where {_LANE} and memory_id = {_ERASED} and key is not null
    )
    update recollect.events as event
    set payload = jsonb_set(event.payload, '{{memories}}', coalesce(
        (select jsonb_agg(line order by place)
         from jsonb_array_elements(event.payload -> 'memories') with ordinality as brought (line, place)
         where not line ->> 'id' = any(keys.erased)), '[]'))
    from keys
    where {of_lane("event")} and event.type = 'import'
      and jsonb_path_query_array(event.payload, '$.memories[*].id') ?| keys.erased
""")

_DELETED: Final = {
    "memories": "memory_id",
    "memory_entities": "memory_id",
    "memory_edges": "from_id",
    "relations": "memory_id",
    "questions": "memory_id",
}

STATEMENTS: Final = (
    ("events", _IMPORTED),
    ("memories", _VERSIONS),
    *(
        (table, text(f"delete from recollect.{table} where {_LANE} and {column} = {_ERASED}"))
        for table, column in _DELETED.items()
    ),
    ("memory_edges", text(f"delete from recollect.memory_edges where {_LANE} and to_id = {_ERASED}")),
    (None, text(f"update recollect.memories set superseded_by = null where {_LANE} and superseded_by = {_ERASED}")),
    (None, _LAST_VERSION),
    ("embeddings", _VECTORS),
    (None, _LAST_VECTOR),
)
"""In this order, each with the table of which it deletes or empties rows, if it does."""

LOG: Final = (
    ("decisions", _DECISIONS),
    ("events", _BY_HAND),
    ("decision_memories", text(f"delete from recollect.decision_memories where {_LANE} and memory_id = {_ERASED}")),
)
"""What the log says of them; to be run when nobody asks it any more what was learned with them."""
