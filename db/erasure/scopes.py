"""What is deleted when a part of a namespace is erased: messages, memories, and everything that holds their words.

Messages are deleted with their events, of which an empty shell stays: an id, a number and a place, so that the same event is not
accepted again. A decision stays in the log without what it saw. What a memory taught about entities is removed as when it is
forgotten (`db.unlearn`), but here also from past rows.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from db.decisions import Stamp
from db.erasure import entities as entity_rows
from db.erasure import memories as memory_rows
from db.erasure.memories import EPISODE, Retold
from db.keys import LaneRef
from db.unlearn import unlearn_decided
from mosshead.ids import remembered_id
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace

_COVERED: Final = f"""
    event.type <> 'erase' and (event.state <> 'received' or exists (
        select from mosshead.erasures as erasure
        where {of_namespace("erasure")} and erasure.erasure_id = %(erasure_id)s
          and mosshead.precedes(event.event_id, event.publisher_id, event.publisher_sequence, event.position,
                                erasure.publisher_id, erasure.publisher_sequence, erasure.position, erasure.asked_at)))
"""
"""SQL for whether an erasure covers an event: an earlier one, or one in effect or given up, because its effects are erased
too.
"""


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """What is erased.

    messages: including events waiting to write one of the memories. repeated: memories that other messages also support; they
    stay, reworded from those. entities: those deleted whatever else is known about them.
    """

    messages: frozenset[UUID] = frozenset()
    memories: frozenset[UUID] = frozenset()
    repeated: frozenset[UUID] = frozenset()
    entities: frozenset[UUID] = frozenset()
    retold: Retold = field(default_factory=Retold)


def of_conversation(connection: Connection, lane: LaneRef, erasure_id: UUID, conversation: str) -> ErasureScope:
    """Return the scope of a conversation: its messages before the erasure was requested, and memories with no other support."""
    messages = Sql(f"""
        select message.message_id
        from mosshead.messages as message
        left join mosshead.events as event on {of_namespace("event")} and event.event_id = message.message_id
        where {of_namespace("message")} and message.conversation_id = %(conversation)s
          and (event.event_id is null or {_COVERED})
    """).scalars(connection, lane.scope, erasure_id=erasure_id, conversation=conversation)
    return _resting_on(connection, lane, messages)


def of_message(connection: Connection, lane: LaneRef, message_id: UUID) -> ErasureScope:
    """Return the scope of one message: it, the memories with no other support, and the episodes that cover it."""
    messages = Sql(f"""
        select event_id from mosshead.events where {OF_NAMESPACE} and event_id = %(message)s and type = 'message'
        union select message_id from mosshead.messages where {OF_NAMESPACE} and message_id = %(message)s
    """).scalars(connection, lane.scope, message=message_id)
    part, episodes = _resting_on(connection, lane, messages), _episodes_of(connection, lane, messages)
    return ErasureScope(part.messages, part.memories | episodes, part.repeated - episodes)


def with_sources(connection: Connection, lane: LaneRef, found: ErasureScope, sources: Collection[UUID]) -> ErasureScope:
    """Return the scope of memories with the events that they came from as their app read it.

    The database may have lost the memories since, in a failover, and have formed others from those events.
    """
    messages = Sql(f"""
        select event_id from mosshead.events
        where {OF_NAMESPACE} and event_id = any(%(sources)s::uuid[]) and event_id <> all(%(known)s::uuid[])
          and (type = 'message' or type = 'remember' and state = 'received')
    """).scalars(connection, lane.scope, sources=list(sources), known=list(found.messages))
    if not messages:
        return found
    formed = _resting_on(connection, lane, messages)
    memories = found.memories | formed.memories | _episodes_of(connection, lane, messages)
    return replace(
        found, messages=found.messages | formed.messages, memories=memories, repeated=formed.repeated - memories
    )


def _resting_on(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> ErasureScope:
    """Return a scope of messages, the memories with no other support, and the memories with some."""
    # A message that contradicts, was withdrawn or erased supports nothing; a memory that an app wrote itself has support.
    rows = Sql(f"""
        select memory_id, not exists (
            select from mosshead.memory_sources as other
            join mosshead.messages as message on {of_namespace("message")} and message.message_id = other.message_id
            where {of_namespace("other")} and other.memory_id = source.memory_id
              and other.message_id <> all(%(messages)s::uuid[]) and other.stance = 'for' and other.known_to is null
        ) and not exists (
            select from mosshead.memories as made
            join mosshead.decisions as decision on {of_namespace("decision")} and decision.decision_id = made.made_by
            where {of_namespace("made")} and made.memory_id = source.memory_id
              and decision.action = 'add' and decision.decided_by = 'app'
        ) as alone
        from mosshead.memory_sources as source
        where {of_namespace("source")} and source.message_id = any(%(messages)s::uuid[]) group by memory_id
    """).rows(connection, lane.scope, messages=list(messages))
    return ErasureScope(
        messages=frozenset(messages),
        memories=frozenset(row.memory_id for row in rows if row.alone),
        repeated=frozenset(row.memory_id for row in rows if not row.alone),
    )


def of_memories(connection: Connection, lane: LaneRef, memory_ids: Collection[UUID]) -> ErasureScope:
    """Return the scope of memories: them, their source messages, and the episodes that cover those."""
    memories = Sql(f"""
        select distinct memory_id from mosshead.memories where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[])
    """).scalars(connection, lane.scope, memories=list(memory_ids))
    sources = Sql(f"""
        select distinct message_id from mosshead.memory_sources where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[])
    """).scalars(connection, lane.scope, memories=memories)
    # Includes waiting events that would write memories.
    waiting = Sql(f"""
        select event_id from mosshead.events where {OF_NAMESPACE} and type = 'remember' and state = 'received'
    """).scalars(connection, lane.scope)
    messages = {*sources, *(one for one in waiting if remembered_id(lane.namespace_id, one) in memory_ids)}
    episodes = _episodes_of(connection, lane, messages)
    return ErasureScope(frozenset(messages), frozenset((*memories, *episodes)))


def _episodes_of(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> frozenset[UUID]:
    found = Sql(f"""
        select distinct memory.memory_id
        from mosshead.memory_sources as source
        join mosshead.memories as memory on {of_namespace("memory")} and memory.memory_id = source.memory_id
        where {of_namespace("source")} and source.message_id = any(%(messages)s::uuid[])
          and memory.record_name = '{EPISODE}'
    """).scalars(connection, lane.scope, messages=list(messages))
    return frozenset(found)


def of_entity(connection: Connection, lane: LaneRef, entity_id: UUID) -> ErasureScope:
    """Return the scope of all that was ever linked to an entity or one merged into it; empty if it is the user."""
    entities = Sql(f"""
        with recursive part as (
            select entity_id from mosshead.entities as named
            where {of_namespace("named")} and named.entity_id = %(entity_id)s and not named.is_user
            union
            select cast(merge.fact ->> 'entity_id' as uuid)
            from part join mosshead.decisions as merge
              on {of_namespace("merge")} and merge.action = 'merge' and merge.in_effect
             and merge.fact ->> 'into' = cast(part.entity_id as text)
        )
        select entity_id from part
    """).scalars(connection, lane.scope, entity_id=entity_id)
    linked = Sql(f"""
        select distinct memory_id from mosshead.memory_entities where {OF_NAMESPACE} and entity_id = any(%(entities)s::uuid[])
    """).scalars(connection, lane.scope, entities=list(entities))
    found = of_memories(connection, lane, linked)
    return ErasureScope(found.messages, found.memories, entities=frozenset(entities))


def erase_part(
    connection: Connection, lane: LaneRef, part: ErasureScope, stamp: Stamp
) -> tuple[dict[str, int], set[UUID]]:
    """Delete or empty a scope's rows; return how many, by table, and the entities whose profiles must be rebuilt.

    What entities lose is marked with the stamp of the erasure's own decision.
    """
    rows = Counter[str]()
    parameters: dict[str, Any] = {name: sorted(getattr(part, name)) for name in ("messages", "memories", "repeated")}
    parameters |= lane.scope
    parameters["retold"] = sorted({memory_id for memory_id, _ in (*part.retold.gone, *part.retold.anew)})

    def found(sql: str, **more: Any) -> set[UUID]:
        return set(Sql(sql).scalars(connection, parameters, **more))

    def run(sql: str, **more: Any) -> None:
        rows.update(run_counted(connection, sql, {**parameters, **more}))

    linked = found(entity_rows.TOUCHED)
    touched = found(entity_rows.SHARING, touched=sorted(linked | part.entities))
    rows["memories"] = memory_rows.retell(connection, lane, part.retold)
    run(memory_rows.STATEMENTS)
    learned = sorted(found(entity_rows.LEARNED, touched=sorted(touched)))
    unlearned = unlearn_decided(connection, lane, learned, stamp)
    touched |= unlearned
    run(entity_rows.UNLEARNED, touched=sorted(touched), learned=learned, decision_id=stamp.decision_id)
    entities, perhaps = set(part.entities), sorted(linked | unlearned)
    while more := found(entity_rows.ORPHANS, touched=perhaps, gone=sorted(entities)) - entities:
        entities |= more
    touched |= found(entity_rows.MEMBERS, gone=sorted(entities))
    run(entity_rows.NAME_STATEMENTS, gone=sorted(entities))
    run(entity_rows.STATEMENTS, gone=sorted(entities), left=sorted(touched - entities))
    entity_rows.call_anew(connection, {**parameters, "left": sorted(touched - entities), "learned": learned})
    run(memory_rows.LOG)
    run(MESSAGES)
    return dict(rows), touched - entities


def run_counted(connection: Connection, sql: str, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Run SQL statements; return how many rows they deleted or emptied, by table.

    Statements marked ``-- kept`` only update remaining rows, and are not counted.
    """
    rows: dict[str, int] = {}
    for statement, table in zip(Sql(sql).statements, counted_tables(sql), strict=True):
        changed = Sql(statement).changed(connection, parameters)
        if table is not None:
            rows[table] = rows.get(table, 0) + changed
    return rows


@cache
def counted_tables(sql: str) -> tuple[str | None, ...]:
    """Return the table that each statement deletes from or empties, None for one marked ``-- kept``.

    Raises ValueError for any other statement, which a receipt would not count.
    """
    tables = []
    for statement in Sql(sql).statements:
        kept = re.match(r"\s*-- kept\b", statement)
        changed = re.search(r"\b(?:delete from|update) mosshead\.(\w+)", statement)
        if not kept and not changed:
            raise ValueError(f"neither deletes nor updates rows, nor is marked '-- kept': {statement.strip()}")
        tables.append(None if kept or not changed else changed[1])
    return tuple(tables)


_ERASED: Final = "any(%(messages)s::uuid[])"

_SHELL: Final = """
    type = 'erased', payload = (select jsonb_build_object('type', event.type)),
    conversation_id = null, sequence = null, reason = null,
    occurred_at = received_at, state = case when event.state in ('received', 'dead') then 'discarded' else event.state end
"""

MESSAGES: Final = f"""
    delete from mosshead.memory_sources where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[]);
    update mosshead.memory_sources set quote = '' where {OF_NAMESPACE} and message_id = {_ERASED};
    delete from mosshead.examples where {OF_NAMESPACE} and message_id = {_ERASED};

    -- kept, but the vector of a turn holds the turn before it, too
    with pair as materialized (
        select message_id, model, lag(message_id) over (
            partition by model, conversation_id order by said_at, message_id) as before
        from mosshead.turns
        where {OF_NAMESPACE} and conversation_id = any(array(
            select distinct conversation_id from mosshead.turns where {OF_NAMESPACE} and message_id = {_ERASED}))
    ),
    after as materialized (select message_id, model from pair where before = {_ERASED})
    update mosshead.turns as turn set with_before = turn.embedding
    where {of_namespace("turn")} and turn.message_id = any(array(select message_id from after))
      and coalesce(cast(turn.message_id as text) || turn.model in (
          select cast(message_id as text) || model from after), false)
      and turn.message_id <> all(%(messages)s::uuid[]);

    delete from mosshead.turns where {OF_NAMESPACE} and message_id = {_ERASED};
    delete from mosshead.messages where {OF_NAMESPACE} and message_id = {_ERASED};
    update mosshead.events as event set {_SHELL} where {of_namespace("event")} and event.event_id = {_ERASED};
    delete from mosshead.dead_letters where {OF_NAMESPACE} and letter_id = {_ERASED};

    -- Of batches that are over, or were taken away: they are asked for by nobody, and hold what was said.
    delete from mosshead.candidate_facts where {OF_NAMESPACE};
    delete from mosshead.candidate_turns where {OF_NAMESPACE};
    delete from mosshead.step_results where {OF_NAMESPACE};
    delete from mosshead.vocabulary where {OF_NAMESPACE} and holders <= 0 and lexeme <> ''
"""

_CONVERSATION: Final = f"{OF_NAMESPACE} and conversation_id = %(conversation)s"

CONVERSATION: Final = f"""
    delete from mosshead.dead_letters as letter using mosshead.events as event
    where {of_namespace("letter")} and {of_namespace("event")} and event.event_id = letter.letter_id
      and event.conversation_id = %(conversation)s and {_COVERED};

    update mosshead.events as event set {_SHELL}
    where {of_namespace("event")} and event.conversation_id = %(conversation)s and {_COVERED};

    delete from mosshead.summaries where {_CONVERSATION};
    delete from mosshead.examples where {_CONVERSATION};
    delete from mosshead.reflection_batches where {OF_NAMESPACE} and kind = any(%(kinds)s) and subject = %(conversation)s;
    delete from mosshead.reflections where {OF_NAMESPACE} and kind = any(%(kinds)s) and subject = %(conversation)s;

    delete from mosshead.conversations where {_CONVERSATION} and not exists (
        select from mosshead.messages where {of_namespace("messages")} and messages.conversation_id = %(conversation)s)
"""
"""The rest of a conversation: its row, summary and other events. The lane must be locked.

Parameters: the lane's, ``erasure_id``, ``conversation``, and ``kinds``: the reflections about conversations.
"""

TABLES_OF_NAMESPACE: Final = """
    reflection_batches reflections candidate_facts candidate_turns step_results batches dead_letters
    decision_memories decisions memory_edges memory_sources relations questions
    traits examples embeddings expansions memory_entities memories
    profiles entity_aliases entities documents summaries prompt_feedback prompts turns vocabulary
""".split()
"""Tables that are emptied. The copy of traits comes before its source, so that triggers have nothing left to remove from it."""


def erase_everything(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Run the deletions that may take long; return how many rows, by table. parameters: the lane's, and ``erasure_id``."""
    # An id without a time cannot be recognized as old if it arrives again.
    Sql(f"""
        insert into mosshead.tombstones (tenant_id, namespace_id, digest)
        select event.tenant_id, event.namespace_id, sha256(uuid_send(event.event_id))
        from mosshead.events as event
        where {of_namespace("event")} and {_COVERED} and mosshead.made_at(event.event_id) is null
        on conflict do nothing
    """).run(connection, parameters)
    of_tables = "".join(f"delete from mosshead.{table} where {OF_NAMESPACE};\n" for table in TABLES_OF_NAMESPACE)
    # "not in" hashes the few remaining events. A plan from before the deletion could loop over all rows for each one.
    return run_counted(
        connection,
        f"""{of_tables}
            delete from mosshead.events as event where {of_namespace("event")} and {_COVERED};

            delete from mosshead.messages where {OF_NAMESPACE} and message_id not in (
                select event_id from mosshead.events where {OF_NAMESPACE})
        """,
        parameters,
    )


NAMES: Final = f"""
    delete from mosshead.conversations as gone where {of_namespace("gone")} and not exists (
        select from mosshead.events as event where {of_namespace("event")} and event.conversation_id = gone.conversation_id);

    delete from mosshead.namespaces as gone where {of_namespace("gone")} and not exists (
        select from mosshead.events as event
        where {of_namespace("event")} and event.state = 'received' and event.event_id <> %(erasure_id)s);

    -- kept
    update mosshead.conversations as left_over set started_at = began.at
    from (select conversation_id, min(occurred_at) as at from mosshead.events
          where {OF_NAMESPACE} group by conversation_id) as began
    where {of_namespace("left_over")} and left_over.conversation_id = began.conversation_id;

    -- kept
    update mosshead.namespaces
    set instructions = default, schemas = default, profiles = default, episodes = default, configured_at = null
    where {OF_NAMESPACE};

    -- kept
    update mosshead.lanes
    set profiles_due_at = null, reflections_due_at = null,
        last_event_at = case when exists (select from mosshead.namespaces where {OF_NAMESPACE}) then last_event_at end
    where {OF_NAMESPACE}
"""
"""Rows that arrivals also touch: the lane must be locked. The namespace's name is deleted if nothing waits; if something was
published since, its rows look as if nothing had been before. Parameters: the lane's, and ``erasure_id``.
"""

SCRIPTS: Final = (
    memory_rows.STATEMENTS,
    memory_rows.LOG,
    entity_rows.UNLEARNED,
    entity_rows.NAME_STATEMENTS,
    entity_rows.STATEMENTS,
    MESSAGES,
    CONVERSATION,
    NAMES,
)
"""The scripts that are run and counted."""

for _script in SCRIPTS:
    counted_tables(_script)  # so that a statement that a receipt would not count fails at the start, not in an erasure
