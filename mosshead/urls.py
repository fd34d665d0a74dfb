"""Addresses of Postgres: checked with an error that names the setting, and shown without their passwords."""

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from mosshead.errors import ConfigurationError, StoreUnavailable

if TYPE_CHECKING:  # Flower and a publisher know the broker alone
    from sqlalchemy import URL
    from sqlalchemy.exc import OperationalError, ProgrammingError

NOT_PREPARED: Final = {"prepare_threshold": None}
"""Arguments of a connection that never prepares a statement, for a pooler that does not know of those."""

_LONGEST_NAME = 63  # bytes of an identifier of Postgres
_HEAD = 46


def sqlalchemy_url(url: str, setting: str) -> "URL":
    """A ``postgresql://`` URL for SQLAlchemy and psycopg. Raises ConfigurationError, naming ``setting``, for another."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigurationError(
            f"{setting}: not a Postgres URL; it looks like postgresql://USER:PASSWORD@HOST:5432/DATABASE"
        )
    return parsed.set(drivername="postgresql+psycopg")


def describe(url: "URL") -> str:
    """Where a URL leads, without its password."""
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


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
    reason = str(error.orig).strip().splitlines()[0]
    return StoreUnavailable(f"{setting}: cannot connect to {describe(url)}: {reason}")
