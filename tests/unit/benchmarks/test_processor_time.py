"""Processor time, by process."""

import os
import subprocess
import sys
import time

from benchmarks.processor_time import milliseconds_each, processor_seconds

BUSY = "import time\nwhile time.process_time() < 0.3: pass"


def test_processor_time_is_divided_and_summed() -> None:
    each = milliseconds_each({"worker": 1.0, "redis": 5.0}, {"worker": 3.0, "redis": 6.0}, 1000)

    assert each == {"worker": 2.0, "redis": 1.0, "total": 3.0}


def test_process_that_used_nothing_is_left_out() -> None:
    assert milliseconds_each({"worker": 1.0, "redis": 5.0}, {"worker": 2.0, "redis": 5.0}, 10) == {
        "worker": 100.0,
        "total": 100.0,
    }


def test_children_count_alive_and_ended() -> None:
    # Given a process with a busy child that ended, and one that goes on
    script = f"import subprocess, sys\nfor _ in 'ab': subprocess.run([sys.executable, '-c', {BUSY!r}])\ninput()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as parent:
        # Both children's time should finally be in the parent's.
        deadline = time.monotonic() + 30
        # Counted in hundredths of a second, of which each child may lose the last.
        while (spent := processor_seconds({"it": parent.pid})["it"]) < 0.55:
            assert time.monotonic() < deadline, spent
            time.sleep(0.05)
        parent.communicate(b"\n")


def test_this_process_has_used_some_time() -> None:
    assert processor_seconds({"own": os.getpid()})["own"] > 0
