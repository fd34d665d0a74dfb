"""What a process holds and a fork must not share: told of each fork, before and after.

Neither a SQLite connection nor a thread nor a lock that another thread holds survives a fork. So that an app may connect first
and fork then (gunicorn's preload, multiprocessing, Celery's prefork), each such thing comes to rest before and starts anew after.
"""

import os
from typing import Protocol
from weakref import WeakSet

from sqlalchemy import Engine


class Forkable(Protocol):
    """Something that holds what a fork must not share."""

    def before_fork(self) -> None:
        """Come to rest, and hold still until one of the others is called."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """Let go of what is the parent's, without closing it for the parent, and start anew."""


_watched: WeakSet[Forkable] = WeakSet()
_engines: WeakSet[Engine] = WeakSet()
_resting: list[Forkable] = []


def watch(one: Forkable) -> None:
    """Tell it of every fork from here on, while it lives."""
    _watched.add(one)


def watch_engine(engine: Engine) -> None:
    """Let a child open connections of its own, and leave those that its parent had open to the parent."""
    _engines.add(engine)


def _before() -> None:
    _resting[:] = _watched
    for one in _resting:
        one.before_fork()


def _in_parent() -> None:
    for one in _resting:
        one.after_fork_in_parent()
    _resting.clear()


def _in_child() -> None:
    for engine in _engines:
        engine.dispose(close=False)
    for one in _resting:
        one.after_fork_in_child()
    _resting.clear()


os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
