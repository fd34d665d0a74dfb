"""Namespaces: the names behind the ids, and the app's configuration of each."""

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
    """Return the path of a namespace, tenant first; None if there is none. Its tenant must be set."""
    path = Sql(f"select path from mosshead.namespaces where {OF_NAMESPACE}").scalar(connection, lane.scope)
    return tuple(path) if path is not None else None


def home_id(connection: Connection, lane: LaneRef) -> UUID:
    """Return the id from which the ids of items with app names derive, in both generations (`NamespacePath.home_id`)."""
    path = path_of(connection, lane)
    return NamespacePath(path).home_id if path is not None else lane.namespace_id


def tenants(connection: Connection) -> Sequence[UUID]:
    """Return every tenant that ever published."""
    # From a table without a policy: under one, nobody could see all tenants.
    return Sql("select distinct tenant_id from mosshead.lanes").scalars(connection)


def tenant_name(connection: Connection, tenant_id: UUID) -> str:
    """Return the name of a tenant, which must be set; its id if it has no name."""
    found = Sql("""
        select name from mosshead.tenants where tenant_id = %(tenant_id)s
    """).scalar(connection, tenant_id=tenant_id)
    return found or str(tenant_id)


@dataclass(frozen=True, slots=True)
class Configuration:
    """An app's configuration of a namespace.

    schemas: of records, and profiles: of documents, each with its name and json_schema. episodes: whether to form them.
    """

    instructions: str = ""
    schemas: Sequence[Mapping[str, Any]] = ()
    profiles: Sequence[Mapping[str, Any]] = ()
    episodes: bool = False


def configure(connection: Connection, lane: LaneRef, wanted: Configuration) -> None:
    """Replace the app's configuration of a namespace."""
    shapes = {"schemas": Jsonb(list(wanted.schemas)), "profiles": Jsonb(list(wanted.profiles))}
    Sql(f"""
        update mosshead.namespaces
        set instructions = %(instructions)s, schemas = %(schemas)s, profiles = %(profiles)s, episodes = %(episodes)s,
            configured_at = now()
        where {OF_NAMESPACE}
    """).run(connection, lane.scope, instructions=wanted.instructions, episodes=wanted.episodes, **shapes)


def configuration(connection: Connection, lane: LaneRef) -> Configuration:
    """Return the app's configuration of a namespace."""
    row = Sql(f"""
        select instructions, schemas, profiles, episodes from mosshead.namespaces where {OF_NAMESPACE}
    """).row(connection, lane.scope)
    return Configuration(*row) if row else Configuration()


def llm_model(connection: Connection, lane: LaneRef) -> str | None:
    """Return the LLM that a namespace uses instead of the service's own, if any."""
    name: str | None = Sql(f"select llm_model from mosshead.namespaces where {OF_NAMESPACE}").scalar(
        connection, lane.scope
    )
    return name
