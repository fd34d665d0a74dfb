"""Signals that ask the machine to stop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in _STOPPING:
        signal.signal(number, _asked_to_stop)
    raise KeyboardInterrupt


# Not SIG_IGN, which programs would inherit: they could then not be stopped by the signal themselves.
def _ignore(_number: int, _frame: FrameType | None) -> None:
    """While the machine is being stopped."""


def _asked_to_stop(_number: int, _frame: FrameType | None) -> None:
    """Until the process is gone: it was asked to stop, and does."""


def ignore_more() -> None:
    """From here on the machine is stopping, and Ctrl-C must not cut that short. For inside ``interrupts``."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _STOPPING:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _ignore)


@contextmanager
def interrupts() -> Iterator[None]:
    """Inside the block the first of SIGINT, SIGTERM and SIGHUP raises KeyboardInterrupt; later ones do nothing, ever.

    Signals reach the main thread alone; in another thread this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _interrupt) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            asked = signal.getsignal(number) is _asked_to_stop
            # All programs are gone, and the interpreter keeps SIG_IGN alone of all handlers while it shuts down.
            signal.signal(number, signal.SIG_IGN if asked else handler or signal.SIG_DFL)
