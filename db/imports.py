"""Imports: find what is already known, by the app's own keys."""

from collections.abc import Iterable
from uuid import UUID

from sqlalchemy import Connection

from db.keys import LaneRef
from mosshead.store.connection import OF_NAMESPACE, Sql


def entities_of_keys(connection: Connection, lane: LaneRef, keys: Iterable[str]) -> dict[str, UUID]:
    """Return the entities with one of the keys; an entity without a key has its id as key."""
    return _owners(connection, lane, keys, "entities", "entity_id")


def memories_of_keys(connection: Connection, lane: LaneRef, keys: Iterable[str]) -> set[str]:
    """Return the keys that some memory has, in any state; a memory without a key has its id as key."""
    return set(_owners(connection, lane, keys, "memories", "memory_id"))


def own_id(key: str) -> UUID | None:
    """Return the id in a key, as an export writes it for items without a key."""
    try:
        found = UUID(key)
    except ValueError:
        return None
    return found if str(found) == key else None


def _owners(connection: Connection, lane: LaneRef, keys: Iterable[str], table: str, owner: str) -> dict[str, UUID]:
    wanted = sorted(set(keys))
    return Sql(f"""
        select key, {owner} from mosshead.{table} where {OF_NAMESPACE} and known_to is null and key = any(%(keys)s)
        union all
        select cast({owner} as text), {owner} from mosshead.{table}
        where {OF_NAMESPACE} and known_to is null and key is null and {owner} = any(%(ids)s::uuid[])
    """).pairs(connection, lane.scope, keys=wanted, ids=[own for key in wanted if (own := own_id(key))])
