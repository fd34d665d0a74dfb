"""One use at a time, of what neither two threads may use at once nor a signal handler that interrupts a use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

_WITHIN = (
    "a publish within another of the same thread, as of a signal handler that interrupted it; wait until that returned"
)


class InUse:
    """A lock around each use. A thread waits for another's; a signal handler is refused, for its own would wait for it, for ever.

    refused: makes the error, of the reason.
    """

    def __init__(self, refused: Callable[[str], Exception]) -> None:
        self._refused = refused
        self._lock = RLock()
        self._used = False

    @contextmanager
    def use(self) -> Iterator[None]:
        """Have it alone."""
        with self._lock:
            if self._used:
                raise self._refused(_WITHIN)
            self._used = True
            try:
                yield
            finally:
                self._used = False

    @contextmanager
    def between(self) -> Iterator[bool]:
        """Wait for a use that is under way; True where it is the one that a signal handler interrupted, and goes on."""
        with self._lock:
            yield self._used

    def before_fork(self) -> None:
        """Let none begin."""
        self._lock.acquire()

    def after_fork(self) -> None:
        """Go on, on either side."""
        self._lock.release()
