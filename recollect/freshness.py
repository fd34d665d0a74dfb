"""How far the events of a namespace have come: what every read says with its answer."""

from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection

from recollect import views
from recollect.identity import Identity
from recollect.results import Progress
from recollect.tenancy import tenant_transaction


class Freshness(Identity):
    """The part of a `Namespace` that knows how fresh its answers are."""

    def progress(self) -> Progress:
        """How far the namespace's events have come."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return self._progress(connection)

    def _progress(self, connection: Connection) -> Progress:
        # What was published first: what arrives in between is then received and published, not received alone.
        published = self._published()
        return replace(views.progress(connection, self.path), published=published)

    def _published(self) -> dict[UUID, int]:
        return self._publisher.published(self.path) if self._publisher else {}
