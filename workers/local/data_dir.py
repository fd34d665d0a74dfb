"""The data folder, which the embedded machine keeps between runs, and the lock that one run holds.

postgres/, redis/    the servers' data
logs/                their logs, and those of the processes where asked for
run/                 one file per running process, so that the next run can end what a killed run left behind
state.json           the ports and secrets that a restart keeps (readable by the owner only)
mosshead.env        while up: the addresses, for the shell of an app
lock                 held while up; says who holds it
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mosshead.errors import ConfigurationError, MossheadError
from mosshead.serialization import json_object

_PRIVATE_FILE = 0o600
_PRIVATE_FOLDER = 0o700


class AlreadyUp(MossheadError):
    """Another process runs the machine of this data folder."""


class DataFolder:
    """A data folder whose lock we hold. logs, run: the folders for log files, and for notes about running processes."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.logs, self.run, self.env_file = path / "logs", path / "run", path / "mosshead.env"
        self._lock = lock

    def kept(self, name: str) -> str | None:
        return self._state().get(name)

    def keep(self, name: str, value: str) -> None:
        write_private(self.path / "state.json", json.dumps({**self._state(), name: value}))

    def secret(self, name: str) -> str:
        """Return a password that is generated once per folder."""
        found = self.kept(name)
        if found is None:
            found = secrets.token_urlsafe(24)
            self.keep(name, found)
        return found

    def announce(self, flower_url: str | None) -> None:
        """Write into the lock who holds it, for the error message of another process."""
        os.truncate(self._lock, 0)
        os.pwrite(self._lock, json.dumps({"pid": os.getpid(), "flower": flower_url}).encode(), 0)

    def _state(self) -> dict[str, str]:
        with suppress(FileNotFoundError):
            return json_object((self.path / "state.json").read_bytes()) or {}
        return {}


@contextmanager
def held(path: Path) -> Iterator[DataFolder]:
    """Create the folder if needed and hold its lock.

    The kernel releases the lock when its holder ends, so a killed run leaves no stale lock. Raises AlreadyUp if another process
    holds it, ConfigurationError if the folder cannot be used.
    """
    path = path.expanduser().resolve()
    try:
        path.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, _PRIVATE_FILE)
    except OSError as error:
        raise ConfigurationError(
            f"MOSSHEAD_DATA_DIR: {path} cannot be used ({error.strerror}). Set it to a folder that you can write to"
        ) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = json_object(os.pread(lock, 4096, 0)) or {}
            flower = f"; Flower at {holder['flower']}" if holder.get("flower") else ""
            raise AlreadyUp(f"Mosshead is already up in {path} (pid {holder.get('pid', '?')}){flower}") from None
        folder = DataFolder(path, lock)
        folder.announce(None)
        folder.logs.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        folder.run.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        yield folder
    finally:
        os.close(lock)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, atomically."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE_FILE), "w") as file:
        file.write(text)
    draft.replace(path)
