"""The console that several processes share: each line led by the name of its process, in its colour on a terminal."""

import sys
import threading
from datetime import datetime
from itertools import cycle
from typing import IO, TextIO

from honcho.colour import get_colours
from honcho.printer import Message, Printer


class Console:
    """Prints the lines of several processes, each line whole."""

    def __init__(self, names: tuple[str, ...], output: TextIO | None = None) -> None:
        self._printer = Printer(output or sys.stdout, width=max(map(len, names), default=0))
        self._colours = dict(zip(names, cycle(get_colours()), strict=False))
        self._lock = threading.Lock()

    def copy(self, name: str, pipe: IO[bytes]) -> None:
        """Print a process's lines until it closes its end."""
        with pipe:
            for line in pipe:
                self._print(name, line)

    def _print(self, name: str, line: bytes) -> None:
        now = datetime.now().astimezone()
        try:
            with self._lock:
                self._printer.write(Message("line", line, now, name, self._colours.get(name)))
        except (OSError, ValueError):
            return  # the terminal is gone; the process must still find a reader, or it would block
