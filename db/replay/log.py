"""Replaying: what took effect in a namespace goes into the lane of its replay, in the order in which it did."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection

from db.keys import OF_LANE, LaneRef, as_jsonb, of_lane
from db.replay.generations import OF_REPLAY, Generation
from mosshead.store.connection import Sql


class Upcoming(NamedTuple):
    """An event that took effect and is to be replayed."""

    event_id: UUID
    type: str


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
            order by due_at limit :limit for update skip locked)
        returning tenant_id, namespace_id
    """).run(connection, limit=limit)
    return [LaneRef(*row) for row in rows]


def upcoming(connection: Connection, generation: Generation, *, but_not: Iterable[str], limit: int) -> list[Upcoming]:
    """The next events to be replayed, in the order in which they took effect. but_not: types that are passed over."""
    rows = Sql(f"""
        select event_id, type from mosshead.events as event
        where {OF_LANE} and state = 'done' and type <> all(:but_not)
          and effective_at > (select up_to from mosshead.generations as generation
                              where {of_lane("generation")})
        order by effective_at limit :limit
    """).run(connection, generation.lane.scope, but_not=["erased", *but_not], limit=limit)
    return [Upcoming(row.event_id, row.type) for row in rows]


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
    Sql(f"{_REPLAY_EVENTS};\n{_GO_PAST}").run(connection, generation.both, events=as_jsonb(given), **last)


def leave_out(connection: Connection, generation: Generation, event_id: UUID, *, why: str | None = None) -> None:
    """Pass a command over. why: where something is missing because of that, in fixed words."""
    if why is not None:
        Sql(f"""
            update mosshead.generations set left_out = left_out || (
                select jsonb_build_object('event_id', event_id, 'type', type, 'why', cast(:why as text))
                from mosshead.events where {OF_LANE} and event_id = :event_id)
            where {OF_LANE}
        """).run(connection, generation.lane.scope, event_id=event_id, why=why)
    Sql(_GO_PAST).run(connection, generation.lane.scope, event_id=event_id, number=0)


def payload(connection: Connection, lane: LaneRef, event_id: UUID) -> Mapping[str, Any]:
    """What an event says."""
    found: Mapping[str, Any] = Sql(f"""
        select payload from mosshead.events where {OF_LANE} and event_id = :event_id
    """).value(connection, lane.scope, event_id=event_id)
    return found


def at_rest(connection: Connection, lane: LaneRef) -> bool:
    """Whether nothing waits in a lane and nobody is at work in it."""
    return Sql(f"""
        select coalesce((select pending = 0 and batch_id is null from mosshead.lanes where {OF_LANE}), true)
    """).holds(connection, lane.scope)


def waiting(connection: Connection, lane: LaneRef) -> int:
    """How many events wait in a lane, or are at work; none, where there is no such lane."""
    return Sql(f"""
        select coalesce((select pending from mosshead.lanes where {OF_LANE}), 0)
    """).number(connection, lane.scope)


_GIVEN = "select (given ->> 'event_id')::uuid from jsonb_array_elements(:events) as given"

# Of one publisher, whose numbers are the order: no claim puts them in another.
_REPLAY_EVENTS = f"""
    insert into mosshead.events
        (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id,
         sequence)
    select event.tenant_id, :replay_id, event.event_id, :replay_id, generation.replayed + given.place, event.type,
           jsonb_set(coalesce(nullif(given.event -> 'payload', 'null'), event.payload), '{{namespace}}', to_jsonb(named.path)),
           event.occurred_at, event.conversation_id, event.sequence
    from jsonb_array_elements(:events) with ordinality as given (event, place)
    join mosshead.events as event
      on {of_lane("event")} and event.event_id = (given.event ->> 'event_id')::uuid
    join mosshead.generations as generation
      on {of_lane("generation")}
    join mosshead.namespaces as named on named.tenant_id = :tenant_id and named.namespace_id = :replay_id
    order by given.place;

    insert into mosshead.messages
        (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset,
         occurred_at_sent)
    select tenant_id, :replay_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset,
           occurred_at_sent
    from mosshead.messages where {OF_LANE} and message_id in ({_GIVEN});

    insert into mosshead.conversations (tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at)
    select tenant_id, :replay_id, conversation_id, started_at, last_message_at, ended_at
    from mosshead.conversations where {OF_LANE} and conversation_id in (
        select conversation_id from mosshead.events where {OF_LANE} and event_id in ({_GIVEN}))
    on conflict (tenant_id, namespace_id, conversation_id) do update
        set started_at = excluded.started_at, last_message_at = excluded.last_message_at, ended_at = excluded.ended_at;

    insert into mosshead.publishers as one (tenant_id, namespace_id, publisher_id, received_up_to)
    values (:tenant_id, :replay_id, :replay_id, :number)
    on conflict (tenant_id, namespace_id, publisher_id) do update set received_up_to = one.received_up_to + :number;

    update mosshead.lanes
    set pending = pending + :number, first_pending_at = coalesce(first_pending_at, now()), ready_at = now() where {OF_REPLAY}
"""

_GO_PAST = f"""
    update mosshead.generations as generation
    set up_to = event.effective_at, replayed = replayed + :number
    from mosshead.events as event
    where {of_lane("generation")}
      and {of_lane("event")} and event.event_id = :event_id
"""
