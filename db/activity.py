"""Tenants and namespaces in the order of their last activity, with counts, as an operator lists them.

The order, the backlog and the number of memories come from tables without a policy, which hold ids, times and counters only.
Names and entities belong to a tenant, and are read only for the rows of one page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection

from db.keys import LaneRef
from mosshead.store.connection import Sql, same_namespace


@dataclass(frozen=True, slots=True)
class TenantActivity:
    """A tenant. memories: the number of active ones. waiting: events received but not in effect yet."""

    tenant_id: UUID
    namespaces: int
    memories: int
    waiting: int
    last_event_at: datetime


@dataclass(frozen=True, slots=True)
class NamespaceActivity:
    """The same for one namespace."""

    lane: LaneRef
    memories: int
    waiting: int
    last_event_at: datetime


class NamespaceContent(NamedTuple):
    """The part of a namespace that only its tenant may see. path: begins with the tenant."""

    path: tuple[str, ...]
    entities: int


def active_tenants(connection: Connection, *, limit: int) -> list[TenantActivity]:
    """Return the tenants with events, latest active first. Sees all tenants."""
    rows = Sql(f"""
        select lane.tenant_id, count(*) as namespaces, coalesce(sum(scope.memories), 0)::bigint as memories,
               sum(lane.pending)::bigint as waiting, max(lane.last_event_at) as last_event_at
        from mosshead.lanes as lane {_SCOPES}
        where lane.last_event_at is not null
        group by lane.tenant_id order by last_event_at desc, lane.tenant_id limit %(limit)s
    """).run(connection, limit=limit)
    return [TenantActivity(*row) for row in rows]


def active_namespaces(connection: Connection, *, tenant_id: UUID | None = None, limit: int) -> list[NamespaceActivity]:
    """Return the namespaces with events, latest active first, of one tenant or of all."""
    rows = Sql(f"""
        select lane.tenant_id, lane.namespace_id, coalesce(scope.memories, 0) as memories, lane.pending, lane.last_event_at
        from (select * from mosshead.lanes
              where last_event_at is not null and tenant_id = coalesce(%(tenant_id)s::uuid, tenant_id)
              order by last_event_at desc, tenant_id, namespace_id limit %(limit)s) as lane {_SCOPES}
        order by lane.last_event_at desc, lane.tenant_id, lane.namespace_id
    """).run(connection, tenant_id=tenant_id, limit=limit)
    return [NamespaceActivity(LaneRef(*row[:2]), *row[2:]) for row in rows]


def contents(connection: Connection, tenant_id: UUID, namespace_ids: Sequence[UUID]) -> Mapping[UUID, NamespaceContent]:
    """Return the paths and entity counts of a tenant's namespaces, without replays. The tenant must be set."""
    rows = Sql(f"""
        select namespace_id, path, (
            select count(*) from mosshead.entities as entity
            where {same_namespace("entity", "scope")} and entity.known_to is null) as entities
        from mosshead.namespaces as scope
        where tenant_id = %(tenant_id)s and namespace_id = any(%(namespace_ids)s::uuid[]) and replay_of is null
    """).run(connection, tenant_id=tenant_id, namespace_ids=list(namespace_ids))
    return {row.namespace_id: NamespaceContent(tuple(row.path), row.entities) for row in rows}


# One row per namespace: `models_active` has at most one model.
_SCOPES = """
    left join (mosshead.scopes as scope join mosshead.models as model on model.model = scope.model and model.active)
      on scope.tenant_id = lane.tenant_id and scope.namespace_id = lane.namespace_id
"""
