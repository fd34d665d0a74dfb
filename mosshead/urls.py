"""Addresses of Postgres: checked with an error that names the setting, and shown without their passwords."""

from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from mosshead.errors import ConfigurationError, StoreUnavailable
from mosshead.patterns import lazy_pattern

if TYPE_CHECKING:  # Flower and a publisher know the broker alone
    from sqlalchemy import URL
    from sqlalchemy.exc import OperationalError, ProgrammingError

NOT_PREPARED: Final = {"prepare_threshold": None}
"""Arguments of a connection that never prepares a statement, for a pooler that does not know of those."""

_TARGET = "target_session_attrs"
_TARGETS = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")
_HOST = lazy_pattern(r"(?:\[([^\]]+)\]|([^:\[\]]+))(?::(\d{1,5})?)?")

_LONGEST_NAME = 63  # bytes of an identifier of Postgres
_HEAD = 46


def sqlalchemy_url(url: str, setting: str) -> "URL":
    """A ``postgresql://`` URL for SQLAlchemy and psycopg. Raises ConfigurationError, naming ``setting``, for another.

    Of several hosts (``HOST1:5432,HOST2:5432``) the primary is taken, unless ``target_session_attrs`` says otherwise.
    """
    try:
        parsed = parse_url(url)
    except ValueError:
        parsed = None
    if parsed is None or parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigurationError(
            f"{setting}: not a Postgres URL; it looks like postgresql://USER:PASSWORD@HOST:5432/DATABASE, or with several "
            "hosts like postgresql://USER:PASSWORD@HOST1:5432,HOST2:5432/DATABASE"
        )
    wanted = parsed.query.get(_TARGET)
    if wanted is not None and wanted not in _TARGETS:
        raise ConfigurationError(f"{setting}: {_TARGET} is one of {', '.join(_TARGETS)}")
    # The reader's transactions are read-only by default, so that no server is read-write for it.
    if wanted == "read-write" or (wanted is None and has_several_hosts(parsed)):
        parsed = parsed.update_query_dict({_TARGET: "primary"})
    return parsed.set(drivername="postgresql+psycopg")


def parse_url(url: str) -> "URL":
    """A URL for SQLAlchemy, which takes several hosts as ``?host=HOST1,HOST2&port=5432,5432`` alone. Raises ValueError."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        login, at, hosts = urlsplit(url).netloc.rpartition("@")
        if "," not in hosts:
            return make_url(url)
        places = [_HOST.fullmatch(host) for host in hosts.split(",")]
        parsed = make_url(url.replace(f"://{login}{at}{hosts}", f"://{login}{at}", 1))
    except (ArgumentError, ValueError):  # its words may hold a piece of the password
        raise ValueError("not a URL") from None
    found = [place for place in places if place is not None]
    if len(found) < len(places) or parsed.query.keys() & {"host", "port"}:
        raise ValueError("not a URL with several hosts")
    named = {"host": ",".join(unquote(place[1] or place[2]) for place in found)}
    return parsed.update_query_dict({**named, "port": ",".join(place[3] or "" for place in found)})


def primary_of(url: "URL") -> "URL":
    """The same address, where the primary of several hosts is wanted."""
    return url.update_query_dict({_TARGET: "primary"}) if has_several_hosts(url) else url


def has_several_hosts(url: "URL") -> bool:
    """Whether the URL names several hosts."""
    host = url.query.get("host", "")
    return not isinstance(host, str) or "," in host


def describe(url: "URL") -> str:
    """Where a URL leads, without its password."""
    return url.set(drivername="postgresql").render_as_string(hide_password=True).replace("%2C", ",")


def session_name(model: str) -> str:
    """The name of an app's sessions that read with a model, by which the service sees it, cut to what Postgres takes."""
    name = f"mosshead {model}"
    if name.isascii() and name.isprintable() and len(name) <= _LONGEST_NAME:
        return name
    head = "".join(sign if sign.isascii() and sign.isprintable() else "?" for sign in name[:_HEAD])
    return f"{head} {sha256(model.encode()).hexdigest()[: _LONGEST_NAME - _HEAD - 1]}"


def lacks_rights(url: "URL", setting: str, error: "ProgrammingError") -> Exception:
    """What to raise when Postgres does not let an administrator's login do its work, as `cannot_connect`; else the error."""
    if getattr(error.orig, "sqlstate", None) != "42501":  # insufficient_privilege
        return error
    reason = str(error.orig).strip().splitlines()[0]
    return ConfigurationError(f"{setting}: {describe(url)} is not the login of an administrator: {reason}")


def cannot_connect(url: "URL", setting: str, error: "OperationalError") -> StoreUnavailable:
    """What to raise when Postgres does not answer: the setting, the address, and the first line of what the driver said."""
    return StoreUnavailable(f"{setting}: cannot connect to {describe(url)}: {first_reason(error.orig)}")


def first_reason(error: BaseException | None) -> str:
    """The first line of what a driver said; of several hosts, what it said of each."""
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    return "; ".join(line.removeprefix("- ") for line in lines if line.startswith("- host: ")) or lines[0]
