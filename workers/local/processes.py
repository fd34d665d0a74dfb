"""The service's processes, from the Procfile.

honcho reads the file and prints the lines. It does not run them: honcho stops all when one ends, while a crashed worker should be
restarted.
"""

import base64
import http.client
import os
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from honcho.environ import parse_procfile

from workers.local.addresses import Addresses
from workers.local.ports import LOOPBACK
from workers.local.supervisor import Keeper, Program, kept_running

ROOT = Path(__file__).resolve().parents[2]
PROCFILE = ROOT / "Procfile"
NOTES = "processes"
CONSOLE = {"console": "python -m workers console"}
"""The console, which runs only on request."""


class Processes:
    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self._keepers = keepers

    def deaths(self) -> Mapping[str, int]:
        """How often each process died in a row without running for long; all 0 when all is well."""
        return {keeper.program.name: keeper.deaths for keeper in self._keepers}

    def pids(self) -> Mapping[str, int | None]:
        """The current process id of each name."""
        return {keeper.program.name: keeper.pid for keeper in self._keepers}

    def wait(self) -> None:
        """Return on Ctrl-C, SIGTERM or SIGHUP. Call it inside ``servers``."""
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


@contextmanager
def processes(
    addresses: Addresses,
    *,
    to_logs: bool = False,
    procfile: Path = PROCFILE,
    also: Mapping[str, str] | None = None,
    left_out: Collection[str] = (),
    grace: float = 15.0,
) -> Iterator[Processes]:
    """Run the Procfile's processes inside the block, and restart those that die, after 1, 2, 4 … 30 seconds.

    also: more processes, by name, with their commands. left_out: the names of processes not to run.
    to_logs: write their output to ``logs/NAME.log`` of the data folder, not to the console.
    grace: seconds between SIGTERM and SIGKILL when the block is left.
    """
    env = _environment(addresses, console=not to_logs and sys.stdout.isatty())
    logs = addresses.data_dir / "logs"
    programs = [
        Program(
            name=name,
            command=["/bin/sh", "-c", f"exec {command}"],  # exec: signals must reach the program, not the shell
            env=env,
            cwd=procfile.parent,
            log=logs / f"{name}.log" if to_logs else None,
            stop_signals=(signal.SIGTERM, signal.SIGKILL),
            grace=grace,
        )
        for name, command in {**parse_procfile(procfile.read_text()).processes, **(also or {})}.items()
        if name not in left_out
    ]
    with kept_running(programs, addresses.data_dir / "run" / NOTES) as keepers:
        yield Processes(keepers)


def flower_answers(addresses: Addresses) -> bool:
    """Whether Flower is up and takes our login."""
    login = base64.b64encode(f"{addresses.flower_user}:{addresses.flower_password}".encode()).decode()
    connection = http.client.HTTPConnection(LOOPBACK, addresses.flower_port, timeout=2.0)
    try:
        connection.request("GET", "/api/workers", headers={"Authorization": f"Basic {login}"})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _environment(addresses: Addresses, *, console: bool) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if name != "MOSSHEAD_ADMIN_URL"}
    env.update(addresses.environment())
    # This interpreter's commands first: the venv need not be activated. Not resolved, since that leads out of the venv.
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", os.defpath)])
    # Our code first, and nothing from the working directory: an app may have its own `db` or `config`.
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), env.get("PYTHONPATH"))))
    env["PYTHONSAFEPATH"] = "1"
    env["PYTHONUNBUFFERED"] = "1"
    if console and env.get("MOSSHEAD_LOG_FORMAT", "auto") == "auto":
        env["MOSSHEAD_LOG_FORMAT"] = "console"  # they write to a pipe, and cannot tell that people read it
    return env
