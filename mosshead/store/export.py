"""The read side's SQL that exports everything known in a namespace, with keys as references.

docs/how-to/import-and-export.md shows each type.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql
from mosshead.store.memories import TIME, known, scope


def export(connection: Connection, path: NamespacePath, *, as_of: datetime | None = None) -> Iterator[str]:
    """Yield what is known as lines of JSON in this order: entities, memories, relations, edges, documents, prompts.

    It needs one snapshot: if others write, a transaction of isolation level REPEATABLE READ.
    """
    Sql("""
        select set_config('TimeZone', 'UTC', true)
    """).run(connection)  # times are written in the session's zone, not the server's
    parameters = scope(path, as_of)
    for statement in (_ENTITIES, _MEMORIES, _RELATIONS, _EDGES, _DOCUMENTS, _PROMPTS):
        for row in statement.run(connection, parameters):
            record = {name: value for name, value in row.record.items() if value is not None}
            yield json.dumps(record, ensure_ascii=False, sort_keys=True)


def export_messages(connection: Connection, path: NamespacePath) -> list[str]:
    """Yield all messages as lines of JSON in order of time, for an import of chats."""
    Sql("""
        select set_config('TimeZone', 'UTC', true)
    """).run(connection)
    found = Sql(f"""
        select jsonb_strip_nulls(jsonb_build_object(
            'event_id', message_id, 'role', role, 'speaker', speaker, 'content', content, 'conversation', conversation_id,
            'occurred_at', {_zoned("message.occurred_at")}, 'sequence', sequence, 'metadata', nullif(metadata, '{{}}')))
        from mosshead_read_v1.messages as message where {OF_NAMESPACE} order by message.occurred_at, message_id
    """).scalars(connection, scope(path, None))
    return [json.dumps(one, ensure_ascii=False, sort_keys=True) for one in found]


_ACTIVE = (
    f"select memory.* from mosshead_read_v1.memories as memory where {known('memory')} and memory.state = 'active'"
)

_KEY = "coalesce({0}.key, cast({0}.{1} as text))"


def _key_of(table: str, owner: str, given: str) -> str:
    """Return SQL for an item's key: the app's own, or else the id."""
    return f"""coalesce((select one.key from mosshead_read_v1.{table} as one
        where {known("one")} and one.{owner} = {given}), cast({given} as text))"""


_key_of_entity = partial(_key_of, "entities_over_time", "entity_id")
_key_of_memory = partial(_key_of, "memories", "memory_id")


def _zoned(time: str) -> str:
    """Return SQL for a time with its stored offset, formatted as in JSON: UTC is +00:00."""
    offset = f"coalesce({time}_offset, 0)"
    there = f"to_jsonb({time} at time zone 'UTC' + make_interval(mins => {offset})) #>> '{{}}'"
    sign = f"case when {offset} < 0 then '-' else '+' end"
    return f"{there} || {sign} || to_char(make_interval(mins => abs({offset})), 'HH24:MI')"


_ENTITIES = Sql(f"""
    with recursive entity as (
        select entity.* from mosshead_read_v1.entities_over_time as entity where {known("entity")}
    ),
    shown as (
        select entity_id from entity where key is not null
        union
        select link.entity_id from mosshead_read_v1.memory_entities_over_time as link
        where {known("link")} and link.memory_id in (select memory_id from ({_ACTIVE}) as active)
        union
        select entity.parent_id from entity join shown using (entity_id) where entity.parent_id is not null
    )
    select jsonb_build_object(
        'type', 'entity', 'key', {_KEY.format("entity", "entity_id")}, 'name', entity.name, 'entity_type', entity.entity_type,
        'aliases', (select coalesce(jsonb_agg(alias.alias order by alias.normalised), '[]')
                    from mosshead_read_v1.aliases_over_time as alias
                    where {known("alias")} and alias.entity_id = entity.entity_id and alias.alias <> entity.name),
        'parent', case when entity.parent_id is not null then {_key_of_entity("entity.parent_id")} end,
        'description', entity.description, 'is_user', nullif(entity.is_user, false)) as record
    from entity join shown using (entity_id) order by entity.name, entity.entity_id
""")

_MEMORIES = Sql(
    f"""
    select jsonb_build_object(
        'type', 'memory', 'id', {_KEY.format("memory", "memory_id")}, 'content', memory.content, 'kind', memory.kind,
        'occurred_at', {{said_at}},
        'about', (select coalesce(jsonb_agg({_key_of_entity("link.entity_id")} order by {{order}}), '[]') {{links}}),
        'roles', (select coalesce(jsonb_agg(jsonb_build_array(link.role, link.certainty) order by {{order}}), '[]') {{links}}),
        'occurred', case when memory.occurred_from is not null then jsonb_build_object(
            'start', {{start}}, 'end', {{end}}, 'granularity', memory.granularity) end,
        'salience', memory.salience, 'confidence', memory.confidence, 'tier', memory.tier, 'reinforced', memory.reinforced,
        'attribute', memory.attribute, 'value', memory.value, 'said_by', memory.said_by, 'marked', nullif(memory.marked, false),
        'record_name', memory.record_name, 'record', memory.record,
        'sources', (select coalesce(jsonb_agg(jsonb_build_object(
                        'message_id', source.message_id, 'quote', source.quote, 'stance', source.stance)
                        order by source.message_id), '[]')
                    from mosshead_read_v1.provenance_over_time as source
                    where {known("source")} and source.memory_id = memory.memory_id)) as record
    from ({_ACTIVE}) as memory order by memory.memory_id
""".format(
        said_at=_zoned("memory.valid_from"),
        start=_zoned("memory.occurred_from"),
        end=_zoned("memory.occurred_to"),
        order="array_position(array['subject', 'object', 'about'], link.role), link.entity_id",
        links=f"""from mosshead_read_v1.memory_entities_over_time as link
                    where {known("link")} and link.memory_id = memory.memory_id""",
    )
)

_RELATIONS = Sql(f"""
    select jsonb_build_object(
        'type', 'relation', 'subject', {_key_of_entity("edge.subject_id")}, 'predicate', edge.predicate,
        'object', {_key_of_entity("edge.object_id")}, 'memory', {_key_of_memory("edge.memory_id")},
        'valid_from', edge.valid_from, 'valid_to', edge.valid_to) as record
    from mosshead_read_v1.relations_over_time as edge
    where {known("edge")} and edge.memory_id in (select memory_id from ({_ACTIVE}) as active)
    order by edge.memory_id, edge.subject_id, edge.predicate, edge.object_id
""")

_EDGES = Sql(f"""
    with active as ({_ACTIVE})
    select jsonb_build_object(
        'type', 'edge', 'from', {_key_of_memory("edge.from_id")}, 'to', {_key_of_memory("edge.to_id")},
        'kind', edge.kind, 'weight', edge.weight) as record
    from mosshead_read_v1.edges_over_time as edge
    where {known("edge")} and edge.from_id in (select memory_id from active) and edge.to_id in (select memory_id from active)
    order by edge.from_id, edge.to_id, edge.kind
""")

_DOCUMENTS = Sql(f"""
    select jsonb_build_object(
        'type', 'document', 'name', document.schema_name, 'value', document.body,
        'by_hand', (select coalesce(jsonb_agg(field.key order by field.key), '[]')
                    from jsonb_each(document.fields) as field where field.value ->> 'hand' = 'true')) as record
    from mosshead_read_v1.documents_over_time as document where {known("document")} order by document.schema_name
""")

_PROMPTS = Sql(f"""
    select jsonb_build_object(
        'type', 'prompt', 'name', prompt.name, 'text', prompt.template, 'syntax', prompt.syntax, 'optimizer', prompt.optimizer,
        'instructions', prompt.instructions, 'when_to_update', prompt.when_to_update) as record
    from (
        select distinct on (name) * from mosshead_read_v1.prompts
        where {OF_NAMESPACE} and made_at <= {TIME} order by name, version desc
    ) as prompt order by prompt.name
""")
