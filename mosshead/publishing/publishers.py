"""What publishes for a `Memory`, by the mode that its settings name."""

import logging
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID
from weakref import finalize

from sqlalchemy import URL, Executable, Result, text
from sqlalchemy.exc import StatementError

from mosshead.api.settings import ClientSettings, no_broker
from mosshead.errors import QueueUnavailable, SpoolUnavailable
from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from mosshead.publishing import fork_safety
from mosshead.publishing.fork_safety import InUse
from mosshead.publishing.queue import EventQueue
from mosshead.publishing.shipper import Acknowledgements, Shipper
from mosshead.publishing.signing import SigningKey, sign
from mosshead.publishing.spool import Spool
from mosshead.publishing.validation import CheckedEvent, numbered
from mosshead.urls import sqlalchemy_url

if TYPE_CHECKING:
    from mosshead.publishing.spool import Spool


class Publisher(Protocol):
    """Takes checked events of a namespace, numbers them and gets them to the service."""

    def publish(
        self, path: NamespacePath, events: Sequence[CheckedEvent], on_sent: Callable[[], object] | None = None
    ) -> None:
        """Publish events of one namespace, in order; on_sent: called for each."""

    def published(self, path: NamespacePath) -> dict[UUID, int]:
        """By publisher, the number of the newest event that it published in a namespace."""

    def close(self) -> None:
        """End, and give back what it holds."""


def open_publisher(settings: ClientSettings) -> Publisher | None:
    """The publisher of an app; None where no broker is named. Raises ConfigurationError where an address is wrong."""
    if settings.broker_url is None:
        return None
    # An app that reads, or publishes in transactions of its own, has no broker, and loads nothing of what talks to one.
    from mosshead.publishing.queue import EventQueue

    queue = EventQueue(settings.broker_url)
    if settings.publish == "direct":
        return DirectPublisher(queue, settings.signing_key)
    return SpoolPublisher(
        spool=open_spool(settings),
        queue=queue,
        database_url=sqlalchemy_url(settings.database_url, "MOSSHEAD_DATABASE_URL"),
        key=settings.signing_key,
    )


def open_spool(settings: ClientSettings) -> "Spool":
    """The spool of an app, which opens its file when it first needs it. Raises ConfigurationError where no broker is named."""
    if settings.broker_url is None:
        raise no_broker()
    from mosshead.publishing.spool import Spool, spool_path

    path = spool_path(settings.spool_dir, broker_url=settings.broker_url, database_url=settings.database_url)
    return Spool(path, most_bytes=settings.spool_bytes)


class AppSession(Protocol):
    """What an app may hand over: a session or a connection of its own, to the database that Mosshead is in.

    SQLAlchemy's ``Connection``, ``Session`` and ``scoped_session``; told by what they can do: whoever uses no ORM loads none.
    """

    def execute(self, statement: Executable, parameters: Any = ..., /) -> Result[Any]:
        """Run a statement in the transaction that is under way."""


def publish_checked(
    publisher: Publisher | None,
    path: NamespacePath,
    events: Sequence[CheckedEvent],
    *,
    on_sent: Callable[[], object] | None = None,
    session: AppSession | None = None,
) -> None:
    """Publish checked events in the session, where there is one, else through the publisher.

    Raises ConfigurationError where there is neither.
    """
    if not events:
        return
    if session is None:
        if publisher is None:
            raise no_broker()
        publisher.publish(path, events, on_sent)
        return
    publish_in(session, events)
    if on_sent is not None:
        for _ in events:
            on_sent()


class DirectPublisher:
    """Numbers its events by namespace, from 1 without gaps; one for each process, safe to share between threads."""

    def __init__(self, queue: EventQueue, key: SigningKey | None = None) -> None:
        self._queue = queue
        self._key = key
        self._start_afresh()
        self._in_use = InUse(QueueUnavailable)
        fork_safety.watch(self)

    def publish(
        self, path: NamespacePath, events: Sequence[CheckedEvent], on_sent: Callable[[], object] | None = None
    ) -> None:
        """Send events of one namespace, in order; on_sent: called after each.

        Raises QueueUnavailable where the queue does not take them; nobody knows then which of them arrived.
        """
        with self._in_use.use():
            first = self._numbers[path] + 1
            self._send([self._body(event, first + place) for place, event in enumerate(events)], on_sent)
            self._numbers[path] += len(events)

    def published(self, path: NamespacePath) -> dict[UUID, int]:
        """By publisher, the number of the newest event of a namespace that the queue took."""
        newest = self._numbers.get(path)
        return {self._id: newest} if newest else {}

    def close(self) -> None:
        """Give the connection back."""
        self._queue.close()

    def before_fork(self) -> None:
        """Nothing to wait for: the child publishes under a name of its own."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """The numbers are the parent's, and so is a lock that one of its threads may hold."""
        self._in_use = InUse(QueueUnavailable)
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._id = uuid7()
        self._numbers: defaultdict[NamespacePath, int] = defaultdict(int)

    def _body(self, event: CheckedEvent, number: int) -> str:
        body = numbered(event.body, self._id, number)
        return sign(body, self._key) if self._key else body

    def _send(self, events: Sequence[str], on_sent: Callable[[], object] | None) -> None:
        taken = False
        try:
            self._queue.publish(events, on_sent)
            taken = True
        finally:
            if not taken:
                # Whatever cut it short, nobody knows which of them arrived. Under a new name, numbers start afresh and none can
                # be taken twice.
                self._start_afresh()


def publish_in(session: AppSession, events: Sequence[CheckedEvent]) -> None:
    """Put events into the inbox, in order, and commit nothing. The inbox numbers them itself.

    The session's login needs the right to: ``grant mosshead_ingest to …``. Whatever the database raises passes through.
    Raises ValueError where it is no session, or one of asyncio, which would run nothing here.
    """
    try:
        done: object = session.execute(_PUBLISH, {"events": f"[{','.join(event.body for event in events)}]"})
    except StatementError as error:
        error.hide_parameters = True  # they are text of a conversation, and the app's engine may show them
        raise
    except (AttributeError, TypeError) as error:
        raise ValueError(
            f"session: {type(session).__name__} does not run SQLAlchemy's statements; give one of its Sessions or Connections"
        ) from error
    if isinstance(done, Coroutine):
        done.close()  # or Python would warn that nobody waits for it
        raise ValueError(  # noqa: TRY004 - as for all that does not fit
            f"session: {type(session).__name__} is asynchronous, and nothing was published; "
            "run this within its run_sync, with the session that it gives: await session.run_sync(lambda inner: …)"
        )


_PUBLISH = text("select mosshead_write_v1.publish(cast(:events as jsonb))")
_LAST_CALL_SECONDS = 2.0

_log = logging.getLogger("mosshead")


class SpoolPublisher:
    """Publishes through a spool, which other processes may share; for many threads, and for both sides of a fork."""

    def __init__(self, *, spool: Spool, queue: EventQueue, database_url: URL, key: SigningKey | None) -> None:
        self._spool = spool
        acknowledgements = Acknowledgements(database_url)
        self._shipper = Shipper(spool=spool, queue=queue, acknowledgements=acknowledgements, key=key)
        # Both also when nobody refers to this any more, the later one first. The interpreter's end is the end of shipping alone:
        # what the app still publishes then, in a function that it gave `atexit`, is stored for the next process.
        self._close = finalize(self, spool.close)
        self._close.atexit = False
        self._end = finalize(self, _end, self._shipper, spool)
        if spool.exists():
            self._shipper.notice()  # a process that died may have left something

    def publish(
        self, path: NamespacePath, events: Sequence[CheckedEvent], on_sent: Callable[[], object] | None = None
    ) -> None:
        """Store events of one namespace, all or none; on_sent: called for each.

        Raises SpoolFull, and SpoolUnavailable where the file cannot be written.
        """
        self._spool.append(path, [event.body for event in events])
        self._shipper.notice()
        if on_sent is not None:
            for _ in events:
                on_sent()

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
