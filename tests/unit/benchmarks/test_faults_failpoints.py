"""The failpoints: around functions of our own, and one process that has them around the service's."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import pytest

from benchmarks.faults.failpoints import POINTS, FailpointReached, How, Point, arm, disarm, fired, wrapped

BEFORE = Point("before_lease", "")
AFTER = Point("before_commit", "", after=True, stage="consolidate")

DIES = """
from pathlib import Path
from benchmarks.faults.failpoints import Point, wrapped

wrapped(lambda: print("before", flush=True), Point("in_apply", "", after=True), Path({folder!r}))()
print("after", flush=True)
"""


@dataclass(frozen=True)
class Lease:
    """What tells of which stage a function is called."""

    stage: str


@pytest.fixture
def calls() -> list[Lease]:
    """What the wrapped function was called with."""
    return []


def test_every_point_is_in_the_code() -> None:
    assert all(callable(resolve_name(point.function)) for point in POINTS)
    assert len({point.name for point in POINTS}) == len(POINTS)


def test_a_point_that_is_not_armed_does_nothing(tmp_path: Path, calls: list[Lease]) -> None:
    wrapped(calls.append, BEFORE, tmp_path)(Lease("extract"))

    assert calls == [Lease("extract")]


def test_a_point_fires_once_and_says_who_came_and_when(
    tmp_path: Path, calls: list[Lease], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHMARK_PROCESS", "worker-a")
    told, before = arm(tmp_path, BEFORE.name, "raise"), time.time()
    passing = wrapped(calls.append, BEFORE, tmp_path)

    with pytest.raises(FailpointReached):
        passing(Lease("extract"))
    assert calls == []
    passing(Lease("extract"))
    assert len(calls) == 1

    came = fired(told)
    assert (came.process, came.pid) == ("worker-a", os.getpid())
    assert before <= came.at <= time.time()


def test_a_point_of_one_stage_leaves_the_others_alone(tmp_path: Path, calls: list[Lease]) -> None:
    told = arm(tmp_path, AFTER.name, "raise")
    passing = wrapped(calls.append, AFTER, tmp_path)

    passing(Lease("extract"))
    assert not told.exists()
    with pytest.raises(FailpointReached):
        passing(Lease("consolidate"))
    assert len(calls) == 2  # it is after the function


def test_a_skipped_function_is_not_called_until_the_point_is_disarmed(tmp_path: Path, calls: list[Lease]) -> None:
    arm(tmp_path, BEFORE.name, "skip")
    passing = wrapped(calls.append, BEFORE, tmp_path)

    passing(Lease("extract"))
    passing(Lease("extract"))
    assert calls == []
    disarm(tmp_path, BEFORE.name)
    passing(Lease("extract"))
    assert len(calls) == 1


@pytest.mark.parametrize("how", ["child", "worker"])
def test_a_killed_process_has_no_last_word(tmp_path: Path, how: How) -> None:
    told = arm(tmp_path, "in_apply", how)
    program = [sys.executable, "-c", DIES.format(folder=str(tmp_path))]

    done = subprocess.run(program, capture_output=True, text=True, check=False, start_new_session=True)

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "before\n"), done.stderr
    assert told.exists()
