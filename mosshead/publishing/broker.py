"""The broker, for the app and the service: the event queue's name, and the differences between Redis and RabbitMQ.

Events are sent as JSON text through kombu, not as Celery tasks. So the app needs no Celery, and no conversation text appears in
task arguments, in Flower, or in the log line of an unknown task.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from typing import Any

from amqp.exceptions import AMQPError, NotFound
from kombu.connection import Connection
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError, OperationalError
from kombu.messaging import Producer
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from mosshead.publishing.address import BrokerAddress, no_broker_url, parse_broker_url

QUEUE_NAME = "mosshead.events"
EXCHANGE = Exchange(QUEUE_NAME, type="direct", durable=True)
QUEUE = Queue(
    QUEUE_NAME,
    exchange=EXCHANGE,
    routing_key=QUEUE_NAME,
    durable=True,
    queue_arguments={"x-queue-type": "quorum"},  # replicated on RabbitMQ's nodes; Redis ignores it
)

KEY_PREFIX = "mosshead:events:"

BROKER_ERRORS = (KombuError, OperationalError, RedisError, AMQPError, OSError)
"""What kombu raises if the broker is down, hanging, full or refuses the login; it wraps only some of these."""

_CONNECT_SECONDS = 2.0

_RABBITMQ_SECONDS = 5.0
"""How long RabbitMQ may take to answer: until an event is on the disks of most nodes, or a queue has elected its leader."""


_PRESUMED_BYTES = 1024
"""Assumed size of a queued event, if the broker does not report it, or not to this login."""


class BrokerConnection(Connection):
    """Kombu's connection. With RabbitMQ, it also gives up on a silent server, and verifies the server's certificate over TLS."""

    def _init_params(self, **params: Any) -> None:  # type: ignore[override]
        if params["transport"] == "amqps":
            given = params["ssl"] if isinstance(params["ssl"], dict) else {}
            context = given.get("context") or {"cafile": given.get("ssl_ca_certs"), "check_hostname": True}
            params["ssl"] = {"context": context, "server_hostname": params["hostname"]}
        super()._init_params(**params)  # type: ignore[no-untyped-call]

    def _establish_connection(self) -> Any:
        connected: Any = super()._establish_connection()  # type: ignore[no-untyped-call]
        if self.transport.driver_type == "amqp":
            connected.sock.settimeout(_RABBITMQ_SECONDS)  # the client's own timeout restarts each time it expires
        return connected


class Outbox(ABC):
    """A publisher's access to the event queue, over one connection. Its methods raise one of BROKER_ERRORS."""

    def __init__(self, broker: "Broker", connection: Connection) -> None:
        self._broker, self._connection = broker, connection
        # Publish to the queue directly. With the exchange, kombu looks up the binding for every event; in a flushed Redis it
        # finds none and loses the event. Only the default channel respects our number of retries.
        self._producer = Producer(connection.default_channel, auto_declare=False)
        QUEUE(self._producer.channel).declare()

    @abstractmethod
    def send(self, events: Sequence[str]) -> None:
        """Send events in order, and return once the broker has them."""

    def length(self) -> int:
        """Return how many events no intake has taken yet."""
        return self._broker.length(self._connection, QUEUE_NAME)

    def bytes(self) -> int:
        """Return about how many bytes those events take in the broker's memory."""
        return _PRESUMED_BYTES * self.length()

    def _publish(self, events: Sequence[str], **options: Any) -> None:
        for event in events:
            self._producer.publish(
                event,
                routing_key=QUEUE_NAME,
                content_type="application/json",
                content_encoding="utf-8",
                retry=False,
                **options,
            )


class Broker(ABC):
    """A kind of broker at an address."""

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address

    def open(self, *, seconds: float = 3.0, heartbeat: float = 0.0) -> Connection:
        """Return a connection, opened on first use. Raises ConfigurationError if the URL is not a broker's.

        Args:
            seconds: How long Redis may take to answer.
            heartbeat: Seconds between heartbeats on a connection to RabbitMQ; 0 for none.
        """
        options = self.options(seconds, KEY_PREFIX)
        try:
            return BrokerConnection(  # type: ignore[no-untyped-call]
                self.address.for_kombu, transport_options=options, connect_timeout=_CONNECT_SECONDS, heartbeat=heartbeat
            )
        except (TypeError, ValueError):  # its text may contain part of the password
            raise no_broker_url() from None

    def connect(self, connection: Connection) -> None:
        """Connect now, and try each host once. Raises one of BROKER_ERRORS, as the client raised it."""
        connection.ensure_connection(max_retries=len(self.address.hosts) - 1, reraise_as_library_errors=False)

    @abstractmethod
    def options(self, seconds: float, key_prefix: str, visibility_timeout: int | None = None) -> dict[str, Any]:
        """Return kombu's transport options, for the publisher, the intake and the workers. Times are in seconds.

        Args:
            seconds: How long Redis may take to answer.
            key_prefix: Put before every key, to keep other apps on the same Redis apart. Use one per visibility timeout: among
                clients that share keys, the shortest timeout wins.
            visibility_timeout: How long a consumer may hold a message before another gets it. None: Redis keeps no list of held
                messages, which a full Redis could not write. RabbitMQ detects dead consumers itself.
        """

    @abstractmethod
    def outbox(self, connection: Connection) -> Outbox:
        """Connect, and return the outbox for sending events."""

    @abstractmethod
    def length(self, connection: Connection, queue: str) -> int:
        """Return how many messages wait in a queue; 0 if there is none."""

    @abstractmethod
    def redis(self, connection: Connection) -> AbstractContextManager[Any]:
        """Return a Redis client, for Redis-only figures such as its memory; None for another broker."""


def broker_at(url: str) -> Broker:
    """Return the broker at a URL. Raises ConfigurationError if it is not a broker's."""
    address = parse_broker_url(url)
    return RabbitBroker(address) if address.is_rabbitmq else RedisBroker(address)


class RedisBroker(Broker):
    """One Redis, or the master that Sentinel names."""

    def options(self, seconds: float, key_prefix: str, visibility_timeout: int | None = None) -> dict[str, Any]:
        sentinel = {
            "master_name": self.address.master,
            # By default, redis-py would wait for seconds on a dead sentinel before it asks the next.
            "sentinel_kwargs": {"socket_timeout": 1.0, "retry": Retry(NoBackoff(), 0), **self.address.sentinel_login},
        }
        held = {"ack_emulation": False} if visibility_timeout is None else {"visibility_timeout": visibility_timeout}
        return {
            **held,
            **(sentinel if self.address.master else {}),
            "global_keyprefix": key_prefix,
            "socket_timeout": seconds,
            "socket_connect_timeout": _CONNECT_SECONDS,
            "health_check_interval": 2,  # a consumer gives up a silent connection after 3 to 5 s
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "max_retries": 0,  # of connecting to publish; kombu would sleep for 2 s before a retry
        }

    def outbox(self, connection: Connection) -> Outbox:
        return _RedisOutbox(self, connection)

    def length(self, connection: Connection, queue: str) -> int:
        # Not through kombu, which uses a transaction: a full Redis refuses those, even for reads.
        with self.redis(connection) as redis:
            return int(redis.llen(queue))

    @contextmanager
    def redis(self, connection: Connection) -> Iterator[Any]:
        channel: Any = connection.default_channel
        with channel.conn_or_acquire() as redis:
            yield redis


class _RedisOutbox(Outbox):
    def send(self, events: Sequence[str]) -> None:
        with self._producer.batch():  # one round trip
            self._publish(events)

    def bytes(self) -> int:
        with self._broker.redis(self._connection) as redis:
            try:
                return int(redis.memory_usage(KEY_PREFIX + QUEUE_NAME) or 0)
            except ResponseError:  # the command is not permitted or not supported
                return super().bytes()


class RabbitBroker(Broker):
    """RabbitMQ, with one node or several."""

    def options(self, *_: Any) -> dict[str, Any]:
        hosts = len(self.address.hosts)  # try each once, even if the first of them hangs
        return {"max_retries": hosts - 1, "connect_retries_timeout": _CONNECT_SECONDS * hosts + 1.0}

    def outbox(self, connection: Connection) -> Outbox:
        return _RabbitOutbox(self, connection)

    def length(self, connection: Connection, queue: str) -> int:
        with connection.channel() as channel:
            try:
                return int(channel.queue_declare(queue, passive=True).message_count)
            except NotFound:
                return 0

    def redis(self, _: Connection) -> AbstractContextManager[None]:
        return nullcontext()


class _RabbitOutbox(Outbox):
    """Waits for the confirmations of all sent events together; otherwise each event would take a round trip to the disks."""

    def __init__(self, broker: "Broker", connection: Connection) -> None:
        super().__init__(broker, connection)
        self._channel: Any = self._producer.channel
        self._channel.confirm_select()
        self._channel.events["basic_ack"].add(self._take)
        self._channel.events["basic_nack"].add(self._refuse)
        self._sent = 0
        self._open: set[int] = set()

    def send(self, events: Sequence[str]) -> None:
        self._open = set(range(self._sent + 1, self._sent + len(events) + 1))
        self._sent += len(events)
        self._publish(events, mandatory=True)  # or RabbitMQ would confirm and drop an event without a queue
        until = monotonic() + _RABBITMQ_SECONDS
        while self._open:
            self._channel.connection.drain_events(timeout=max(0.0, until - monotonic()))

    def _take(self, tag: int, multiple: bool) -> None:
        self._open -= {one for one in self._open if one <= tag} if multiple else {tag}

    def _refuse(self, *_: Any) -> None:
        raise OperationalError("RabbitMQ refused an event")
