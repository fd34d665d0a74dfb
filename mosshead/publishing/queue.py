"""The event queue: names that both sides share, and the publisher.

Events travel as JSON text through kombu, not as Celery tasks: the app needs no Celery, and no text of a conversation stands in
task arguments, in Flower, or in the log line of an unknown task.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError, OperationalError
from kombu.messaging import Producer
from redis.exceptions import RedisError, ResponseError

from mosshead import fork_safety
from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.fork_safety import Forkable, InUse

EXCHANGE = Exchange("mosshead.events", type="direct", durable=True)
QUEUE = Queue("mosshead.events", exchange=EXCHANGE, routing_key="mosshead.events", durable=True)

_KEY_PREFIX = "mosshead:events:"
_PRESUMED_BYTES = 1024
"""Of an event of a chat, with what kombu adds, where the login may not ask how large the queue is."""

BROKER_ERRORS = (KombuError, OperationalError, RedisError, OSError)
"""What kombu raises when the broker is away, hung, full or refuses the login; some of it is wrapped, and some is not."""


def open_connection(broker_url: str, *, socket_timeout: float = 3.0) -> Connection:
    """A connection to the broker, made at its first use. Raises ConfigurationError where the URL names no broker."""
    options = transport_options(socket_timeout, _KEY_PREFIX)
    try:
        if urlsplit(broker_url).scheme in {"redis", "rediss"}:
            return Connection(broker_url, transport_options=options)
    except ValueError:  # its words may hold a piece of the password
        pass
    raise ConfigurationError("MOSSHEAD_BROKER_URL: not a broker's URL; it looks like redis://HOST:6379/0")


def transport_options(socket_timeout: float, key_prefix: str, visibility_timeout: int | None = None) -> dict[str, Any]:
    """How kombu talks to Redis, for publisher, intake and workers alike. Times in seconds.

    key_prefix: before every key, so that another app on the same Redis is no neighbour by accident; one for each visibility
    time-out, for among those who share their keys the shortest wins. visibility_timeout: how long a consumer may hold a message
    before another gets it. None: Redis keeps no list of what is held, which a full Redis could not write.
    """
    held = {"ack_emulation": False} if visibility_timeout is None else {"visibility_timeout": visibility_timeout}
    return held | {
        "global_keyprefix": key_prefix,
        "socket_timeout": socket_timeout,
        "socket_connect_timeout": 2,
        "health_check_interval": 2,  # a consumer's connection that went silent is given up after 3 to 5 s
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "max_retries": 0,  # of connecting to publish; kombu would sleep for 2 s before it tries again
    }


class EventQueue(Forkable):
    """Publishes events; one for each process, and safe to share between its threads."""

    def __init__(self, broker_url: str) -> None:
        self._url = broker_url
        self._connection = self._open()
        self._producer: Producer | None = None
        self._in_use = InUse(QueueUnavailable)
        fork_safety.watch(self)

    def publish(self, events: Sequence[str]) -> None:
        """Send events, each as JSON text, in order with one round trip. On QueueUnavailable, some may have arrived."""
        with self._connected() as producer, producer.batch():
            for event in events:
                producer.publish(
                    event,
                    routing_key=QUEUE.name,
                    content_type="application/json",
                    content_encoding="utf-8",
                    retry=False,
                )

    def length(self) -> int:
        """How many events no intake has taken yet. Raises QueueUnavailable."""
        with self._connected() as producer:
            return int(QUEUE(producer.channel).queue_declare().message_count)

    def bytes(self) -> int:
        """About how much of the broker's memory those events take. Raises QueueUnavailable."""
        with self._connected() as producer, producer.channel.conn_or_acquire() as redis:
            try:
                return int(redis.memory_usage(_KEY_PREFIX + QUEUE.name) or 0)
            except ResponseError:  # not permitted, or a command that this Redis has not
                return _PRESUMED_BYTES * int(redis.llen(QUEUE.name))

    def close(self) -> None:
        """Give the connection back; one that a signal handler interrupted the use of stays."""
        with self._in_use.between() as interrupted:
            if not interrupted:
                self._forget_connection()

    def before_fork(self) -> None:
        """Wait for a send that is under way: the child would wait for a lock that it holds, for ever."""
        self._in_use.before_fork()

    def after_fork_in_parent(self) -> None:
        self._in_use.after_fork()

    def after_fork_in_child(self) -> None:
        """Let go of the parent's connection, without a word to the broker: the parent goes on talking there."""
        self._producer = None
        self._connection = self._open()
        self._in_use.after_fork()

    @contextmanager
    def _connected(self) -> Iterator[Producer]:
        with self._in_use.use():
            try:
                if self._producer is None:
                    # Straight to the queue. By the exchange, kombu would look the binding up for every event, and in a Redis that
                    # was emptied it would find none and put the event where nobody looks. The default channel, for it is the one
                    # that heeds our number of retries.
                    self._producer = Producer(self._connection.default_channel, auto_declare=False)
                    QUEUE(self._producer.channel).declare()
                yield self._producer
            except BROKER_ERRORS as error:
                self._forget_connection()
                raise QueueUnavailable(
                    f"MOSSHEAD_BROKER_URL: {self._connection.as_uri()} did not take the event ({type(error).__name__}); "
                    "check that Redis runs there and that the login is right"
                ) from None

    def _forget_connection(self) -> None:
        self._producer = None
        self._connection.release()
        self._connection = self._open()  # one that was released never connects again

    def _open(self) -> Connection:
        return open_connection(self._url, socket_timeout=1.0)
