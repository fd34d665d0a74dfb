"""Where the states of sessions are kept: in this process, or in a Redis that several processes share. Nothing is decided here."""

import random
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from threading import Lock
from typing import Any, Protocol, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from recollect.errors import StoreUnavailable
from recollect.publishing import forking
from recollect.working.metrics import Meter
from recollect.working.state import State

T = TypeVar("T")

Changing = Callable[[State], tuple[State, T]]
"""Pure: the state that follows, and an answer. It may be asked again, where another process was quicker."""

_PREFIX = "recollect:working:"
_TIMEOUT_SECONDS = 1.0
_CONTENDED_SECONDS = 2.0
_PAUSE_SECONDS = 0.002

_SWAP = """
if redis.call("get", KEYS[1]) ~= (ARGV[1] ~= "" and ARGV[1]) then return 0 end
redis.call("set", KEYS[1], ARGV[2], "px", ARGV[3])
return 1
"""


class Store(Protocol):
    """Keeps a state for each session, for so long after it was last changed, and then forgets it."""

    meter: Meter

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """Change a session's state in one step: nothing that others change meanwhile is lost."""

    def forget(self, key: str) -> None:
        """Forget a session."""


class InProcess:
    """In this process, safe to share between its threads; after a fork the child goes on with a copy."""

    def __init__(self) -> None:
        """Empty."""
        self.meter = Meter()
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[State, float]] = OrderedDict()
        forking.watch(self)

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """As `Store.change`."""
        with self._lock:
            now = time.monotonic()
            self._forget_expired(now)
            before = self._kept[key][0] if key in self._kept else State()
            after, answer = changing(before)
            if after is not before:
                self._kept[key] = (after, now + ttl.total_seconds())
                self._kept.move_to_end(key)
            return answer

    def forget(self, key: str) -> None:
        """As `Store.forget`."""
        with self._lock:
            self._kept.pop(key, None)

    def before_fork(self) -> None:
        """Hold still."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Go on."""
        self._lock.release()

    def _forget_expired(self, now: float) -> None:
        """From the one that was changed longest ago; one with a longer time to live holds up those behind it for minutes."""
        while self._kept and next(iter(self._kept.values()))[1] <= now:
            self._kept.popitem(last=False)


class InRedis:
    """In a Redis. A change is computed here, and stored if nobody was quicker; else it is computed again."""

    def __init__(self, client: Redis, prefix: str = _PREFIX) -> None:
        """client: of redis-py, not asyncio's. prefix: before every key."""
        self.meter = Meter()
        self._client = client
        self._prefix = prefix
        self._swap = client.register_script(_SWAP)

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """As `Store.change`. Raises StoreUnavailable where Redis does not answer, or others were quicker for two seconds."""
        ends = time.monotonic() + _CONTENDED_SECONDS
        while time.monotonic() < ends:
            try:
                done, answer = self._try(f"{self._prefix}{key}", changing, ttl)
            except RedisError as error:
                raise _unavailable(error) from None
            if done:
                return answer
            time.sleep(random.uniform(0, _PAUSE_SECONDS))  # noqa: S311 - so that two do not meet again and again
        raise StoreUnavailable("store: others changed this session without a pause for two seconds; try again")

    def forget(self, key: str) -> None:
        """As `Store.forget`. Raises StoreUnavailable."""
        try:
            self._client.delete(f"{self._prefix}{key}")
        except RedisError as error:
            raise _unavailable(error) from None

    def _try(self, key: str, changing: Changing[T], ttl: timedelta) -> tuple[bool, T]:
        written: Any = self._client.get(key)
        before = State() if written is None else State.from_json(written)
        after, answer = changing(before)
        if after is before:
            return True, answer
        milliseconds = int(ttl.total_seconds() * 1000)
        swapped = self._swap(keys=[key], args=[written or "", after.to_json(), milliseconds])
        return bool(swapped), answer


def store_for(given: Store | Redis | str | None) -> Store:
    """The one that an app names: a Redis by its URL or its client, or the one of this process.

    The same URL has the same store, however often it is named. Raises ValueError.
    """
    if given is None:
        return _in_this_process()
    if isinstance(given, str):
        return _at(given)
    return InRedis(given) if isinstance(given, Redis) else given


@cache
def _in_this_process() -> Store:
    return InProcess()


@cache
def _at(url: str) -> Store:
    try:
        client = Redis.from_url(
            url,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
    except ValueError:  # its words may hold a piece of the password
        raise ValueError("store: not the URL of a Redis; it looks like redis://HOST:6379/0") from None
    return InRedis(client)


def _unavailable(error: RedisError) -> StoreUnavailable:
    return StoreUnavailable(
        f"store: Redis did not answer ({type(error).__name__}); check its address, or leave the store out to keep working "
        "memory in this process"
    )
