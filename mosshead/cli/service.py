"""Commands about the service that runs on this machine: reach its code, show its logs, stop it."""

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
    """Let the service's code be imported by a command, and have a command other than `up` mean the service that runs here.

    What the environment names goes first. Raises ConfigurationError where the service is not installed.
    """
    sys.path.insert(0, str(service_folder()))
    named = any(os.environ.get(name) for name in ADDRESSES)
    if command not in _STARTING and not named and (found := find_announcement(user_folder())):
        os.environ.update(found.environment)


def logs(
    names: Annotated[list[str] | None, typer.Argument(help="Of these alone, such as worker; all by default.")] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many of each.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on, until Ctrl-C.")] = False,
) -> None:
    """Show what the service that runs on this machine has logged.

    Without --detach or --logs, `mosshead up` writes all but the servers' logs to its terminal.
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
    """Stop the service that runs on this machine; its data stays."""
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
