"""What goes when a part of a namespace is erased: some messages, some memories, and all that holds their words.

Messages go with their events, of which an empty shell stays: an id, a number and a place, so that the same event does not come in
again. A decision keeps its place in the log, without what it saw. What was learned of entities with a memory goes as when that is
forgotten (`db.unlearn`), and here from what was, too.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, TextClause, text

from db.decisions import Stamp
from db.erasure import entities as entity_rows
from db.erasure import entities as names
from db.erasure import memories as memory_rows
from db.erasure import messages as said
from db.erasure.entities import SHARING, call_anew
from db.erasure.memories import EPISODE, Retold, retell
from db.keys import OF_LANE, LaneRef, of_lane
from db.unlearn import unlearn_decided
from mosshead.ids import remembered_id


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
    wanted = {**lane.scope, "erasure_id": erasure_id, "conversation": conversation}
    messages = connection.execute(_SAID_IN, wanted).scalars().all()
    rows = connection.execute(_RESTING_ON, {**lane.scope, "messages": list(messages)}).all()
    return ErasureScope(
        messages=frozenset(messages),
        memories=frozenset(row.memory_id for row in rows if row.alone),
        repeated=frozenset(row.memory_id for row in rows if not row.alone),
    )


def of_memories(connection: Connection, lane: LaneRef, memory_ids: Collection[UUID]) -> ErasureScope:
    """Some memories, the messages that they came from, and the episodes that tell of those."""
    memories = set(connection.execute(_KNOWN, {**lane.scope, "memories": list(memory_ids)}).scalars())
    messages = set(connection.execute(_SOURCES_OF, {**lane.scope, "memories": list(memories)}).scalars())
    messages |= _put_down_as(connection, lane, memory_ids)
    memories |= set(connection.execute(_EPISODES_ON, {**lane.scope, "messages": list(messages)}).scalars())
    return ErasureScope(frozenset(messages), frozenset(memories))


def of_entity(connection: Connection, lane: LaneRef, entity_id: UUID) -> ErasureScope:
    """All that was ever linked to an entity, or to one that was merged into it; nothing, where it is the user."""
    entities = connection.execute(_ENTITY, {**lane.scope, "entity_id": entity_id}).scalars().all()
    linked = connection.execute(_LINKED_TO, {**lane.scope, "entities": list(entities)}).scalars().all()
    found = of_memories(connection, lane, linked)
    return ErasureScope(found.messages, found.memories, entities=frozenset(entities))


def erase_part(
    connection: Connection, lane: LaneRef, part: ErasureScope, stamp: Stamp
) -> tuple[dict[str, int], set[UUID]]:
    """Delete or empty what a part holds; returns how many rows, by table, and the entities whose profiles are to be made anew.

    What is taken back in entities is marked with the stamp, whose decision is the erasure's own.
    """
    gone = _Gone(connection, lane, part)
    linked = gone.found(entity_rows.TOUCHED)
    touched = gone.found(SHARING, touched=sorted(linked | part.entities))
    gone.rows["memories"] = retell(connection, lane, part.retold)
    gone.by(memory_rows.STATEMENTS)
    learned = sorted(gone.found(entity_rows.LEARNED, touched=sorted(touched)))
    unlearned = unlearn_decided(connection, lane, learned, stamp)
    touched |= unlearned
    gone.by(entity_rows.UNLEARNED, touched=sorted(touched), learned=learned, decision_id=stamp.decision_id)
    entities = _of_whom_nothing_is_left(gone, linked | unlearned, part.entities)
    touched |= gone.found(entity_rows.MEMBERS, gone=sorted(entities))
    gone.by(names.NAME_STATEMENTS, gone=sorted(entities))
    gone.by(entity_rows.STATEMENTS, gone=sorted(entities), left=sorted(touched - entities))
    call_anew(connection, {**gone.parameters, "left": sorted(touched - entities), "learned": learned})
    gone.by(memory_rows.LOG)
    gone.by(said.STATEMENTS)
    return gone.rows, touched - entities


def erase_conversation(
    connection: Connection, lane: LaneRef, erasure_id: UUID, conversation: str, *, kinds: Collection[str]
) -> dict[str, int]:
    """What else there is of a conversation: that it was, its summary, its other events. The lane must be locked.

    kinds: of the reflections that are of conversations.
    """
    gone = _Gone(connection, lane, ErasureScope())
    wanted = {"erasure_id": erasure_id, "conversation": conversation, "kinds": list(kinds)}
    gone.by(said.OF_CONVERSATION, **wanted)
    return gone.rows


def _of_whom_nothing_is_left(gone: "_Gone", touched: Collection[UUID], entities: Collection[UUID]) -> set[UUID]:
    """Those of the touched, with some entities that go anyhow."""
    found = set(entities)
    while more := gone.found(entity_rows.ORPHANS, touched=sorted(touched), gone=sorted(found)) - found:
        found |= more
    return found


def _put_down_as(connection: Connection, lane: LaneRef, memory_ids: Collection[UUID]) -> set[UUID]:
    """The events that wait and would put some memories down."""
    waiting = connection.execute(_TO_PUT_DOWN, lane.scope).scalars()
    return {event_id for event_id in waiting if remembered_id(lane.namespace_id, event_id) in memory_ids}


class _Gone:
    """Runs statements on a part, and counts the rows, by table."""

    def __init__(self, connection: Connection, lane: LaneRef, part: ErasureScope) -> None:
        self.rows: dict[str, int] = {}
        self._connection = connection
        self.parameters: Mapping[str, Any] = {
            **lane.scope,
            **{name: sorted(getattr(part, name)) for name in ("messages", "memories", "repeated")},
            "retold": sorted({memory_id for memory_id, _ in (*part.retold.gone, *part.retold.anew)}),
        }

    def found(self, statement: TextClause, **more: Any) -> set[UUID]:
        return set(self._connection.execute(statement, {**self.parameters, **more}).scalars())

    def by(self, statements: Sequence[tuple[str | None, TextClause]], **more: Any) -> None:
        for table, statement in statements:
            rows = self._connection.execute(statement, {**self.parameters, **more}).rowcount
            if table is not None:
                self.rows[table] = self.rows.get(table, 0) + rows


_SAID_IN = text(f"""
    select message.message_id
    from mosshead.messages as message
    left join mosshead.events as event on {of_lane("event")} and event.event_id = message.message_id
    where {of_lane("message")} and message.conversation_id = :conversation
      and (event.event_id is null or {said.COVERED})
""")

# A message that says otherwise, or was taken back, or erased earlier bears nothing out; an app that put it down by
# its own hand does.
_RESTING_ON = text(f"""
    select memory_id, not exists (
        select from mosshead.memory_sources as other
        join mosshead.messages as message on {of_lane("message")} and message.message_id = other.message_id
        where {of_lane("other")} and other.memory_id = source.memory_id
          and other.message_id <> all(cast(:messages as uuid[])) and other.stance = 'for' and other.known_to is null
    ) and not exists (
        select from mosshead.memories as made
        join mosshead.decisions as decision on {of_lane("decision")} and decision.decision_id = made.made_by
        where {of_lane("made")} and made.memory_id = source.memory_id
          and decision.action = 'add' and decision.decided_by = 'app'
    ) as alone
    from mosshead.memory_sources as source
    where {of_lane("source")} and source.message_id = any(cast(:messages as uuid[])) group by memory_id
""")

_KNOWN = text(f"""
    select distinct memory_id from mosshead.memories where {OF_LANE} and memory_id = any(cast(:memories as uuid[]))
""")

_SOURCES_OF = text(f"""
    select distinct message_id from mosshead.memory_sources where {OF_LANE} and memory_id = any(cast(:memories as uuid[]))
""")

_TO_PUT_DOWN = text(
    f"select event_id from mosshead.events where {OF_LANE} and type = 'remember' and state = 'received'"
)

_EPISODES_ON = text(f"""
    select distinct memory.memory_id
    from mosshead.memory_sources as source
    join mosshead.memories as memory on {of_lane("memory")} and memory.memory_id = source.memory_id
    where {of_lane("source")} and source.message_id = any(cast(:messages as uuid[]))
      and memory.record_name = '{EPISODE}'
""")

_ENTITY = text(f"""
    with recursive part as (
        select entity_id from mosshead.entities as named
        where {of_lane("named")} and named.entity_id = :entity_id and not named.is_user
        union
        select cast(merge.fact ->> 'entity_id' as uuid)
        from part join mosshead.decisions as merge
          on {of_lane("merge")} and merge.action = 'merge' and merge.in_effect
         and merge.fact ->> 'into' = cast(part.entity_id as text)
    )
    select entity_id from part
""")

_LINKED_TO = text(f"""
    select distinct memory_id from mosshead.memory_entities where {OF_LANE} and entity_id = any(cast(:entities as uuid[]))
""")

TABLES_OF_NAMESPACE: Final = """
    reflection_batches reflections candidate_facts candidate_turns step_results batches dead_letters
    decision_memories decisions memory_edges memory_sources relations questions
    traits examples embeddings memory_entities memories
    profiles entity_aliases entities documents summaries prompt_feedback prompts turns vocabulary
""".split()
"""All rows of these. The copy of traits goes before what it is made of, so that triggers have nothing left to take out of it."""


def erase_everything(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Delete what may take a while; returns how many rows, by table. parameters: the lane's, and ``erasure_id``."""
    connection.execute(_REMEMBER_IDS, parameters)
    statements = {table: text(f"delete from mosshead.{table} where {OF_LANE}") for table in TABLES_OF_NAMESPACE}
    statements |= _PUBLISHED
    return {table: connection.execute(statement, parameters).rowcount for table, statement in statements.items()}


def erase_names(connection: Connection, parameters: Mapping[str, Any]) -> dict[str, int]:
    """Delete what arrivals touch, too: the lane must be locked. The namespace's name goes where nothing waits in it."""
    gone = {table: connection.execute(statement, parameters).rowcount for table, statement in _NAMES.items()}
    for statement in _AS_NEW:
        connection.execute(statement, parameters)
    return gone


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
        where {OF_LANE}
    """),
    text(f"update mosshead.lanes set profiles_due_at = null, reflections_due_at = null where {OF_LANE}"),
)
