"""Namespaces: the names behind the ids, and what the app wants of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb
from sqlalchemy import Connection

from db.keys import LaneRef
from mosshead.paths import NamespacePath
from mosshead.store.connection import OF_NAMESPACE, Sql


def path_of(connection: Connection, lane: LaneRef) -> tuple[str, ...] | None:
    """The path of a namespace, the tenant first; None where there is no such one. Its tenant must be set."""
    path = Sql(f"select path from mosshead.namespaces where {OF_NAMESPACE}").scalar(connection, lane.scope)
    return tuple(path) if path is not None else None


def home_id(connection: Connection, lane: LaneRef) -> UUID:
    """By which ids are derived of what the app has a name for, in both generations of a namespace (`NamespacePath.home_id`)."""
    path = path_of(connection, lane)
    return NamespacePath(path).home_id if path is not None else lane.namespace_id


def tenants(connection: Connection) -> Sequence[UUID]:
    """Every tenant that ever published."""
    # From a table without a policy: under one, nobody would be found who sees them all.
    return Sql("select distinct tenant_id from mosshead.lanes").scalars(connection)


def tenant_name(connection: Connection, tenant_id: UUID) -> str:
    """The name of a tenant, which must be set; its id where nobody knows a name."""
    found = Sql("""
        select name from mosshead.tenants where tenant_id = %(tenant_id)s
    """).scalar(connection, tenant_id=tenant_id)
    return found or str(tenant_id)


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the app wants of a namespace's memories.

    schemas: of records, and profiles: of documents, each with its name and json_schema. episodes: whether to keep them.
    """

    instructions: str = ""
    schemas: Sequence[Mapping[str, Any]] = ()
    profiles: Sequence[Mapping[str, Any]] = ()
    episodes: bool = False


def configure(connection: Connection, lane: LaneRef, wanted: Configuration) -> None:
    """What the app wants of a namespace's memories, in place of what it wanted before."""
    shapes = {"schemas": Jsonb(list(wanted.schemas)), "profiles": Jsonb(list(wanted.profiles))}
    Sql(f"""
        update mosshead.namespaces
        set instructions = %(instructions)s, schemas = %(schemas)s, profiles = %(profiles)s, episodes = %(episodes)s,
            configured_at = now()
        where {OF_NAMESPACE}
    """).run(connection, lane.scope, instructions=wanted.instructions, episodes=wanted.episodes, **shapes)


def configuration(connection: Connection, lane: LaneRef) -> Configuration:
    """What the app wants of a namespace's memories."""
    row = Sql(f"""
        select instructions, schemas, profiles, episodes from mosshead.namespaces where {OF_NAMESPACE}
    """).row(connection, lane.scope)
    return Configuration(*row) if row else Configuration()


def llm_model(connection: Connection, lane: LaneRef) -> str | None:
    """The LLM that is asked for a namespace in place of the service's own, if any."""
    name: str | None = Sql(f"select llm_model from mosshead.namespaces where {OF_NAMESPACE}").scalar(
        connection, lane.scope
    )
    return name
