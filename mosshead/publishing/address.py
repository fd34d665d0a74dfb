"""Parse the broker's address, MOSSHEAD_BROKER_URL, with errors that say what to change, and show it without passwords."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from mosshead.errors import ConfigurationError

_RABBITMQ: Final = frozenset({"amqp", "amqps"})
_ONE_HOST: Final = frozenset({"redis", "rediss"})
_SCHEMES: Final = _RABBITMQ | _ONE_HOST | {"sentinel"}

_SENTINEL_LOGIN: Final = {"sentinel_user": "username", "sentinel_password": "password"}
"""Parameters of a sentinel:// URL, with redis-py's names for them."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """The broker's address. Its text contains no password.

    Attributes:
        hosts: Each with its port. Redis has one; Sentinel and RabbitMQ may have several.
        path: Redis's database number, or RabbitMQ's virtual host.
        master: The master's name, for Sentinel only.
        sentinel_login: The login to the sentinels themselves, by redis-py's names.
        query: The other URL parameters, such as kombu's for certificates.
    """

    scheme: str
    login: str = field(repr=False)
    hosts: tuple[str, ...]
    path: str
    master: str | None
    sentinel_login: Mapping[str, str] = field(repr=False)
    query: str = field(repr=False)

    def __str__(self) -> str:
        user = self.login.partition(":")[0].rstrip("@")
        return f"{self.scheme}://{f'{user}:**@' if self.login else ''}{','.join(self.hosts)}/{self.path}"

    @property
    def is_rabbitmq(self) -> bool:
        """Whether it is RabbitMQ; otherwise it is Redis."""
        return self.scheme in _RABBITMQ

    @property
    def for_kombu(self) -> str:
        """The URL for kombu, which repeats the whole URL for each host. RabbitMQ's client is always the same."""
        scheme = "pyamqp" if self.scheme == "amqp" else self.scheme
        return ";".join(
            f"{scheme}://{self.login}{host}{self.path and '/' + self.path}{self.query}" for host in self.hosts
        )


def parse_broker_url(url: str) -> BrokerAddress:
    """Parse a broker's URL. Raises ConfigurationError, which quotes no part of the URL: it may contain a password."""
    if ";" in url:
        raise no_broker_url("separate several hosts by commas, and write all else once")
    try:
        parts = urlsplit(url)
        login, at, places = parts.netloc.rpartition("@")
        hosts = tuple(places.split(","))
        if parts.scheme not in _SCHEMES or not all(_is_place(host) for host in hosts):
            raise no_broker_url()
        path, query = parts.path.strip("/"), dict(parse_qsl(parts.query))
        if parts.scheme not in _RABBITMQ:
            int(path or 0)
    except ValueError:  # its text may contain part of the password
        raise no_broker_url() from None
    if len(hosts) > 1 and parts.scheme in _ONE_HOST:
        raise no_broker_url("redis:// takes one host; use sentinel:// for several")
    master, sentinel_login = None, {}
    if parts.scheme == "sentinel":
        master = query.pop("master", None)
        if not master:
            raise no_broker_url("name the master that the sentinels watch, such as ?master=mymaster")
        sentinel_login = {name: query.pop(ours) for ours, name in _SENTINEL_LOGIN.items() if ours in query}
    return BrokerAddress(
        parts.scheme, login + at, hosts, path, master, sentinel_login, f"?{urlencode(query)}" if query else ""
    )


def no_broker_url(why: str = "not a broker's URL") -> ConfigurationError:
    """Return the error for an unusable MOSSHEAD_BROKER_URL."""
    return ConfigurationError(
        f"MOSSHEAD_BROKER_URL: {why}; it looks like redis://HOST:6379/0, "
        "sentinel://:PASSWORD@HOST1:26379,HOST2:26379/0?master=NAME or amqp://USER:PASSWORD@HOST1:5672,HOST2:5672/VHOST; "
        "a / or @ in a login is written %2F, %40"
    )


def _is_place(host: str) -> bool:
    """Return whether it may be a host with a port. Raises ValueError if the port is not a number."""
    return urlsplit(f"//{host}").port != 0
