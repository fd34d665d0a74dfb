"""Generations: a namespace that is replayed beside itself, from the events that took effect, in the order in which they did.

What is replayed is a namespace of its own, whose path ends in ``(replay)``: lane, events and memories are its own, so that
stages, claims and leases know nothing of it. It belongs to the namespace that apps read; `db.exchange` has the two change places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, text

from db.erasing.everything import TABLES_OF_NAMESPACE
from db.refs import LaneRef
from mosshead.namespaces import NamespacePath


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


def lock(connection: Connection, lane: LaneRef, *, wait: bool = True) -> Generation | None:
    """As `of`, and until this transaction ends nobody else replays, switches or drops it.

    wait: for whoever is at it; else None where somebody is.
    """
    row = connection.execute(_LOCK if wait else _LOCK_IF_FREE, lane.scope).one_or_none()
    return _generation(row) if row else None


def follow_configuration(connection: Connection, generation: Generation) -> None:
    """What the app wants of the namespace, it wants of what is replayed, but for instructions of that one's own."""
    connection.execute(_CONFIGURE, generation.both)


def exists(connection: Connection, path: NamespacePath) -> bool:
    """Whether there is a namespace of this path that can be replayed."""
    parameters = {"tenant_id": path.tenant_id, "namespace_id": path.namespace_id}
    return connection.execute(_EXISTS, parameters).one_or_none() is not None


def behind(connection: Connection, generation: Generation) -> int:
    """How many events took effect in the namespace and not yet in its replay; commands that are passed over are among them."""
    return int(connection.execute(_BEHIND, generation.both).scalar_one())


def dead(connection: Connection, lane: LaneRef) -> int:
    """How many events of a lane were given up."""
    return int(connection.execute(_DEAD, lane.scope).scalar_one())


def drop(connection: Connection, generation: Generation) -> None:
    """Delete what was replayed, and that it ever was, whoever is at work in it. What it cost stays, as spent on the namespace."""
    connection.execute(_NO_TIMEOUT)
    both = generation.both
    for statement in (_LOCK_LANE_OF_REPLAY, _COSTS, _GENERATION):
        connection.execute(statement, both)
    for table in (*TABLES_OF_NAMESPACE, *_TABLES):
        connection.execute(text(f"delete from mosshead.{table} where {_REPLAY}"), both)


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

# Where an app published under that path before, there is a namespace already: on conflict nothing is begun. What the app wants
# of it is told it before its first event (`follow_configuration`).
_NAME = text(f"""
    insert into mosshead.namespaces (tenant_id, namespace_id, path, replay_of, llm_model, instructions)
    select tenant_id, :replay_id, :path, namespace_id, :llm_model, coalesce(cast(:instructions as text), '')
    from mosshead.namespaces where {_LANE} and replay_of is null
    on conflict do nothing
""")

_LANE_OF_REPLAY = text("""
    insert into mosshead.lanes (tenant_id, namespace_id) values (:tenant_id, :replay_id) on conflict do nothing
""")

_START = text("""
    insert into mosshead.generations (tenant_id, namespace_id, replay_id, own_instructions)
    values (:tenant_id, :namespace_id, :replay_id, :own)
""")

# Of what was left out, what the replay lacks: not what the other generation did while it was replayed (`db.exchange`).
_COLUMNS = """tenant_id, namespace_id, replay_id, started_at, replayed, switched_at, coalesce((
    select jsonb_agg(one order by place) from jsonb_array_elements(left_out) with ordinality as each (one, place)
    where one ->> 'switched' is null), '[]') as left_out"""

_OF = text(f"select {_COLUMNS} from mosshead.generations where {_LANE}")

_LOCK = text(f"select {_COLUMNS} from mosshead.generations where {_LANE} for update")

_LOCK_IF_FREE = text(f"select {_COLUMNS} from mosshead.generations where {_LANE} for update skip locked")

_LISTED = text(f"select {_COLUMNS} from mosshead.generations order by started_at, namespace_id")

_CONFIGURE = text("""
    update mosshead.namespaces as there
    set (instructions, schemas, profiles, episodes) = (
        case when generation.own_instructions then there.instructions else here.instructions end,
        here.schemas, here.profiles, here.episodes)
    from mosshead.namespaces as here join mosshead.generations as generation using (tenant_id, namespace_id)
    where here.tenant_id = :tenant_id and here.namespace_id = :namespace_id
      and there.tenant_id = :tenant_id and there.namespace_id = :replay_id
      and (there.instructions, there.schemas, there.profiles, there.episodes) is distinct from (
        case when generation.own_instructions then there.instructions else here.instructions end,
        here.schemas, here.profiles, here.episodes)
""")

_EXISTS = text(f"select from mosshead.namespaces where {_LANE} and replay_of is null")

_BEHIND = text(f"""
    select (select pending from mosshead.lanes where {_REPLAY}) + (
        select count(*) from mosshead.events where {_LANE} and state = 'done' and type <> 'erased'
          and coalesce(effective_at, 'infinity') > (select up_to from mosshead.generations where {_LANE}))
""")

_DEAD = text(f"select count(*) from mosshead.dead_letters where {_LANE} and origin = 'stage'")

_NO_TIMEOUT = text("set local statement_timeout = 0")

# Whoever is at work there ends first, or finds no lane any more.
_LOCK_LANE_OF_REPLAY = text(f"select from mosshead.lanes where {_REPLAY} for update")

_COSTS = text(f"update mosshead.usage set namespace_id = :namespace_id where {_REPLAY}")

_GENERATION = text(f"delete from mosshead.generations where {_LANE}")
