"""Iterate over many namespaces or tenants, for the operator's commands."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

import psycopg
import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from db import namespaces
from db.dead_letters import DeadLetter, LaneState
from db.keys import LaneRef
from mosshead.store.connection import tenant_transaction
from workers.failures import describe, is_of_all

_log = structlog.get_logger()

T = TypeVar("T")
R = TypeVar("R")


def paths_of(engine: Engine, found: Iterable[DeadLetter | LaneState]) -> Mapping[LaneRef, tuple[str, ...] | None]:
    """Return the paths of lanes, read as each tenant in turn; None for a lane that is not a namespace."""
    lanes = {one.lane for one in found}
    return {
        lane: namespaces.path_of(connection, lane)
        for tenant_id, connection in each_tenant(engine, sorted({lane.tenant_id for lane in lanes}))
        for lane in lanes
        if lane.tenant_id == tenant_id
    }


def each(items: Iterable[T], work: Callable[[T], R], *, lane: Callable[[T], LaneRef]) -> list[R]:
    """Return the result of some work for each item; one failure does not stop the others.

    An error of Postgres about one item is logged with its lane, and the last such error is raised after the last item. An error
    that would be the same for every item is raised at once.
    """
    results: list[R] = []
    failed: Exception | None = None
    for one in items:
        try:
            results.append(work(one))
        except (DBAPIError, psycopg.Error) as error:
            if is_of_all(error):
                raise
            failed = error
            _log.error("namespace_left_out", namespace_id=str(lane(one).namespace_id), error=describe(error))
    if failed is not None:
        raise failed
    return results


def each_tenant(engine: Engine, tenants: Sequence[UUID] | None = None) -> Iterator[tuple[UUID, Connection]]:
    """Yield the given tenants, or all that ever published, each with its own transaction."""
    if tenants is None:
        with engine.begin() as connection:
            tenants = namespaces.tenants(connection)
    for tenant_id in tenants:
        with tenant_transaction(engine, tenant_id) as connection:
            yield tenant_id, connection
