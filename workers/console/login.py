"""The console's login (RFC 7617, Basic) and a limit on failed attempts. The limit is per address, and stricter for all addresses
while many fail.

It is kept in memory, and bounded. A correct login never waits long: an address without failures may always try, and one with
failures waits at most a minute. A browser that was logged in before does not wait at all (`workers.console.handlers`).
"""

import base64
import binascii
import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Final

from pydantic import SecretStr

from mosshead.errors import ConfigurationError

_LEAST = 8


@dataclass(frozen=True, slots=True)
class Login:
    name: str
    password: str = field(repr=False)

    def admits(self, authorization: str | None) -> bool:
        """Whether a request's Authorization header contains this login. Compares in constant time."""
        scheme, _, encoded = (authorization or "").partition(" ")
        try:
            given = base64.b64decode(encoded.strip(), validate=True)
        except (binascii.Error, ValueError):
            given = b""
        same = hmac.compare_digest(given, f"{self.name}:{self.password}".encode())
        return same and scheme.casefold() == "basic"


def login_of(setting: SecretStr | None) -> Login:
    """Return the login in the setting. Raises ConfigurationError if it is missing or weak."""
    name, colon, password = setting.get_secret_value().partition(":") if setting else ("", "", "")
    if not name or not colon or len(password) < _LEAST:
        raise ConfigurationError(
            f"MOSSHEAD_CONSOLE_AUTH is not set, or not a login. Set it to NAME:PASSWORD, with a password of at least {_LEAST} "
            "characters, or run 'mosshead up --console', which makes a password and prints it"
        )
    return Login(name, password)


FREE: Final = 5
"""Failures of one address that cause no wait: people mistype."""

MANY: Final = 100
"""Failures of all addresses in a window from which an address's first failure causes the longest wait."""

LONGEST: Final = 60.0
"""The longest wait of an address, in seconds. It allows a guesser 1,440 tries a day, and delays an operator by a minute."""

WINDOW: Final = 900.0
"""Seconds after which failures are forgotten."""

MOST_ADDRESSES: Final = 10_000
"""How many addresses are remembered, the latest to fail: about 2 MB."""

_NETWORK: Final = 64
"""Prefix length of IPv6 addresses: one customer has all addresses of a prefix."""


@dataclass(slots=True)
class _Failures:
    count: int
    at: float
    until: float


class Attempts:
    """The failed logins of one process. clock: seconds that only go forward."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, _Failures] = OrderedDict()
        self._began, self._total = clock(), 0

    def wait(self, address: str) -> int:
        """Return the whole seconds until another login of an address is checked; 0 for now."""
        failed = self._failures.get(_counted(address))
        return max(0, math.ceil(failed.until - self._clock())) if failed else 0

    def failed(self, address: str) -> None:
        """Count a failed login: the next one of its address waits twice as long as the last."""
        now, key = self._clock(), _counted(address)
        if now - self._began > WINDOW:
            self._began, self._total = now, 0
        self._total += 1
        known = self._failures.pop(key, None)
        count = known.count + 1 if known and now - known.at <= WINDOW else 1
        self._failures[key] = _Failures(count, now, now + _seconds(count, many=self._total > MANY))
        if len(self._failures) > MOST_ADDRESSES:
            self._failures.popitem(last=False)

    def __len__(self) -> int:
        return len(self._failures)


def address_of(connected: str, forwarded: str, proxies: Collection[str]) -> str:
    """Return the client's address: the peer, or behind our proxies the last X-Forwarded-For entry that is not a proxy."""
    address = connected
    for hop in reversed(forwarded.split(",")):
        if address not in proxies or not hop.strip():
            break
        address = hop.strip()
    return address


def _seconds(count: int, *, many: bool) -> float:
    if many:
        return LONGEST
    return min(LONGEST, 2.0 ** min(count - FREE, 10)) if count >= FREE else 0.0


def _counted(address: str) -> str:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:  # a Unix socket has no address
        return address[:_NETWORK]
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return format(int(parsed) >> (parsed.max_prefixlen - _NETWORK), "x")
    return str(parsed)
