"""An embedded service for a notebook or test: it starts, remembers, and leaves nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mosshead import AsyncMemory, ConfigurationError, Memory
from tests.machine_given import put_database
from workers.local import wait_until

HOLDER = """
import os, signal
from mosshead import Memory
memory = Memory.embedded()
print("up", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_DEBOUNCE_SECONDS", "0")
    # An embedded service uses neither.
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "postgresql://nobody@nowhere/nothing")
    monkeypatch.setenv("MOSSHEAD_BROKER_URL", "redis://nowhere")


def processes_of(folder: Path) -> list[str]:
    """Return the names of the processes running on a data folder."""
    return [process.name() for process in psutil.process_iter() if runs_on(folder, process)]


def runs_on(folder: Path, process: psutil.Process) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return process.environ().get("MOSSHEAD_DATA_DIR") == str(folder) or process.cwd().startswith(str(folder))
    except psutil.Error:
        return False


def test_embedded_memory_remembers_and_its_folder_persists(tmp_path: Path) -> None:
    put_database(tmp_path)
    with Memory.embedded(path=tmp_path) as memory:
        sarah = memory.namespace("acme", "sarah_123")
        sarah.publish("I just moved to Seattle.", conversation="c1")
        sarah.wait(timeout=60)
        with pytest.raises(
            ConfigurationError, match=r"The service does not start: Mosshead is already up in .* \(pid "
        ):
            Memory.embedded(path=tmp_path)
        assert processes_of(tmp_path) != []
    assert processes_of(tmp_path) == []

    with Memory.embedded(path=tmp_path) as memory:
        hits = memory.namespace("acme", "sarah_123").query("Where does she live?")
    assert [hit.content for hit in hits] == ["User just moved to Seattle"]
    assert processes_of(tmp_path) == []


def test_embedded_async_memory_starts_and_stops_its_own_service(tmp_path: Path) -> None:
    put_database(tmp_path)

    async def remembered() -> list[str]:
        async with await AsyncMemory.embedded(path=tmp_path) as memory:
            sarah = memory.namespace("acme", "sarah_123")
            await sarah.publish("I just moved to Seattle.", conversation="c1")
            await sarah.wait(timeout=60)
            assert processes_of(tmp_path) != []
            return [hit.content for hit in await sarah.query("Where does she live?")]

    assert asyncio.run(remembered()) == ["User just moved to Seattle"]
    assert processes_of(tmp_path) == []


def test_embedded_memory_without_a_folder_reports_and_deletes_its_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Memory.embedded() as memory:
        (folder,) = tmp_path.iterdir()
        assert memory.namespace("acme", "sarah_123").memories() == []
    assert list(tmp_path.iterdir()) == []
    assert [one for one in caplog.messages if str(folder) in one] == [
        f"memories are stored in {folder} and deleted at exit; pass embedded(path=…) to keep them"
    ]


def test_service_of_a_killed_app_stops_and_deletes_its_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    killed = subprocess.run([sys.executable, "-c", HOLDER], capture_output=True, text=True, check=False)
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "up\n"), killed.stderr
    wait_until(lambda: list(tmp_path.iterdir()) == [], timeout=60, what="the end of the service")


def test_fork_of_the_app_leaves_the_embedded_service_alone(tmp_path: Path) -> None:
    put_database(tmp_path)
    with Memory.embedded(path=tmp_path) as memory:
        child = os.fork()
        if child == 0:
            memory._service.stop()  # type: ignore[union-attr]
            os._exit(0)
        os.waitpid(child, 0)
        assert memory.namespace("acme", "sarah_123").memories() == []
