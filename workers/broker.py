"""What the service asks of Redis: checked when a process starts, and how full it is."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog
from kombu.connection import Connection
from redis import Redis, exceptions

from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.publishing.address import BrokerAddress, parse_broker_url
from mosshead.publishing.broker import BROKER_ERRORS, QUEUE_NAME, open_connection, queue_length

_SETTING = "MOSSHEAD_BROKER_URL"
_POLICY = "maxmemory-policy"
_TIMEOUT_SECONDS = 2.0

_log = structlog.get_logger()


def check_broker(broker_url: str, stopped: Callable[[], bool] = lambda: False) -> None:
    """Wait until Redis answers, or ``stopped``; then refuse one that would throw events away.

    A Redis that is full must refuse what comes, so that the sender hears of it. Under every policy but noeviction it may drop a
    whole queue instead, as one key, without an error.
    Raises ConfigurationError where the URL, the login or the policy will not do.
    """
    where = parse_broker_url(broker_url)
    with open_connection(where, socket_timeout=_TIMEOUT_SECONDS) as connection:
        if not _wait(connection, where, stopped):
            return
        with connection.default_channel.conn_or_acquire() as redis:
            policy = _policy(redis)
    if policy is None:
        _log.warning("eviction_policy_unseen", broker=str(where), why="the login may call neither CONFIG GET nor INFO")
    elif policy != "noeviction":
        raise ConfigurationError(
            f"{_SETTING}: {where} has the {_POLICY} {policy}, under which a full Redis drops whole queues without an error. "
            f"Run 'CONFIG SET {_POLICY} noeviction' there and keep it in its configuration"
        )


def ping_broker(broker_url: str) -> None:
    """Return once Redis answers, or raise one of BROKER_ERRORS; within some seconds either way."""
    with open_connection(broker_url, socket_timeout=_TIMEOUT_SECONDS) as connection:
        _connect(connection)


@dataclass(frozen=True, slots=True)
class QueueState:
    """events: published, and not yet taken by the intake. used, most: bytes of Redis's memory; most: 0 where it has no limit.

    Both are None where the login may not look.
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
    where = parse_broker_url(broker_url)
    with open_connection(where) as connection:
        try:
            _connect(connection)
            queued = queue_length(connection, QUEUE_NAME)
            with connection.default_channel.conn_or_acquire() as redis:
                try:
                    found = redis.info("memory")
                except exceptions.ResponseError:
                    return QueueState(queued, None, None)
                return QueueState(queued, int(found["used_memory"]), int(found.get("maxmemory") or 0))
        except BROKER_ERRORS as error:
            raise QueueUnavailable(f"{_SETTING}: cannot connect to {where} ({type(error).__name__})") from None


def _connect(connection: Connection) -> None:
    """Connect, in one try, to the server that takes events."""
    connection.ensure_connection(max_retries=0, reraise_as_library_errors=False)


def _wait(connection: Connection, where: BrokerAddress, stopped: Callable[[], bool]) -> bool:
    away = False
    while not stopped():
        try:
            _connect(connection)
        except exceptions.AuthenticationError as error:
            raise ConfigurationError(f"{_SETTING}: {where} refuses the login: {error}") from None
        except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
            if not away:
                _log.warning("broker_away", broker=str(where), error=type(error).__name__)
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
