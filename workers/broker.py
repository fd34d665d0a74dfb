"""Check the broker when a process starts, and measure how full it is."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog
from amqp.exceptions import AccessRefused, NotAllowed, RecoverableConnectionError
from kombu.connection import Connection
from redis import Redis, exceptions

from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.publishing.broker import BROKER_ERRORS, QUEUE_NAME, Broker, broker_at

_SETTING = "MOSSHEAD_BROKER_URL"
_POLICY = "maxmemory-policy"
_TIMEOUT_SECONDS = 2.0

HEARTBEAT_SECONDS = 10.0
"""Interval between heartbeats on a connection to RabbitMQ, which is closed after two are missing."""

RESUBSCRIBE_SECONDS = 5.0
"""Interval at which an idle consumer resubscribes to its RabbitMQ queues. When a queue is deleted and redeclared, RabbitMQ
sometimes drops a consumer without notice: 3.10.8 did in 24 of 270 trials."""

_log = structlog.get_logger()


def check_broker(broker_url: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Wait until the broker answers, or ``stopped``; then refuse a Redis that would evict events.

    A full Redis must refuse writes, so that the sender notices. Under every policy but noeviction, it may instead drop a whole
    queue, which is one key, without an error.
    Raises ConfigurationError if the URL, the login or the policy is unsuitable.
    """
    broker = broker_at(broker_url)
    where = broker.address
    with broker.open(seconds=_TIMEOUT_SECONDS) as connection:
        if not _wait(broker, connection, stopped):
            return
        with broker.redis(connection) as redis:
            policy = _policy(redis) if redis is not None else "noeviction"
    if policy is None:
        _log.warning("eviction_policy_unseen", broker=str(where), why="the login may call neither CONFIG GET nor INFO")
    elif policy != "noeviction":
        raise ConfigurationError(
            f"{_SETTING}: {where} has the {_POLICY} {policy}, with which a full Redis drops whole queues without an error. "
            f"Run 'CONFIG SET {_POLICY} noeviction' there and keep it in its configuration"
        )


def ping_broker(broker_url: str) -> None:
    """Return once the broker answers, or raise one of BROKER_ERRORS, within a few seconds."""
    broker = broker_at(broker_url)
    with broker.open(seconds=_TIMEOUT_SECONDS) as connection:
        broker.connect(connection)


@dataclass(frozen=True, slots=True)
class QueueState:
    """The state of the event queue. events: Published events that the intake has not taken yet.

    used, most: Bytes of Redis's memory, and its limit, or 0 if there is none. Both are None if the login may not read them, and
    for RabbitMQ, whose queues are on disk.
    """

    events: int
    used: int | None
    most: int | None

    @property
    def full(self) -> float | None:
        """The share of its memory that Redis uses; None if it is unknown or unlimited."""
        return round(self.used / self.most, 3) if self.used is not None and self.most else None


def queue_state(broker_url: str) -> QueueState:
    """Return how many events are queued, and how full Redis is. Raises QueueUnavailable."""
    broker = broker_at(broker_url)
    with broker.open() as connection:
        try:
            broker.connect(connection)
            queued = broker.length(connection, QUEUE_NAME)
            with broker.redis(connection) as redis:
                if redis is None:
                    return QueueState(queued, None, None)
                try:
                    found = redis.info("memory")
                except exceptions.ResponseError:
                    return QueueState(queued, None, None)
                return QueueState(queued, int(found["used_memory"]), int(found.get("maxmemory") or 0))
        except BROKER_ERRORS as error:
            raise QueueUnavailable(f"{_SETTING}: cannot connect to {broker.address} ({type(error).__name__})") from None


def _wait(broker: Broker, connection: Connection, stopped: Callable[[], bool]) -> bool:
    away = False
    while not stopped():
        try:
            broker.connect(connection)
        except (exceptions.AuthenticationError, AccessRefused, NotAllowed) as error:
            raise ConfigurationError(f"{_SETTING}: {broker.address} refuses the login: {error}") from None
        except (exceptions.ConnectionError, exceptions.TimeoutError, RecoverableConnectionError, OSError) as error:
            if not away:
                _log.warning("broker_away", broker=str(broker.address), error=type(error).__name__)
            away = True
            time.sleep(0.5)
        else:
            return True
    return False


def _policy(redis: Redis) -> str | None:
    """Return the policy from INFO, else from CONFIG GET, which few logins may call; None if neither is permitted."""
    with suppress(exceptions.ResponseError):
        if found := redis.info("memory").get("maxmemory_policy"):
            return str(found)
    with suppress(exceptions.ResponseError):
        if found := redis.config_get(_POLICY).get(_POLICY):
            return str(found)
    return None
