"""The Celery app's connections to each kind of broker, with channels that judge messages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import amqp
from kombu.connection import ConnectionPool, PooledConnection
from kombu.messaging import Producer
from kombu.transport import pyamqp

from mosshead.publishing.broker import BrokerConnection
from workers.transport import REFUSALS, Element, RefusedTask, SentinelTransport, Transport, judge


class RabbitChannel(pyamqp.Channel):
    """Judges each message before kombu unpacks it."""

    def basic_consume(
        self, queue: str = "", *, callback: Callable[[Any], Any], no_ack: bool = False, **options: Any
    ) -> Any:
        """Pass on accepted messages; remove refused ones from the queue, and count them."""
        self.auto_decode = False

        def judged(message: Any) -> None:
            read = judge(queue, len(message.body), element_of(message))
            if not isinstance(read, RefusedTask):
                callback(_instead_of(message, read))
                return
            REFUSALS.add(read, size=len(message.body))
            if not no_ack:
                self.basic_ack(message.delivery_tag)

        return super().basic_consume(queue, callback=judged, no_ack=no_ack, **options)


class _RabbitConnection(pyamqp.Connection):
    Channel = RabbitChannel


class RabbitTransport(pyamqp.Transport):
    """Kombu's transport, with channels that judge messages."""

    Connection = _RabbitConnection


_TRANSPORTS: Final = {
    "redis": Transport,
    "rediss": Transport,
    "sentinel": SentinelTransport,
    "amqp": RabbitTransport,
    "pyamqp": RabbitTransport,
    "amqps": RabbitTransport,
}


class TaskConnection(BrokerConnection):
    """A connection of the Celery app."""

    def get_transport_cls(self) -> Any:
        """Return our transport for the URL; kombu's own would accept any message."""
        return _TRANSPORTS[str(self.transport_cls)]

    def info(self) -> dict[str, Any]:
        """Return what a worker tells Flower about its connection, without the sentinels' password, which kombu includes."""
        said: dict[str, Any] = super().info()  # type: ignore[no-untyped-call]
        options = {name: value for name, value in said["transport_options"].items() if name != "sentinel_kwargs"}
        return {**said, "transport_options": options}

    # Kombu's pause between retries grows to 30 seconds, so a worker would idle that long after the broker is back.
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        return super().ensure_connection(*args, **{"interval_max": 2.0, **kwargs})  # type: ignore[no-untyped-call]

    def Pool(self, limit: int | None = None, **options: Any) -> ConnectionPool:  # noqa: N802 - kombu's name
        """Return a pool of such connections; kombu's own pool would contain connections that wait forever."""
        return _Pool(self, limit, **options)  # type: ignore[no-untyped-call]


class _Pooled(PooledConnection, TaskConnection):
    pass


class _Pool(ConnectionPool):
    def new(self) -> _Pooled:
        return _Pooled(self, **dict(self.connection._info(resolve=False)))  # type: ignore[no-untyped-call]  # noqa: SLF001


@contextmanager
def together(producer: Producer) -> Iterator[None]:
    """Send messages published in the block in one round trip to Redis. RabbitMQ confirms each; else a hang would go unnoticed."""
    channel: Any = producer.channel
    if isinstance(channel, RabbitChannel):
        channel.basic_publish = channel.basic_publish_confirm
        yield
    else:
        with producer.batch():
            yield


def element_of(message: Any) -> Element | None:
    """Return a message from RabbitMQ; None if it is compressed: a few bytes may unpack to more than the memory holds."""
    headers = message.properties.get("application_headers") or {}
    if "compression" in headers:
        return None
    return Element(str(message.properties.get("content_type")), headers, message.body or b"")


def _instead_of(message: Any, read: Element) -> Any:
    """Return the replacement for a message, which kombu acknowledges like the original."""
    own = amqp.Message(
        read.body,
        channel=message.channel,
        content_type=read.content_type,
        content_encoding="utf-8",
        application_headers=dict(read.headers),
    )
    own.delivery_info = message.delivery_info
    return own
