"""Counts what a process refused from Redis, until its heartbeat stores the counts for `python -m workers status`."""

import threading
from collections import Counter
from collections.abc import Mapping

import structlog

from workers.task_messages import RefusedTask

_log = structlog.get_logger()


class Refusals:
    """Safe to share between the event loop, which waits for nobody, and the thread that stores the counts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, refused: RefusedTask, *, size: int) -> None:
        """Count one. Only the first of its reason since counts were stored is logged, however many follow."""
        with self._lock:
            self._counts[refused.reason] += 1
            first = self._counts[refused.reason] == 1
        if first:
            _log.warning(
                "task_refused", reason=refused.reason, bytes=size, **({"task": refused.task} if refused.task else {})
            )

    def counts(self) -> Mapping[str, int]:
        """By reason, what is not stored yet."""
        with self._lock:
            return dict(self._counts)

    def stored(self, counts: Mapping[str, int]) -> None:
        """Take off what was stored."""
        with self._lock:
            self._counts = +(self._counts - Counter(counts))


REFUSALS = Refusals()
"""Of this process: Celery makes its channels itself, and hands them nothing."""
