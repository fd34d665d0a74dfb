"""Keeps a program running while a run kills it: a dead one is started again at once, unless it is held down.

The machine's own keeper waits ever longer between restarts, which is right for a service and would measure nothing here.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

import psutil

from mosshead.errors import WaitTimeout
from workers.local.supervisor import Program

_POLL_SECONDS = 0.02
_AGAIN_SECONDS = 0.2
_STOP_SECONDS = 10.0


class Supervised:
    """One program that is kept running."""

    def __init__(self, program: Program) -> None:
        self.name = program.name
        self._log_at_start = 0
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None
        self._up = threading.Event()
        self._ending = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name=f"supervised-{program.name}", daemon=True)

    @property
    def pid(self) -> int | None:
        """The number of the running process; None while there is none."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start it, and keep it running."""
        self._up.set()
        if not self._thread.is_alive():
            self._thread.start()

    def tree(self) -> list[psutil.Process]:
        """The process and all that descend from it, itself first. Postgres's leave its process group, so groups will not do."""
        with contextlib.suppress(psutil.NoSuchProcess):
            if (pid := self.pid) is not None:
                leader = psutil.Process(pid)
                return [leader, *leader.children(recursive=True)]
        return []

    def kill(self) -> None:
        """SIGKILL to it and to all that descend from it; it comes back at once."""
        self._signal(signal.SIGKILL)

    def ask_to_stop(self) -> None:
        """SIGTERM, as before a deployment; it comes back when it has stopped."""
        if (process := self._process) is not None:
            process.terminate()

    def said(self, words: str) -> bool:
        """Whether it logged something since it was last started."""
        log = self._program.log
        if log is None or self.pid is None or not log.exists():
            return False
        with log.open(errors="replace") as lines:
            lines.seek(self._log_at_start)
            return words in lines.read()

    def hold(self) -> None:
        """Kill it and keep it down until ``start``."""
        self._up.clear()
        self.kill()

    def freeze(self) -> None:
        """SIGSTOP to all of it: it hangs."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT to all of it."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """Ask it to end, make it end, and do not start it again."""
        self._ending.set()
        self._up.set()
        with self._lock:
            process = self._process
        if process is not None:
            self.thaw()
            process.send_signal(self._program.stop_signals[0])
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_SECONDS)
            self._signal(signal.SIGKILL)
        self._thread.join()

    def _keep(self) -> None:
        while self._up.wait() and not self._ending.is_set():
            with self._lock:
                if self._ending.is_set():
                    return
                log = self._program.log
                self._log_at_start = log.stat().st_size if log is not None and log.exists() else 0
                self._process = self._program.spawn()
            born = time.monotonic()
            self._process.wait()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)  # children that it forked while it was being killed
            if time.monotonic() - born < _AGAIN_SECONDS:
                self._ending.wait(_AGAIN_SECONDS)

    def _signal(self, number: int) -> None:
        for process in self.tree():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)


@contextmanager
def supervised(programs: Iterable[Program]) -> Iterator[dict[str, Supervised]]:
    """Programs that are kept running inside the block, by name; they are ended in the reverse order."""
    with ExitStack() as stack:
        running = {}
        for program in programs:
            running[program.name] = one = Supervised(program)
            stack.callback(one.stop)
            one.start()
        yield running


def eventually(predicate: Callable[[], bool], *, within: float, what: str, every: float = _POLL_SECONDS) -> None:
    """Wait until the answer is yes, asking again and again. Seconds. Raises WaitTimeout, naming ``what``."""
    started = time.monotonic()
    while not predicate():
        if time.monotonic() - started >= within:
            raise WaitTimeout(f"{what}: not within {within:g} s")
        time.sleep(every)
