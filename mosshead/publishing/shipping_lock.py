"""Which of the processes on a spool ships for all of them."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from mosshead.publishing import forking


class ShippingLock:
    """A lock beside a spool that one process has at a time. The kernel takes it from a process that dies."""

    def __init__(self, spool: Path) -> None:
        self._path = spool.with_suffix(".lock")
        self._descriptor: int | None = None
        self._changing = Lock()
        forking.watch(self)

    def take(self) -> bool:
        """Have it, or not because another process does. Raises OSError where the file cannot be made."""
        with self._changing:
            if self._descriptor is not None:
                return True
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._descriptor = descriptor
            return True

    def give_back(self) -> None:
        """Let another process have it."""
        with self._changing:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)

    def before_fork(self) -> None:
        """Wait until the file is open and known, or neither: a child that knew nothing of its copy would hold the lock on."""
        self._changing.acquire()

    def after_fork_in_parent(self) -> None:
        """Go on."""
        self._changing.release()

    def after_fork_in_child(self) -> None:
        """The lock is the parent's. Closing the child's copy does not free it, and keeps the child from holding it on."""
        self._changing.release()
        with suppress(OSError):
            self.give_back()
