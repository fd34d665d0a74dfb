"""The SQL that fills the tables, from the table that took the vectors."""

from typing import Final, LiteralString

SPACE: Final[LiteralString] = "insert into bench.spaces values (%s, %s, %s, %s, %s, %s)"

MAKE: Final[tuple[LiteralString, ...]] = (
    "create schema bench",
    """create unlogged table bench.loaded (number integer, place integer, sentence integer, memory_id uuid,
                                           embedding halfvec(384) storage main) with (toast_tuple_target = 8160)""",
    "create unlogged table bench.sentences (sentence integer primary key, text text, name text)",
    """create unlogged table bench.spaces (number integer primary key, tenant_id uuid, namespace_id uuid, path text[],
                                           memories integer, whole boolean)""",
)

_ROWS: Final[LiteralString] = "bench.loaded join bench.spaces using (number) join bench.sentences using (sentence)"
_CONTENT: Final[LiteralString] = "text || ' It is note ' || number || '-' || place || '.'"
_DAY: Final[LiteralString] = "timestamptz '2025-01-01' + place * interval '1 minute'"

FILL: Final[tuple[LiteralString, ...]] = (
    f"""insert into mosshead.memories (tenant_id, namespace_id, memory_id, version, kind, content, salience, confidence, tier,
                                        state, valid_from, known_from)
        select tenant_id, namespace_id, memory_id, 1, 'fact', {_CONTENT}, 1 + mod(place, 9), 0.7, 'hypothesis', 'active', {_DAY},
               {_DAY}
        from {_ROWS} where mod(place, 2) = %(half)s""",  # noqa: S608 - constants of this module
    f"""insert into mosshead.embeddings (tenant_id, namespace_id, model, owner_kind, owner_id, version, embedding, words)
        select tenant_id, namespace_id, %(model)s, 'memory', memory_id, 1, embedding, to_tsvector('english', {_CONTENT})
        from {_ROWS} where mod(place, 2) = %(half)s""",  # noqa: S608 - constants of this module
)
"""For every memory; ``half`` is 0 or 1, and both halves run at once."""

_BEARERS: Final[LiteralString] = "case when memories > 100 then 3 else 1 end"
_ENTITY: Final[LiteralString] = "md5(number || '/' || name || '/' || mod(place, bearers))::uuid"

WHOLE: Final[tuple[LiteralString, ...]] = (
    """insert into mosshead.tenants (tenant_id, name) select distinct tenant_id, path[1] from bench.spaces
      """,
    """insert into mosshead.namespaces (tenant_id, namespace_id, path) select tenant_id, namespace_id, path from bench.spaces
      """,
    """insert into mosshead.lanes (tenant_id, namespace_id) select tenant_id, namespace_id from bench.spaces
      """,
    """insert into mosshead.publishers (tenant_id, namespace_id, publisher_id, received_up_to, consolidated_up_to)
       select tenant_id, namespace_id, namespace_id, memories, memories from bench.spaces""",
    """insert into mosshead.scopes (tenant_id, namespace_id, model, memories, turns)
       select tenant_id, namespace_id, %(model)s, memories, case when whole then memories else 0 end from bench.spaces""",
    f"""create table bench.named as
        select number, tenant_id, namespace_id, memory_id, place, embedding, name, {_ENTITY} as entity_id
        from (select *, {_BEARERS} as bearers from {_ROWS} where whole and name is not null) as one""",  # noqa: S608
    """insert into mosshead.entities (tenant_id, namespace_id, entity_id, name, entity_type)
       select distinct tenant_id, namespace_id, entity_id, name, 'person' from bench.named""",
    """insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised)
       select distinct tenant_id, namespace_id, entity_id, name, lower(name) from bench.named""",
    """insert into mosshead.memory_entities (tenant_id, namespace_id, memory_id, entity_id, role, certainty)
       select tenant_id, namespace_id, memory_id, entity_id, 'subject', 'sure' from bench.named""",
    """insert into mosshead.traits (tenant_id, namespace_id, entity_id, model, owner_kind, owner_id, embedding, words)
       select tenant_id, namespace_id, entity_id, %(model)s, 'memory', memory_id, named.embedding, strip(memory.search)
       from bench.named join mosshead.memories as memory using (tenant_id, namespace_id, memory_id)""",
    f"""create table bench.said as
        select tenant_id, namespace_id, memory_id as message_id, 'chat-' || place / 20 as conversation_id, embedding, text,
               case when mod(place, 2) = 0 then 'user' else 'assistant' end as role, {_DAY} as said_at
        from {_ROWS} where whole""",  # noqa: S608
    """insert into mosshead.conversations (tenant_id, namespace_id, conversation_id, started_at, last_message_at)
       select tenant_id, namespace_id, conversation_id, min(said_at), max(said_at) from bench.said
       group by 1, 2, 3""",
    """insert into mosshead.messages (tenant_id, namespace_id, message_id, conversation_id, role, content, occurred_at)
       select tenant_id, namespace_id, message_id, conversation_id, role, text, said_at from bench.said
      """,
    """insert into mosshead.turns (tenant_id, namespace_id, model, message_id, conversation_id, said_at, role, embedding,
                                    with_before, words)
       select tenant_id, namespace_id, %(model)s, message_id, conversation_id, said_at, role, embedding,
              coalesce(lag(embedding) over (partition by tenant_id, namespace_id, conversation_id order by said_at, message_id),
                       embedding),
              to_tsvector('english', to_char(said_at, 'FMDD FMMonth YYYY') || ' ' || role || ' ' || text) from bench.said""",
)
"""What stands around the memories, for namespaces that are whole: as many messages as memories, in conversations of 20."""

VOCABULARY: Final[tuple[LiteralString, ...]] = tuple(
    f"""insert into mosshead.vocabulary (tenant_id, namespace_id, model, scanned, lexeme, holders, occurrences)
        select tenant_id, namespace_id, model, '{scanned}', lexeme, count(*), sum(case when lexeme = '' then length else 0 end)
        from mosshead.{table} cross join unnest(tsvector_to_array(words) || array['']) as lexeme
        group by tenant_id, namespace_id, model, lexeme"""  # noqa: S608 - constants of this module
    for scanned, table in (("memories", "embeddings"), ("turns", "turns"))
)
"""How common each word is, which triggers count elsewhere."""

TIDY: Final[tuple[LiteralString, ...]] = ("drop schema bench cascade", "vacuum analyze", "checkpoint")
