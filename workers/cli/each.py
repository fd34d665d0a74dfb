"""A round of an operator's command over many namespaces, in which one that fails keeps none of the others from its turn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar
from uuid import UUID

import psycopg
import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from db import namespaces
from db.keys import LaneRef
from mosshead.store.connection import tenant_transaction
from workers.failures import describe, is_of_all

_log = structlog.get_logger()

T = TypeVar("T")
R = TypeVar("R")


def each(items: Iterable[T], work: Callable[[T], R], *, lane: Callable[[T], LaneRef]) -> list[R]:
    """The results of some work for each, in turn.

    What Postgres refuses of one is logged with its lane, and the last such error is raised once all had their turn. What would be
    the same for each is raised at once.
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
    """Some tenants, or all that ever published, each with a transaction of its own."""
    if tenants is None:
        with engine.begin() as connection:
            tenants = namespaces.tenants(connection)
    for tenant_id in tenants:
        with tenant_transaction(engine, tenant_id) as connection:
            yield tenant_id, connection
