"""Start programs, restart them when they die, and stop them together."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle
from pathlib import Path
from types import FrameType
from typing import IO

import structlog
from honcho.colour import get_colours
from honcho.printer import Message, Printer

from mosshead.errors import ConfigurationError, WaitTimeout
from workers.local.accounts import Account, running_as
from workers.local.ports import wait_until

log = structlog.get_logger(__name__)

_HEALTHY_SECONDS = 60.0


def restart_delay(deaths: int) -> float:
    """Return the seconds to wait after a number of early deaths in a row (from 1): 1, 2, 4 … 30."""
    return float(min(2 ** min(deaths - 1, 10), 30))


class Console:
    """Print the lines of several processes without mixing them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._printer = Printer(sys.stdout, width=max(map(len, names), default=0))
        self._colours = dict(zip(names, cycle(get_colours()), strict=False))
        self._lock = threading.Lock()

    def copy(self, name: str, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                now = datetime.now().astimezone()
                # If the terminal is gone, something must still read the pipe, or the process would block.
                with suppress(OSError, ValueError), self._lock:
                    self._printer.write(Message("line", line, now, name, self._colours.get(name)))


@dataclass(frozen=True, slots=True)
class Program:
    """A program and how to run it.

    log: the file that takes its output; None for the console.
    stop_signals: sent one after the other, ``grace`` seconds apart, until it is gone; the last should be SIGKILL.
    account: the account it runs as, if not ours.
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
        """Start it once. Raises OSError if that fails."""
        with self.log.open("ab") if self.log else nullcontext() as log:
            return subprocess.Popen(  # noqa: S603 - the commands are our own, or the Procfile's
                self.command,
                env=dict(self.env),
                cwd=self.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log or subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **running_as(self.account),
            )


class Keeper:
    """Keeps one program running, in a thread that waits for its process.

    deaths: how often it ended by itself in a row without running for long.
    """

    def __init__(self, program: Program, notes: Path, console: Console) -> None:
        self.program = program
        self.stop_signals = program.stop_signals
        self.grace = program.grace
        self.deaths = 0
        self._note = notes / f"{program.name}.json"
        self._console = console
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name=f"keeper-{program.name}")

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process else None

    def start(self) -> None:
        """Start the program, and restart it until told to retire."""
        self._thread.start()

    def retire(self) -> None:
        with self._lock:
            self._stopping.set()

    def alive(self) -> bool:
        """Whether the program, or its watching thread, still runs."""
        return self._thread.is_alive()

    def send(self, number: int) -> None:
        process = self._process
        if process and process.poll() is None:
            send(process.pid, number)

    def _keep(self) -> None:
        while not self._stopping.is_set():
            started = time.monotonic()
            code = self._run_once()
            if self._stopping.is_set():
                return
            lived = time.monotonic() - started
            self.deaths = 1 if lived > _HEALTHY_SECONDS else self.deaths + 1
            delay = restart_delay(self.deaths)
            log.warning("process_died", process=self.program.name, exit_code=code, restart_seconds=delay)
            self._stopping.wait(delay)

    def _run_once(self) -> int | None:
        with self._lock:
            if self._stopping.is_set():
                return None
            try:
                process = self._process = self.program.spawn()
            except OSError as error:
                log.error("process_not_started", process=self.program.name, reason=error.strerror)  # noqa: TRY400
                return None
            try:
                # For the next run, in case this one is killed.
                signals = [int(number) for number in self.program.stop_signals]
                self._note.write_text(json.dumps({"pid": process.pid, "born": born(process.pid), "signals": signals}))
            except OSError as error:  # it runs anyway, and is ended with us
                log.error("process_not_noted", process=self.program.name, reason=error.strerror)  # noqa: TRY400
        reader = None
        if process.stdout is not None:
            arguments = (self.program.name, process.stdout)
            reader = threading.Thread(target=self._console.copy, args=arguments, daemon=True)
            reader.start()
        code = process.wait()
        send(process.pid, signal.SIGKILL)  # a dead leader's children would keep its output open
        with suppress(OSError):
            self._note.unlink()
        if reader:
            reader.join(1.0)
        return code


@contextmanager
def kept_running(programs: Sequence[Program], notes: Path) -> Iterator[Sequence[Keeper]]:
    """Keep programs running inside the block, and end them all when it is left."""
    notes.mkdir(parents=True, exist_ok=True)
    console = Console(tuple(program.name for program in programs))
    keepers = [Keeper(program, notes, console) for program in programs]
    try:
        for keeper in keepers:
            keeper.start()
        yield keepers
    finally:
        if threading.current_thread() is threading.main_thread():
            _ending.set()
        for keeper in keepers:
            keeper.retire()
        end(keepers)


_ending = threading.Event()
"""Set once the machine is stopping; Ctrl-C must not interrupt that."""

_MOST_DEATHS = 3


def wait_for(keeper: Keeper, answers: Callable[[], bool], *, timeout: float, what: str) -> None:
    """Wait until a server answers. Raises ConfigurationError, with the end of its log, if it does not start."""
    reason = f"{what} does not start"
    try:
        wait_until(lambda: keeper.deaths >= _MOST_DEATHS or answers(), timeout, what)
    except WaitTimeout as error:
        reason = str(error)
    else:
        if keeper.deaths < _MOST_DEATHS:
            return
    log = keeper.program.log
    lines = log.read_text(errors="replace").splitlines()[-5:] if log and log.exists() else []
    raise ConfigurationError("\n".join((f"{reason}. The end of {log}:", *lines)))


@contextmanager
def interrupts() -> Iterator[None]:
    """Inside the block the first of SIGINT, SIGTERM and SIGHUP raises KeyboardInterrupt; later ones do nothing, ever.

    Only the main thread gets signals; in another thread this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked = False

    # Not SIG_IGN, which programs would inherit: they could then not be stopped by the signal themselves.
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if not asked and not _ending.is_set():
            asked = True
            raise KeyboardInterrupt

    _ending.clear()
    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            # All programs are gone, and the interpreter keeps SIG_IGN alone of all handlers while it shuts down.
            signal.signal(number, signal.SIG_IGN if asked else handler or signal.SIG_DFL)
        _ending.clear()


_STATE, _START_TIME = 0, 19  # fields of /proc/PID/stat, counted after the command's closing parenthesis


@dataclass(slots=True)
class Noted:
    """A running process, as noted in the data folder.

    born: distinguishes it from a later process with the same number.
    """

    pid: int
    born: str
    stop_signals: tuple[int, ...]
    grace: float = 15.0

    def alive(self) -> bool:
        """Whether it still runs, and its number was not reused by another process."""
        return born(self.pid) == self.born

    def send(self, number: int) -> None:
        send(self.pid, number)


def send(pid: int, number: int) -> None:
    """Send a signal to a session's leader; SIGKILL goes to the whole group, since the leader can no longer end it."""
    with suppress(ProcessLookupError, PermissionError):
        if number == signal.SIGKILL:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def end(targets: Sequence[Keeper | Noted]) -> None:
    """Send all processes their first signal, then the next signal to those that still run."""
    for step in range(max((len(target.stop_signals) for target in targets), default=0)):
        asked = [target for target in targets if target.alive() and step < len(target.stop_signals)]
        for target in asked:
            target.send(target.stop_signals[step])
        deadline = time.monotonic() + max((target.grace for target in asked), default=0.0)
        while time.monotonic() < deadline and any(target.alive() for target in asked):
            time.sleep(0.05)


def end_leftovers(notes: Path) -> int:
    """End the processes that a killed run left behind; return how many there were."""
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
    except (ValueError, KeyError, TypeError):  # the process was killed while writing it
        return None


def born(pid: int) -> str | None:
    """Return when a process started, as the system writes it; None if it does not exist or is a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[_STATE] == "Z" else fields[_START_TIME]
