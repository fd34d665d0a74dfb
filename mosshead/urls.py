"""Parse Postgres URLs, with errors that name the setting, and show them without passwords."""

from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from mosshead.errors import ConfigurationError, StoreUnavailable
from mosshead.patterns import lazy_pattern

if TYPE_CHECKING:  # Flower and a publisher use only the broker
    from sqlalchemy import URL
    from sqlalchemy.exc import OperationalError, ProgrammingError

NOT_PREPARED: Final = {"prepare_threshold": None}
"""Connection arguments that disable prepared statements, for a pooler that does not support them."""

_TARGET = "target_session_attrs"
_TARGETS = ("any", "read-write", "read-only", "primary", "standby", "prefer-standby")
_HOST = lazy_pattern(r"(?:\[([^\]]+)\]|([^:\[\]]+))(?::(\d{1,5})?)?")

_LONGEST_NAME = 63  # bytes of a Postgres identifier
_HEAD = 46


def sqlalchemy_url(url: str, setting: str) -> "URL":
    """Return a ``postgresql://`` URL for SQLAlchemy and psycopg. Raises ConfigurationError, which names ``setting``, for others.

    Of several hosts (``HOST1:5432,HOST2:5432``), it selects the primary, unless ``target_session_attrs`` says otherwise.
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
    # The reader's transactions are read-only by default, so for it no server counts as read-write.
    if wanted == "read-write" or (wanted is None and has_several_hosts(parsed)):
        parsed = parsed.update_query_dict({_TARGET: "primary"})
    return parsed.set(drivername="postgresql+psycopg")


def parse_url(url: str) -> "URL":
    """Parse a URL for SQLAlchemy, which takes several hosts only as ``?host=HOST1,HOST2&port=5432,5432``. Raises ValueError."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        login, at, hosts = urlsplit(url).netloc.rpartition("@")
        if "," not in hosts:
            return make_url(url)
        places = [_HOST.fullmatch(host) for host in hosts.split(",")]
        parsed = make_url(url.replace(f"://{login}{at}{hosts}", f"://{login}{at}", 1))
    except (ArgumentError, ValueError):  # its text may contain part of the password
        raise ValueError("not a URL") from None
    found = [place for place in places if place is not None]
    if len(found) < len(places) or parsed.query.keys() & {"host", "port"}:
        raise ValueError("not a URL with several hosts")
    named = {"host": ",".join(unquote(place[1] or place[2]) for place in found)}
    return parsed.update_query_dict({**named, "port": ",".join(place[3] or "" for place in found)})


def primary_of(url: "URL") -> "URL":
    """Return the URL, with several hosts such that it selects the primary."""
    return url.update_query_dict({_TARGET: "primary"}) if has_several_hosts(url) else url


def has_several_hosts(url: "URL") -> bool:
    """Return whether the URL names several hosts."""
    host = url.query.get("host", "")
    return not isinstance(host, str) or "," in host


def describe(url: "URL") -> str:
    """Return a URL without its password."""
    return url.set(drivername="postgresql").render_as_string(hide_password=True).replace("%2C", ",")


def session_name(model: str) -> str:
    """Return the name of an app's sessions, which tells the service the model they use, cut to Postgres's limit."""
    name = f"mosshead {model}"
    if name.isascii() and name.isprintable() and len(name) <= _LONGEST_NAME:
        return name
    head = "".join(sign if sign.isascii() and sign.isprintable() else "?" for sign in name[:_HEAD])
    return f"{head} {sha256(model.encode()).hexdigest()[: _LONGEST_NAME - _HEAD - 1]}"


def lacks_rights(url: "URL", setting: str, error: "ProgrammingError") -> Exception:
    """Return the exception to raise if the login lacks an administrator's rights; for other causes, ``error`` itself."""
    if getattr(error.orig, "sqlstate", None) != "42501":  # insufficient_privilege
        return error
    reason = str(error.orig).strip().splitlines()[0]
    return ConfigurationError(f"{setting}: {describe(url)} is not the login of an administrator: {reason}")


def cannot_connect(url: "URL", setting: str, error: "OperationalError") -> StoreUnavailable:
    """Return the exception to raise if Postgres does not answer, with the setting, the address and the driver's first line."""
    return StoreUnavailable(f"{setting}: cannot connect to {describe(url)}: {first_reason(error.orig)}")


def first_reason(error: BaseException | None) -> str:
    """Return the first line of a driver's message; for several hosts, the line of each."""
    lines = [line.strip() for line in str(error).strip().splitlines()] or [type(error).__name__]
    return "; ".join(line.removeprefix("- ") for line in lines if line.startswith("- host: ")) or lines[0]
