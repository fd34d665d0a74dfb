"""The supervisor of the fault runs, with small programs of our own."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from benchmarks.faults.supervisor import Supervised, eventually, supervised
from mosshead.errors import WaitTimeout
from workers.local.supervisor import Program

PARENT = "import subprocess, sys; print('up', flush=True); subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A program with a child."""
    command = [sys.executable, "-c", PARENT]
    return Program(name="parent", command=command, env=dict(os.environ), cwd=tmp_path, log=tmp_path / "log")


def has_child(one: Supervised) -> Callable[[], bool]:
    return lambda: len(one.tree()) == 2


def has_others_than(one: Supervised, before: list[psutil.Process]) -> bool:
    """Looked at once: between two looks it may be gone again."""
    now = one.tree()
    return len(now) == 2 and now[0] not in before


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


def test_what_is_killed_goes_with_its_children_and_comes_back(program: Program) -> None:
    with supervised([program]) as running:
        one = running["parent"]
        eventually(has_child(one), within=20, what="the child")
        before = one.tree()
        one.kill()
        eventually(lambda: has_others_than(one, before), within=20, what="its return")
        assert gone(before)
        assert one.said("up")
        last = one.tree()
    eventually(lambda: gone(last), within=20, what="its end")


def test_what_is_held_stays_down_until_it_is_let_go(program: Program) -> None:
    with supervised([program]) as running:
        one = running["parent"]
        eventually(has_child(one), within=20, what="the child")
        one.hold()
        time.sleep(0.5)
        assert one.pid is None
        assert not one.said("up")
        one.start()
        eventually(has_child(one), within=20, what="its return")


def test_what_is_frozen_can_be_ended(program: Program) -> None:
    with supervised([program]) as running:
        eventually(has_child(running["parent"]), within=20, what="the child")
        running["parent"].freeze()
        processes = running["parent"].tree()
        stopped = {psutil.STATUS_STOPPED}
        eventually(lambda: {process.status() for process in processes} == stopped, within=20, what="the freeze")
    eventually(lambda: gone(processes), within=20, what="their end")


def test_what_does_not_come_is_named() -> None:
    with pytest.raises(WaitTimeout, match=r"^rain: not within 0.05 s$"):
        eventually(lambda: False, within=0.05, what="rain")
