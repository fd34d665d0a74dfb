"""The connections of the Celery app: to each kind of broker, with channels that judge what comes."""

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
        """Consume what is judged well; the rest is taken from the queue, and counted."""
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
    """Kombu's, with channels that judge what comes."""

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
        """Ours for each URL: kombu's own would take whatever comes."""
        return _TRANSPORTS[str(self.transport_cls)]

    def info(self) -> dict[str, Any]:
        """What a worker tells Flower of its connection: without the password of the sentinels, which kombu leaves in."""
        said: dict[str, Any] = super().info()  # type: ignore[no-untyped-call]
        options = {name: value for name, value in said["transport_options"].items() if name != "sentinel_kwargs"}
        return {**said, "transport_options": options}

    # Kombu lets the pause between two tries grow to 30 seconds, for which a worker would idle beside a broker that is back.
    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        return super().ensure_connection(*args, **{"interval_max": 2.0, **kwargs})  # type: ignore[no-untyped-call]

    def Pool(self, limit: int | None = None, **options: Any) -> ConnectionPool:  # noqa: N802 - kombu's name
        """A pool of such connections; kombu's own would hold others, which wait without an end."""
        return _Pool(self, limit, **options)  # type: ignore[no-untyped-call]


class _Pooled(PooledConnection, TaskConnection):
    pass


class _Pool(ConnectionPool):
    def new(self) -> _Pooled:
        return _Pooled(self, **dict(self.connection._info(resolve=False)))  # type: ignore[no-untyped-call]  # noqa: SLF001


@contextmanager
def together(producer: Producer) -> Iterator[None]:
    """Send what is published within, in one round trip to Redis; RabbitMQ confirms each, or it would never be known to hang."""
    channel: Any = producer.channel
    if isinstance(channel, RabbitChannel):
        channel.basic_publish = channel.basic_publish_confirm
        yield
    else:
        with producer.batch():
            yield


def element_of(message: Any) -> Element | None:
    """A message of RabbitMQ; None where it is compressed: a few bytes may unpack to more than there is memory for."""
    headers = message.properties.get("application_headers") or {}
    if "compression" in headers:
        return None
    return Element(str(message.properties.get("content_type")), headers, message.body or b"")


def _instead_of(message: Any, read: Element) -> Any:
    """What kombu gets in place of a message, to be acknowledged as that."""
    own = amqp.Message(
        read.body,
        channel=message.channel,
        content_type=read.content_type,
        content_encoding="utf-8",
        application_headers=dict(read.headers),
    )
    own.delivery_info = message.delivery_info
    return own
