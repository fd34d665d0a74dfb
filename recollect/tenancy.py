"""Transactions that belong to one tenant: the one place that tells row-level security who may be seen, for both sides."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from sqlalchemy import Connection, Engine, text


@contextmanager
def tenant_transaction(engine: Engine, tenant_id: UUID) -> Iterator[Connection]:
    """A transaction in which row-level security shows this tenant's rows and no others.

    The setting is local to the transaction: a plain SET would pass the tenant on to the next user of the pooled connection.
    """
    with engine.begin() as connection:
        connection.execute(_SET_TENANT, {"tenant_id": str(tenant_id)})
        yield connection


_SET_TENANT = text("select set_config('recollect.tenant_id', :tenant_id, true)")
