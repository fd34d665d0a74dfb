"""Generations: a namespace that is replayed beside itself, from the events that took effect, in the order in which they did.

What is replayed is a namespace of its own, whose path ends in ``(replay)``: lane, events and memories are its own, so that
stages, claims and leases know nothing of it. It belongs to the namespace that apps read; `db.exchange` has the two change places.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, Row, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.erasing.everything import TABLES
from db.refs import LaneRef
from recollect.namespaces import NamespacePath

_HELD: Final = "changes places with its replay"


@dataclass(frozen=True, slots=True)
class Generation:
    """What is replayed of a namespace. replay: where. replayed: how many events. left_out: commands that were not, and why."""

    lane: LaneRef
    replay: LaneRef
    started_at: datetime
    replayed: int
    left_out: Sequence[Mapping[str, str]]
    switched_at: datetime | None


class Upcoming(NamedTuple):
    """An event that took effect and is to be replayed."""

    event_id: UUID
    type: str


def start(
    connection: Connection, path: NamespacePath, *, llm_model: str | None = None, instructions: str | None = None
) -> Generation | None:
    """Have a namespace replayed from its beginning; None where that is under way, or where its replay would be, somebody writes.

    llm_model: in place of the service's own. instructions: in place of those of the namespace. The tenant must be set, here and
    below.
    """
    lane, replay = LaneRef(path.tenant_id, path.namespace_id), path.replayed()
    parameters = {**lane.scope, "replay_id": replay.namespace_id, "path": list(replay.parts)}
    wanted = {"llm_model": llm_model, "instructions": instructions, "own": instructions is not None}
    if connection.execute(_NAME, {**parameters, **wanted}).rowcount == 0:
        return None
    connection.execute(_LANE_OF_REPLAY, parameters)
    connection.execute(_START, {**parameters, **wanted})
    return of(connection, lane)


def of(connection: Connection, lane: LaneRef) -> Generation | None:
    """What is replayed of a namespace, if anything."""
    row = connection.execute(_OF, lane.scope).one_or_none()
    return _generation(row) if row else None


def listed(connection: Connection) -> list[Generation]:
    """All, the first that was started in front. Sees all tenants: the table has no policy."""
    return [_generation(row) for row in connection.execute(_LISTED)]


def due(connection: Connection, *, limit: int) -> list[LaneRef]:
    """Namespaces whose replay may go on, and that nobody looked at within the last second; marks them. Sees all tenants."""
    return [LaneRef(row.tenant_id, row.namespace_id) for row in connection.execute(_DUE, {"limit": limit})]


def lock(connection: Connection, lane: LaneRef) -> Generation | None:
    """As `of`, and until this transaction ends nobody else replays, switches or drops it."""
    row = connection.execute(_LOCK, lane.scope).one_or_none()
    return _generation(row) if row else None


def upcoming(connection: Connection, generation: Generation, *, but_not: Iterable[str], limit: int) -> list[Upcoming]:
    """The next events to be replayed, in the order in which they took effect. but_not: types that are passed over."""
    connection.execute(_TIMES, generation.lane.scope)
    rows = connection.execute(_UPCOMING, {**generation.lane.scope, "but_not": ["erased", *but_not], "limit": limit})
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
    given = [{"event_id": str(one), "payload": payload} for one in event_ids]
    parameters = {**_both(generation), "events": given, "number": len(given)}
    for statement in (_EVENTS, _MESSAGES, _CONVERSATIONS, _PUBLISHER, _DUE_LANE):
        connection.execute(statement, parameters)
    connection.execute(_PASS, {**parameters, "event_id": event_ids[-1]})


def leave_out(connection: Connection, generation: Generation, event_id: UUID, *, why: str | None = None) -> None:
    """Pass a command over. why: where something is missing because of that, in fixed words."""
    if why is not None:
        connection.execute(_LEAVE_OUT, {**generation.lane.scope, "event_id": event_id, "why": why})
    connection.execute(_PASS, {**generation.lane.scope, "event_id": event_id, "number": 0})


def payload(connection: Connection, lane: LaneRef, event_id: UUID) -> Mapping[str, Any]:
    """What an event says."""
    found: Mapping[str, Any] = connection.execute(_PAYLOAD, {**lane.scope, "event_id": event_id}).scalar_one()
    return found


def follow_configuration(connection: Connection, generation: Generation) -> None:
    """What the app wants of the namespace, it wants of what is replayed, but for instructions of that one's own."""
    connection.execute(_CONFIGURE, _both(generation))


def at_rest(connection: Connection, lane: LaneRef) -> bool:
    """Whether nothing waits in a lane and nobody is at work in it."""
    return bool(connection.execute(_AT_REST, lane.scope).scalar_one())


def exists(connection: Connection, path: NamespacePath) -> bool:
    """Whether there is a namespace of this path that can be replayed."""
    parameters = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}
    return connection.execute(_EXISTS, parameters).one_or_none() is not None


def idle(connection: Connection, lane: LaneRef) -> bool:
    """Whether nobody is at work in a lane, and nothing waits there to be erased."""
    return connection.execute(_IDLE, lane.scope).one_or_none() is not None


def behind(connection: Connection, generation: Generation) -> int:
    """How many events took effect in the namespace and not yet in its replay; commands that are passed over are among them."""
    return int(connection.execute(_BEHIND, _both(generation)).scalar_one())


def commands_wait(connection: Connection, lane: LaneRef) -> bool:
    """Whether something waits in a lane that names things by their ids, or is to be erased."""
    return connection.execute(_COMMANDS_WAIT, lane.scope).first() is not None


def lock_lane(connection: Connection, lane: LaneRef) -> None:
    """Have arrivals wait until this transaction ends."""
    connection.execute(_LOCK_LANE, lane.scope)


def hold(connection: Connection, generation: Generation) -> None:
    """Have nothing claimed of the two lanes, as where one is quarantined, until they are released."""
    connection.execute(_HOLD, {**_both(generation), "why": _HELD})


def release(connection: Connection, lane: LaneRef) -> None:
    """Let the lanes of a namespace and of its replay go on that were held."""
    connection.execute(_RELEASE, {**lane.scope, "why": _HELD})


def quarantined(connection: Connection, generation: Generation) -> bool:
    """Whether one of the two lanes is stopped, for another reason than that they are held."""
    return connection.execute(_QUARANTINED, {**_both(generation), "why": _HELD}).first() is not None


def waiting(connection: Connection, lane: LaneRef) -> int:
    """How many events wait in a lane, or are at work."""
    return int(connection.execute(_WAITING, lane.scope).scalar() or 0)


def dead(connection: Connection, lane: LaneRef) -> int:
    """How many events of a lane were given up."""
    return int(connection.execute(_DEAD, lane.scope).scalar_one())


def drop(connection: Connection, generation: Generation) -> None:
    """Delete what was replayed, and that it ever was, whoever is at work in it. What it cost stays, as spent on the namespace."""
    connection.execute(_NO_TIMEOUT)
    both = _both(generation)
    for statement in (_LOCK_LANE_OF_REPLAY, _COSTS, _GENERATION):
        connection.execute(statement, both)
    for table in (*TABLES, *_TABLES):
        connection.execute(text(f"delete from recollect.{table} where {_REPLAY}"), both)


def _both(generation: Generation) -> dict[str, UUID]:
    return {**generation.lane.scope, "replay_id": generation.replay.namespace_id}


def _generation(row: Row[Any]) -> Generation:
    return Generation(
        LaneRef(row.tenant_id, row.namespace_id),
        LaneRef(row.tenant_id, row.replay_id),
        row.started_at,
        row.replayed,
        row.left_out,
        row.switched_at,
    )


_TABLES = ("events", "messages", "conversations", "publishers", "scopes", "tombstones", "namespaces", "lanes")
"""What a namespace of its own has beside what is erased of one with everything."""

_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"
_REPLAY = "tenant_id = :tenant_id and namespace_id = :replay_id"

# Where an app published under that path before, there is a namespace already: on conflict nothing is begun.
_NAME = text(f"""
    insert into recollect.namespaces
        (tenant_id, namespace_id, path, replay_of, llm_model, instructions, schemas, profiles, episodes, configured_at)
    select tenant_id, :replay_id, :path, namespace_id, :llm_model, coalesce(cast(:instructions as text), instructions), schemas,
           profiles, episodes, configured_at
    from recollect.namespaces where {_LANE} and replay_of is null
    on conflict do nothing
""")

_LANE_OF_REPLAY = text("""
    insert into recollect.lanes (tenant_id, namespace_id) values (:tenant_id, :replay_id) on conflict do nothing
""")

_START = text("""
    insert into recollect.generations (tenant_id, namespace_id, replay_id, own_instructions)
    values (:tenant_id, :namespace_id, :replay_id, :own)
""")

# Of what was left out, what the replay lacks: not what the other generation did while it was replayed (`db.exchange`).
_COLUMNS = """tenant_id, namespace_id, replay_id, started_at, replayed, switched_at, coalesce((
    select jsonb_agg(one order by place) from jsonb_array_elements(left_out) with ordinality as each (one, place)
    where one ->> 'switched' is null), '[]') as left_out"""

_OF = text(f"select {_COLUMNS} from recollect.generations where {_LANE}")

_LOCK = text(f"select {_COLUMNS} from recollect.generations where {_LANE} for update")

_LISTED = text(f"select {_COLUMNS} from recollect.generations order by started_at, namespace_id")

_DUE = text("""
    update recollect.generations set due_at = now() + interval '1 second'
    where (tenant_id, namespace_id) in (
        select tenant_id, namespace_id from recollect.generations where due_at <= now()
        order by due_at limit :limit for update skip locked)
    returning tenant_id, namespace_id
""")

# When what came into effect before this was kept did so. Ids of batches begin with the time at which they were claimed.
_TIMES = text(f"""
    update recollect.events as event set effective_at = coalesce(
        (select applied_at from recollect.batches as batch
         where batch.tenant_id = :tenant_id and batch.namespace_id = :namespace_id and batch.batch_id = event.batch_id),
        recollect.made_at(batch_id), received_at) + coalesce(place, 0) * interval '1 microsecond'
    where {_LANE} and state = 'done' and effective_at is null
""")

_UPCOMING = text("""
    select event_id, type from recollect.events as event
    where tenant_id = :tenant_id and namespace_id = :namespace_id and state = 'done' and type <> all(:but_not)
      and effective_at > (select up_to from recollect.generations as generation
                          where generation.tenant_id = :tenant_id and generation.namespace_id = :namespace_id)
    order by effective_at limit :limit
""")

# Of one publisher, whose numbers are the order: no claim puts them in another.
_EVENTS = text("""
    insert into recollect.events
        (tenant_id, namespace_id, event_id, publisher_id, publisher_sequence, type, payload, occurred_at, conversation_id,
         sequence)
    select event.tenant_id, :replay_id, event.event_id, :replay_id, generation.replayed + given.place, event.type,
           jsonb_set(coalesce(nullif(given.event -> 'payload', 'null'), event.payload), '{namespace}', to_jsonb(named.path)),
           event.occurred_at, event.conversation_id, event.sequence
    from jsonb_array_elements(:events) with ordinality as given (event, place)
    join recollect.events as event
      on event.tenant_id = :tenant_id and event.namespace_id = :namespace_id
     and event.event_id = (given.event ->> 'event_id')::uuid
    join recollect.generations as generation
      on generation.tenant_id = :tenant_id and generation.namespace_id = :namespace_id
    join recollect.namespaces as named on named.tenant_id = :tenant_id and named.namespace_id = :replay_id
    order by given.place
""").bindparams(bindparam("events", type_=JSONB))

_GIVEN = "select (given ->> 'event_id')::uuid from jsonb_array_elements(:events) as given"

_MESSAGES = text(f"""
    insert into recollect.messages
        (tenant_id, namespace_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset)
    select tenant_id, :replay_id, message_id, conversation_id, role, speaker, content, occurred_at, metadata, occurred_at_offset
    from recollect.messages where {_LANE} and message_id in ({_GIVEN})
""").bindparams(bindparam("events", type_=JSONB))

_CONVERSATIONS = text(f"""
    insert into recollect.conversations (tenant_id, namespace_id, conversation_id, started_at, last_message_at, ended_at)
    select tenant_id, :replay_id, conversation_id, started_at, last_message_at, ended_at
    from recollect.conversations where {_LANE} and conversation_id in (
        select conversation_id from recollect.events where {_LANE} and event_id in ({_GIVEN}))
    on conflict (tenant_id, namespace_id, conversation_id) do update
        set started_at = excluded.started_at, last_message_at = excluded.last_message_at, ended_at = excluded.ended_at
""").bindparams(bindparam("events", type_=JSONB))

_PUBLISHER = text("""
    insert into recollect.publishers as one (tenant_id, namespace_id, publisher_id, received_up_to)
    values (:tenant_id, :replay_id, :replay_id, :number)
    on conflict (tenant_id, namespace_id, publisher_id) do update set received_up_to = one.received_up_to + :number
""")

_DUE_LANE = text(f"""
    update recollect.lanes
    set pending = pending + :number, first_pending_at = coalesce(first_pending_at, now()), ready_at = now() where {_REPLAY}
""")

_PASS = text("""
    update recollect.generations as generation
    set up_to = event.effective_at, replayed = replayed + :number
    from recollect.events as event
    where generation.tenant_id = :tenant_id and generation.namespace_id = :namespace_id
      and event.tenant_id = :tenant_id and event.namespace_id = :namespace_id and event.event_id = :event_id
""")

_LEAVE_OUT = text(f"""
    update recollect.generations set left_out = left_out || (
        select jsonb_build_object('event_id', event_id, 'type', type, 'why', cast(:why as text))
        from recollect.events where {_LANE} and event_id = :event_id)
    where {_LANE}
""")

_PAYLOAD = text(f"select payload from recollect.events where {_LANE} and event_id = :event_id")

_CONFIGURE = text("""
    update recollect.namespaces as there
    set (instructions, schemas, profiles, episodes) = (
        case when generation.own_instructions then there.instructions else here.instructions end,
        here.schemas, here.profiles, here.episodes)
    from recollect.namespaces as here join recollect.generations as generation using (tenant_id, namespace_id)
    where here.tenant_id = :tenant_id and here.namespace_id = :namespace_id
      and there.tenant_id = :tenant_id and there.namespace_id = :replay_id
      and (there.instructions, there.schemas, there.profiles, there.episodes) is distinct from (
        case when generation.own_instructions then there.instructions else here.instructions end,
        here.schemas, here.profiles, here.episodes)
""")

_AT_REST = text(f"""
    select coalesce((select pending = 0 and batch_id is null from recollect.lanes where {_LANE}), true)
""")

_WAITING = text(f"select pending from recollect.lanes where {_LANE}")

_EXISTS = text(f"select from recollect.namespaces where {_LANE} and replay_of is null")

_IDLE = text(f"select from recollect.lanes where {_LANE} and batch_id is null and erase_due_at is null")

_BEHIND = text(f"""
    select (select pending from recollect.lanes where {_REPLAY}) + (
        select count(*) from recollect.events where {_LANE} and state = 'done' and type <> 'erased'
          and coalesce(effective_at, 'infinity') > (select up_to from recollect.generations where {_LANE}))
""")

_COMMANDS_WAIT = text(f"""
    select from recollect.events where {_LANE} and state = 'received' and type not in ('message', 'conversation_ended') limit 1
""")

_LOCK_LANE = text(f"select from recollect.lanes where {_LANE} for update")

_BOTH = "tenant_id = :tenant_id and namespace_id in (:namespace_id, :replay_id)"

_HOLD = text(f"update recollect.lanes set quarantined_at = now(), quarantined_for = :why where {_BOTH}")

# Also where its replay is gone by now: that has no lane any more.
_RELEASE = text("""
    update recollect.lanes
    set quarantined_at = null, quarantined_for = null,
        ready_at = case when pending > 0 then now() else least(profiles_due_at, reflections_due_at) end
    where tenant_id = :tenant_id and quarantined_for = :why and (namespace_id = :namespace_id or namespace_id in (
        select replay_id from recollect.generations where tenant_id = :tenant_id and namespace_id = :namespace_id))
""")

_QUARANTINED = text(
    f"select from recollect.lanes where {_BOTH} and quarantined_at is not null and quarantined_for <> :why"
)

_DEAD = text(f"select count(*) from recollect.dead_letters where {_LANE} and origin = 'stage'")

_NO_TIMEOUT = text("set local statement_timeout = 0")

# Whoever is at work there ends first, or finds no lane any more.
_LOCK_LANE_OF_REPLAY = text(f"select from recollect.lanes where {_REPLAY} for update")

_COSTS = text(f"update recollect.usage set namespace_id = :namespace_id where {_REPLAY}")

_GENERATION = text(f"delete from recollect.generations where {_LANE}")
