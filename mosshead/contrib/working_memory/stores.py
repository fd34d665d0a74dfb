"""Stores for the states of sessions: this process, or a Redis that several processes share. They make no decisions."""

import random
import secrets
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any, Protocol, TypeVar

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from mosshead.contrib.working_memory.state import State
from mosshead.errors import StoreUnavailable
from mosshead.fork_safety import ForkSafeLock

T = TypeVar("T")

Changing = Callable[[State], tuple[State, T]]
"""A pure function that returns the next state and an answer. It is called again if another process was faster."""

_PREFIX = "mosshead:working:"
_TIMEOUT_SECONDS = 1.0
_CONTENDED_SECONDS = 2.0
_PAUSE_SECONDS = 0.002

_TOKEN = 16
_SEEN = 1_000

# A value begins with a unique token. If it is not the expected one, the script returns the current value.
_SWAP = f"""
if redis.call("getrange", KEYS[1], 0, {_TOKEN - 1}) ~= ARGV[1] then return redis.call("get", KEYS[1]) or "" end
redis.call("set", KEYS[1], ARGV[2], "px", ARGV[3])
return 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Metrics of one process and one store, since the process began.

    fill: used share of the capacity, 0 to 1: that of the session in `WorkingMemory.metrics`, else the mean of the latest 1,000
        accesses; 50 to 80 % is good.
    evictions: evicted references per added one; up to 10 % is good. resolved: share of looked-up references that were found;
        from 90 % is good.
    access_ms, access_p99_ms: milliseconds per access, over the latest 1,000; up to 1 is good.
    """

    fill: float = 0.0
    added: int = 0
    evicted: int = 0
    found: int = 0
    missed: int = 0
    accesses: int = 0
    access_seconds: float = 0.0
    access_ms: float = 0.0
    access_p99_ms: float = 0.0

    @property
    def evictions(self) -> float:
        """Evicted references per added one."""
        return self.evicted / self.added if self.added else 0.0

    @property
    def resolved(self) -> float:
        """The share of looked-up references that were found."""
        asked = self.found + self.missed
        return self.found / asked if asked else 1.0

    @property
    def alerts(self) -> tuple[str, ...]:
        """Problems, one line each: fill above 95 %, evictions above 30 %, resolved below 75 %, access above 5 ms.

        Shares and times are reported from 20 cases on.
        """
        said = []
        if self.fill > 0.95:
            said.append(f"fill: {self.fill:.0%}, above 95 %; raise the capacity")
        if self.added >= _ENOUGH and self.evictions > 0.30:
            said.append(f"evictions: {self.evictions:.0%} of what is added, above 30 %; raise the capacity")
        if self.found + self.missed >= _ENOUGH and self.resolved < 0.75:
            said.append(
                f"resolved: {self.resolved:.0%}, below 75 %; add what tools return, or keep it for longer (ttl)"
            )
        if self.accesses >= _ENOUGH and self.access_ms > 5:
            said.append(f"access: {self.access_ms:.1f} ms, above 5; is Redis far away, or overloaded?")
        return tuple(said)


class Meter:
    """Collects the metrics; safe to share between threads, and to use after a fork."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._counted: Counter[str] = Counter()
        self._seconds = 0.0
        self._latest: deque[tuple[float, float]] = deque(maxlen=_LATEST)

    def accessed(self, seconds: float, *, fill: float, added: int, evicted: int) -> None:
        """Record the duration of an access, and how full the session is after it."""
        with self._lock:
            self._counted.update(accesses=1, added=added, evicted=evicted)
            self._seconds += seconds
            self._latest.append((seconds, fill))

    def looked_for(self, *, found: int, missed: int) -> None:
        """Record look-ups of references."""
        with self._lock:
            self._counted.update(found=found, missed=missed)

    def read(self) -> Metrics:
        with self._lock:
            latest, counted, seconds = list(self._latest), dict(self._counted), self._seconds
        fill = sum(fill for _, fill in latest) / len(latest) if latest else 0.0
        median, slow = _milliseconds(latest, 0.5), _milliseconds(latest, 0.99)
        return Metrics(**counted, fill=fill, access_seconds=seconds, access_ms=median, access_p99_ms=slow)


class Store(Protocol):
    """Keeps each session's state for a time after its last change."""

    meter: Meter

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """Change a session's state atomically: concurrent changes of others are not lost."""

    def forget(self, key: str) -> None:
        """Forget a session."""


class InProcess:
    """A store in this process, safe to share between threads; after a fork the child continues with a copy."""

    def __init__(self) -> None:
        """Create an empty store."""
        self.meter = Meter()
        self._lock = ForkSafeLock()
        self._kept: OrderedDict[str, tuple[State, float]] = OrderedDict()

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """As `Store.change`."""
        with self._lock:
            now = time.monotonic()
            # From the least recently changed; one with a longer time to live delays those behind it by minutes.
            while self._kept and next(iter(self._kept.values()))[1] <= now:
                self._kept.popitem(last=False)
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


@dataclass(frozen=True, slots=True)
class _Seen:
    """A state as it was in Redis, with the token of its value; "" if there was none."""

    token: str
    state: State


class InRedis:
    """A store in a Redis. A change is computed here, and stored if no other process was faster; else it is computed again.

    It starts from the state that this process saw last, so a change takes one round trip unless another process has changed the
    session.
    """

    def __init__(self, client: Redis, prefix: str = _PREFIX) -> None:
        """client: redis-py's synchronous client. prefix: of every key."""
        self.meter = Meter()
        self._client = client
        self._prefix = prefix
        self._swap = client.register_script(_SWAP)
        self._seen: dict[str, _Seen] = {}

    def change(self, key: str, changing: Changing[T], ttl: timedelta) -> T:
        """As `Store.change`. Raises StoreUnavailable if Redis does not answer, or others were faster for two seconds."""
        name, ends = f"{self._prefix}{key}", time.monotonic() + _CONTENDED_SECONDS
        known, certain = self._seen.get(name), False
        while time.monotonic() < ends:
            try:
                if known is None:
                    known, certain = self._saw(name, self._client.get(name)), True
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

    def _write(self, name: str, before: _Seen, after: State, ttl: timedelta) -> _Seen | None:
        """Store the next state; return None, or the current value if it is not the expected one."""
        token = secrets.token_hex(_TOKEN // 2)
        milliseconds = int(ttl.total_seconds() * 1000)
        other = self._swap(keys=[name], args=[before.token, token + after.to_json(), milliseconds])
        # Its own token: the write succeeded, but the connection broke before the answer, and the client retried by itself.
        if other != 1 and _text(other)[:_TOKEN] != token:
            return self._saw(name, other)
        self._keep(name, _Seen(token, after))
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
    """Return the store that an app names: a Redis by URL or client, or this process.

    The same URL always gives the same store. Raises ValueError.
    """
    if given is None or isinstance(given, str):
        return _opened(given)
    return InRedis(given) if isinstance(given, Redis) else given


@cache
def _opened(url: str | None) -> Store:
    if url is None:
        return InProcess()
    try:
        client = Redis.from_url(
            url,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
    except ValueError:  # its text may contain part of the password
        raise ValueError("store: not the URL of a Redis; it looks like redis://HOST:6379/0") from None
    return InRedis(client)


def _unavailable(error: RedisError) -> StoreUnavailable:
    return StoreUnavailable(
        f"store: Redis did not answer ({type(error).__name__}); check its address, or omit the store to keep working "
        "memory in this process"
    )


_LATEST = 1_000
_ENOUGH = 20
"""Minimum number of cases for a meaningful share."""


def as_prometheus(metrics: Metrics) -> str:
    """Return the metrics in Prometheus's text format, for the app to serve with its own."""
    lines = [
        ("fill_ratio", "gauge", "", metrics.fill),
        ("added_total", "counter", "", metrics.added),
        ("evicted_total", "counter", "", metrics.evicted),
        ("resolutions_total", "counter", '{found="yes"}', metrics.found),
        ("resolutions_total", "counter", '{found="no"}', metrics.missed),
        ("access_seconds", "summary", '{quantile="0.5"}', metrics.access_ms / 1000),
        ("access_seconds", "summary", '{quantile="0.99"}', metrics.access_p99_ms / 1000),
        ("access_seconds_sum", "", "", metrics.access_seconds),
        ("access_seconds_count", "", "", metrics.accesses),
    ]
    told: dict[str, None] = {}
    for name, kind, labels, value in lines:
        if kind:
            told[f"# TYPE mosshead_working_{name} {kind}"] = None
        told[f"mosshead_working_{name}{labels} {value:.10g}"] = None
    return "\n".join((*told, ""))


def _milliseconds(latest: list[tuple[float, float]], share: float) -> float:
    if not latest:
        return 0.0
    ordered = sorted(seconds for seconds, _ in latest)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1000
