"""Two generations of a namespace change places: what was replayed is what apps read, and what they read is what is replayed.

Rows go from one namespace to the other by their key. What was said stays where it is, for both have it: events, messages, turns.
So does what is the namespace's own, such as prompts and the numbers of its publishers.
"""

from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, text

from db.generations import Generation

_ALL: Final = "true"
_OF_MEMORIES: Final = "action <> all(array['set_prompt', 'roll_back_prompt', 'optimize_prompt', 'erase'])"
"""Decisions of an app's prompts, and receipts of what was erased, are the namespace's own."""

EXCHANGED_TABLES: Final = {
    "memories": _ALL,
    "memory_sources": _ALL,
    "memory_edges": _ALL,
    "memory_entities": _ALL,
    "embeddings": _ALL,
    "entities": _ALL,
    "entity_aliases": _ALL,
    "relations": _ALL,
    "conversation_entities": _ALL,
    "profiles": _ALL,
    "questions": _ALL,
    "examples": _ALL,
    "documents": _ALL,
    "summaries": _ALL,
    "reflections": "kind <> 'prompt'",
    "reflection_batches": "kind <> 'prompt'",
    "decision_memories": _ALL,
    "decisions": _OF_MEMORIES,
}
"""What a generation is made of, and which rows of it. Triggers keep the rest: traits, vocabulary, counts."""

_COPIES: Final = ("traits", "vocabulary", "scopes")


def exchange(connection: Connection, generation: Generation) -> None:
    """Have the two change places, in this transaction. Both lanes must be at rest, and nobody may claim anything of them.

    They are locked afterwards, so that whoever publishes waits until it ends, and not while it takes long.
    """
    both = {**generation.both, "aside": uuid4()}
    connection.execute(_NO_TIMEOUT)
    # By way of a third: some ids are the same in both.
    for come, go in (("namespace_id", "aside"), ("replay_id", "namespace_id"), ("aside", "replay_id")):
        for table, rows in EXCHANGED_TABLES.items():
            connection.execute(
                text(f"""
                    update mosshead.{table} set namespace_id = :{go}
                    where tenant_id = :tenant_id and namespace_id = :{come} and {rows}
                """),
                both,
            )
    for table in _COPIES:
        connection.execute(
            text(f"delete from mosshead.{table} where tenant_id = :tenant_id and namespace_id = :aside"), both
        )
    # Of each one row or two, but for the events: what publishers wait for comes late.
    for statement in (_EVENTS, _LANES, _NAMESPACES, _SWITCHED):
        connection.execute(statement, both)


_NO_TIMEOUT = text("set local statement_timeout = 0")

_OTHER = "case one.namespace_id when :namespace_id then cast(:replay_id as uuid) else cast(:namespace_id as uuid) end"

# Decisions and reflections tell of the batches of their generation; a command names things by its ids. The order stays.
_EVENTS = text(f"""
    update mosshead.events as one
    set batch_id = other.batch_id, place = other.place, formed_by = other.formed_by,
        payload = case when other.type in ('message', 'conversation_ended') then one.payload
                  else jsonb_set(other.payload, '{{namespace}}', one.payload -> 'namespace') end
    from mosshead.events as other
    where one.tenant_id = :tenant_id and one.namespace_id in (:namespace_id, :replay_id) and one.state = 'done'
      and other.tenant_id = :tenant_id and other.namespace_id = {_OTHER} and other.event_id = one.event_id
      and other.state = 'done'
""")

_LANES = text(f"""
    update mosshead.lanes as one
    set profiles_due_at = other.profiles_due_at, reflections_due_at = other.reflections_due_at
    from mosshead.lanes as other
    where one.tenant_id = :tenant_id and one.namespace_id in (:namespace_id, :replay_id)
      and other.tenant_id = :tenant_id and other.namespace_id = {_OTHER}
""")

_NAMESPACES = text(f"""
    update mosshead.namespaces as one set llm_model = other.llm_model, instructions = other.instructions
    from mosshead.namespaces as other
    where one.tenant_id = :tenant_id and one.namespace_id in (:namespace_id, :replay_id)
      and other.tenant_id = :tenant_id and other.namespace_id = {_OTHER}
""")

# What one generation lacks, the other need not.
_SWITCHED = text("""
    update mosshead.generations
    set switched_at = now(), left_out = coalesce((
        select jsonb_agg(case when one ->> 'switched' is null then one || '{"switched": "yes"}' else one - 'switched' end
                         order by place)
        from jsonb_array_elements(left_out) with ordinality as each (one, place)), '[]')
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""")
