"""Commands about the service running on this machine: show its logs, stop it."""

import os
import signal
import subprocess
import sys
import time
from typing import Annotated

import typer
from rich.markup import escape

from mosshead.announcement import Announcement, find_announcement, user_folder
from mosshead.cli.output import console
from mosshead.embedded import ADDRESSES, service_folder
from mosshead.errors import ConfigurationError, WaitTimeout

_STARTING = frozenset({"up", "demo"})
_STOP_SECONDS = 90.0


def reach_service(command: str) -> None:
    """Make the service's code importable, and point commands other than `up` and `demo` at the service running here.

    Addresses in the environment take precedence. Raises ConfigurationError if the service is not installed.
    """
    sys.path.insert(0, str(service_folder()))
    named = any(os.environ.get(name) for name in ADDRESSES)
    if command not in _STARTING and not named and (found := find_announcement(user_folder())):
        os.environ.update(found.environment)


def logs(
    names: Annotated[
        list[str] | None, typer.Argument(help="Show only these logs, such as worker; all by default.")
    ] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Lines per log.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow the logs until Ctrl-C.")] = False,
) -> None:
    """Show the logs of the service running on this machine.

    Without --detach or --logs, `mosshead up` writes all logs except the servers' to its terminal.
    """
    folder = _running().data_dir / "logs"
    files = sorted(file for file in folder.glob("*.log") if not names or file.stem in names)
    if not files:
        raise ConfigurationError(f"{folder} has no log of {' or '.join(names or ['anything'])}")
    command = ["tail", "-n", str(lines), *(["-F"] if follow else []), *map(str, files)]
    try:
        subprocess.run(command, check=False)  # noqa: S603 - our own files
    except KeyboardInterrupt:
        return


def down() -> None:
    """Stop the service running on this machine. Its data is kept."""
    found = _running()
    os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while (left := find_announcement(found.data_dir)) and left.pid == found.pid:
        if time.monotonic() >= deadline:
            raise WaitTimeout(f"the service (pid {found.pid}) did not stop within {_STOP_SECONDS:g} s")
        time.sleep(0.05)
    console.print(f"Mosshead is down; the data stays in {escape(str(found.data_dir))}", soft_wrap=True)


def _running() -> Announcement:
    found = find_announcement(user_folder())
    if found is None:
        raise ConfigurationError("No service of this user runs on this machine. Start it: mosshead up --detach")
    return found
