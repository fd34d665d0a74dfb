"""A process that hands a memory system to an app, as the benchmark sees it: lines of JSON both ways (`telling.serve`)."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from workers.local.processes import ROOT

_LONGEST_SECONDS = 3600.0
_LEAVING_SECONDS = 30.0


class SystemFailed(Exception):
    """The process ended, or was ended after an hour, before it had answered; what it says of that is on standard error."""


class Process:
    """One that runs; made by `running`."""

    def __init__(self, process: subprocess.Popen[str], module: str) -> None:
        self._process = process
        self._module = module

    def ask(self, given: Any) -> Any:
        """Its answer to a line. Raises SystemFailed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps(given), file=self._process.stdin, flush=True)
        except BrokenPipeError:
            raise SystemFailed(f"{self._module} has ended") from None
        line = self._process.stdout.readline()
        if not line:
            raise SystemFailed(f"{self._module} ended without an answer")
        return json.loads(line)


@contextmanager
def running(python: Path, module: str, environment: Mapping[str, str]) -> Iterator[Process]:
    """Run a module by an interpreter; it is told to leave, by the end of its input, when the block is left."""
    command = [str(python), "-m", module]
    piped = subprocess.PIPE
    with subprocess.Popen(command, stdin=piped, stdout=piped, cwd=ROOT, env=environment, text=True) as process:
        too_long = Timer(_LONGEST_SECONDS, process.kill)
        too_long.daemon = True
        too_long.start()
        try:
            yield Process(process, module)
        finally:
            too_long.cancel()
            _leave(process)


def _leave(process: subprocess.Popen[str]) -> None:
    try:
        process.communicate(timeout=_LEAVING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
