"""Publishing through the spool: `publish` appends to a local file and returns; a thread ships what is in it."""

import logging
from collections.abc import Sequence
from uuid import UUID
from weakref import finalize

from sqlalchemy import URL

from mosshead.errors import SpoolUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.shipper import Shipper
from mosshead.publishing.signing import SigningKey
from mosshead.publishing.spool import Spool
from mosshead.publishing.validation import CheckedEvent

_LAST_CALL_SECONDS = 2.0

_log = logging.getLogger("mosshead")


class SpoolPublisher:
    """Publishes through a spool, which other processes may share; for many threads, and for both sides of a fork."""

    def __init__(self, *, spool: Spool, queue: EventQueue, database_url: URL, key: SigningKey | None) -> None:
        self._spool = spool
        self._shipper = Shipper(spool, queue, database_url, key)
        # Both also when nobody refers to this any more, the later one first. The interpreter's end is the end of shipping alone:
        # what the app still publishes then, in a function that it gave `atexit`, is stored for the next process.
        self._close = finalize(self, spool.close)
        self._close.atexit = False
        self._end = finalize(self, _end, self._shipper, spool)
        if spool.exists():
            self._shipper.notice()  # a process that died may have left something

    def publish(self, path: NamespacePath, events: Sequence[CheckedEvent]) -> None:
        """Store events of one namespace, in order, all or none. Raises SpoolFull and SpoolUnavailable."""
        self._spool.append(path, [event.body for event in events])
        self._shipper.notice()

    def published(self, path: NamespacePath) -> dict[UUID, int]:
        """By publisher, the newest number that this spool gave in a namespace."""
        if not self._spool.exists():
            return {}
        try:
            publisher, newest = self._spool.newest(path)
        except SpoolUnavailable as error:
            _log.warning("reading goes on without the spool: %s", error)  # that is for a publish to fail of
            return {}
        return {publisher: newest} if newest else {}

    def close(self) -> None:
        """Ship for two seconds at most what never went out, and end. What is left stays, for the next who opens the spool."""
        self._end()
        self._close()


def _end(shipper: Shipper, spool: Spool) -> None:
    if shipper.stop(_LAST_CALL_SECONDS):
        spool.rest()
