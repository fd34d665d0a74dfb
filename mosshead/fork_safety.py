"""Let connections, threads and locks rest before each fork and start anew after it: an app may connect, then fork."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:  # who only sends, as Flower does, has no database
    from sqlalchemy import Engine


class Forkable:
    """Something that holds what a fork must not share."""

    def before_fork(self) -> None:
        """Come to rest, and hold still until one of the others is called."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """Let go of what is the parent's, without closing it for the parent, and start anew."""
        self.after_fork_in_parent()


_watched: WeakSet[Forkable] = WeakSet()
_engines: "WeakSet[Engine]" = WeakSet()
_resting: list[Forkable] = []
_forking = Lock()
"""One fork at a time: what rests for another's would be taken for its own, and woken once for both."""


def watch(one: Forkable) -> None:
    """Tell it of every fork from here on, while it lives."""
    _watched.add(one)


def watch_engine(engine: "Engine") -> None:
    """Let a child open connections of its own, and leave those that its parent had open to the parent."""
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
    """A lock that is held across each fork, so that no child starts with one that a thread of its parent was holding.

    A signal handler that interrupts its holder passes through.
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
        """Have it alone."""
        with self._lock:
            if self._used:
                raise self._refused(
                    "a publish within another of the same thread, as of a signal handler that interrupted it; wait until that "
                    "returned"
                )
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
        self._lock.acquire()

    def after_fork(self) -> None:
        self._lock.release()
