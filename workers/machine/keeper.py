"""Keeps programs running: starts them, starts them again when they die, ends them together."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from workers.machine import interrupts
from workers.machine.console import Console
from workers.machine.programs import Program, end, send, write_note

log = structlog.get_logger(__name__)

_FIRST_DELAY_SECONDS = 1.0
_MOST_DELAY_SECONDS = 30.0
_HEALTHY_SECONDS = 60.0
_LAST_WORDS_SECONDS = 1.0


def restart_delay(deaths: int) -> float:
    """Seconds to wait after so many early deaths in a row (from 1): 1, 2, 4 … 30."""
    return float(min(_FIRST_DELAY_SECONDS * 2 ** min(deaths - 1, 10), _MOST_DELAY_SECONDS))


class Keeper:
    """Keeps one program running, in a thread that waits for its process.

    deaths: how often it ended by itself, without a long life in between.
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
        """The number of the running process."""
        process = self._process
        return process.pid if process else None

    def start(self) -> None:
        """Start the program, and go on starting it until told to retire."""
        self._thread.start()

    def retire(self) -> None:
        """Start it no more."""
        with self._lock:
            self._stopping.set()

    def alive(self) -> bool:
        """Whether the program, or the thread that minds it, still runs."""
        return self._thread.is_alive()

    def send(self, number: int) -> None:
        """Send the process a signal."""
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
                write_note(self._note, process.pid, self.program)
            except OSError as error:  # it runs all the same, and is ended with us
                log.error("process_not_noted", process=self.program.name, reason=error.strerror)  # noqa: TRY400
        reader = self._copy_output(process)
        code = process.wait()
        self._bury(process.pid)
        if reader:
            reader.join(_LAST_WORDS_SECONDS)
        return code

    def _copy_output(self, process: "subprocess.Popen[bytes]") -> threading.Thread | None:
        if process.stdout is None:
            return None
        arguments = (self.program.name, process.stdout)
        reader = threading.Thread(target=self._console.copy, args=arguments, daemon=True)
        reader.start()
        return reader

    def _bury(self, pid: int) -> None:
        """A dead leader's children would go on beside those of its successor, and hold its output open."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(OSError):
            self._note.unlink()


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
        interrupts.ignore_more()
        for keeper in keepers:
            keeper.retire()
        end(keepers)
