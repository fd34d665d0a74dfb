"""Expansions: phrases someone might use when talking about a memory, valid while its content is unchanged.

A trigger adds their words to the memory's own (`db/schema/sql/embeddings.sql`).
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import Connection

from db.keys import LaneRef, as_jsonb
from db.reflections import EXPANSIONS, STILL_EXPANDED
from mosshead.store.connection import Sql, of_namespace


def lacking(connection: Connection, lane: LaneRef, limit: int) -> dict[UUID, str]:
    """Return the contents of memories without an expansion, by id, latest first."""
    rows = Sql(f"""
        select memory_id, content from mosshead.memories as memory
        where {of_namespace("memory")} and memory.known_to is null and memory.state = 'active' and not exists (
            select from mosshead.expansions as expansion where {of_namespace("expansion")} and {STILL_EXPANDED})
        order by memory.known_from desc, memory_id limit %(limit)s
    """).rows(connection, lane.scope, limit=limit)
    return {row.memory_id: row.content for row in rows}


def keep(
    connection: Connection,
    lane: LaneRef,
    phrases: Mapping[UUID, Sequence[str]],
    contents: Mapping[UUID, str],
    *,
    version: int,
    model: str,
) -> None:
    """Store the phrases of those memories whose content is unchanged. contents: what the phrases were made of, by id."""
    rows = [
        {"memory_id": memory_id, "content": contents[memory_id], "phrases": "\n".join(said)}
        for memory_id, said in phrases.items()
    ]
    Sql(f"""
        insert into mosshead.expansions (tenant_id, namespace_id, memory_id, made_of, phrases, prompt_version, made_by)
        select %(tenant_id)s, %(namespace_id)s, one.memory_id, sha256(convert_to(one.content, 'UTF8')), one.phrases,
               %(version)s, %(model)s
        from jsonb_to_recordset(%(rows)s) as one (memory_id uuid, content text, phrases text)
        join mosshead.memories as memory
          on {of_namespace("memory")} and memory.memory_id = one.memory_id and memory.known_to is null
         and memory.state = 'active' and memory.content = one.content
        order by one.memory_id
        on conflict (tenant_id, namespace_id, memory_id) do update set
            made_of = excluded.made_of, phrases = excluded.phrases, prompt_version = excluded.prompt_version,
            made_by = excluded.made_by, made_at = excluded.made_at
    """).run(connection, lane.scope, rows=as_jsonb(rows), version=version, model=model)


def spent(connection: Connection, tenant_id: UUID) -> int:
    """Return the cost of a tenant's expansions in the last 24 hours, in tokens."""
    tokens = Sql(f"""
        select coalesce(sum(prompt_tokens::bigint + completion_tokens), 0)::bigint from mosshead.usage
        where tenant_id = %(tenant_id)s and prompt = '{EXPANSIONS}' and at > now() - interval '24 hours'
    """).value(connection, tenant_id=tenant_id)
    return int(tokens)
