"""What comes from the event queue, and what becomes of it once it is stored.

Redis keeps no list of what an intake has in hand. Such a list takes memory, and a full Redis refuses every write: it could never
be drained. What dies with an intake is still in its publisher's spool, which is cut only up to what the inbox has.

RabbitMQ keeps each message until it is acknowledged, and gives what an intake that is gone had in hand to the next.
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
from workers.transport import read_what_others_push

_IDLE_SECONDS = 0.25
"""For how long Redis waits for a message in the intake's name."""

_HEARTBEAT_CHECKED_SECONDS = 1.0

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that an intake has in hand. tag: by which RabbitMQ knows it."""

    content_type: str
    body: bytes
    tag: int = 0


Take = Callable[[QueuedMessage], None]


class Arrivals(ABC):
    """Hands over what comes, from its making on until it is stopped. Its methods raise one of BROKER_ERRORS."""

    @abstractmethod
    def drain(self, timeout: float) -> None:
        """Wait for a message, and hand it over. Raises TimeoutError where none comes in time."""

    @abstractmethod
    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        """Let go of messages that are stored."""

    @abstractmethod
    def stop(self) -> None:
        """Take no more. What is under way is still handed over."""

    @abstractmethod
    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """Put back what could not be stored, for those who publish without a spool. Raises nothing."""


def open_arrivals(broker: Broker, connection: Connection, take: Take, *, ahead: int) -> Arrivals:
    """What comes over a connection that is open. take: gets it. ahead: how many may be in hand."""
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

        # Not declared: that writes a binding, which a full Redis refuses, and publishers send straight to the queue.
        Consumer(self._channel, [QUEUE], on_message=receive, no_ack=True, auto_declare=False).consume()

    def drain(self, timeout: float) -> None:
        self._connection.drain_events(timeout=timeout)

    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        """They left Redis when they came."""

    def stop(self) -> None:
        self._channel.close()  # which reads the answer to a BRPOP that is under way: its message has left Redis

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
        QUEUE(self._channel).declare()
        self._channel.basic_qos(0, ahead, False)

        def receive(message: Any) -> None:
            content_type = str(message.properties.get("content_type"))
            # Nothing of ours is compressed, and a few bytes may unpack to more than there is memory for: it stays as it came.
            take(QueuedMessage(content_type, message.body or b"", message.delivery_tag))

        self._consumer = self._channel.basic_consume(QUEUE.name, callback=receive)
        self._checked = time.monotonic()

    def drain(self, timeout: float) -> None:
        # Not by kombu, which would connect again without a word, and wait where nothing is consumed.
        connection = self._channel.connection
        if time.monotonic() - self._checked > _HEARTBEAT_CHECKED_SECONDS:
            connection.heartbeat_tick()
            self._checked = time.monotonic()
        connection.drain_events(timeout=timeout)

    def stored(self, messages: Sequence[QueuedMessage]) -> None:
        for message in messages:
            self._channel.basic_ack(message.tag)

    def stop(self) -> None:
        self._channel.basic_cancel(self._consumer)

    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """They never left RabbitMQ."""
