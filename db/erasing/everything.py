"""What goes when all of a namespace is erased: every row of it but those that only count, and what was published since.

What stays holds ids, times and numbers: the lane, its publishers' numbers, what was spent, and the receipts.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, text

_OF_LANE: Final = "tenant_id = :tenant_id and namespace_id = :namespace_id"

TABLES_OF_NAMESPACE: Final = (
    *(
        "reflection_batches",
        "reflections",
        "candidate_facts",
        "candidate_turns",
        "step_results",
        "batches",
        "dead_letters",
    ),
    *("decision_memories", "decisions", "memory_edges", "memory_sources", "relations", "questions"),
    *("traits", "examples", "embeddings", "memory_entities", "memories"),
    *("profiles", "entity_aliases", "entities", "documents", "summaries", "prompt_feedback", "prompts"),
    *("turns", "conversation_entities", "vocabulary"),
)
"""All rows of these. The copy of traits goes before what it is made of, so that triggers have nothing left to take out of it."""


def erase_everything(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Delete what may take a while; returns how many rows, by table. parameters: the lane's, and ``erasure_id``."""
    connection.execute(_REMEMBER_IDS, parameters)
    gone = {table: connection.execute(_delete_from(table), parameters).rowcount for table in TABLES_OF_NAMESPACE}
    gone |= {table: connection.execute(statement, parameters).rowcount for table, statement in _PUBLISHED.items()}
    return gone


def erase_names(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Delete what arrivals touch, too: the lane must be locked. The namespace's name goes where nothing waits in it."""
    gone = {table: connection.execute(statement, parameters).rowcount for table, statement in _NAMES.items()}
    for statement in _AS_NEW:
        connection.execute(statement, parameters)
    return gone


def _delete_from(table: str) -> Any:
    return text(f"delete from mosshead.{table} where {_OF_LANE}")


# What has taken effect, or was given up, goes whenever it was published: what was learned of it goes, too.
_COVERED = """
    event.tenant_id = :tenant_id and event.namespace_id = :namespace_id and event.type <> 'erase'
    and (event.state <> 'received' or mosshead.precedes(
        event.event_id, event.publisher_id, event.publisher_sequence, event.position, erasure))
    and erasure.tenant_id = :tenant_id and erasure.namespace_id = :namespace_id and erasure.erasure_id = :erasure_id
"""

# An id that tells no time does not show that it comes again.
_REMEMBER_IDS = text(f"""
    insert into mosshead.tombstones (tenant_id, namespace_id, digest)
    select event.tenant_id, event.namespace_id, sha256(uuid_send(event.event_id))
    from mosshead.events as event, mosshead.erasures as erasure
    where {_COVERED} and mosshead.made_at(event.event_id) is null
    on conflict do nothing
""")

_PUBLISHED: Final = {
    "events": text(f"delete from mosshead.events as event using mosshead.erasures as erasure where {_COVERED}"),
    # Not in, which hashes the few events that are left. A plan made before so much went could loop over all of it for each row.
    "messages": text("""
        delete from mosshead.messages as message
        where message.tenant_id = :tenant_id and message.namespace_id = :namespace_id and message.message_id not in (
            select event_id from mosshead.events where tenant_id = :tenant_id and namespace_id = :namespace_id)
    """),
}

_NAMES: Final = {
    "conversations": text("""
        delete from mosshead.conversations as gone
        where gone.tenant_id = :tenant_id and gone.namespace_id = :namespace_id and not exists (
            select from mosshead.events as event
            where event.tenant_id = :tenant_id and event.namespace_id = :namespace_id
              and event.conversation_id = gone.conversation_id)
    """),
    "namespaces": text("""
        delete from mosshead.namespaces as gone
        where gone.tenant_id = :tenant_id and gone.namespace_id = :namespace_id and not exists (
            select from mosshead.events as event
            where event.tenant_id = :tenant_id and event.namespace_id = :namespace_id and event.state = 'received'
              and event.event_id <> :erasure_id)
    """),
}

# Where something was published since, what it needs stands as if nothing had been before.
_AS_NEW: Final = (
    text("""
        update mosshead.conversations as left_over set started_at = began.at
        from (select conversation_id, min(occurred_at) as at from mosshead.events
              where tenant_id = :tenant_id and namespace_id = :namespace_id group by conversation_id) as began
        where left_over.tenant_id = :tenant_id and left_over.namespace_id = :namespace_id
          and left_over.conversation_id = began.conversation_id
    """),
    text(f"""
        update mosshead.namespaces
        set instructions = default, schemas = default, profiles = default, episodes = default, configured_at = null
        where {_OF_LANE}
    """),
    text(f"update mosshead.lanes set profiles_due_at = null, reflections_due_at = null where {_OF_LANE}"),
)
