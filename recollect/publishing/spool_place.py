"""Where the spool of an app is: one file for each pair of a broker and a database, whoever logs in to them."""

import hashlib
import os
from pathlib import Path

from sqlalchemy import URL, make_url

SUFFIX = ".spool"


def default_folder() -> Path:
    """The user's state folder (XDG Base Directory Specification), which outlasts a restart of the machine."""
    state = os.environ.get("XDG_STATE_HOME")
    base = Path(state) if state and Path(state).is_absolute() else Path.home() / ".local" / "state"
    return base / "recollect"


def spool_path(folder: Path, *, broker_url: str, database_url: str) -> Path:
    """The spool's file. Logins do not count: a changed password leaves nothing behind in another file."""
    places = "\n".join(_place(make_url(url)) for url in (broker_url, database_url))
    return folder.expanduser().absolute() / f"{hashlib.sha256(places.encode()).hexdigest()[:16]}{SUFFIX}"


def _place(url: URL) -> str:
    hosts = [str(url.query.get(name, "")) for name in ("host", "port")]  # of a socket's folder, or of several hosts
    return "\n".join(map(str, (url.host, url.port, *hosts, url.database)))
