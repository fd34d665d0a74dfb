"""Generations: a namespace that is replayed beside itself, from the events that took effect, in the order in which they did.

What is replayed is a namespace of its own, whose path ends in ``(replay)``: lane, events and memories are its own, so that
stages, claims and leases know nothing of it. It belongs to the namespace that apps read, and `exchange` has the two
change places.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from sqlalchemy import Connection, Row

from db.erasure.erasures import take_time
from db.erasure.scopes import TABLES_OF_NAMESPACE
from db.keys import OF_LANE, LaneRef, of_lane
from mosshead.paths import NamespacePath
from mosshead.store.connection import Sql


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
        select tenant_id, :replay_id, :path, namespace_id, :llm_model, coalesce(cast(:instructions as text), '')
        from mosshead.namespaces where {OF_LANE} and replay_of is null
        on conflict do nothing
    """).changed(connection, parameters)
    if not begun:
        return None
    Sql("""
        insert into mosshead.lanes (tenant_id, namespace_id) values (:tenant_id, :replay_id) on conflict do nothing;
        insert into mosshead.generations (tenant_id, namespace_id, replay_id, own_instructions)
        values (:tenant_id, :namespace_id, :replay_id, :own)
    """).run(connection, parameters)
    return of(connection, lane)


def of(connection: Connection, lane: LaneRef) -> Generation | None:
    """What is replayed of a namespace, if anything."""
    return _of(connection, lane)


def listed(connection: Connection) -> list[Generation]:
    """All, the first that was started in front. Sees all tenants: the table has no policy."""
    rows = Sql(f"select {_COLUMNS} from mosshead.generations order by started_at, namespace_id").run(connection)
    return [_generation(row) for row in rows]


def lock(connection: Connection, lane: LaneRef, *, wait: bool = True) -> Generation | None:
    """As `of`, and until this transaction ends nobody else replays, switches or drops it.

    wait: for whoever is at it; else None where somebody is.
    """
    return _of(connection, lane, "for update" if wait else "for update skip locked")


def follow_configuration(connection: Connection, generation: Generation) -> None:
    """What the app wants of the namespace, it wants of what is replayed, but for instructions of that one's own."""
    Sql(f"""
        update mosshead.namespaces as there
        set (instructions, schemas, profiles, episodes) = (
            case when generation.own_instructions then there.instructions else here.instructions end,
            here.schemas, here.profiles, here.episodes)
        from mosshead.namespaces as here join mosshead.generations as generation using (tenant_id, namespace_id)
        where {of_lane("here")} and there.tenant_id = :tenant_id and there.namespace_id = :replay_id
          and (there.instructions, there.schemas, there.profiles, there.episodes) is distinct from (
            case when generation.own_instructions then there.instructions else here.instructions end,
            here.schemas, here.profiles, here.episodes)
    """).run(connection, generation.both)


def exists(connection: Connection, path: NamespacePath) -> bool:
    """Whether there is a namespace of this path that can be replayed."""
    return Sql(f"select from mosshead.namespaces where {OF_LANE} and replay_of is null").exists(connection, path.ids)


def behind(connection: Connection, generation: Generation) -> int:
    """How many events took effect in the namespace and not yet in its replay; commands that are passed over are among them."""
    return Sql(f"""
        select (select pending from mosshead.lanes where {OF_REPLAY}) + (
            select count(*) from mosshead.events where {OF_LANE} and state = 'done' and type <> 'erased'
              and effective_at > (select up_to from mosshead.generations where {OF_LANE}))
    """).number(connection, generation.both)


def dead(connection: Connection, lane: LaneRef) -> int:
    """How many events of a lane were given up."""
    return Sql(f"""
        select count(*) from mosshead.dead_letters where {OF_LANE} and origin = 'stage'
    """).number(connection, lane.scope)


def drop(connection: Connection, generation: Generation) -> None:
    """Delete what was replayed, and that it ever was, whoever is at work in it. What it cost stays, as spent on the namespace."""
    take_time(connection)
    # Whoever is at work there ends first, or finds no lane any more.
    Sql(f"""
        select from mosshead.lanes where {OF_REPLAY} for update;
        update mosshead.usage set namespace_id = :namespace_id where {OF_REPLAY};
        delete from mosshead.generations where {OF_LANE}
    """).run(connection, generation.both)
    for table in (*TABLES_OF_NAMESPACE, *_TABLES):
        Sql(f"delete from mosshead.{table} where {OF_REPLAY}").run(connection, generation.both)


def _of(connection: Connection, lane: LaneRef, lock: str = "") -> Generation | None:
    row = Sql(f"select {_COLUMNS} from mosshead.generations where {OF_LANE} {lock}").row(connection, lane.scope)
    return _generation(row) if row else None


def _generation(row: Row[Any]) -> Generation:
    return Generation(LaneRef(row.tenant_id, row.namespace_id), LaneRef(row.tenant_id, row.replay_id), *tuple(row)[3:])


_TABLES = ("events", "messages", "conversations", "publishers", "scopes", "tombstones", "namespaces", "lanes")
"""What a namespace of its own has beside what is erased of one with everything."""

OF_REPLAY: Final = "tenant_id = :tenant_id and namespace_id = :replay_id"

# Of what was left out, what the replay lacks: not what the other generation did while it was replayed (`exchange`).
_COLUMNS = """tenant_id, namespace_id, replay_id, started_at, replayed, coalesce((
    select jsonb_agg(one order by place) from jsonb_array_elements(left_out) with ordinality as each (one, place)
    where one ->> 'switched' is null), '[]') as left_out, switched_at"""

_OF_MEMORIES: Final = "action <> all(array['set_prompt', 'roll_back_prompt', 'optimize_prompt', 'erase'])"
"""Decisions of an app's prompts, and receipts of what was erased, are the namespace's own."""

_WHOLE: Final = """
    memories memory_sources memory_edges memory_entities embeddings entities entity_aliases relations profiles questions examples
    documents summaries decision_memories
"""

EXCHANGED_TABLES: Final = {
    **dict.fromkeys(_WHOLE.split(), "true"),
    **dict.fromkeys(("reflections", "reflection_batches"), "kind <> 'prompt'"),
    "decisions": _OF_MEMORIES,
}
"""What a generation is made of, and which rows of it. Triggers keep the rest: traits, vocabulary, counts."""

_COPIES: Final = ("traits", "vocabulary", "scopes")


def exchange(connection: Connection, generation: Generation) -> None:
    """Have the two change places, in this transaction. Both lanes must be at rest, and nobody may claim anything of them.

    They are locked afterwards, so that whoever publishes waits until it ends, and not while it takes long.
    """
    both = {**generation.both, "aside": uuid4()}
    take_time(connection)
    # By way of a third: some ids are the same in both.
    for come, go in (("namespace_id", "aside"), ("replay_id", "namespace_id"), ("aside", "replay_id")):
        of_tenant = f"set namespace_id = :{go} where tenant_id = :tenant_id and namespace_id = :{come}"
        for table, rows in EXCHANGED_TABLES.items():
            Sql(f"update mosshead.{table} {of_tenant} and {rows}").run(connection, both)
    for table in _COPIES:
        Sql(f"delete from mosshead.{table} where tenant_id = :tenant_id and namespace_id = :aside").run(
            connection, both
        )
    # Of each one row or two, but for the events: what publishers wait for comes late.
    Sql(_EXCHANGE).run(connection, both)


_OTHER = """
    one.tenant_id = :tenant_id and one.namespace_id in (:namespace_id, :replay_id)
    and other.tenant_id = :tenant_id and other.namespace_id =
        case one.namespace_id when :namespace_id then cast(:replay_id as uuid) else cast(:namespace_id as uuid) end
"""

# Decisions and reflections tell of the batches of their generation; a command names things by its ids. The order stays.
# What one generation lacks, the other need not.
_EXCHANGE = f"""
    update mosshead.events as one
    set batch_id = other.batch_id, place = other.place, formed_by = other.formed_by,
        payload = case when other.type in ('message', 'conversation_ended') then one.payload
                  else jsonb_set(other.payload, '{{namespace}}', one.payload -> 'namespace') end
    from mosshead.events as other
    where {_OTHER} and one.state = 'done' and other.event_id = one.event_id and other.state = 'done';

    update mosshead.lanes as one
    set profiles_due_at = other.profiles_due_at, reflections_due_at = other.reflections_due_at
    from mosshead.lanes as other where {_OTHER};

    update mosshead.namespaces as one set llm_model = other.llm_model, instructions = other.instructions
    from mosshead.namespaces as other where {_OTHER};

    update mosshead.generations
    set switched_at = now(), left_out = coalesce((
        select jsonb_agg(case when one ->> 'switched' is null then one || '{{"switched": "yes"}}' else one - 'switched' end
                         order by place)
        from jsonb_array_elements(left_out) with ordinality as each (one, place)), '[]')
    where {OF_LANE}
"""

_HELD: Final = "changes places with its replay"


def idle(connection: Connection, lane: LaneRef) -> bool:
    """Whether nobody is at work in a lane."""
    return Sql(f"select from mosshead.lanes where {OF_LANE} and batch_id is null").exists(connection, lane.scope)


def commands_wait(connection: Connection, lane: LaneRef) -> bool:
    """Whether something waits in a lane that names things by their ids, or is to be erased."""
    command = "type not in ('message', 'conversation_ended')"
    return Sql(f"""
        select from mosshead.events where {OF_LANE} and state = 'received' and {command} limit 1
    """).exists(connection, lane.scope)


def hold(connection: Connection, generation: Generation) -> None:
    """Have nothing claimed of the two lanes, as where one is quarantined, until they are released. One that is stays so."""
    # By the clock, not from the transaction's start: it may have waited long for who had them before. What was quarantined since
    # it was looked at is not for a release to let go.
    Sql(f"""
        update mosshead.lanes set quarantined_at = clock_timestamp(), quarantined_for = :why
        where {_BOTH} and (quarantined_at is null or quarantined_for = :why)
    """).run(connection, generation.both, why=_HELD)


def held(connection: Connection, generation: Generation) -> bool:
    """Whether both lanes are held."""
    return Sql(f"""
        select count(*) = 2 from mosshead.lanes where {_BOTH} and quarantined_for = :why
    """).holds(connection, generation.both, why=_HELD)


def release(connection: Connection, lane: LaneRef) -> None:
    """Let the lanes of a namespace and of its replay go on that were held."""
    # Also where its replay is gone by now: that has no lane any more.
    Sql(f"""
        {_GO_ON}
        where tenant_id = :tenant_id and quarantined_for = :why and (namespace_id = :namespace_id or namespace_id in (
            select replay_id from mosshead.generations where {OF_LANE}))
    """).run(connection, lane.scope, why=_HELD)


def release_abandoned(connection: Connection, *, age: timedelta) -> int:
    """Let lanes go on that have been held for so long by somebody who was killed; returns how many. Sees all tenants.

    Waits for nobody: a lane in which an app publishes in a transaction of its own goes on the next time.
    """
    # Whoever has two change places has their generation locked, but for the moment after the lanes were held.
    return Sql(f"""
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
    """).changed(connection, why=_HELD, age=age)


def quarantined(connection: Connection, generation: Generation) -> bool:
    """Whether one of the two lanes is stopped, for another reason than that they are held."""
    return Sql(f"""
        select from mosshead.lanes where {_BOTH} and quarantined_at is not null and quarantined_for <> :why
    """).exists(connection, generation.both, why=_HELD)


_BOTH = "tenant_id = :tenant_id and namespace_id in (:namespace_id, :replay_id)"

_GO_ON = """
    update mosshead.lanes as lane
    set quarantined_at = null, quarantined_for = null,
        ready_at = case when pending > 0 then now() else least(profiles_due_at, reflections_due_at) end
"""
