"""Threads in which memory may hang without the chat: each read in one of its own, all publishing in one, in order.

They are daemons, and what waits is bounded. A fork leaves them to the parent; the child's own start with its first call.
"""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import BoundedSemaphore, RLock, Thread
from typing import TypeVar
from weakref import finalize

_T = TypeVar("_T")

MOST_READS = 32
"""Reads at once; more of them hang only where each takes longer than its deadline, as the look-up of a host's name can."""

MOST_WAITING = 1_000
"""Turns that wait to be published. A spool takes one in less than a millisecond."""

_LAST_CALL_SECONDS = 2.0

_log = logging.getLogger("mosshead")


class Background:
    """The threads of one process."""

    def __init__(self) -> None:
        self._starting = RLock()
        self._end: finalize[..., Background] | None = None
        self._begin()

    def _begin(self) -> None:
        self._reads = BoundedSemaphore(MOST_READS)
        # Not a Queue, whose lock a garbage collection would need again that finds an abandoned stream while it is held.
        self._jobs: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._thread: Thread | None = None

    def read(self, job: Callable[[], _T]) -> Future[_T] | None:
        """Start a job, which raises nothing; None where too many are under way, or no thread is to be had."""
        slots, future = self._reads, _under_way(Future[_T]())
        if not slots.acquire(blocking=False):
            return None

        def run() -> None:
            try:
                future.set_result(job())
            finally:
                slots.release()

        try:
            Thread(target=run, name="mosshead-read", daemon=True).start()
        except RuntimeError:
            slots.release()
            return None
        return future

    def publish(self, job: Callable[[], object]) -> Future[None] | None:
        """Queue a job, which raises nothing, behind those that wait; None where too many do. Never blocks."""
        if self._jobs.qsize() >= MOST_WAITING:
            return None
        future = _under_way(Future[None]())

        def run() -> None:
            try:
                job()
            finally:
                future.set_result(None)

        self._jobs.put(run)
        self._start()
        return future

    def _start(self) -> None:
        with self._starting:
            if self._thread is not None:
                return
            started = Thread(target=_run, args=(self._jobs,), name="mosshead-publish", daemon=True)
            if self._end is None:
                # Before the end of a `Memory` that was there first, which ships for the last time then.
                self._end = finalize(self, _drain, self._jobs)
            if self._thread is None:
                self._thread = started
                try:
                    started.start()
                except RuntimeError:  # no thread is to be had: the next turn tries again, and brings what waits along
                    self._thread = None

    def after_fork_in_child(self) -> None:
        """What is under way is the parent's."""
        self._starting = RLock()
        self._begin()


def _under_way(future: Future[_T]) -> Future[_T]:
    """Not to be cancelled, as asyncio would once nobody waits any more: the thread that brings the result would end of it."""
    future.set_running_or_notify_cancel()
    return future


def _run(jobs: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        try:
            jobs.get()()
        except BaseException as error:  # noqa: BLE001 - an app's callback may raise what asyncio cancels with, or SystemExit
            _log.warning("a turn's callback ended by %s", type(error).__name__)


def _drain(jobs: SimpleQueue[Callable[[], object]]) -> None:
    """At the end of the interpreter: let what waits be published, for two seconds at most."""
    done = Future[None]()
    jobs.put(lambda: done.set_result(None))
    try:
        done.result(_LAST_CALL_SECONDS)
    except TimeoutError:
        return


BACKGROUND = Background()
os.register_at_fork(after_in_child=BACKGROUND.after_fork_in_child)
