"""Who ships for all: a lock that goes with its process, whenever that forks."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from mosshead.publishing.shipper import ShippingLock


def forked() -> Callable[[], None]:
    """Forks a child that does nothing, until what is returned is called."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(writing)
        os.read(reading, 1)  # returns when the parent closes its end, or dies
        os._exit(0)
    os.close(reading)

    def end() -> None:
        os.close(writing)
        os.waitpid(child, 0)

    return end


def taken_soon(lock: ShippingLock) -> bool:
    """Whether it can be had: a child that was forked just now may not have come to close its copy."""
    deadline = time.monotonic() + 60
    while not (taken := lock.take()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def test_one_has_it_at_a_time(tmp_path: Path) -> None:
    one, other = (ShippingLock(tmp_path / "one.spool") for _ in range(2))
    assert one.take()
    assert one.take()
    assert not other.take()
    one.give_back()
    one.give_back()
    assert other.take()
    other.give_back()


@pytest.mark.parametrize("slow", ["flock", "close"])
def test_a_child_that_is_forked_while_it_changes_hands_does_not_hold_it_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    one, other = (ShippingLock(tmp_path / "one.spool") for _ in range(2))
    module, within = {"flock": fcntl, "close": os}[slow], Event()
    real = getattr(module, slow)
    if slow == "close":
        assert one.take()

    def slowly(*given: int) -> None:
        if slow == "flock":
            real(*given)
        within.set()
        time.sleep(0.3)
        if slow == "close":
            real(*given)

    monkeypatch.setattr(module, slow, slowly)
    changing = Thread(target=one.take if slow == "flock" else one.give_back)
    changing.start()
    assert within.wait(10)
    monkeypatch.undo()
    end = forked()
    try:
        changing.join()
        one.give_back()
        assert taken_soon(other)
    finally:
        end()
        other.give_back()
