"""The user's state folder, where a running embedded service announces its addresses to apps of the same user."""

import fcntl
import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mosshead.serialization import json_object

_FILE = "service.json"
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700  # it holds passwords
_WRITABLE_BY_OTHERS = 0o022
_log = logging.getLogger("mosshead")


@dataclass(frozen=True, slots=True)
class Announcement:
    """A running embedded service.

    pid: the process that runs it. environment: the settings an app or the service's own commands need to reach it.
    """

    pid: int
    data_dir: Path
    environment: Mapping[str, str]

    @property
    def database_url(self) -> str:
        """The URL with the reader's login."""
        return self.environment["MOSSHEAD_DATABASE_URL"]

    @property
    def broker_url(self) -> str:
        """The URL of the queue for events."""
        return self.environment["MOSSHEAD_BROKER_URL"]


def state_folder() -> Path:
    """Return the user's state folder (XDG Base Directory Specification); relative to "~" if the user has no home."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    if not state.is_absolute():
        state = Path("~")
        with suppress(RuntimeError):
            state = Path.home()
        state = state / ".local" / "state"
    return state / "mosshead"


def user_folder() -> Path:
    """Return the folder where a service announces itself to all apps of the user."""
    return Path(os.path.expanduser(state_folder())) / "run"  # noqa: PTH111 - Path.expanduser raises without a home


@contextmanager
def announced(folder: Path, data_dir: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Announce a service in a folder within the block. A later announcement replaces an earlier one.

    The file stays locked while this process lives, so a missing lock reveals a writer that was killed. If the folder is not
    writable, nothing is announced, and a warning is logged.
    """
    content = json.dumps({"pid": os.getpid(), "data_dir": str(data_dir), "environment": dict(environment)})
    path, draft = folder / _FILE, folder / f"{_FILE}.{os.getpid()}"
    try:
        folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        file = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE)
    except OSError as error:
        _log.warning("apps cannot find this service by themselves: %s: %s", folder, error.strerror)
        yield
        return
    try:
        os.write(file, content.encode())
        fcntl.flock(file, fcntl.LOCK_EX)
        draft.replace(path)
        yield
    finally:
        with suppress(OSError):
            if os.path.samestat(os.fstat(file), path.stat()):
                path.unlink()
        os.close(file)


def find_announcement(folder: Path) -> Announcement | None:
    """Find the running service announced in a folder. Ignore an announcement that another user could have written."""
    path = folder / _FILE
    try:
        statuses = (folder.stat(), path.lstat())
    except OSError:
        return None
    if any(one.st_uid != os.geteuid() or one.st_mode & _WRITABLE_BY_OTHERS for one in statuses):
        _log.warning("%s is ignored: it, or its folder, belongs to another user or can be written by one", path)
        return None
    try:
        with path.open("rb") as file:
            return _parse(file.read()) if _is_locked(file.fileno()) else None
    except OSError:  # the service has just stopped
        return None


def _is_locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _parse(content: bytes) -> Announcement | None:
    found = json_object(content)
    if found is None:
        return None
    return Announcement(pid=found["pid"], data_dir=Path(found["data_dir"]), environment=found["environment"])
