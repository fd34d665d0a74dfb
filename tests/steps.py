"""The amount of work something does, in counted calls instead of time: every function call, of Python's or of C."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(work: Callable[[], object], *, of: str | None = None) -> int:
    """Return how many calls some work makes. of: only those of functions with this name."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        if event in {"call", "c_call"}:
            name = frame.f_code.co_name if event == "call" else argument.__name__
            count += of in {None, name}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
