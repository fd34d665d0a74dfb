"""Where the spool of an app is: one file for each pair of a broker and a database, whoever logs in to them."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from mosshead.errors import ConfigurationError

SUFFIX = ".spool"


def default_folder() -> Path:
    """The user's state folder (XDG Base Directory Specification), which outlasts a restart of the machine.

    In "~" where the user has no home: that is for `spool_path` to say, which an app without a spool does not ask.
    """
    state = os.environ.get("XDG_STATE_HOME")
    base = Path(state) if state and Path(state).is_absolute() else _home() / ".local" / "state"
    return base / "mosshead"


def _home() -> Path:
    with suppress(RuntimeError):
        return Path.home()
    return Path("~")


def spool_path(folder: Path, *, broker_url: str, database_url: str) -> Path:
    """The spool's file. Logins do not count: a changed password leaves nothing behind in another file.

    Raises ConfigurationError where one of the two is no URL, or the folder is in the home of a user who has none.
    """
    urls = {"MOSSHEAD_BROKER_URL": broker_url, "MOSSHEAD_DATABASE_URL": database_url}
    places = "\n".join(_place(_parsed(url, setting)) for setting, url in urls.items())
    return _whole(folder) / f"{hashlib.sha256(places.encode()).hexdigest()[:16]}{SUFFIX}"


def _whole(folder: Path) -> Path:
    try:
        return folder.expanduser().absolute()
    except RuntimeError:  # a container that runs under some number
        raise ConfigurationError(
            f"MOSSHEAD_SPOOL_DIR: {folder} is in a home folder, and there is none; set it to the whole path of a folder on a "
            "disk that lasts"
        ) from None


def _parsed(url: str, setting: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError):  # whose words may hold a piece of the password
        raise ConfigurationError(f"{setting}: not a URL; a / or @ in its password is written %2F, %40") from None


def _place(url: URL) -> str:
    hosts = [str(url.query.get(name, "")) for name in ("host", "port")]  # of a socket's folder, or of several hosts
    return "\n".join(map(str, (url.host, url.port, *hosts, url.database)))
