"""Run an app-supplied parser or reranker with a time limit; without an answer, the read continues without it."""

import logging
from collections.abc import Callable
from queue import Empty, Queue
from threading import Thread
from typing import TypeVar

from mosshead.bridge import apart

_T = TypeVar("_T")
_log = logging.getLogger("mosshead")


def answer_of(call: Callable[[], _T], *, name: str, seconds: float) -> _T | None:
    """Return the result of the app's callable; None if it raises or takes too long, in which case its thread is abandoned."""
    answers: Queue[_T | None] = Queue()

    def ask() -> None:
        try:
            answers.put(call())
        except Exception as error:  # noqa: BLE001 - a process edge: the app's own callable may fail
            _log.warning("%s raised %s; continuing without it", name, type(error).__name__)
            answers.put(None)

    try:
        Thread(target=ask, name=f"mosshead-{name}", daemon=True).start()
        return apart(lambda: answers.get(timeout=seconds))
    except RuntimeError:
        _log.warning("cannot start a thread: the process has reached its thread limit; continuing without the %s", name)
    except Empty:
        _log.warning("%s took more than %.1f s; continuing without it", name, seconds)
    return None
