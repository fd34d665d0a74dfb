"""What the inbox has of a publisher's events, read from the read views with a connection of its own."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import URL, create_engine
from sqlalchemy.exc import DBAPIError

from mosshead import views
from mosshead.errors import StoreUnavailable
from mosshead.namespaces import NamespacePath
from mosshead.publishing import forking
from mosshead.tenancy import tenant_transaction

# A server that is gone without a word is noticed after some ten seconds, not after hours.
_CONNECT_ARGS = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "mosshead-shipper",
}


class Acknowledgements:
    """Asks Postgres, as the reader, how far each namespace's events have come into the inbox."""

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(
            url, pool_size=1, max_overflow=0, hide_parameters=True, connect_args={**_CONNECT_ARGS}
        )
        forking.watch_engine(self._engine)

    def read(self, publisher: UUID, namespaces: Mapping[int, NamespacePath]) -> dict[int, int]:
        """By key, the highest number of the publisher up to which a namespace's events are in the inbox without a gap.

        Raises StoreUnavailable where Postgres does not answer.
        """
        keys = {path.namespace_id: key for key, path in namespaces.items()}
        by_tenant: dict[UUID, list[UUID]] = {}
        for path in namespaces.values():
            by_tenant.setdefault(path.tenant_id, []).append(path.namespace_id)
        try:
            return {
                keys[namespace_id]: up_to
                for tenant_id, namespace_ids in by_tenant.items()
                for namespace_id, up_to in self._of_tenant(tenant_id, namespace_ids, publisher).items()
            }
        except DBAPIError as error:
            raise StoreUnavailable(f"MOSSHEAD_DATABASE_URL: Postgres did not answer ({type(error).__name__})") from None

    def close(self) -> None:
        """Give the connection back; the next read opens another."""
        self._engine.dispose()

    def _of_tenant(self, tenant_id: UUID, namespace_ids: list[UUID], publisher: UUID) -> dict[UUID, int]:
        with tenant_transaction(self._engine, tenant_id) as connection:
            return views.received(connection, tenant_id, namespace_ids, publisher)
