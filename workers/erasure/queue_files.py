"""What the event queue's Redis has in files: written anew, so that they hold what Redis holds now and nothing that it once held.

An append-only file repeats every event that went through the queue until Redis writes the file anew, and a snapshot holds what
waited when it was made.
"""

import time
from collections.abc import Callable
from typing import Any

from redis.exceptions import NoPermissionError, ResponseError

from mosshead.errors import ConfigurationError, QueueUnavailable
from mosshead.publishing.queue import BROKER_ERRORS, QUEUE, open_connection

_SETTING = "MOSSHEAD_BROKER_URL"
_PATIENCE_SECONDS = 60.0
_POLL_SECONDS = 0.1
_BUSY = ("aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress")

_NOT_FROM_A_START = 2
"""Seconds. A server that never made a snapshot names its own start as the time of the last one."""


def rewrite_queue_files(broker_url: str, tell: Callable[[str], object]) -> None:
    """Have Redis write its append-only file and its snapshot anew, where it has them, and wait until it has.

    tell: is given the name of each before it is rewritten. Raises QueueUnavailable where Redis does not answer or fails, or the
    queue does not empty: what waits there may have been erased. Raises ConfigurationError where the login may not, or Redis has
    no such command.
    """
    with open_connection(broker_url) as connection:
        where = connection.as_uri()
        try:
            with connection.channel().conn_or_acquire() as redis:
                _outlast_queue(redis)
                _rewrite(redis, tell)
        except ResponseError as error:
            raise _refused(where, error) from None
        except BROKER_ERRORS as error:
            raise QueueUnavailable(f"{_SETTING}: cannot connect to {where} ({type(error).__name__})") from None


def _rewrite(redis: Any, tell: Callable[[str], object]) -> None:
    persistence = redis.info("persistence")
    if persistence["aof_enabled"]:
        tell("Redis's append-only file")
        _start(redis, redis.bgrewriteaof)
        _check(redis, "aof_last_bgrewrite_status")
    if _makes_snapshots(redis, persistence):
        tell("Redis's snapshot")
        _start(redis, redis.bgsave)
        _check(redis, "rdb_last_bgsave_status")


def _outlast_queue(redis: Any) -> None:
    """Wait until all that was published before this is out of Redis: it may be of what was erased meanwhile."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while waiting := redis.llen(QUEUE.name):
        if time.monotonic() > deadline:
            raise QueueUnavailable(
                f"{_SETTING}: {waiting:,} events wait in the queue, and may be of what was erased; check that the intake runs, "
                "and run this again when 'python -m workers status' tells of an empty queue"
            )
        time.sleep(_POLL_SECONDS)


def _start(redis: Any, command: Callable[[], object]) -> None:
    """Run one that works in the background, from its beginning to its end."""
    started = False
    while not started:
        _outlast_background(redis)  # what began earlier may write what it saw then
        try:
            command()
            started = True
        except ResponseError as error:
            if "in progress" not in str(error):  # one that Redis began by itself in between
                raise
    _outlast_background(redis)


def _outlast_background(redis: Any) -> None:
    while any(redis.info("persistence").get(one) for one in _BUSY):
        time.sleep(_POLL_SECONDS)


def _check(redis: Any, status: str) -> None:
    if redis.info("persistence")[status] != "ok":
        raise QueueUnavailable(
            f"{_SETTING}: Redis could not write its file anew ({status}); its log says why. Most likely its disk is full"
        )


def _makes_snapshots(redis: Any, persistence: dict[str, Any]) -> bool:
    """Whether there may be a snapshot of this server's. Where the login may not look, there may."""
    server = redis.info("server")
    began = server["server_time_usec"] // 10**6 - server["uptime_in_seconds"]
    try:
        regular = bool(redis.config_get("save").get("save", "yes"))
    except ResponseError:
        regular = True
    return regular or persistence["rdb_last_save_time"] - began > _NOT_FROM_A_START


def _refused(where: str, error: ResponseError) -> ConfigurationError:
    why = "the login has not the right" if isinstance(error, NoPermissionError) else "it refuses"
    return ConfigurationError(
        f"{_SETTING}: the files of {where} were not rewritten: {why} ({error}). Run this with a login there that may call LLEN, "
        "INFO, BGREWRITEAOF and BGSAVE. Where a provider allows no such thing, use --tables-only, and ask the provider "
        "when its files and backups are replaced"
    )
