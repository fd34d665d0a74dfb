"""Generations: replay a namespace into a second one, from the events that took effect, in the same order.

The replay is a separate namespace, whose path ends in ``(replay)``, with its own lane, events and memories, so that stages,
claims and leases need not know of it. It belongs to the namespace that apps read: events that take effect there go into its lane
(`replay`), and `exchange` swaps the two.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, Row

from db.erasure.erasures import take_time
from db.erasure.scopes import TABLES_OF_NAMESPACE
from db.keys import LaneRef, as_jsonb
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql, of_namespace


@dataclass(frozen=True, slots=True)
class Generation:
    """The replay of a namespace. replay: its namespace. replayed: how many events. left_out: skipped commands, and why."""

    lane: LaneRef
    replay: LaneRef
    started_at: datetime
    replayed: int
    left_out: Sequence[Mapping[str, str]]
    switched_at: datetime | None

    @property
    def both(self) -> dict[str, UUID]:
        """Return the parameters of every statement about both."""
        return {**self.lane.scope, "replay_id": self.replay.namespace_id}


def start(
    connection: Connection, path: NamespacePath, *, llm_model: str | None = None, instructions: str | None = None
) -> Generation | None:
    """Start the replay of a namespace from its beginning; return None if it has one, or an app writes to the replay's path.

    llm_model: instead of the service's own. instructions: instead of the namespace's. The tenant must be set, here and below.
    """
    lane, replay = LaneRef(path.tenant_id, path.namespace_id), path.replayed()
    parameters = {**lane.scope, "replay_id": replay.namespace_id, "path": list(replay.parts)}
    parameters |= {"llm_model": llm_model, "instructions": instructions, "own": instructions is not None}
    # If an app published under that path before, a namespace exists: on conflict nothing is started. The replay gets the app's
    # configuration before its first event (`follow_configuration`).
    begun = Sql(f"""
        insert into mosshead.namespaces (tenant_id, namespace_id, path, replay_of, llm_model, instructions)
        select tenant_id, %(replay_id)s, %(path)s, namespace_id, %(llm_model)s, coalesce(%(instructions)s::text, '')
        from mosshead.namespaces where {OF_NAMESPACE} and replay_of is null
        on conflict do nothing
    """).changed(connection, parameters)
    if not begun:
        return None
    Sql("""
        insert into mosshead.lanes (tenant_id, namespace_id) values (%(tenant_id)s, %(replay_id)s) on conflict do nothing;
        insert into mosshead.generations (tenant_id, namespace_id, replay_id, own_instructions)
        values (%(tenant_id)s, %(namespace_id)s, %(replay_id)s, %(own)s)
    """).run(connection, parameters)
    return of(connection, lane)


def of(connection: Connection, lane: LaneRef, *, locking: str = "") -> Generation | None:
    """Return a namespace's replay, if any. locking: SQL that locks it, such as ``for update``."""
    row = Sql(f"select {_COLUMNS} from mosshead.generations where {OF_NAMESPACE} {locking}").row(connection, lane.scope)
    return _generation(row) if row else None


def listed(connection: Connection) -> list[Generation]:
    """Return all replays, oldest first. Sees all tenants: the table has no policy."""
    rows = Sql(f"select {_COLUMNS} from mosshead.generations order by started_at, namespace_id").run(connection)
    return [_generation(row) for row in rows]


def lock(connection: Connection, lane: LaneRef, *, wait: bool = True) -> Generation | None:
    """As `of`, and lock it against replaying, switching and dropping until this transaction ends.

    wait: for another holder; without it, return None if there is one.
    """
    return of(connection, lane, locking="for update" if wait else "for update skip locked")


def follow_configuration(connection: Connection, generation: Generation) -> None:
    """Copy the namespace's configuration to its replay, except for the replay's own instructions."""
    Sql(f"""
        update mosshead.namespaces as there
        set instructions = case when own_instructions then there.instructions else here.instructions end,
            schemas = here.schemas, profiles = here.profiles, episodes = here.episodes
        from mosshead.namespaces as here join mosshead.generations as generation using (tenant_id, namespace_id)
        where {of_namespace("here")} and there.tenant_id = %(tenant_id)s and there.namespace_id = %(replay_id)s
          and (there.schemas, there.profiles, there.episodes, own_instructions or there.instructions = here.instructions)
            is distinct from (here.schemas, here.profiles, here.episodes, true)
    """).run(connection, generation.both)


def exists(connection: Connection, path: NamespacePath) -> bool:
    """Whether a namespace of this path exists and can be replayed."""
    return Sql(f"select from mosshead.namespaces where {OF_NAMESPACE} and replay_of is null").exists(
        connection, path.ids
    )


def progress(connection: Connection, generation: Generation) -> Row[Any]:
    """Return the progress of a replay.

    Columns: path, of the namespace; llm_model, if it is the replay's own; behind, how many events took effect in the namespace
    but not yet in its replay, including skipped commands; dead, how many were given up there.
    """
    return Sql(f"""
        select (select path from mosshead.namespaces where {OF_NAMESPACE}) as path,
               (select llm_model from mosshead.namespaces where {OF_REPLAY}) as llm_model,
               (select pending from mosshead.lanes where {OF_REPLAY}) + (
                   select count(*) from mosshead.events where {OF_NAMESPACE} and state = 'done' and type <> 'erased'
                     and effective_at > (select up_to from mosshead.generations where {OF_NAMESPACE})) as behind,
               (select count(*) from mosshead.dead_letters where {OF_REPLAY} and origin = 'stage') as dead
    """).one(connection, generation.both)


def drop(connection: Connection, generation: Generation) -> None:
    """Delete a replay without a trace, even while work in it is running. Its costs stay, as spent on the namespace."""
    take_time(connection)
    # Running work ends first, or finds no lane any more.
    Sql(f"""
        select from mosshead.lanes where {OF_REPLAY} for update;
        update mosshead.usage set namespace_id = %(namespace_id)s where {OF_REPLAY};
        delete from mosshead.generations where {OF_NAMESPACE}
    """).run(connection, generation.both)
    # Includes the rows of a separate namespace that erasing everything leaves.
    own = ("events", "messages", "conversations", "publishers", "scopes", "tombstones", "namespaces", "lanes")
    for table in (*TABLES_OF_NAMESPACE, *own):
        Sql(f"delete from mosshead.{table} where {OF_REPLAY}").run(connection, generation.both)


def _generation(row: Row[Any]) -> Generation:
    return Generation(LaneRef(row.tenant_id, row.namespace_id), LaneRef(row.tenant_id, row.replay_id), *tuple(row)[3:])


OF_REPLAY: Final = "tenant_id = %(tenant_id)s and namespace_id = %(replay_id)s"

# Skipped commands that the replay lacks: not those that the other generation made while it was replayed (`exchange`).
_COLUMNS = """tenant_id, namespace_id, replay_id, started_at, replayed, coalesce((
    select jsonb_agg(one order by place) from jsonb_array_elements(left_out) with ordinality as each (one, place)
    where one ->> 'switched' is null), '[]') as left_out, switched_at"""

_WHOLE: Final = """
    memories memory_sources memory_edges memory_entities embeddings expansions entities entity_aliases relations profiles
    questions examples documents summaries decision_memories
"""

EXCHANGED_TABLES: Final = {
    **dict.fromkeys(_WHOLE.split(), "true"),
    **dict.fromkeys(("reflections", "reflection_batches"), "kind <> 'prompt'"),
    "decisions": "action <> all(array['set_prompt', 'roll_back_prompt', 'optimize_prompt', 'erase'])",
}
"""The tables of a generation, with a condition on their rows: decisions about an app's prompts, and erasure receipts, stay with
the namespace. Triggers maintain the rest: traits, vocabulary, counts.
"""


def exchange(connection: Connection, generation: Generation) -> None:
    """Swap the two in this transaction. Both lanes must be at rest and protected from claims.

    They are locked only at the end, so that publishers wait briefly.
    """
    both = {**generation.both, "aside": uuid4()}
    take_time(connection)
    # Through a third id: some ids are the same in both.
    for come, go in (("namespace_id", "aside"), ("replay_id", "namespace_id"), ("aside", "replay_id")):
        of_tenant = f"set namespace_id = %({go})s where tenant_id = %(tenant_id)s and namespace_id = %({come})s"
        for table, rows in EXCHANGED_TABLES.items():
            Sql(f"update mosshead.{table} {of_tenant} and {rows}").run(connection, both)
    for table in ("traits", "vocabulary", "scopes"):
        Sql(f"delete from mosshead.{table} where tenant_id = %(tenant_id)s and namespace_id = %(aside)s").run(
            connection, both
        )
    the_other = """
        one.tenant_id = %(tenant_id)s and one.namespace_id in (%(namespace_id)s, %(replay_id)s)
        and other.tenant_id = %(tenant_id)s and other.namespace_id =
            case one.namespace_id when %(namespace_id)s then %(replay_id)s::uuid else %(namespace_id)s::uuid end
    """
    # One or two rows per table, except for the events: what makes publishers wait comes late.
    # Decisions and reflections refer to their generation's batches; a command names things by its ids. The order stays.
    # What one generation lacks, the other may have.
    Sql(f"""
        update mosshead.events as one
        set batch_id = other.batch_id, place = other.place, formed_by = other.formed_by,
            payload = case when other.type in ('message', 'conversation_ended') then one.payload
                      else jsonb_set(other.payload, '{{namespace}}', one.payload -> 'namespace') end
        from mosshead.events as other
        where {the_other} and one.state = 'done' and other.event_id = one.event_id and other.state = 'done';

        update mosshead.lanes as one
        set profiles_due_at = other.profiles_due_at, reflections_due_at = other.reflections_due_at
        from mosshead.lanes as other where {the_other};

        update mosshead.namespaces as one set llm_model = other.llm_model, instructions = other.instructions
        from mosshead.namespaces as other where {the_other};

        update mosshead.generations
        set switched_at = now(), left_out = coalesce((
            select jsonb_agg(case when one ->> 'switched' is null then one || '{{"switched": "yes"}}' else one - 'switched' end
                             order by place)
            from jsonb_array_elements(left_out) with ordinality as each (one, place)), '[]')
        where {OF_NAMESPACE}
    """).run(connection, both)


_HELD: Final = "changes places with its replay"


def standing(connection: Connection, generation: Generation, *, but_not: Iterable[str]) -> Row[Any]:
    """Return the current state of the two. but_not: types of events that are skipped.

    Columns: quarantined, whether one of the lanes is, not only held; held, whether both are; left, whether an event has yet to be
    replayed; replaying, busy, whether work runs in the replay's lane, or the namespace's; named, whether a command with ids or an
    erasure waits in the namespace.
    """
    return Sql(f"""
        select bool_or(quarantined_at is not null and quarantined_for <> %(why)s) as quarantined,
               count(*) filter (where quarantined_for = %(why)s) = 2 as held,
               exists (select from mosshead.events as event where {_UPCOMING}) as left,
               bool_or(namespace_id = %(replay_id)s and (pending > 0 or batch_id is not null)) as replaying,
               bool_or(namespace_id = %(namespace_id)s and batch_id is not null) as busy,
               exists (select from mosshead.events where {OF_NAMESPACE} and state = 'received'
                         and type not in ('message', 'conversation_ended')) as named
        from mosshead.lanes where {_BOTH}
    """).one(connection, generation.both, why=_HELD, but_not=["erased", *but_not])


def hold(connection: Connection, generation: Generation) -> None:
    """Hold the two lanes, like quarantined ones, so that nothing is claimed until their release. A quarantined one stays so."""
    # By the clock, not the transaction's start: it may have waited long for a previous holder. A release must not free a lane
    # that was quarantined in between.
    Sql(f"""
        update mosshead.lanes set quarantined_at = (select clock_timestamp()), quarantined_for = %(why)s
        where {_BOTH} and (quarantined_at is null or quarantined_for = %(why)s)
    """).run(connection, generation.both, why=_HELD)


def release(connection: Connection, lane: LaneRef) -> None:
    """Release the held lanes of a namespace and its replay."""
    # Also if its replay, and so its lane, is gone by now.
    Sql(f"""
        {_GO_ON}
        where tenant_id = %(tenant_id)s and quarantined_for = %(why)s and (namespace_id = %(namespace_id)s or namespace_id in (
            select replay_id from mosshead.generations where {OF_NAMESPACE}))
    """).run(connection, lane.scope, why=_HELD)


def release_abandoned(connection: Connection, *, age: timedelta) -> int:
    """Release lanes held for too long by a killed process; return how many. Sees all tenants.

    It does not wait: a lane locked by an app's own transaction is released the next time.
    """
    found = Sql("""
        select lane.tenant_id, lane.namespace_id from mosshead.lanes as lane
        where quarantined_for = %(why)s and quarantined_at < now() - %(age)s::interval
    """).rows(connection, why=_HELD, age=age)
    return sum(_release_abandoned(connection, LaneRef(*row), age) for row in found)


def _release_abandoned(connection: Connection, lane: LaneRef, age: timedelta) -> bool:
    # Citus locks rows only by key.
    held = Sql(f"""
        select 1 from mosshead.lanes
        where {OF_NAMESPACE} and quarantined_for = %(why)s and quarantined_at < now() - %(age)s::interval for update skip locked
    """).exists(connection, lane.scope, why=_HELD, age=age)
    # A process that swaps two has their generation locked, except just after it held the lanes.
    generations = Sql("""
        select tenant_id, namespace_id from mosshead.generations
        where tenant_id = %(tenant_id)s and %(namespace_id)s in (namespace_id, replay_id)
    """).rows(connection, lane.scope)
    free = held and all(lock(connection, LaneRef(*row), wait=False) for row in generations)
    return free and Sql(f"{_GO_ON} where {OF_NAMESPACE}").changes(connection, lane.scope)


_BOTH = "tenant_id = %(tenant_id)s and namespace_id in (%(namespace_id)s, %(replay_id)s)"

_GO_ON = """
    update mosshead.lanes as lane
    set quarantined_at = null, quarantined_for = null,
        ready_at = case when pending > 0 then (select now()) else least(profiles_due_at, reflections_due_at) end
"""


def due(connection: Connection, *, limit: int) -> list[LaneRef]:
    """Return and mark namespaces whose replay may continue, and that were not checked within the last second. Sees all tenants.

    A replay with a quarantined lane may not continue.
    """
    found = Sql("""
        select tenant_id, namespace_id, replay_id from mosshead.generations where due_at <= now() order by due_at
    """).rows(connection)
    due = [
        (LaneRef(tenant_id, namespace_id), LaneRef(tenant_id, replay_id))
        for tenant_id, namespace_id, replay_id in found
    ]
    free = (lane for lane, replay in due if not _is_quarantined(connection, replay) and _take_turn(connection, lane))
    return list(islice(free, limit))


def _take_turn(connection: Connection, lane: LaneRef) -> bool:
    """Return whether nobody checks a replay now or has within the last second, and mark it. Citus locks rows only by key."""
    free = Sql(f"""
        select 1 from mosshead.generations where {OF_NAMESPACE} and due_at <= now() for update skip locked
    """).exists(connection, lane.scope)
    return free and Sql(f"""
        update mosshead.generations set due_at = now() + interval '1 second' where {OF_NAMESPACE}
    """).changes(connection, lane.scope)


def _is_quarantined(connection: Connection, lane: LaneRef) -> bool:
    return Sql(f"""
        select 1 from mosshead.lanes where {OF_NAMESPACE} and quarantined_at is not null
    """).exists(connection, lane.scope)


def upcoming(
    connection: Connection, generation: Generation, *, but_not: Iterable[str], limit: int
) -> Sequence[Row[Any]]:
    """Return the next events to replay, in the order in which they took effect. Columns: event_id, type.

    but_not: skipped types.
    """
    return Sql(f"""
        select event_id, type from mosshead.events as event where {_UPCOMING}
        order by effective_at limit %(limit)s
    """).rows(connection, generation.lane.scope, but_not=["erased", *but_not], limit=limit)


def replay(
    connection: Connection,
    generation: Generation,
    event_ids: Sequence[UUID],
    *,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Put events into the lane of the replay, in this order, with their messages. They are due at once.

    payload: replaces their own.
    """
    given = [{"event_id": one, "payload": payload} for one in event_ids]
    last = {"number": len(given), "event_id": event_ids[-1]}
    events = "select (given ->> 'event_id')::uuid from jsonb_array_elements(%(events)s) as given"
    # From one publisher, whose numbers fix the order for every claim.
    Sql(f"""
        insert into mosshead.events
            (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id,
             sequence)
        select event.tenant_id, %(replay_id)s, event.event_id, %(replay_id)s, generation.replayed + given.place, event.type,
               jsonb_set(coalesce(nullif(given.event -> 'payload', 'null'), event.payload), '{{namespace}}',
                         to_jsonb(named.path)), event.occurred_at, event.conversation_id, event.sequence
        from jsonb_array_elements(%(events)s) with ordinality as given (event, place)
        join mosshead.events as event
          on {of_namespace("event")} and event.event_id = (given.event ->> 'event_id')::uuid
        join mosshead.generations as generation
          on {of_namespace("generation")}
        join mosshead.namespaces as named on named.tenant_id = %(tenant_id)s and named.namespace_id = %(replay_id)s
        order by given.place;

        insert into mosshead.messages
            (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata,
             occurred_at_offset, occurred_at_sent, sequence)
        select tenant_id, %(replay_id)s, message_id, conversation_id, role, speaker, content, occurred_at, metadata,
               occurred_at_offset, occurred_at_sent, sequence
        from mosshead.messages where {OF_NAMESPACE} and message_id in ({events});

        insert into mosshead.conversations (tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at)
        select tenant_id, %(replay_id)s, conversation_id, started_at, last_message_at, ended_at
        from mosshead.conversations where {OF_NAMESPACE} and conversation_id in (
            select conversation_id from mosshead.events where {OF_NAMESPACE} and event_id in ({events}))
        on conflict (tenant_id, namespace_id, conversation_id) do update
            set started_at = excluded.started_at, last_message_at = excluded.last_message_at, ended_at = excluded.ended_at;

        insert into mosshead.publishers as one (tenant_id, namespace_id, publisher_id, received_up_to)
        values (%(tenant_id)s, %(replay_id)s, %(replay_id)s, %(number)s)
        on conflict (tenant_id, namespace_id, publisher_id) do update set received_up_to = one.received_up_to + %(number)s;

        update mosshead.lanes
        set pending = pending + %(number)s, first_pending_at = coalesce(first_pending_at, (select now())), ready_at = now()
        where {OF_REPLAY};
        {_GO_PAST}
    """).run(connection, generation.both, events=as_jsonb(given), **last)


def leave_out(connection: Connection, generation: Generation, event_id: UUID, *, why: str | None = None) -> None:
    """Skip a command. why: if something is missing because of that, in fixed words."""
    if why is not None:
        Sql(f"""
            update mosshead.generations set left_out = left_out || (
                select jsonb_build_object('event_id', event_id, 'type', type, 'why', %(why)s::text)
                from mosshead.events where {OF_NAMESPACE} and event_id = %(event_id)s)
            where {OF_NAMESPACE}
        """).run(connection, generation.lane.scope, event_id=event_id, why=why)
    Sql(_GO_PAST).run(connection, generation.lane.scope, event_id=event_id, number=0)


def payload(connection: Connection, lane: LaneRef, event_id: UUID) -> Mapping[str, Any]:
    """Return an event's payload."""
    found: Mapping[str, Any] = Sql(f"""
        select payload from mosshead.events where {OF_NAMESPACE} and event_id = %(event_id)s
    """).value(connection, lane.scope, event_id=event_id)
    return found


def waiting(connection: Connection, lane: LaneRef) -> int:
    """Return how many events wait or are processed in a lane; 0 if there is no such lane."""
    return Sql(f"""
        select coalesce((select pending from mosshead.lanes where {OF_NAMESPACE}), 0)
    """).number(connection, lane.scope)


_UPCOMING = f"""
    {of_namespace("event")} and event.state = 'done' and event.type <> all(%(but_not)s)
    and event.effective_at > (select up_to from mosshead.generations as generation where {of_namespace("generation")})
"""

_GO_PAST = f"""
    update mosshead.generations as generation
    set up_to = event.effective_at, replayed = replayed + %(number)s
    from mosshead.events as event
    where {of_namespace("generation")}
      and {of_namespace("event")} and event.event_id = %(event_id)s
"""
