"""Erase memories, their dependent rows, and what the log holds about them. See `db.erasure.scopes`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from db import memories
from db.keys import LaneRef, as_jsonb
from db.undo import told_by
from mosshead.embeddings.protocol import Vector
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace
from mosshead.timestamps import in_zone

_ERASED: Final = "any(%(memories)s::uuid[])"
_REPEATED: Final = "any(%(repeated)s::uuid[])"

EPISODE: Final = "Episode"
"""The record name of an episode, which covers a whole conversation."""

# A fact names its messages by their places in its batch, from 1. The shells of erased ones keep theirs. An episode rests on
# messages of other batches, which only its memory knows. Rows are distinct and found once: joined, a large namespace, planned
# like the small average one, would be scanned once for each row.
TOLD: Final = f"""
    numbered as materialized (
        select event.batch_id, event.event_id, row_number() over (partition by event.batch_id order by event.place) as number
        from mosshead.events as event
        where {of_namespace("event")} and event.payload ->> 'type' = 'message' and event.batch_id = any(array(
            select batch_id from mosshead.events
            where {OF_NAMESPACE} and event_id = any(%(messages)s::uuid[]) and batch_id is not null))
    ),
    cited as materialized (
        select decision.decision_id, decision.batch_id, cast(source.value as bigint) as number
        from mosshead.decisions as decision
        cross join lateral jsonb_array_elements_text(
            case when jsonb_typeof(decision.fact -> 'sources') = 'array' then decision.fact -> 'sources' else '[]' end
        ) as source
        where {of_namespace("decision")} and decision.batch_id = any(array(select batch_id from numbered))
          and decision.fact #>> '{{record,name}}' is distinct from '{EPISODE}'
    ),
    told as materialized (
        select decision_id, bool_and(numbered.event_id = any(%(messages)s::uuid[])) as alone
        from cited join numbered using (batch_id, number)
        group by decision_id having bool_or(numbered.event_id = any(%(messages)s::uuid[]))
        union all
        select decision.decision_id, bool_and(source.message_id = any(%(messages)s::uuid[])) as alone
        from mosshead.memory_sources as source
        join mosshead.decisions as decision on {of_namespace("decision")} and decision.decision_id = source.made_by
        where {of_namespace("source")} and decision.fact #>> '{{record,name}}' = '{EPISODE}' and source.memory_id = any(array(
            select memory_id from mosshead.memory_sources where {OF_NAMESPACE} and message_id = any(%(messages)s::uuid[])))
        group by decision.decision_id having bool_or(source.message_id = any(%(messages)s::uuid[]))
    )
"""
"""told: those decisions. alone: of these messages and no others."""

# Parts of remaining memories that came only from an erased fact: another entity, a relation, a question.
_STILL_TOLD: Final = f"""
    concerned as materialized (
        select decision_id, memory_id from mosshead.decision_memories where {OF_NAMESPACE} and memory_id = {_REPEATED}
    ),
    still_told as materialized (
        select decision.memory_id, decision.fact from mosshead.decisions as decision
        where {of_namespace("decision")} and decision.decision_id = any(array(select decision_id from concerned))
          and coalesce((decision.decision_id, decision.memory_id) in (select decision_id, memory_id from concerned), false)
          and decision.decision_id <> all(array(select decision_id from told where alone))
    )
"""

_BROUGHT: Final = f"""
    {of_namespace("brought")} and brought.memory_id = {_REPEATED}
    and brought.made_by = any(array(select decision_id from told where alone))
"""

STATEMENTS: Final = f"""
    -- The lines of these memories in import events.
    with keys as materialized (
        select array_agg(distinct key) as erased from mosshead.memories
        where {OF_NAMESPACE} and memory_id = {_ERASED} and key is not null
    )
    update mosshead.events as event
    set payload = (select jsonb_set(event.payload, '{{memories}}', coalesce(
        (select jsonb_agg(line order by place)
         from jsonb_array_elements(event.payload -> 'memories') with ordinality as brought (line, place)
         where not line ->> 'id' = any(keys.erased)), '[]')))
    from keys
    where {of_namespace("event")} and event.type = 'import'
      and jsonb_path_query_array(event.payload, '$.memories[*].id') ?| keys.erased;

    delete from mosshead.memories where {OF_NAMESPACE} and memory_id = {_ERASED};
    -- Remaining memories may change, and their expansions include what is erased.
    delete from mosshead.expansions where {OF_NAMESPACE} and (memory_id = {_ERASED} or memory_id = {_REPEATED});
    delete from mosshead.memory_entities where {OF_NAMESPACE} and memory_id = {_ERASED};
    delete from mosshead.memory_edges where {OF_NAMESPACE} and from_id = {_ERASED};
    delete from mosshead.relations where {OF_NAMESPACE} and memory_id = {_ERASED};
    delete from mosshead.questions where {OF_NAMESPACE} and memory_id = {_ERASED};
    delete from mosshead.memory_edges where {OF_NAMESPACE} and to_id = {_ERASED};

    with {TOLD}, {_STILL_TOLD}
    delete from mosshead.memory_entities as brought
    where {_BROUGHT} and not exists (
        select from still_told where still_told.memory_id = brought.memory_id and exists (
            select from jsonb_path_query(still_told.fact, '$.mentions[*].name') as mention
            join mosshead.entity_aliases as named on {of_namespace("named")} and named.entity_id = brought.entity_id
            where strpos(lower(named.alias), lower(mention #>> '{{}}')) > 0
               or strpos(lower(mention #>> '{{}}'), lower(named.alias)) > 0));

    with {TOLD}, {_STILL_TOLD}
    delete from mosshead.relations as brought
    where {_BROUGHT} and not exists (
        select from still_told where still_told.memory_id = brought.memory_id
          and jsonb_path_query_array(still_told.fact, '$.relations[*].predicate') ? brought.predicate);

    with {TOLD} delete from mosshead.questions as brought where {_BROUGHT};

    -- kept
    -- The first other speaker who said it.
    with speaking as (
        select distinct on (source.memory_id) source.memory_id, message.speaker
        from mosshead.memory_sources as source
        join mosshead.messages as message on {of_namespace("message")} and message.message_id = source.message_id
        where {of_namespace("source")} and source.memory_id = {_REPEATED} and source.stance = 'for' and source.known_to is null
          and source.message_id <> all(%(messages)s::uuid[]) and message.role = 'user'
        order by source.memory_id, message.occurred_at, message.message_id
    )
    update mosshead.memories as memory set said_by = speaking.speaker from speaking
    where {of_namespace("memory")} and memory.memory_id = speaking.memory_id and memory.said_by is not null and not exists (
        select from mosshead.memory_sources as source
        join mosshead.messages as message on {of_namespace("message")} and message.message_id = source.message_id
        where {of_namespace("source")} and source.memory_id = memory.memory_id and message.speaker = memory.said_by
          and source.message_id <> all(%(messages)s::uuid[]));

    -- kept
    update mosshead.memories set superseded_by = null where {OF_NAMESPACE} and superseded_by = {_ERASED};

    -- kept
    -- Each remaining version holds until the next, so that an undo of the next restores it. The last is current again.
    update mosshead.memories as one set known_to = next.known_from, ended_by = next.made_by
    from (
        select memory_id, version, lead(known_from) over of_one as known_from, lead(made_by) over of_one as made_by
        from mosshead.memories where {OF_NAMESPACE} and memory_id = {_REPEATED}
        window of_one as (partition by memory_id order by version)
    ) as next
    where {of_namespace("one")} and one.memory_id = next.memory_id and one.version = next.version
      and one.known_to is distinct from next.known_from;

    delete from mosshead.embeddings as vector
    where {of_namespace("vector")} and vector.owner_kind in ('memory', 'past_memory') and (
        vector.owner_id = {_ERASED}
        or vector.owner_id = {_REPEATED} and not exists (
            select from mosshead.memories as memory
            where {of_namespace("memory")} and memory.memory_id = vector.owner_id and memory.version = vector.version));

    -- kept
    update mosshead.embeddings as vector set owner_kind = 'memory'
    from mosshead.memories as memory
    where {of_namespace("vector")} and vector.owner_kind = 'past_memory' and vector.owner_id = {_REPEATED}
      and {of_namespace("memory")} and memory.memory_id = vector.owner_id and memory.known_to is null and memory.state = 'active'
      and vector.version = (
        select max(latest.version) from mosshead.embeddings as latest
        where {of_namespace("latest")} and latest.model = vector.model and latest.owner_id = vector.owner_id
          and latest.owner_kind in ('memory', 'past_memory'))
      and {told_by("vector", "memory")}
"""
"""Run in this order."""

LOG: Final = f"""
    -- kept
    -- The reason of a model may repeat anything it was shown with its batch: facts, and memories as they were.
    with {TOLD},
    shown as (
        select decision.batch_id
        from mosshead.decisions as decision cross join lateral jsonb_array_elements(decision.candidates) as candidate
        where {of_namespace("decision")} and decision.prompt_version is not null
          and candidate.value ->> 'memory_id' = any(cast(%(memories)s::uuid[] || %(retold)s::uuid[] as text[]))
    )
    update mosshead.decisions as decision set reason = 'erased'
    where {of_namespace("decision")} and decision.prompt_version is not null
      and decision.batch_id = any(array(select batch_id from numbered union select batch_id from shown));

    -- Decisions that made or changed them, those about erased messages that became no memory, and changes of documents.
    -- A refused fact may say what other messages of its batch say, as its own do not.
    with {TOLD}
    update mosshead.decisions as decision
    set fact = null, candidates = '[]', reason = 'erased', refused = case when refused is not null then 'erased' end
    where {of_namespace("decision")} and (
        decision.decision_id = any(array(select decision_id from told))
        or decision.action = 'refuse' and decision.batch_id = any(array(select batch_id from numbered))
        or decision.action = 'document' and decision.fact -> 'messages' ?| cast(%(messages)s::uuid[] as text[])
        or decision.action in ('add', 'update', 'supersede', 'contradict', 'none', 'forget') and exists (
            select from mosshead.decision_memories as concerned
            where {of_namespace("concerned")} and concerned.memory_id = {_ERASED}
              and concerned.decision_id = decision.decision_id and decision.memory_id = concerned.memory_id));

    -- Memories an app wrote or closed itself: the decision has the event's id.
    update mosshead.events as event
    set type = 'erased', payload = (select jsonb_build_object('type', event.type))
    where {of_namespace("event")} and event.type in ('remember', 'forget') and event.event_id = any(array(
        select decision_id from mosshead.decision_memories where {OF_NAMESPACE} and memory_id = {_ERASED}));

    delete from mosshead.decision_memories where {OF_NAMESPACE} and memory_id = {_ERASED}
"""
"""The log's content about them. Run it once the log is no longer needed to find what was learned with them."""

Key = tuple[UUID, int]
"""A memory and a version of it."""

SAYS: Final = ("content", "attribute", "value", "occurred_from", "occurred_to", "granularity", "record_name", "record")
"""The columns derived from messages."""

_TIMES: Final = ("occurred_from", "occurred_to")
_OFFSETS: Final = tuple(f"{name}_offset" for name in _TIMES)


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version. says: its values by column. erased: whether all its sources are; fact: otherwise its source in the log."""

    key: Key
    says: Mapping[str, Any]
    erased: bool
    fact: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Retold:
    """New contents of versions. anew: changed values by column. vectors: of new wordings, made with the model."""

    gone: Collection[Key] = ()
    anew: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    vectors: Mapping[Key, Vector] = field(default_factory=dict)
    model: str = ""


def versions_of(
    connection: Connection, lane: LaneRef, repeated: Collection[UUID], messages: Collection[UUID]
) -> list[VersionRow]:
    """Return all versions of the given memories, in order. messages: the erased ones."""
    rows = Sql(f"""
        with {TOLD}
        select memory.memory_id, memory.version, {", ".join(f"memory.{column}" for column in (*SAYS, *_OFFSETS))},
               coalesce(told.alone, false) as erased,
               case when not coalesce(told.alone, false) and decision.memory_id = memory.memory_id
                    and decision.decided_by <> 'app' and decision.action in ('add', 'update', 'none')
               then decision.fact end as fact
        from mosshead.memories as memory
        left join told on told.decision_id = memory.made_by
        left join mosshead.decisions as decision on {of_namespace("decision")} and decision.decision_id = memory.made_by
        where {of_namespace("memory")} and memory.memory_id = any(%(repeated)s::uuid[])
        order by memory.memory_id, memory.version
    """).run(connection, lane.scope, repeated=list(repeated), messages=list(messages))
    return [
        VersionRow((row["memory_id"], row["version"]), _says(row), row["erased"], row["fact"])
        for row in rows.mappings()
    ]


def retell(connection: Connection, lane: LaneRef, retold: Retold) -> int:
    """Delete versions and rewrite others; return how many. New vectors count as past until their end is known."""
    gone = [{"memory_id": memory_id, "version": version} for memory_id, version in retold.gone]
    anew = [
        {"memory_id": key[0], "version": key[1], **memories.with_offsets(says)} for key, says in retold.anew.items()
    ]
    # The vectors of rewritten versions are deleted first.
    Sql(f"""
        delete from mosshead.embeddings as vector
        using mosshead.memories as memory
        join jsonb_to_recordset(%(rows)s) as one (memory_id uuid, version integer, content text)
          on one.memory_id = memory.memory_id and one.version = memory.version
        where {of_namespace("memory")} and memory.content <> one.content and {of_namespace("vector")}
          and vector.owner_kind in ('memory', 'past_memory')
          and vector.owner_id = memory.memory_id and vector.version = memory.version;

        update mosshead.memories as memory set {", ".join(f"{column} = one.{column}" for column in (*SAYS, *_OFFSETS))}
        from jsonb_populate_recordset(cast(null as mosshead.memories), %(rows)s) as one
        where {of_namespace("memory")} and memory.memory_id = one.memory_id and memory.version = one.version
    """).run(connection, lane.scope, rows=as_jsonb(anew))
    for (memory_id, version), vector in retold.vectors.items():
        new = {memory_id: vector}
        memories.set_vectors(connection, lane, retold.model, "past_memory", new, version=version)
    deleted = Sql(f"""
        delete from mosshead.memories as memory using jsonb_to_recordset(%(rows)s) as one (memory_id uuid, version integer)
        where {of_namespace("memory")} and memory.memory_id = one.memory_id and memory.version = one.version
    """).changed(connection, lane.scope, rows=as_jsonb(gone))
    return deleted + len(anew)


def _says(row: Mapping[Any, Any]) -> dict[str, Any]:
    zoned = {name: in_zone(row[name], row[f"{name}_offset"]) for name in _TIMES if row[name]}
    return {name: row[name] for name in SAYS} | zoned
