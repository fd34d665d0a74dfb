"""What the service asks of the broker: checked when a process starts, and how full it is."""

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
"""Between two signs of life of a connection to RabbitMQ, which is given up after two that did not come."""

_log = structlog.get_logger()


def check_broker(broker_url: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Wait until the broker answers, or ``stopped``; then refuse a Redis that would throw events away.

    A Redis that is full must refuse what comes, so that the sender hears of it. Under every policy but noeviction it may drop a
    whole queue instead, as one key, without an error.
    Raises ConfigurationError where the URL, the login or the policy will not do.
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
            f"{_SETTING}: {where} has the {_POLICY} {policy}, under which a full Redis drops whole queues without an error. "
            f"Run 'CONFIG SET {_POLICY} noeviction' there and keep it in its configuration"
        )


def ping_broker(broker_url: str) -> None:
    """Return once the broker answers, or raise one of BROKER_ERRORS; within some seconds either way."""
    broker = broker_at(broker_url)
    with broker.open(seconds=_TIMEOUT_SECONDS) as connection:
        broker.connect(connection)


@dataclass(frozen=True, slots=True)
class QueueState:
    """events: published, and not yet taken by the intake. used, most: bytes of Redis's memory; most: 0 where it has no limit.

    Both are None where the login may not look, and of RabbitMQ: a queue of its is on disk.
    """

    events: int
    used: int | None
    most: int | None

    @property
    def full(self) -> float | None:
        """The part of its memory that Redis uses; None where that is not known, or not limited."""
        return round(self.used / self.most, 3) if self.used is not None and self.most else None


def queue_state(broker_url: str) -> QueueState:
    """How much waits in the queue, and how full Redis is. Raises QueueUnavailable."""
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
    """As INFO has it, else CONFIG GET, which few logins may call; None where this one may call neither."""
    with suppress(exceptions.ResponseError):
        if found := redis.info("memory").get("maxmemory_policy"):
            return str(found)
    with suppress(exceptions.ResponseError):
        if found := redis.config_get(_POLICY).get(_POLICY):
            return str(found)
    return None
