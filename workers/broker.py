"""What the service asks of Redis: checked when a process starts, and how full it is."""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

import structlog
from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.publishing.broker import BROKER_ERRORS, QUEUE, open_connection

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
    redis, where = _open(broker_url)
    with redis:
        policy = _policy(redis) if _wait(redis, where, stopped) else "noeviction"
    if policy is None:
        _log.warning("eviction_policy_unseen", broker=where, why="the login may call neither CONFIG GET nor INFO")
    elif policy != "noeviction":
        raise ConfigurationError(
            f"{_SETTING}: {where} has the {_POLICY} {policy}, under which a full Redis drops whole queues without an error. "
            f"Run 'CONFIG SET {_POLICY} noeviction' there and keep it in its configuration"
        )


def ping_broker(broker_url: str) -> None:
    """Return once Redis answers, or raise one of BROKER_ERRORS; within some seconds either way."""
    with closing(_open(broker_url)[0]) as redis:
        redis.ping()


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
    with open_connection(broker_url) as connection:
        try:
            # Not by kombu, which asks within a transaction: a full Redis refuses those, even of reads.
            with connection.channel().conn_or_acquire() as redis:
                queued = int(redis.llen(QUEUE.name))
                try:
                    found = redis.info("memory")
                except exceptions.ResponseError:
                    return QueueState(queued, None, None)
                return QueueState(queued, int(found["used_memory"]), int(found.get("maxmemory") or 0))
        except BROKER_ERRORS as error:
            raise QueueUnavailable(
                f"MOSSHEAD_BROKER_URL: cannot connect to {connection.as_uri()} ({type(error).__name__})"
            ) from None


def _open(broker_url: str) -> tuple[Redis, str]:
    """A client, by the URL as kombu reads it, which has words of its own for certificates; and where, without the password."""
    try:
        with open_connection(broker_url) as read:
            redis = Redis(
                host=read.hostname or "127.0.0.1",
                port=read.port or 6379,
                db=int((read.virtual_host or "").strip("/") or 0),
                username=read.userid,
                password=read.password,
                socket_timeout=_TIMEOUT_SECONDS,
                socket_connect_timeout=_TIMEOUT_SECONDS,
                retry=Retry(NoBackoff(), 0),
                ssl=bool(read.ssl),
                **(read.ssl or {}),
            )
            return redis, str(read.as_uri())
    except (TypeError, ValueError):  # its words may hold a piece of the password
        raise ConfigurationError(f"{_SETTING}: not a broker's URL; it looks like redis://HOST:6379/0") from None


def _wait(redis: Redis, where: str, stopped: Callable[[], bool]) -> bool:
    away = False
    while not stopped():
        try:
            redis.ping()
        except exceptions.AuthenticationError as error:
            raise ConfigurationError(f"{_SETTING}: {where} refuses the login: {error}") from None
        except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
            if not away:
                _log.warning("broker_away", broker=where, error=type(error).__name__)
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
