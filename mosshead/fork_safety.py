"""Pause connections, threads and locks before each fork and restart them afterwards, so that an app may connect, then fork."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:  # processes that only send, such as Flower, use no database
    from sqlalchemy import Engine


class Forkable:
    """Something with state that a fork must not share."""

    def before_fork(self) -> None:
        """Come to rest, and stay so until one of the other methods is called."""

    def after_fork_in_parent(self) -> None:
        """Continue."""

    def after_fork_in_child(self) -> None:
        """Release the parent's resources without closing them for the parent, and start anew."""
        self.after_fork_in_parent()


_watched: WeakSet[Forkable] = WeakSet()
_engines: "WeakSet[Engine]" = WeakSet()
_resting: list[Forkable] = []
_forking = Lock()
"""Serialises forks: objects resting for two forks at once would be woken only once."""


def watch(one: Forkable) -> None:
    """Notify an object of every fork while it lives."""
    _watched.add(one)


def watch_engine(engine: "Engine") -> None:
    """Make a forked child open its own connections, and leave the parent's to the parent."""
    _engines.add(engine)


def _before() -> None:
    _forking.acquire()
    for one in list(_watched):
        one.before_fork()
        _resting.append(one)


def _in_parent() -> None:
    try:
        for one in _resting:
            one.after_fork_in_parent()
    finally:
        _resting.clear()
        _forking.release()


def _in_child() -> None:
    try:
        for engine in _engines:
            engine.dispose(close=False)
        for one in _resting:
            one.after_fork_in_child()
    finally:
        _resting.clear()
        _forking.release()


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)


class ForkSafeLock(Forkable):
    """A lock held across each fork, so that no child starts with a lock held by a thread of its parent.

    A signal handler that interrupts the holder may enter.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        watch(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        self._lock.release()


class InUse:
    """A lock around each use.

    Other threads wait; a signal handler that interrupts a use is refused, because waiting would deadlock.
    """

    def __init__(self, refused: Callable[[str], Exception]) -> None:
        self._refused = refused
        self._lock = RLock()
        self._used = False

    @contextmanager
    def use(self) -> Iterator[None]:
        """Hold the lock exclusively."""
        with self._lock:
            if self._used:
                raise self._refused(
                    "a publish inside another one of the same thread, such as in a signal handler; wait until that "
                    "returns"
                )
            self._used = True
            try:
                yield
            finally:
                self._used = False

    @contextmanager
    def between(self) -> Iterator[bool]:
        """Wait for a use in progress; yield True if this thread's own use was interrupted by a signal handler."""
        with self._lock:
            yield self._used

    def before_fork(self) -> None:
        self._lock.acquire()

    def after_fork(self) -> None:
        self._lock.release()
