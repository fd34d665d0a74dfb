"""Where the states of sessions are kept: in this process, or in a Redis that several processes share. Nothing is decided here."""

import random
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from threading import Lock
from typing import Any, Protocol, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from mosshead.errors import StoreUnavailable
from mosshead.publishing import forking
from mosshead.working.metrics import Meter
from mosshead.working.state import State, Written, written

T = TypeVar("T")

Changing = Callable[[State], tuple[State, T]]
"""Pure: the state that follows, and an answer. It may be asked again, where another process was quicker."""

_PREFIX = "mosshead:working:"
_TIMEOUT_SECONDS = 1.0
_CONTENDED_SECONDS = 2.0
_PAUSE_SECONDS = 0.002

_TOKEN = 16
_SEEN = 1_000

# A value begins with a token of its own. Where it is another than expected, the value that is there instead is the answer.
_SWAP = f"""
if redis.call("getrange", KEYS[1], 0, {_TOKEN - 1}) ~= ARGV[1] then return redis.call("get", KEYS[1]) or "" end
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """A state as it was in Redis, by the token of its value; "" where there was none. written: where this process wrote it."""

    token: str
    state: State
    written: Written | None = None


class InRedis:
    """In a Redis. A change is computed here, and stored if nobody was quicker; else it is computed again.

    What this process saw last of a session is where it begins, so that a change is one round trip as long as no other process
    changes the session meanwhile.
    """

    def __init__(self, client: Redis, prefix: str = _PREFIX) -> None:
        """client: of redis-py, not asyncio's. prefix: before every key."""
        self.meter = Meter()
        self._client = client
        self._prefix = prefix
        self._swap = client.register_script(_SWAP)
        self._seen: dict[str, _Seen] = {}

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """As `Store.change`. Raises StoreUnavailable where Redis does not answer, or others were quicker for two seconds."""
        name, ends = f"{self._prefix}{key}", time.monotonic() + _CONTENDED_SECONDS
        known, certain = self._seen.get(name), False
        while time.monotonic() < ends:
            try:
                if known is None:
                    known, certain = self._read(name), True
                after, answer = changing(known.state)
                if after is known.state:
                    if certain:
                        return answer
                    known = None
                elif (other := self._write(name, known, after, ttl)) is None:
                    return answer
                else:
                    known, certain = other, True
                    time.sleep(random.uniform(0, _PAUSE_SECONDS))  # noqa: S311 - so that two do not meet again and again
            except RedisError as error:
                raise _unavailable(error) from None
        raise StoreUnavailable("store: others changed this session without a pause for two seconds; try again")

    def forget(self, key: str) -> None:
        """As `Store.forget`. Raises StoreUnavailable."""
        try:
            self._seen.pop(f"{self._prefix}{key}", None)
            self._client.delete(f"{self._prefix}{key}")
        except RedisError as error:
            raise _unavailable(error) from None

    def _read(self, name: str) -> _Seen:
        return self._saw(name, self._client.get(name))

    def _write(self, name: str, before: _Seen, after: State, ttl: timedelta) -> _Seen | None:
        """Store what follows; None, or what is there instead of what it was to follow."""
        token = secrets.token_hex(_TOKEN // 2)
        milliseconds = int(ttl.total_seconds() * 1000)
        after_text = written(after, before.written)
        other = self._swap(keys=[name], args=[before.token, token + after_text.text, milliseconds])
        # Its own token: it was stored, the connection broke before the answer came, and the client asked again by itself.
        if other != 1 and _text(other)[:_TOKEN] != token:
            return self._saw(name, other)
        self._keep(name, _Seen(token, after, after_text))
        return None

    def _saw(self, name: str, value: Any) -> _Seen:
        if not value:
            return _Seen("", State())
        text = _text(value)
        seen = self._seen.get(name)
        if seen is None or seen.token != text[:_TOKEN]:
            seen = _Seen(text[:_TOKEN], State.from_json(text[_TOKEN:]))
            self._keep(name, seen)
        return seen

    def _keep(self, name: str, seen: _Seen) -> None:
        if len(self._seen) >= _SEEN:
            self._seen.clear()
        self._seen[name] = seen


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


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
