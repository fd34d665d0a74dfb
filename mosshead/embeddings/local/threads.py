"""The local model's products of matrices on one thread, whatever the number of cores.

OpenBLAS, which numpy brings, spreads each product over all cores, whose threads spin while they wait. Where a core has other
work, or a container may use fewer than it sees, a short text takes ten times as long as on one thread; else it gains a third.
"""

import os
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

CHOSEN: Final = "OPENBLAS_NUM_THREADS"
"""Whoever sets this in the environment has chosen the number of threads, and it is left alone."""


def on_one_thread() -> AbstractContextManager[None]:
    """Have the process's BLAS use one thread within the block; what it used before is restored when the last block ends.

    To be entered once numpy is imported. The setting holds for the whole process: the app's own products have one thread, too.
    """
    return nullcontext() if CHOSEN in os.environ else _LIMIT


class _Limit(AbstractContextManager[None]):
    """Blocks that overlap share one limit: else the second would take the first's one thread for what was there before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[int] = []
        # Held across a fork, so that no child starts with a lock that a thread of its parent was holding.
        os.register_at_fork(
            before=self._lock.acquire, after_in_parent=self._lock.release, after_in_child=self._begin_anew
        )

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = [one.num_threads for one in _blas().lib_controllers]
                self._set([1] * len(self._before))
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._set(self._before)

    def _begin_anew(self) -> None:
        """In a child the threads that were inside are no more."""
        if self._inside:
            self._inside = 0
            self._set(self._before)
        self._lock.release()

    def _set(self, threads: list[int]) -> None:
        for library, number in zip(_blas().lib_controllers, threads, strict=True):
            library.set_num_threads(number)


_LIMIT: Final = _Limit()


@lru_cache(1)
def _blas() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
