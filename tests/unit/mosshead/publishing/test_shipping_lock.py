"""The shipping lock: it ends with its process, even if that process forks."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

from mosshead.publishing.shipper import ShippingLock


def forked() -> Callable[[], None]:
    """Fork an idle child, and return a function that ends it."""
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
    """Return whether the lock becomes free: a new child may not have closed its copy yet."""
    deadline = time.monotonic() + 60
    while not (taken := lock.take()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return taken


def test_lock_has_one_holder_at_a_time(tmp_path: Path) -> None:
    one, other = (ShippingLock(tmp_path / "one.spool") for _ in range(2))
    assert one.take()
    assert one.take()
    assert not other.take()
    one.give_back()
    one.give_back()
    assert other.take()
    other.give_back()


@pytest.mark.parametrize("slow", ["flock", "close"])
def test_child_forked_while_the_lock_changes_hands_does_not_keep_it(
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
