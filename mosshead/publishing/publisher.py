"""What publishes for a `Memory`, by the mode that its settings name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from mosshead.namespaces import NamespacePath
from mosshead.publishing.checking import CheckedEvent
from mosshead.publishing.inbox import AppSession, publish_in
from mosshead.settings import ClientSettings, no_broker
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
    from mosshead.publishing.direct import DirectPublisher
    from mosshead.publishing.spooling import SpoolPublisher
    from mosshead.queue import EventQueue

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
    from mosshead.publishing.spool import Spool
    from mosshead.publishing.spool_place import spool_path

    path = spool_path(settings.spool_dir, broker_url=settings.broker_url, database_url=settings.database_url)
    return Spool(path, most_bytes=settings.spool_bytes)


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
