"""Receive messages from the event queue, and acknowledge them once they are stored.

Redis keeps no list of the messages that an intake has in hand. Such a list takes memory, and a full Redis refuses every write, so
it could never be drained. Messages that are lost with an intake are still in the publisher's spool, which removes only events
that the inbox has.

RabbitMQ keeps each message until it is acknowledged. If an intake dies, the next one gets its messages.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from kombu.connection import Connection
from kombu.message import Message
from kombu.messaging import Consumer, Producer

from mosshead.publishing.broker import BROKER_ERRORS, QUEUE, Broker
from workers.broker import RESUBSCRIBE_SECONDS
from workers.transport import read_what_others_push

_IDLE_SECONDS = 0.25
"""How long a BRPOP waits in Redis for a message."""

_HEARTBEAT_CHECKED_SECONDS = 1.0

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that an intake has in hand. tag: RabbitMQ's delivery tag."""

    content_type: str
    body: bytes
    tag: int = 0


Take = Callable[[QueuedMessage], None]


class Arrivals(ABC):
    """Delivers messages from its creation until it is stopped. Its methods raise one of BROKER_ERRORS."""

    @abstractmethod
    def drain(self, timeout: float) -> None:
        """Wait for a message, and deliver it. Raises TimeoutError if none comes in time."""

    @abstractmethod
    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        """Acknowledge messages that are stored."""

    @abstractmethod
    def stop(self) -> None:
        """Take no more messages. Those already on the way are still delivered."""

    @abstractmethod
    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """Put back messages that could not be stored, for publishers without a spool. Raises nothing."""


def open_arrivals(broker: Broker, connection: Connection, take: Take, *, ahead: int) -> Arrivals:
    """Return the arrivals of an open connection. take: Called per message. ahead: How many may be in hand."""
    if broker.address.is_rabbitmq:
        return _RabbitArrivals(connection, take, ahead)
    return _RedisArrivals(connection, take)


class _RedisArrivals(Arrivals):
    def __init__(self, connection: Connection, take: Take) -> None:
        self._connection = connection
        self._channel: Any = connection.channel()
        self._channel.brpop_timeout = _IDLE_SECONDS
        read_what_others_push(self._channel)

        def receive(message: Message) -> None:
            take(QueuedMessage(message.content_type, message.body))

        # Do not declare it: that writes a binding, which a full Redis refuses, and publishers send to the queue directly.
        Consumer(self._channel, [QUEUE], on_message=receive, no_ack=True, auto_declare=False).consume()

    def drain(self, timeout: float) -> None:
        self._connection.drain_events(timeout=timeout)

    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        """Do nothing: the messages left Redis on delivery."""

    def stop(self) -> None:
        self._channel.close()  # this reads the reply to a pending BRPOP, whose message has left Redis

    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        if not messages:
            return
        try:
            producer = Producer(self._connection.channel(), auto_declare=False)
            for message in messages:
                producer.publish(
                    message.body,
                    routing_key=QUEUE.name,
                    content_type=message.content_type,
                    content_encoding="utf-8",
                    retry=False,
                )
        except BROKER_ERRORS as error:
            _log.warning("events_not_put_back", events=len(messages), error=type(error).__name__)


class _RabbitArrivals(Arrivals):
    def __init__(self, connection: Connection, take: Take, ahead: int) -> None:
        self._channel: Any = connection.channel()
        self._channel.auto_decode = False
        self._channel.basic_qos(0, ahead, False)

        def receive(message: Any) -> None:
            self._last_active = time.monotonic()
            content_type = str(message.properties.get("content_type"))
            # Do not decompress it: ours are never compressed, and a few bytes may unpack to more than the memory holds.
            take(QueuedMessage(content_type, message.body or b"", message.delivery_tag))

        self._receive = receive
        self._subscribe()
        self._checked = time.monotonic()

    def drain(self, timeout: float) -> None:
        # Not through kombu, which would silently reconnect, and wait on a connection without a consumer.
        connection = self._channel.connection
        if time.monotonic() - self._checked > _HEARTBEAT_CHECKED_SECONDS:
            connection.heartbeat_tick()
            self._checked = time.monotonic()
        if time.monotonic() - self._last_active > RESUBSCRIBE_SECONDS:
            self.stop()
            self._subscribe()
        connection.drain_events(timeout=timeout)

    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        for message in messages:
            self._channel.basic_ack(message.tag)

    def stop(self) -> None:
        self._channel.basic_cancel(self._consumer)

    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """Do nothing: unacknowledged messages are still in RabbitMQ."""

    def _subscribe(self) -> None:
        QUEUE(self._channel).declare()
        self._consumer = self._channel.basic_consume(QUEUE.name, callback=self._receive)
        self._last_active = time.monotonic()
