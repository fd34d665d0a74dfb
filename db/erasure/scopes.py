"""What goes when a part of a namespace is erased: some messages, some memories, and all that holds their words.

Messages go with their events, of which an empty shell stays: an id, a number and a place, so that the same event does not come in
again. A decision keeps its place in the log, without what it saw. What was learned of entities with a memory goes as when that is
forgotten (`db.unlearn`), and here from what was, too.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
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
    event.type <> 'erase' and (event.state <> 'received' or mosshead.precedes(
        event.event_id, event.publisher_id, event.publisher_sequence, event.position,
        (select erasure from mosshead.erasures as erasure
         where {of_namespace("erasure")} and erasure.erasure_id = %(erasure_id)s)))
"""
"""That an erasure takes an event: one of before, or in effect or given up by now, for what was learned of it goes, too."""


@dataclass(frozen=True, slots=True)
class ErasureScope:
    """What is erased.

    messages: with what waits to put one of the memories down. repeated: memories that others bear out, too: they stay, and say
    what those said. entities: those that go whatever else is known of them.
    """

    messages: frozenset[UUID] = frozenset()
    memories: frozenset[UUID] = frozenset()
    repeated: frozenset[UUID] = frozenset()
    entities: frozenset[UUID] = frozenset()
    retold: Retold = field(default_factory=Retold)


def of_conversation(connection: Connection, lane: LaneRef, erasure_id: UUID, conversation: str) -> ErasureScope:
    """What was said in a conversation before the erasure was asked for, and the memories that nothing else bears out."""
    messages = Sql(f"""
        select message.message_id
        from mosshead.messages as message
        left join mosshead.events as event on {of_namespace("event")} and event.event_id = message.message_id
        where {of_namespace("message")} and message.conversation_id = %(conversation)s
          and (event.event_id is null or {_COVERED})
    """).scalars(connection, lane.scope, erasure_id=erasure_id, conversation=conversation)
    return _resting_on(connection, lane, messages)


def of_message(connection: Connection, lane: LaneRef, message_id: UUID) -> ErasureScope:
    """One message, the memories that nothing else bears out, and the episodes that tell of it."""
    messages = Sql(f"""
        select event_id from mosshead.events where {OF_NAMESPACE} and event_id = %(message)s and type = 'message'
        union select message_id from mosshead.messages where {OF_NAMESPACE} and message_id = %(message)s
    """).scalars(connection, lane.scope, message=message_id)
    part, episodes = _resting_on(connection, lane, messages), _episodes_of(connection, lane, messages)
    return ErasureScope(part.messages, part.memories | episodes, part.repeated - episodes)


def _resting_on(connection: Connection, lane: LaneRef, messages: Collection[UUID]) -> ErasureScope:
    """Messages, the memories that nothing else bears out, and those that something does."""
    # A message that says otherwise, or was taken back, or erased earlier bears nothing out; an app that put it down by
    # its own hand does.
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
    """Some memories, the messages that they came from, and the episodes that tell of those."""
    memories = Sql(f"""
        select distinct memory_id from mosshead.memories where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[])
    """).scalars(connection, lane.scope, memories=list(memory_ids))
    sources = Sql(f"""
        select distinct message_id from mosshead.memory_sources where {OF_NAMESPACE} and memory_id = any(%(memories)s::uuid[])
    """).scalars(connection, lane.scope, memories=memories)
    # With the events that wait and would put some memories down.
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
    """All that was ever linked to an entity, or to one that was merged into it; nothing, where it is the user."""
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
    """Delete or empty what a part holds; returns how many rows, by table, and the entities whose profiles are to be made anew.

    What is taken back in entities is marked with the stamp, whose decision is the erasure's own.
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
    """Run the statements of some SQL; returns how many rows they deleted or emptied, by table.

    Statements marked ``-- kept`` only update rows that stay, and are not counted.
    """
    rows: dict[str, int] = {}
    for statement, table in zip(Sql(sql).statements, counted_tables(sql), strict=True):
        changed = Sql(statement).changed(connection, parameters)
        if table is not None:
            rows[table] = rows.get(table, 0) + changed
    return rows


@cache
def counted_tables(sql: str) -> tuple[str | None, ...]:
    """The table that each statement of some SQL deletes from or empties, None of one that is marked ``-- kept``.

    Raises ValueError where a statement is neither: a receipt would not count what it does.
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
    type = 'erased', payload = jsonb_build_object('type', event.type), conversation_id = null, sequence = null, reason = null,
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
      and coalesce((turn.message_id, turn.model) in (select message_id, model from after), false)
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
"""What else there is of a conversation: that it was, its summary, its other events. The lane must be locked.

Parameters: the lane's, ``erasure_id``, ``conversation``, and ``kinds``, of the reflections that are of conversations.
"""

TABLES_OF_NAMESPACE: Final = """
    reflection_batches reflections candidate_facts candidate_turns step_results batches dead_letters
    decision_memories decisions memory_edges memory_sources relations questions
    traits examples embeddings expansions memory_entities memories
    profiles entity_aliases entities documents summaries prompt_feedback prompts turns vocabulary
""".split()
"""All rows of these. The copy of traits goes before what it is made of, so that triggers have nothing left to take out of it."""


def erase_everything(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Delete what may take a while; returns how many rows, by table. parameters: the lane's, and ``erasure_id``."""
    # An id that tells no time does not show that it comes again.
    Sql(f"""
        insert into mosshead.tombstones (tenant_id, namespace_id, digest)
        select event.tenant_id, event.namespace_id, sha256(uuid_send(event.event_id))
        from mosshead.events as event
        where {of_namespace("event")} and {_COVERED} and mosshead.made_at(event.event_id) is null
        on conflict do nothing
    """).run(connection, parameters)
    of_tables = "".join(f"delete from mosshead.{table} where {OF_NAMESPACE};\n" for table in TABLES_OF_NAMESPACE)
    # Not in, which hashes the few events that are left. A plan made before so much went could loop over all of it for each row.
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
"""Of what arrivals touch, too: the lane must be locked. The namespace's name goes where nothing waits in it; where something was
published since, what it needs stands as if nothing had been before. Parameters: the lane's, and ``erasure_id``.
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
"""What is run and counted."""

for _script in SCRIPTS:
    counted_tables(_script)  # so that a statement that no receipt would count stops the start, and not an erasure
