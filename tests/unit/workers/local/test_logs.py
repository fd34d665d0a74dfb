"""The logs of the embedded service stay small while programs write to them and `mosshead logs` follows them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mosshead.announcement import announced, user_folder
from workers.local import wait_until
from workers.local.logs import kept_small
from workers.local.supervisor import Program, kept_running

LINE = "x" * 99
TALKS = f"import time\nwhile True: print({LINE!r}, flush=True); time.sleep(0.0005)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@contextmanager
def a_program_that_talks(folder: Path) -> Iterator[Path]:
    log = folder / "talker.log"
    program = Program("talker", [sys.executable, "-c", TALKS], dict(os.environ), folder, log)
    with kept_running([program], folder.parent / "run"):
        yield log


def test_log_is_truncated_after_copying_while_its_program_writes_on(folder: Path) -> None:
    with kept_small(folder, 20_000, every=0.05), a_program_that_talks(folder) as log:
        wait_until(log.with_suffix(".log.1").exists, timeout=30, what="a first copy")
        before = log.with_suffix(".log.1").stat().st_mtime_ns
        wait_until(lambda: log.with_suffix(".log.1").stat().st_mtime_ns > before, timeout=30, what="a second copy")
        wait_until(lambda: log.stat().st_size > 0, timeout=30, what="more lines")
        lines = log.read_text().splitlines()
    assert set(lines[1:-1]) <= {LINE}
    assert sorted(file.name for file in folder.iterdir()) == ["talker.log", "talker.log.1"]


def test_log_below_its_limit_is_left_unchanged(folder: Path) -> None:
    (folder / "small.log").write_text("a line\n")
    (folder / "large.log").write_text("a line\n" * 100)
    with kept_small(folder, 600):
        assert (folder / "small.log").read_text() == "a line\n"
        assert (folder / "large.log").read_text() == ""
    assert (folder / "large.log.1").read_text() == "a line\n" * 100
    assert not (folder / "small.log.1").exists()


def test_logs_command_follows_a_log_past_the_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent / "state"))
    log = folder / "up.log"
    log.write_text("before\n" * 100)
    with announced(user_folder(), folder.parent, {}):
        command = [sys.executable, "-m", "mosshead", "logs", "--follow", "--lines", "1", "up"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as following:
            assert following.stdout is not None
            assert following.stdout.readline() == "before\n"
            with kept_small(folder, 600):
                pass
            with log.open("a") as file:
                file.write("after\n")
            assert following.stdout.readline() == "after\n"
            os.killpg(following.pid, 15)
