"""Holding: nothing is claimed of a namespace and of its replay while the two change places."""

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, text

from db.generations import Generation
from db.refs import LaneRef

_HELD: Final = "changes places with its replay"


def idle(connection: Connection, lane: LaneRef) -> bool:
    """Whether nobody is at work in a lane."""
    return connection.execute(_IDLE, lane.scope).one_or_none() is not None


def commands_wait(connection: Connection, lane: LaneRef) -> bool:
    """Whether something waits in a lane that names things by their ids, or is to be erased."""
    return connection.execute(_COMMANDS_WAIT, lane.scope).first() is not None


def hold(connection: Connection, generation: Generation) -> None:
    """Have nothing claimed of the two lanes, as where one is quarantined, until they are released. One that is stays so."""
    connection.execute(_HOLD, {**generation.both, "why": _HELD})


def held(connection: Connection, generation: Generation) -> bool:
    """Whether both lanes are held."""
    return bool(connection.execute(_BOTH_HELD, {**generation.both, "why": _HELD}).scalar_one())


def release(connection: Connection, lane: LaneRef) -> None:
    """Let the lanes of a namespace and of its replay go on that were held."""
    connection.execute(_RELEASE, {**lane.scope, "why": _HELD})


def release_abandoned(connection: Connection, *, age: timedelta) -> int:
    """Let lanes go on that have been held for so long by somebody who was killed; returns how many. Sees all tenants.

    Waits for nobody: a lane in which an app publishes in a transaction of its own goes on the next time.
    """
    return connection.execute(_RELEASE_ABANDONED, {"why": _HELD, "age": age}).rowcount


def quarantined(connection: Connection, generation: Generation) -> bool:
    """Whether one of the two lanes is stopped, for another reason than that they are held."""
    return connection.execute(_QUARANTINED, {**generation.both, "why": _HELD}).first() is not None


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"

_IDLE = text(f"select from mosshead.lanes where {_LANE} and batch_id is null")

_COMMANDS_WAIT = text(f"""
    select from mosshead.events where {_LANE} and state = 'received' and type not in ('message', 'conversation_ended') limit 1
""")

_BOTH = "tenant_id = :tenant_id and namespace_id in (:namespace_id, :replay_id)"

# By the clock, not from the transaction's start: it may have waited long for who had them before. What was quarantined since it
# was looked at is not for a release to let go.
_HOLD = text(f"""
    update mosshead.lanes set quarantined_at = clock_timestamp(), quarantined_for = :why
    where {_BOTH} and (quarantined_at is null or quarantined_for = :why)
""")

_BOTH_HELD = text(f"select count(*) = 2 from mosshead.lanes where {_BOTH} and quarantined_for = :why")

_GO_ON = """
    update mosshead.lanes as lane
    set quarantined_at = null, quarantined_for = null,
        ready_at = case when pending > 0 then now() else least(profiles_due_at, reflections_due_at) end
"""

# Also where its replay is gone by now: that has no lane any more.
_RELEASE = text(f"""
    {_GO_ON}
    where tenant_id = :tenant_id and quarantined_for = :why and (namespace_id = :namespace_id or namespace_id in (
        select replay_id from mosshead.generations where tenant_id = :tenant_id and namespace_id = :namespace_id))
""")

# Whoever has two change places has their generation locked, but for the moment after the lanes were held.
_RELEASE_ABANDONED = text(f"""
    with held as materialized (
        select tenant_id, namespace_id from mosshead.lanes
        where quarantined_for = :why and quarantined_at < now() - cast(:age as interval) for update skip locked
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
""")

_QUARANTINED = text(
    f"select from mosshead.lanes where {_BOTH} and quarantined_at is not null and quarantined_for <> :why"
)
