"""Run the service as a child process on this machine: find its code, start it and stop it."""

import atexit
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from mosshead.announcement import Announcement, find_announcement
from mosshead.errors import ConfigurationError

_PRIVATE_FOLDER = 0o700
_START_SECONDS, _STOP_SECONDS = 300.0, 90.0  # starting includes crash recovery; see workers/local
_NEEDED = ("alembic", "celery", "honcho", "pydantic_settings", "structlog", "tornado")
_log = logging.getLogger("mosshead")

ADDRESSES = tuple(f"MOSSHEAD_{name}_URL" for name in ("DATABASE", "INGEST", "WORKER", "ADMIN", "BROKER"))
"""The settings that name a server."""


def service_folder() -> Path:
    """Return the folder of the service's code: inside the package in a wheel, beside the package in a checkout.

    Raises:
        ConfigurationError: The service's code or one of its dependencies is not installed.
    """
    package = Path(__file__).resolve().parent
    found = next((one for one in (package / "_service", package.parent) if (one / "Procfile").is_file()), None)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if found is None or missing:
        raise ConfigurationError(
            f"The service is not installed here (missing: {', '.join(missing) or 'its code'}). "
            "Run: pip install 'mosshead[service]'"
        )
    return found


def spawn_service(
    data_dir: Path, arguments: Sequence[str] = (), *, own_servers: bool = False
) -> tuple["subprocess.Popen[bytes]", Announcement]:
    """Start ``up`` on a data folder in a child process, and wait until it is up.

    This process holds the child's standard input; the child's output goes to ``logs/up.log`` in the folder.

    Args:
        data_dir: The data folder, created if missing.
        arguments: Command-line arguments for ``up``.
        own_servers: Run Postgres and Redis in the folder and ignore server addresses in the environment.

    Raises:
        ConfigurationError: The service does not start; the message gives the reason.
    """
    code = service_folder()
    data_dir = data_dir.expanduser().absolute()
    log = data_dir / "logs" / "up.log"
    try:
        data_dir.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        log.parent.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        with log.open("ab") as output:  # append mode: the service truncates its logs as they grow
            output.truncate(0)
            process = subprocess.Popen(  # noqa: S603 - our own command
                [sys.executable, "-P", "-m", "workers", "up", "--logs", *arguments],
                env=_environment(code, data_dir, own_servers=own_servers),
                cwd=data_dir,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise ConfigurationError(f"Cannot use {data_dir} as the service's data folder: {error.strerror}") from error
    try:
        return process, _wait_until_up(process, data_dir, log)
    except BaseException:
        stop(process)
        raise


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Stop a service and every process it started. Kill it after 90 seconds."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()  # the next `up` on the folder stops any processes left over
        process.wait()
    if process.stdin:
        process.stdin.close()


class EmbeddedService:
    """A service that stops when this process ends, even if this process is killed.

    Attributes:
        data_dir: The service's data folder.
        announcement: The addresses of its servers.
    """

    def __init__(self, data_dir: Path, *, temporary: bool) -> None:
        """Use `start`."""
        self.data_dir = data_dir
        self._owner = os.getpid()
        arguments = ["--attached", *(["--temporary"] if temporary else [])]
        self._process, self.announcement = spawn_service(data_dir, arguments, own_servers=True)
        atexit.register(self.stop)

    @classmethod
    def start(cls, path: str | Path | None = None) -> Self:
        """Start a service on a folder, or on a temporary folder that is deleted when the service stops.

        Raises:
            ConfigurationError: The service is not installed or does not start.
        """
        if path is not None:
            return cls(Path(path), temporary=False)
        folder = Path(tempfile.mkdtemp(prefix="mosshead-"))
        _log.warning("memories are stored in %s and deleted at exit; pass embedded(path=…) to keep them", folder)
        try:
            return cls(folder, temporary=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def stop(self) -> None:
        """Stop the service. Do nothing in a fork of the process that started it."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.stop)
        stop(self._process)


def _environment(code: Path, data_dir: Path, *, own_servers: bool) -> dict[str, str]:
    left_out = ADDRESSES if own_servers else ()
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    path = os.pathsep.join(filter(None, (str(code), environment.get("PYTHONPATH"))))
    return {**environment, "PYTHONPATH": path, "MOSSHEAD_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}


def _wait_until_up(process: "subprocess.Popen[bytes]", data_dir: Path, log: Path) -> Announcement:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        found = find_announcement(data_dir)
        if found and found.pid == process.pid:
            return found
        if process.poll() is not None:
            said = log.read_text(errors="replace")
            reason = said.rpartition("error: ")[2].strip() or f"exit status {process.returncode}"
            raise ConfigurationError(f"The service does not start: {reason}")
        time.sleep(0.05)
    raise ConfigurationError(f"The service was not up after {_START_SECONDS:g} s. See its log: {log}")
