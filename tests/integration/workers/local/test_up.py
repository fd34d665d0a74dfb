"""A whole machine in its own process, and its reaction to the signals of a terminal or a supervisor."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.machine_given import put_database
from workers.local import wait_until
from workers.local.processes import ROOT

RUNNER = """
import sys
from pathlib import Path
from config.settings import Settings
from workers.local import AlreadyUp, processes, servers

data_dir, procfile = map(Path, sys.argv[1:])
try:
    with servers(Settings(data_dir=data_dir, flower_port=0)) as addresses:
        with processes(addresses, to_logs=True, procfile=procfile, grace=5) as running:
            print("ready", flush=True)
            running.wait()
except AlreadyUp as error:
    sys.exit(str(error))
"""


_SLEEPERS = 2  # one of each process in the Procfile


class Machine:
    """A data folder and the commands that run a machine in it."""

    def __init__(self, folder: Path) -> None:
        self.data_dir = folder / "data"
        self.procfile = folder / "Procfile"
        self.procfile.write_text("worker: sh -c 'sleep 60 & wait'\nintake: sleep 60\n")

    @contextmanager
    def start(self) -> Iterator["subprocess.Popen[str]"]:
        command = [sys.executable, "-c", RUNNER, str(self.data_dir), str(self.procfile)]
        with ExitStack() as stack:
            process = subprocess.Popen(
                command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            stack.callback(process.communicate)
            stack.callback(process.terminate)
            yield process

    @contextmanager
    def up(self) -> Iterator["subprocess.Popen[str]"]:
        with self.start() as process:
            assert process.stdout
            for line in process.stdout:
                if line == "ready\n":
                    break
            wait_until(lambda: self.running().count("sleep") == _SLEEPERS, timeout=60, what="the processes")
            yield process

    def running(self) -> list[str]:
        """Return the names of the folder's processes: servers and Procfile processes."""
        return sorted(process.name() for process in psutil.process_iter() if self._ours(process))

    def _ours(self, process: psutil.Process) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return str(process.cwd()).startswith(str(self.procfile.parent))
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return False


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    made = Machine(tmp_path_factory.mktemp("machine"))
    put_database(made.data_dir)
    return made


def test_second_machine_is_refused_and_ctrl_c_reaches_all_processes_of_the_first(machine: Machine) -> None:
    with machine.up() as first:
        before = set(machine.running())
        with machine.start() as second:
            said = second.communicate(timeout=60)
            assert second.returncode == 1
        assert f"Mosshead is already up in {machine.data_dir} (pid {first.pid}); Flower at http://127.0.0.1:" in said[1]
        assert (first.poll(), set(machine.running())) == (None, before)

        os.killpg(first.pid, signal.SIGINT)
        assert first.wait(60) == 0
        assert machine.running() == []
    log = (machine.data_dir / "logs" / "postgres.log").read_text()
    assert log.rstrip().endswith("database system is shut down")


def test_sigterm_while_the_servers_start_leaves_nothing(machine: Machine) -> None:
    with machine.start() as process:
        wait_until(lambda: "postgres" in machine.running(), timeout=60, what="Postgres")
        process.terminate()
        process.wait(60)
        assert machine.running() == []


def test_machine_after_kill_9_takes_over_and_sigterm_ends_it_despite_repeated_ctrl_c(machine: Machine) -> None:
    with machine.up() as killed:
        before = set(psutil.pids())
        killed.kill()
        killed.wait(60)
        assert {"postgres", "redis-server", "sleep"} <= set(machine.running())
    with machine.up() as process:
        assert machine.running().count("sleep") == _SLEEPERS
        assert not [pid for pid in before if psutil.pid_exists(pid) and machine._ours(psutil.Process(pid))]
        process.terminate()
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        assert process.wait(60) == 0
    assert machine.running() == []
