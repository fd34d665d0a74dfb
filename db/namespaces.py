"""Namespaces: the names behind the ids, and what the app wants of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.sql.expression import bindparam

from db.keys import LaneRef
from mosshead.paths import NamespacePath


def path_of(connection: Connection, lane: LaneRef) -> tuple[str, ...] | None:
    """The path of a namespace, the tenant first; None where there is no such one. Its tenant must be set."""
    path = connection.execute(_PATH, lane.scope).scalar()
    return tuple(path) if path is not None else None


def home_id(connection: Connection, lane: LaneRef) -> UUID:
    """By which ids are derived of what the app has a name for, in both generations of a namespace (`NamespacePath.home_id`)."""
    path = path_of(connection, lane)
    return NamespacePath(path).home_id if path is not None else lane.namespace_id


def tenants(connection: Connection) -> Sequence[UUID]:
    """Every tenant that ever published."""
    return connection.execute(_TENANTS).scalars().all()


def tenant_name(connection: Connection, tenant_id: UUID) -> str:
    """The name of a tenant, which must be set; its id where nobody knows a name."""
    return connection.execute(_NAME, {"tenant_id": tenant_id}).scalar() or str(tenant_id)


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
    columns = {name: getattr(wanted, name) for name in Configuration.__slots__}
    connection.execute(
        _CONFIGURE, {**lane.scope, **columns, "schemas": list(wanted.schemas), "profiles": list(wanted.profiles)}
    )


def configuration(connection: Connection, lane: LaneRef) -> Configuration:
    """What the app wants of a namespace's memories."""
    row = connection.execute(_CONFIGURATION, lane.scope).one_or_none()
    return Configuration(*row) if row else Configuration()


def llm_model(connection: Connection, lane: LaneRef) -> str | None:
    """The LLM that is asked for a namespace in place of the service's own, if any."""
    name: str | None = connection.execute(_LLM_MODEL, lane.scope).scalar()
    return name


_CONFIGURE = text("""
    update mosshead.namespaces
    set instructions = :instructions, schemas = :schemas, profiles = :profiles, episodes = :episodes, configured_at = now()
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""").bindparams(bindparam("schemas", type_=JSONB), bindparam("profiles", type_=JSONB))

_CONFIGURATION = text("""
    select instructions, schemas, profiles, episodes from mosshead.namespaces
    where tenant_id = :tenant_id and namespace_id = :namespace_id
""")

_LLM_MODEL = text(
    "select llm_model from mosshead.namespaces where tenant_id = :tenant_id and namespace_id = :namespace_id"
)

_PATH = text("select path from mosshead.namespaces where tenant_id = :tenant_id and namespace_id = :namespace_id")

# From a table without a policy: under one, nobody would be found who sees them all.
_TENANTS = text("select distinct tenant_id from mosshead.lanes")

_NAME = text("select name from mosshead.tenants where tenant_id = :tenant_id")
