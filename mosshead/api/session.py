"""How far the events of a namespace have come: what every read says with its answer."""

from dataclasses import replace
from uuid import UUID

from sqlalchemy import Connection

from mosshead.api.entities import Identity
from mosshead.models.memories import Progress
from mosshead.store import memories
from mosshead.store.connection import tenant_transaction
from mosshead.store.pending import Laid, overlay_of


class Freshness(Identity):
    """The part of a `Namespace` that knows how fresh its answers are."""

    def progress(self) -> Progress:
        """How far the namespace's events have come."""
        with tenant_transaction(self._engine, self.path.tenant_id) as connection:
            return self._progress(connection)

    def _progress(self, connection: Connection) -> Progress:
        # What was published first: what arrives in between is then received and published, not received alone.
        published = self._published()
        return replace(memories.progress(connection, self.path), published=published)

    def _laid(self) -> Laid:
        """What this process wrote and the service has not taken up. Ask before the read that it is laid over.

        How far the service came is asked for where something may wait, and first: what took effect may have been undone since.
        """
        overlay = overlay_of(self._engine)
        if overlay.waits(self.path):
            overlay.settle(self.path, self.progress())
        return overlay.of(self.path)

    def _published(self) -> dict[UUID, int]:
        return self._publisher.published(self.path) if self._publisher else {}
