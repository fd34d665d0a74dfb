"""Generations: a namespace that is replayed beside itself, from the events that took effect, in the order in which they did.

What is replayed is a namespace of its own, whose path ends in ``(replay)``: lane, events and memories are its own, so that
stages, claims and leases know nothing of it. It belongs to the namespace that apps read: what takes effect there goes into its
lane (`replay`), and `exchange` has the two change places.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
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
    """What is replayed of a namespace. replay: where. replayed: how many events. left_out: commands that were not, and why."""

    lane: LaneRef
    replay: LaneRef
    started_at: datetime
    replayed: int
    left_out: Sequence[Mapping[str, str]]
    switched_at: datetime | None

    @property
    def both(self) -> dict[str, UUID]:
        """The parameters that every statement about both takes."""
        return {**self.lane.scope, "replay_id": self.replay.namespace_id}


def start(
    connection: Connection, path: NamespacePath, *, llm_model: str | None = None, instructions: str | None = None
) -> Generation | None:
    """Have a namespace replayed from its beginning; None where that is under way, or where its replay would be, somebody writes.

    llm_model: in place of the service's own. instructions: in place of those of the namespace. The tenant must be set, here and
    below.
    """
    lane, replay = LaneRef(path.tenant_id, path.namespace_id), path.replayed()
    parameters = {**lane.scope, "replay_id": replay.namespace_id, "path": list(replay.parts)}
    parameters |= {"llm_model": llm_model, "instructions": instructions, "own": instructions is not None}
    # Where an app published under that path before, there is a namespace already: on conflict nothing is begun. What the app
    # wants of it is told it before its first event (`follow_configuration`).
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
    """What is replayed of a namespace, if anything. locking: SQL that locks it, such as ``for update``."""
    row = Sql(f"select {_COLUMNS} from mosshead.generations where {OF_NAMESPACE} {locking}").row(connection, lane.scope)
    return _generation(row) if row else None


def listed(connection: Connection) -> list[Generation]:
    """All, the first that was started in front. Sees all tenants: the table has no policy."""
    rows = Sql(f"select {_COLUMNS} from mosshead.generations order by started_at, namespace_id").run(connection)
    return [_generation(row) for row in rows]


def lock(connection: Connection, lane: LaneRef, *, wait: bool = True) -> Generation | None:
    """As `of`, and until this transaction ends nobody else replays, switches or drops it.

    wait: for whoever is at it; else None where somebody is.
    """
    return of(connection, lane, locking="for update" if wait else "for update skip locked")


def follow_configuration(connection: Connection, generation: Generation) -> None:
    """What the app wants of the namespace, it wants of what is replayed, but for instructions of that one's own."""
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
    """Whether there is a namespace of this path that can be replayed."""
    return Sql(f"select from mosshead.namespaces where {OF_NAMESPACE} and replay_of is null").exists(
        connection, path.ids
    )


def progress(connection: Connection, generation: Generation) -> Row[Any]:
    """How far a replay has come.

    Columns: path, of the namespace; llm_model, where it is the replay's own; behind, how many events took effect in the namespace
    and not yet in its replay, commands that are passed over among them; dead, how many were given up there.
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
    """Delete what was replayed, and that it ever was, whoever is at work in it. What it cost stays, as spent on the namespace."""
    take_time(connection)
    # Whoever is at work there ends first, or finds no lane any more.
    Sql(f"""
        select from mosshead.lanes where {OF_REPLAY} for update;
        update mosshead.usage set namespace_id = %(namespace_id)s where {OF_REPLAY};
        delete from mosshead.generations where {OF_NAMESPACE}
    """).run(connection, generation.both)
    # With what a namespace of its own has beside what is erased of one with everything.
    own = ("events", "messages", "conversations", "publishers", "scopes", "tombstones", "namespaces", "lanes")
    for table in (*TABLES_OF_NAMESPACE, *own):
        Sql(f"delete from mosshead.{table} where {OF_REPLAY}").run(connection, generation.both)


def _generation(row: Row[Any]) -> Generation:
    return Generation(LaneRef(row.tenant_id, row.namespace_id), LaneRef(row.tenant_id, row.replay_id), *tuple(row)[3:])


OF_REPLAY: Final = "tenant_id = %(tenant_id)s and namespace_id = %(replay_id)s"

# Of what was left out, what the replay lacks: not what the other generation did while it was replayed (`exchange`).
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
"""What a generation is made of, and which rows of it: decisions of an app's prompts, and receipts of what was erased, are the
namespace's own. Triggers keep the rest: traits, vocabulary, counts.
"""


def exchange(connection: Connection, generation: Generation) -> None:
    """Have the two change places, in this transaction. Both lanes must be at rest, and nobody may claim anything of them.

    They are locked afterwards, so that whoever publishes waits until it ends, and not while it takes long.
    """
    both = {**generation.both, "aside": uuid4()}
    take_time(connection)
    # By way of a third: some ids are the same in both.
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
    # Of each one row or two, but for the events: what publishers wait for comes late.
    # Decisions and reflections tell of the batches of their generation; a command names things by its ids. The order stays.
    # What one generation lacks, the other need not.
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
    """How the two stand at this moment. but_not: types of events that are passed over.

    Columns: quarantined, whether one of the lanes is, and not only held; held, whether both are; left, whether an event is still
    to be replayed; replaying, busy, whether the replay's lane, or the namespace's, is at work; named, whether something waits in
    the namespace that names things by their ids, or is to be erased.
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
    """Have nothing claimed of the two lanes, as where one is quarantined, until they are released. One that is stays so."""
    # By the clock, not from the transaction's start: it may have waited long for who had them before. What was quarantined since
    # it was looked at is not for a release to let go.
    Sql(f"""
        update mosshead.lanes set quarantined_at = clock_timestamp(), quarantined_for = %(why)s
        where {_BOTH} and (quarantined_at is null or quarantined_for = %(why)s)
    """).run(connection, generation.both, why=_HELD)


def release(connection: Connection, lane: LaneRef) -> None:
    """Let the lanes of a namespace and of its replay go on that were held."""
    # Also where its replay is gone by now: that has no lane any more.
    Sql(f"""
        {_GO_ON}
        where tenant_id = %(tenant_id)s and quarantined_for = %(why)s and (namespace_id = %(namespace_id)s or namespace_id in (
            select replay_id from mosshead.generations where {OF_NAMESPACE}))
    """).run(connection, lane.scope, why=_HELD)


def release_abandoned(connection: Connection, *, age: timedelta) -> int:
    """Let lanes go on that have been held for so long by somebody who was killed; returns how many. Sees all tenants.

    Waits for nobody: a lane in which an app publishes in a transaction of its own goes on the next time.
    """
    # Whoever has two change places has their generation locked, but for the moment after the lanes were held.
    return Sql(f"""
        with held as materialized (
            select tenant_id, namespace_id from mosshead.lanes
            where quarantined_for = %(why)s and quarantined_at < now() - %(age)s::interval for update skip locked
        ), free as materialized (
            select namespace_id from mosshead.generations as generation where exists (
                select from held where held.namespace_id in (generation.namespace_id, generation.replay_id))
            for update skip locked
        )
        {_GO_ON}
        from held where (lane.tenant_id, lane.namespace_id) = (held.tenant_id, held.namespace_id) and not exists (
            select from mosshead.generations as generation
            where held.namespace_id in (generation.namespace_id, generation.replay_id)
              and generation.namespace_id not in (select namespace_id from free))
    """).changed(connection, why=_HELD, age=age)


_BOTH = "tenant_id = %(tenant_id)s and namespace_id in (%(namespace_id)s, %(replay_id)s)"

_GO_ON = """
    update mosshead.lanes as lane
    set quarantined_at = null, quarantined_for = null,
        ready_at = case when pending > 0 then now() else least(profiles_due_at, reflections_due_at) end
"""


def due(connection: Connection, *, limit: int) -> list[LaneRef]:
    """Namespaces whose replay may go on, and that nobody looked at within the last second; marks them. Sees all tenants.

    A replay whose lane is quarantined may not.
    """
    rows = Sql("""
        update mosshead.generations set due_at = now() + interval '1 second'
        where (tenant_id, namespace_id) in (
            select tenant_id, namespace_id from mosshead.generations as generation
            where due_at <= now() and not exists (
                select from mosshead.lanes as lane
                where lane.tenant_id = generation.tenant_id and lane.namespace_id = generation.replay_id
                  and lane.quarantined_at is not null)
            order by due_at limit %(limit)s for update skip locked)
        returning tenant_id, namespace_id
    """).run(connection, limit=limit)
    return [LaneRef(*row) for row in rows]


def upcoming(
    connection: Connection, generation: Generation, *, but_not: Iterable[str], limit: int
) -> Sequence[Row[Any]]:
    """The next events to be replayed, in the order in which they took effect. Columns: event_id, type.

    but_not: types that are passed over.
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

    payload: what they say there, in place of what they say.
    """
    given = [{"event_id": one, "payload": payload} for one in event_ids]
    last = {"number": len(given), "event_id": event_ids[-1]}
    events = "select (given ->> 'event_id')::uuid from jsonb_array_elements(%(events)s) as given"
    # Of one publisher, whose numbers are the order: no claim puts them in another.
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
        set pending = pending + %(number)s, first_pending_at = coalesce(first_pending_at, now()), ready_at = now()
        where {OF_REPLAY};
        {_GO_PAST}
    """).run(connection, generation.both, events=as_jsonb(given), **last)


def leave_out(connection: Connection, generation: Generation, event_id: UUID, *, why: str | None = None) -> None:
    """Pass a command over. why: where something is missing because of that, in fixed words."""
    if why is not None:
        Sql(f"""
            update mosshead.generations set left_out = left_out || (
                select jsonb_build_object('event_id', event_id, 'type', type, 'why', %(why)s::text)
                from mosshead.events where {OF_NAMESPACE} and event_id = %(event_id)s)
            where {OF_NAMESPACE}
        """).run(connection, generation.lane.scope, event_id=event_id, why=why)
    Sql(_GO_PAST).run(connection, generation.lane.scope, event_id=event_id, number=0)


def payload(connection: Connection, lane: LaneRef, event_id: UUID) -> Mapping[str, Any]:
    """What an event says."""
    found: Mapping[str, Any] = Sql(f"""
        select payload from mosshead.events where {OF_NAMESPACE} and event_id = %(event_id)s
    """).value(connection, lane.scope, event_id=event_id)
    return found


def waiting(connection: Connection, lane: LaneRef) -> int:
    """How many events wait in a lane, or are at work; none, where there is no such lane."""
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
