"""Programs that the machine runs: what they are, notes of those that run, and how they are ended.

Every program runs in a session of its own: Ctrl-C in a terminal goes to the whole foreground process group, and Postgres must
not go before the workers that use it.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workers.machine.accounts import Account

_POLL_SECONDS = 0.05
_LEFTOVER_GRACE_SECONDS = 15.0
_STATE, _START_TIME = 0, 19  # fields of /proc/PID/stat, counted after the command's closing parenthesis


@dataclass(frozen=True, slots=True)
class Program:
    """A program and how to run it.

    log: the file that takes its output; None for the console.
    stop_signals: sent one after the other, ``grace`` seconds apart, until it is gone; the last should be SIGKILL.
    account: whom it runs as, where that is not ourselves.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    log: Path | None = None
    stop_signals: tuple[int, ...] = (signal.SIGTERM, signal.SIGKILL)
    grace: float = 15.0
    account: Account | None = None

    def spawn(self) -> "subprocess.Popen[bytes]":
        """Start it once. Raises OSError where that fails."""
        if self.log is None:
            return self._popen(subprocess.PIPE)
        with self.log.open("ab") as log:
            return self._popen(log.fileno())

    def _popen(self, output: int) -> "subprocess.Popen[bytes]":
        account = self.account
        return subprocess.Popen(  # noqa: S603 - the commands are our own, or the Procfile's
            self.command,
            env=dict(self.env),
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )


class Ending(Protocol):
    """Something that can be asked to end."""

    stop_signals: tuple[int, ...]
    grace: float

    def alive(self) -> bool:
        """Whether it still runs."""

    def send(self, number: int) -> None:
        """Send it a signal."""


@dataclass(slots=True)
class Noted:
    """A running process, as a note in the data folder has it.

    born: tells it from a later process with the same number.
    """

    pid: int
    born: str
    stop_signals: tuple[int, ...]
    grace: float = field(default=_LEFTOVER_GRACE_SECONDS)

    def alive(self) -> bool:
        """Whether it still runs, and is no other process that got its number."""
        return born(self.pid) == self.born

    def send(self, number: int) -> None:
        """Send it a signal."""
        send(self.pid, number)


def send(pid: int, number: int) -> None:
    """Send a signal to a session's leader; SIGKILL goes to all of its group, which the leader can no longer end."""
    with suppress(ProcessLookupError, PermissionError):
        if number == signal.SIGKILL:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def end(targets: Sequence[Ending]) -> None:
    """Ask all at once with their first signals, then those that stay with their next ones."""
    for step in range(max((len(target.stop_signals) for target in targets), default=0)):
        asked = [target for target in targets if target.alive() and step < len(target.stop_signals)]
        for target in asked:
            target.send(target.stop_signals[step])
        deadline = time.monotonic() + max((target.grace for target in asked), default=0.0)
        while time.monotonic() < deadline and any(target.alive() for target in asked):
            time.sleep(_POLL_SECONDS)


def write_note(note: Path, pid: int, program: Program) -> None:
    """Note a running process, for the next run in case this one is killed."""
    text = json.dumps({"pid": pid, "born": born(pid), "signals": [int(number) for number in program.stop_signals]})
    note.write_text(text)


def end_leftovers(notes: Path) -> int:
    """End the processes that a killed run left running, and say how many there were."""
    left = [noted for note in sorted(notes.glob("*.json")) if (noted := _read(note)) and noted.alive()]
    end(left)
    for noted in left:
        send(noted.pid, signal.SIGKILL)  # its children may outlive it
    for note in notes.glob("*.json"):
        note.unlink()
    return len(left)


def _read(note: Path) -> Noted | None:
    try:
        content = json.loads(note.read_text())
        return Noted(int(content["pid"]), str(content["born"]), tuple(content["signals"]))
    except (ValueError, KeyError, TypeError):  # its writer was killed while writing
        return None


def born(pid: int) -> str | None:
    """When a process started, as the system writes it; None when there is none, or only its remains."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self").exists() else _born_by_ps(pid)
    fields = stat.rpartition(")")[2].split()
    return None if fields[_STATE] == "Z" else fields[_START_TIME]


def _born_by_ps(pid: int) -> str | None:
    ps = ["/bin/ps", "-o", "state=,lstart=", "-p", str(pid)]
    found = subprocess.run(ps, check=False, capture_output=True, text=True, env={"LC_ALL": "C"})  # noqa: S603
    state, _, start = found.stdout.strip().partition(" ")
    return start.strip() if start and not state.startswith("Z") else None
