"""What is brought from elsewhere: which of it is known already, and the rest written in a few statements, however much it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.decisions import Stamp
from db.keys import LaneRef
from mosshead.language.names import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtEntity:
    """An entity as it is brought, and its id here. key: the app's own name for it; None where it is known without one."""

    entity_id: UUID
    key: str | None
    name: str
    entity_type: str
    description: str | None = None
    parent_id: UUID | None = None
    is_user: bool = False
    aliases: tuple[str, ...] = ()


Link = tuple[UUID, UUID, str, str]
"""A memory, an entity, in which role it stands there, and how certain that is."""


def entities_of_keys(connection: Connection, lane: LaneRef, keys: Iterable[str]) -> dict[str, UUID]:
    """The entities that bear one of the keys; one that nobody gave a key bears its id."""
    rows = connection.execute(_ENTITIES_OF_KEYS, {**lane.scope, **_keys(keys)})
    return {row.key: row.entity_id for row in rows}


def memories_of_keys(connection: Connection, lane: LaneRef, keys: Iterable[str]) -> set[str]:
    """The keys that some memory bears, whatever has become of it; one that nobody gave a key bears its id."""
    return set(connection.execute(_MEMORIES_OF_KEYS, {**lane.scope, **_keys(keys)}).scalars())


def user(connection: Connection, lane: LaneRef) -> UUID | None:
    """The namespace's own user, where it is known."""
    return connection.execute(_USER, lane.scope).scalar_one_or_none()


def parents_above(connection: Connection, lane: LaneRef, entity_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """The parents of entities, those of their parents, and so on up."""
    rows = connection.execute(_PARENTS_ABOVE, {**lane.scope, "entity_ids": list(entity_ids)})
    return {row.entity_id: row.parent_id for row in rows}


def bring(connection: Connection, lane: LaneRef, brought: Sequence[BroughtEntity], stamp: Stamp) -> set[UUID]:
    """Write entities that are new, and what is new of those that are not; returns those of which something was learned.

    A description or a parent that is known stays.
    """
    rows = {**lane.scope, **stamp.columns, "rows": [_plain(one) for one in brought]}
    aliases = [alias for one in brought for alias in _aliases(one, stamp)]
    introduced = set(connection.execute(_INTRODUCE, rows).scalars())
    learned = set(connection.execute(_LEARN, rows).scalars())
    named = set(connection.execute(_NAME, {**rows, "rows": aliases}).scalars())
    return introduced | learned | named


def link(connection: Connection, lane: LaneRef, links: Sequence[tuple[Link, Stamp]]) -> None:
    """Say whom new memories are about."""
    rows = [
        {"memory_id": str(memory_id), "entity_id": str(entity_id), "role": role, "certainty": certainty}
        | {"at": str(stamp.at), "decision_id": str(stamp.decision_id)}
        for (memory_id, entity_id, role, certainty), stamp in links
    ]
    if rows:
        connection.execute(_LINK, {**lane.scope, "rows": rows})


def own_id(key: str) -> UUID | None:
    """The id that a key is, as an export writes it for what nobody gave a key."""
    try:
        found = UUID(key)
    except ValueError:
        return None
    return found if str(found) == key else None


def _keys(keys: Iterable[str]) -> Mapping[str, list[str] | list[UUID]]:
    wanted = sorted(set(keys))
    return {"keys": wanted, "ids": [own for key in wanted if (own := own_id(key)) is not None]}


def _plain(one: BroughtEntity) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in asdict(one).items()}


def _aliases(one: BroughtEntity, stamp: Stamp) -> Iterable[dict[str, str | None]]:
    # An entity's own name is no decision's, as in `db.entities.save`.
    made_by = dict.fromkeys(one.aliases, str(stamp.decision_id)) | {one.name: None}
    for alias, decision_id in made_by.items():
        if normalised := normalise(alias):
            row = {"entity_id": str(one.entity_id), "alias": alias, "normalised": normalised, "made_by": decision_id}
            yield row


_LANE = "tenant_id = :tenant_id and namespace_id = :namespace_id"


def _of_keys(table: Literal["entities", "memories"], owner: Literal["entity_id", "memory_id"]) -> str:
    return f"""
        select key, {owner} from mosshead.{table} where {_LANE} and known_to is null and key = any(:keys)
        union all
        select cast({owner} as text), {owner} from mosshead.{table}
        where {_LANE} and known_to is null and key is null and {owner} = any(cast(:ids as uuid[]))
    """


_ENTITIES_OF_KEYS = text(_of_keys("entities", "entity_id"))
_MEMORIES_OF_KEYS = text(_of_keys("memories", "memory_id"))

_USER = text(f"select entity_id from mosshead.entities where {_LANE} and is_user and known_to is null")

_PARENTS_ABOVE = text(f"""
    with recursive above as (
        select entity_id, parent_id from mosshead.entities
        where {_LANE} and known_to is null and entity_id = any(cast(:entity_ids as uuid[]))
        union
        select entity.entity_id, entity.parent_id
        from above join mosshead.entities as entity on entity.entity_id = above.parent_id
        where entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.known_to is null
    )
    select entity_id, parent_id from above where parent_id is not null
""")

_BROUGHT = """
    jsonb_to_recordset(:rows) as one
        (entity_id uuid, key text, name text, entity_type text, description text, parent_id uuid, is_user boolean)
"""

_INTRODUCE = text(f"""
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, key, name, entity_type, description, parent_id, is_user, known_from, made_by)
    select :tenant_id, :namespace_id, entity_id, key, name, entity_type, description, parent_id, is_user,
           cast(:at as timestamptz), cast(:decision_id as uuid)
    from {_BROUGHT}
    on conflict (tenant_id, namespace_id, entity_id) where known_to is null do nothing
    returning entity_id
""").bindparams(bindparam("rows", type_=JSONB))

_LEARN = text(f"""
    with ended as (
        update mosshead.entities as entity set known_to = :at, ended_by = :decision_id from {_BROUGHT}
        where entity.tenant_id = :tenant_id and entity.namespace_id = :namespace_id and entity.entity_id = one.entity_id
          and entity.known_to is null and (entity.description is null and one.description is not null
               or entity.parent_id is null and one.parent_id is not null)
        returning entity.*, one.description as new_description, one.parent_id as new_parent_id
    )
    insert into mosshead.entities
        (tenant_id, namespace_id, entity_id, name, entity_type, description, parent_id, tags, is_user, created_at, key,
         known_from, made_by)
    select tenant_id, namespace_id, entity_id, name, entity_type, coalesce(description, new_description),
           coalesce(parent_id, new_parent_id), tags, is_user, created_at, key, :at, :decision_id
    from ended returning entity_id
""").bindparams(bindparam("rows", type_=JSONB))

_NAME = text("""
    insert into mosshead.entity_aliases (tenant_id, namespace_id, entity_id, alias, normalised, known_from, made_by)
    select :tenant_id, :namespace_id, entity_id, alias, normalised, cast(:at as timestamptz), made_by
    from jsonb_to_recordset(:rows) as one (entity_id uuid, alias text, normalised text, made_by uuid)
    on conflict do nothing returning entity_id
""").bindparams(bindparam("rows", type_=JSONB))

_LINK = text("""
    insert into mosshead.memory_entities
        (tenant_id, namespace_id, memory_id, entity_id, role, certainty, known_from, made_by)
    select :tenant_id, :namespace_id, memory_id, entity_id, role, certainty, at, decision_id
    from jsonb_to_recordset(:rows) as one
        (memory_id uuid, entity_id uuid, role text, certainty text, at timestamptz, decision_id uuid)
    on conflict do nothing
""").bindparams(bindparam("rows", type_=JSONB))
