"""The logs of the embedded service stay small: a file that has grown past its limit is copied to ``NAME.log.1`` and emptied.

Programs keep the file open and continue to append to it, and ``tail -F`` continues to read it. Lines that are written
between the copy and the cut are lost.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

MOST_BYTES = 10 * 2**20
"""The size limit of a log, and of its copy."""

_LOOK_SECONDS = 5.0


@contextmanager
def kept_small(folder: Path, most_bytes: int = MOST_BYTES, *, every: float = _LOOK_SECONDS) -> Iterator[None]:
    """Cut the logs of a folder at the beginning of the block, at its end, and at intervals in between."""
    left = Event()

    def look() -> None:
        while not left.wait(every):
            cut_logs(folder, most_bytes)

    cut_logs(folder, most_bytes)
    Thread(target=look, name="logs", daemon=True).start()
    try:
        yield
    finally:
        left.set()
        cut_logs(folder, most_bytes)


def cut_logs(folder: Path, most_bytes: int) -> None:
    """Copy and empty the logs above the limit. A log that cannot be copied or cut, as on a full disk, is left for next time."""
    for log in folder.glob("*.log"):
        with suppress(OSError):
            if log.stat().st_size > most_bytes:
                shutil.copyfile(log, log.with_suffix(".log.1"))
                os.truncate(log, 0)
