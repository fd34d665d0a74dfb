"""The event queue: names that both sides share, and the publisher.

Events travel as JSON text through kombu, not as Celery tasks: the app needs no Celery, and no text of a conversation stands in
task arguments, in Flower, or in the log line of an unknown task.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError, OperationalError
from kombu.messaging import Producer
from redis.exceptions import RedisError

from recollect.errors import ConfigurationError, QueueUnavailable

EXCHANGE = Exchange("recollect.events", type="direct", durable=True)
QUEUE = Queue("recollect.events", exchange=EXCHANGE, routing_key="recollect.events", durable=True)

_KEY_PREFIX = "recollect:events:"
# How long an intake may hold an event before another gets it: it only inserts, so seconds are many.
_VISIBILITY_SECONDS = 30

_SCHEMES = {"redis", "rediss"}

BROKER_ERRORS = (KombuError, OperationalError, RedisError, OSError)
"""What kombu raises when the broker is away, hung, full or refuses the login; some of it is wrapped, and some is not."""


def open_connection(
    broker_url: str, *, setting: str = "RECOLLECT_BROKER_URL", socket_timeout: float = 5.0
) -> Connection:
    """A connection to the broker; it connects when it is first used.

    socket_timeout: seconds. Without one, a Redis that hangs blocks its caller for ever.
    Raises ConfigurationError where the URL names no broker that kombu can reach.
    """
    scheme = urlsplit(broker_url).scheme
    if scheme not in _SCHEMES:
        raise ConfigurationError(f"{setting}: not a broker's URL; it looks like redis://HOST:6379/0")
    return Connection(broker_url, transport_options=transport_options(socket_timeout, _KEY_PREFIX, _VISIBILITY_SECONDS))


def transport_options(socket_timeout: float, key_prefix: str, visibility_timeout: int) -> dict[str, Any]:
    """How kombu talks to Redis, for publisher, intake and workers alike. Times in seconds.

    key_prefix: before every key, so that another app on the same Redis is no neighbour by accident; one for each visibility
    time-out, for among those who share their keys the shortest wins.
    """
    return {
        "global_keyprefix": key_prefix,
        "socket_timeout": socket_timeout,
        "socket_connect_timeout": 2,
        "health_check_interval": 10,
        "visibility_timeout": visibility_timeout,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "max_retries": 1,
    }


class EventQueue:
    """Publishes events; one for each process, and safe to share between its threads."""

    def __init__(self, broker_url: str) -> None:
        self._url = broker_url
        self._connection = self._open()
        self._producer: Producer | None = None
        self._lock = Lock()

    def publish(self, events: Sequence[str], on_sent: Callable[[], object] | None = None) -> None:
        """Send events, each as JSON text, in order; ``on_sent`` is called after each.

        Raises QueueUnavailable where the broker does not take them.
        """
        with self._lock:
            try:
                self._send(events, on_sent)
            except BROKER_ERRORS as error:
                self._forget_connection()
                raise QueueUnavailable(
                    f"RECOLLECT_BROKER_URL: {self._connection.as_uri()} did not take the event ({type(error).__name__}); "
                    "check that Redis runs there and that the login is right"
                ) from None

    def close(self) -> None:
        """Give the connection back."""
        with self._lock:
            self._forget_connection()

    def _send(self, events: Sequence[str], on_sent: Callable[[], object] | None) -> None:
        if self._producer is None:
            self._producer = Producer(self._connection.channel(), exchange=EXCHANGE, auto_declare=False)
            QUEUE(self._producer.channel).declare()
        for event in events:
            self._producer.publish(
                event,
                routing_key=QUEUE.routing_key,
                content_type="application/json",
                content_encoding="utf-8",
                retry=False,
            )
            if on_sent is not None:
                on_sent()

    def _forget_connection(self) -> None:
        self._producer = None
        self._connection.release()
        self._connection = self._open()  # one that was released never connects again

    def _open(self) -> Connection:
        return open_connection(self._url, socket_timeout=1.0)
