"""Entities on the write side: those a batch may mention, what is learned about them, and their profiles.

A profile is due when nothing has touched it for ``least``, or its first touch is ``most`` ago.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row

from db.decisions import Stamp
from db.keys import ENDED, LaneRef, as_jsonb, begin, insert
from mosshead.language.names import normalise
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.store.connection import OF_NAMESPACE, Sql, both_of_namespace, of_namespace


@dataclass(frozen=True, slots=True)
class DueProfile:
    """A profile that is due. holds: the memories that its summary rests on; None if it must be rebuilt."""

    entity: RegisteredEntity
    summary: str
    touched_at: datetime
    holds: tuple[UUID, ...] | None


@dataclass(frozen=True, slots=True)
class ProfilesDue:
    """Profiles that are due, longest dirty first. gone: entities that no longer exist and need no profile."""

    profiles: tuple[DueProfile, ...]
    gone: tuple[UUID, ...]


StoredProfileMemory = Row[Any]
"""A memory that is surely about an entity, for its profile.

Columns: memory_id, content, subject (whether the entity is its subject), salience, kind, valid_from and when it happened.
"""


@dataclass(frozen=True, slots=True)
class News:
    """What changed for a profile since its last refresh, most telling first.

    held: what its summary rests on. new: memories that are new or changed. ended: whether something that it rests on is no longer
    true.
    """

    held: tuple[StoredProfileMemory, ...]
    new: tuple[StoredProfileMemory, ...]
    ended: bool


def user(connection: Connection, lane: LaneRef) -> RegisteredEntity | None:
    """Return the namespace's only user; None before anything is known about the user."""
    row = Sql(f"""
        select {_REGISTERED} from mosshead.entities as entity {_PARENT} where {_NOW} and entity.is_user
    """).row(connection, lane.scope)
    return _registered(row) if row else None


def find(connection: Connection, lane: LaneRef, entity_id: UUID) -> RegisteredEntity | None:
    """Return an entity by id; None if it does not exist, or no longer does."""
    row = Sql(f"""
        select {_REGISTERED} from mosshead.entities as entity {_PARENT} where {_NOW} and entity.entity_id = %(entity_id)s
    """).row(connection, lane.scope, entity_id=entity_id)
    return _registered(row) if row else None


def existing(connection: Connection, lane: LaneRef, entity_ids: Collection[UUID]) -> list[UUID]:
    """Return those of the given entities that still exist, in order."""
    return Sql(f"""
        select entity_id from mosshead.entities
        where {OF_NAMESPACE} and entity_id = any(%(entity_ids)s::uuid[]) and known_to is null order by entity_id
    """).scalars(connection, lane.scope, entity_ids=list(entity_ids))


def known_entities(connection: Connection, lane: LaneRef, names: Sequence[str], limit: int) -> list[RegisteredEntity]:
    """Return the entities that a batch may mention: those with one of the (normalised) names, then those last touched."""
    # Those last touched are read from the end of an index, so their number does not matter.
    rows = Sql(f"""
        with spoken_of as (
            select name.entity_id, true as named from mosshead.entity_aliases as name
            where {of_namespace("name")} and name.known_to is null
              and name.normalised = any(%(names)s)
            union all
            (select profile.entity_id, false from mosshead.profiles as profile
             where {of_namespace("profile")} and profile.touched_at is not null
             order by profile.touched_at desc limit %(limit)s)
        ),
        each as (select entity_id, bool_or(named) as named from spoken_of group by entity_id)
        select {_REGISTERED} from each join mosshead.entities as entity using (entity_id) {_PARENT}
        left join mosshead.profiles as profile
          on {both_of_namespace("profile", "entity")} and profile.entity_id = entity.entity_id
        where {_NOW}
        order by each.named desc, profile.touched_at desc nulls last, entity.entity_id
        limit %(limit)s
    """).run(connection, lane.scope, names=list(names), limit=limit)
    return [_registered(row) for row in rows]


def parents_above(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Map entities, and all above them, to their parents."""
    # A union drops known rows, so a cycle ends.
    return Sql(f"""
        with recursive above as (
            select entity.entity_id, entity.parent_id from mosshead.entities as entity
            where {_NOW} and entity.entity_id = any(%(entity_ids)s::uuid[]) and entity.parent_id is not null
            union
            select entity.entity_id, entity.parent_id
            from above join mosshead.entities as entity on entity.entity_id = above.parent_id
            where {_NOW} and entity.parent_id is not null
        )
        select entity_id, parent_id from above
    """).pairs(connection, lane.scope, entity_ids=list(entity_ids))


def merged(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Map the ids of merged entities to their current ones; other ids are left out."""
    return Sql(f"""
        with recursive followed as (
            select entity_id, entity_id as now from unnest(%(entity_ids)s::uuid[]) as entity_id
            union
            select followed.entity_id, cast(decision.fact ->> 'into' as uuid)
            from followed join mosshead.decisions as decision on decision.fact ->> 'entity_id' = cast(followed.now as text)
            where {OF_NAMESPACE} and decision.action = 'merge' and decision.in_effect
        )
        select followed.entity_id, now from followed
        join mosshead.entities as entity on entity.entity_id = followed.now
        where {OF_NAMESPACE} and entity.known_to is null and now <> followed.entity_id
    """).pairs(connection, lane.scope, entity_ids=list(entity_ids))


def save(connection: Connection, lane: LaneRef, entities: Iterable[RegisteredEntity], stamp: Stamp) -> set[UUID]:
    """Write new or extended entities and their names; return those that changed.

    A known description or parent stays.
    """
    # An entity's own name belongs to no decision: undoing it would leave other memories about a nameless entity.
    named = [(one, dict.fromkeys(one.aliases, stamp.decision_id) | {one.name: None}) for one in entities]
    return _write(connection, lane, named, stamp)


def introduce(connection: Connection, lane: LaneRef, newcomer: RegisteredEntity, stamp: Stamp) -> None:
    """Write an entity that disappears, with all its names, when the decision is undone."""
    names = (newcomer.name, *newcomer.aliases)
    _write(connection, lane, [(newcomer, dict.fromkeys(names, stamp.decision_id))], stamp)


def touch_profiles(connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID]) -> None:
    """Mark profiles for a refresh. Call it in the transaction that changed what is known about the entities."""
    rows = [{**lane.scope, "entity_id": entity_id} for entity_id in sorted(set(entity_ids))]
    touched = """
        (tenant_id, namespace_id, entity_id) do update
        set dirty_since = coalesce(profiles.dirty_since, excluded.dirty_since), touched_at = excluded.touched_at
    """
    # dirty_since is the start of the transaction: its changes are stamped later, so nothing older must be read.
    insert(connection, "profiles", rows, conflict=touched, dirty_since="now()", touched_at="clock_timestamp()")


def due_profiles(
    connection: Connection, lane: LaneRef, *, least: timedelta, most: timedelta, limit: int
) -> ProfilesDue:
    """Return profiles that are due; none while the lane's are postponed."""
    # None is due before the lane's timer, except when postponed: otherwise each new message would retry them.
    rows = Sql(f"""
        select {_REGISTERED}, profile.entity_id as profile_id, profile.summary, profile.touched_at, profile.holds
        from (
            select * from mosshead.profiles as profile where {_DIRTY} and {_DUE_AT} <= now() and not exists (
                select from mosshead.lanes as lane where {of_namespace("lane")} and lane.profiles_due_at > now())
            order by profile.dirty_since, profile.entity_id limit %(limit)s
        ) as profile
        left join mosshead.entities as entity
          on {of_namespace("entity")} and entity.entity_id = profile.entity_id and entity.known_to is null
        {_PARENT}
        order by profile.dirty_since, profile.entity_id
    """).rows(connection, lane.scope, least=least, most=most, limit=limit)
    return ProfilesDue(
        profiles=tuple(
            DueProfile(_registered(row), row.summary, row.touched_at, None if row.holds is None else tuple(row.holds))
            for row in rows
            if row.entity_id is not None
        ),
        gone=tuple(row.profile_id for row in rows if row.entity_id is None),
    )


def news_of(connection: Connection, lane: LaneRef, profiles: Iterable[DueProfile], *, limit: int) -> dict[UUID, News]:
    """Return, by entity, what changed for its profile since the last refresh, with a limit on new memories.

    Reads only newer rows and those that the summaries rest on. Profiles to rebuild are left out.
    """
    holds = {profile.entity.entity_id: profile.holds for profile in profiles if profile.holds is not None}
    rows: dict[UUID, list[Row[Any]]] = {entity_id: [] for entity_id in holds}
    if not rows:
        return {}
    # A changed memory keeps its links, which do not show the change. An entity may have thousands of links, and a load may change
    # as many memories: the query scans the smaller set, once for all entities, and looks a memory's entity up among its few
    # links. offset 0 keeps these orders. A memory still carries the summary if its content, entity and role are the same and it
    # is no less salient.
    found = Sql(f"""
        with asked as (
            select profile.entity_id, profile.dirty_since as since, profile.holds from mosshead.profiles as profile
            where {of_namespace("profile")} and profile.entity_id = any(%(entity_ids)s::uuid[])
        ),
        changed as materialized (
            select memory.memory_id, memory.known_from from mosshead.memories as memory
            where {_KNOWN} and memory.known_from > (select min(since) from asked) limit {_FEW_CHANGES} + 1
        ),
        changes as (select count(*) <= {_FEW_CHANGES} as are_few from changed),
        about_whom as materialized (
            select changed.memory_id, changed.known_from, link.entity_id
            from changed
            cross join lateral (
                select link.entity_id from mosshead.memory_entities as link
                where {_LINKED} and link.memory_id = changed.memory_id offset 0
            ) as link
            where (select are_few from changes)
        ),
        found as (
            select asked.entity_id, held.memory_id, true as held
            from asked cross join lateral unnest(asked.holds) as held (memory_id)
            union all
            select asked.entity_id, link.memory_id, false
            from asked join mosshead.memory_entities as link
              on {_LINKED} and link.entity_id = asked.entity_id and link.known_from > asked.since
            union all
            select asked.entity_id, about.memory_id, false
            from about_whom as about join asked on asked.entity_id = about.entity_id and about.known_from > asked.since
            union all
            select asked.entity_id, own.memory_id, false
            from asked
            cross join lateral (
                select link.memory_id from mosshead.memory_entities as link
                where {_LINKED} and link.entity_id = asked.entity_id offset 0
            ) as own
            cross join lateral (
                select from mosshead.memories as memory
                where {_KNOWN} and memory.memory_id = own.memory_id and memory.known_from > asked.since offset 0
            ) as later
            where not (select are_few from changes)
        ),
        told as (
            select asked.entity_id, {_TOLD}, found.held,
                   link.known_from <= asked.since and (memory.known_from <= asked.since or exists (
                       select from mosshead.memories as was
                       where {of_namespace("was")} and was.memory_id = memory.memory_id and was.known_from <= asked.since
                         and was.known_to > asked.since and was.content = memory.content
                         and was.salience <= memory.salience)) as stands,
                   row_number() over (partition by asked.entity_id, found.held order by {_RANK}) as place
            from (select entity_id, memory_id, bool_or(held) as held from found group by entity_id, memory_id) as found
            join asked using (entity_id)
            cross join lateral (
                select link.entity_id, link.role, link.known_from from mosshead.memory_entities as link
                where {_SURE} and link.memory_id = found.memory_id offset 0
            ) as link
            join mosshead.memories as memory on {_KNOWN} and memory.memory_id = found.memory_id
            where link.entity_id = asked.entity_id
        )
        select * from told where held or place <= %(limit)s order by entity_id, place
    """).run(connection, lane.scope, entity_ids=list(holds), limit=limit)
    for row in found:
        rows[row.entity_id].append(row)
    return {entity_id: _news(held, rows[entity_id]) for entity_id, held in holds.items()}


def most_telling(
    connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID], *, limit: int
) -> dict[UUID, tuple[StoredProfileMemory, ...]]:
    """Return each entity's most telling memories, up to a limit: those with it as subject first, then by salience."""
    found: dict[UUID, list[StoredProfileMemory]] = {entity_id: [] for entity_id in entity_ids}
    if found:
        rows = Sql(f"""
            select asked.entity_id, best.* from unnest(%(entity_ids)s::uuid[]) as asked (entity_id)
            cross join lateral (
                select {_TOLD} from mosshead.memory_entities as link
                join mosshead.memories as memory on {_KNOWN} and memory.memory_id = link.memory_id
                where {_SURE} and link.entity_id = asked.entity_id
                order by {_RANK} limit %(limit)s
            ) as best
        """).run(connection, lane.scope, entity_ids=list(found), limit=limit)
        for row in rows:
            found[row.entity_id].append(row)
    return {entity_id: tuple(told) for entity_id, told in found.items()}


def save_profile(
    connection: Connection, lane: LaneRef, profile: DueProfile, *, summary: str, holds: Sequence[UUID]
) -> None:
    """Store a refreshed summary and what it rests on; the profile stays dirty if it was touched in between."""
    parameters = {"entity_id": profile.entity.entity_id, "touched_at": profile.touched_at}
    Sql(f"""
        update mosshead.profiles as profile
        set summary = %(summary)s, holds = %(holds)s::uuid[], version = version + 1, refreshed_at = now(),
            dirty_since = case when touched_at = %(touched_at)s then null else dirty_since end
        where {of_namespace("profile")} and profile.entity_id = %(entity_id)s
    """).run(connection, lane.scope, summary=summary, holds=list(holds), **parameters)


def forget_profiles(connection: Connection, lane: LaneRef, entity_ids: Sequence[UUID]) -> None:
    """Skip the profiles of entities that no longer exist; if one comes back, its profile is rebuilt."""
    Sql(f"""
        update mosshead.profiles as profile set dirty_since = null, holds = null
        where {of_namespace("profile")} and profile.entity_id = any(%(entity_ids)s::uuid[])
    """).run(connection, lane.scope, entity_ids=list(entity_ids))


def set_profiles_timer(connection: Connection, lane: LaneRef, *, least: timedelta, most: timedelta) -> None:
    """Note on the lane when its first dirty profile is due; its batch copies that to ``ready_at`` when it ends."""
    Sql(f"""
        update mosshead.lanes as lane set profiles_due_at = (
            select greatest(min({_DUE_AT}), now(), case when min({_DUE_AT}) <= now() then lane.profiles_due_at end)
            from mosshead.profiles as profile where {_DIRTY} having count(*) > 0)
        where {of_namespace("lane")}
    """).run(connection, lane.scope, least=least, most=most)


def put_off_profiles(connection: Connection, lane: LaneRef, *, pause: timedelta) -> None:
    """Postpone a lane's profiles, which could not be refreshed."""
    Sql(f"""
        update mosshead.lanes as lane set profiles_due_at = now() + %(pause)s::interval where {of_namespace("lane")}
    """).run(connection, lane.scope, pause=pause)


_Named = tuple[RegisteredEntity, Mapping[str, UUID | None]]
"""An entity, and the decision, if any, behind each of its names."""


def _write(connection: Connection, lane: LaneRef, named: Sequence[_Named], stamp: Stamp) -> set[UUID]:
    if not named:
        return set()
    columns = ("entity_id", "key", "name", "entity_type", "description", "parent_id", "is_user")
    entities = [
        {**lane.scope, **stamp.begun, **{column: getattr(entity, column) for column in columns}} for entity, _ in named
    ]
    aliases = [
        {**lane.scope, "known_from": stamp.at, "made_by": made_by}
        | {"entity_id": entity.entity_id, "alias": alias, "normalised": normalised}
        for entity, names in named
        for alias, made_by in names.items()
        if (normalised := normalise(alias))
    ]
    unknown = "(tenant_id, namespace_id, entity_id) where known_to is null do nothing"
    introduced = insert(connection, "entities", entities, conflict=unknown, returning="entity_id")
    known = begin(
        "entities",
        name="new_name",
        description="coalesce(description, new_description)",
        parent_id="coalesce(parent_id, new_parent_id)",
    )
    # Entities with the previous name are renamed; other known names stay.
    renamed = "(one.name <> entity.name and %(names)s -> cast(entity.entity_id as text) ? entity.name)"
    names = {str(entity.entity_id): list(entity.aliases) for entity, _ in named}
    learned = Sql(f"""
        with ended as (
            update mosshead.entities as entity set {ENDED}
            from jsonb_populate_recordset(cast(null as mosshead.entities), %(rows)s) as one
            where {of_namespace("entity")} and entity.entity_id = one.entity_id
              and entity.known_to is null and (entity.description is null and one.description is not null
                   or entity.parent_id is null and one.parent_id is not null or {renamed})
            returning entity.*, one.description as new_description, one.parent_id as new_parent_id,
                      case when {renamed} then one.name else entity.name end as new_name
        )
        {known} from ended returning entity_id
    """).scalars(connection, lane.scope | stamp.columns, rows=as_jsonb(entities), names=as_jsonb(names))
    called = insert(connection, "entity_aliases", aliases, conflict="do nothing", returning="entity_id")
    return {*introduced, *learned, *called}


def _registered(row: Row[Any]) -> RegisteredEntity:
    """Build the registry's value from a row with the columns of `_REGISTERED`."""
    return RegisteredEntity(
        entity_id=row.entity_id,
        name=row.name,
        entity_type=EntityType(row.entity_type),
        description=row.description,
        parent_id=row.parent_id,
        parent=row.parent,
        is_user=row.is_user,
        aliases=tuple(row.aliases or ()),
    )


def _news(holds: Sequence[UUID], rows: Iterable[Row[Any]]) -> News:
    now = {row.memory_id: row for row in rows}
    stands = {key for key in holds if key in now and now[key].stands}
    return News(
        held=tuple(now[key] for key in holds if key in stands),
        new=tuple(row for row in now.values() if not row.held),
        ended=len(stands) < len(holds),
    )


_NOW = f"{of_namespace('entity')} and entity.known_to is null"

_PARENT = f"""
    left join mosshead.entities as parent
      on {both_of_namespace("parent", "entity")} and parent.entity_id = entity.parent_id and parent.known_to is null
"""

_REGISTERED = f"""
    entity.entity_id, entity.name, entity.entity_type, entity.description, entity.parent_id, entity.is_user,
    parent.name as parent,
    (select array_agg(alias.alias order by alias.alias) from mosshead.entity_aliases as alias
     where {both_of_namespace("alias", "entity")} and alias.entity_id = entity.entity_id and alias.known_to is null) as aliases
"""

_DUE_AT = "least(profile.touched_at + %(least)s::interval, profile.dirty_since + %(most)s::interval)"
_DIRTY = f"{of_namespace('profile')} and profile.dirty_since is not null"
_LINKED = f"{of_namespace('link')} and link.known_to is null"
_SURE = f"{_LINKED} and link.certainty = 'sure'"
_KNOWN = f"{of_namespace('memory')} and memory.known_to is null and memory.state = 'active'"
_TOLD = """memory.memory_id, memory.content, link.role = 'subject' as subject, memory.salience, memory.valid_from, memory.kind,
    memory.valid_from_offset, memory.occurred_from, memory.occurred_to, memory.granularity, memory.occurred_from_offset,
    memory.occurred_to_offset"""
_RANK = "link.role = 'subject' desc, memory.salience desc, memory.valid_from desc, memory.memory_id"

_FEW_CHANGES = 1000
"""Up to this many changed memories, the query looks up their entities instead of each entity's memories."""
