"""The Procfile's processes: started with the machine's addresses, restarted when they die, stopped together."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from honcho.environ import parse_procfile

from mosshead.errors import WaitTimeout
from workers.local import Addresses, processes, wait_until
from workers.local.processes import PROCFILE
from workers.local.supervisor import born, restart_delay


@pytest.fixture
def addresses(tmp_path: Path) -> Addresses:
    (tmp_path / "logs").mkdir()
    return Addresses(
        data_dir=tmp_path,
        database_url="postgresql://mosshead_reader@/mosshead?host=/s",
        ingest_url="postgresql://mosshead_ingest@/mosshead?host=/s",
        worker_url="postgresql://mosshead_worker@/mosshead?host=/s",
        admin_url="postgresql://postgres@/mosshead?host=/s",
        broker_url="redis://127.0.0.1:1/0",
        flower_port=5999,
        flower_password="flower-secret",
        console_port=5998,
        probe_port=5995,
    )


def procfile(folder: Path, lines: Mapping[str, str]) -> Path:
    path = folder / "Procfile"
    path.write_text("".join(f"{name}: {command}\n" for name, command in lines.items()))
    return path


def lines_of(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_processes_know_the_addresses_but_not_the_superusers(
    addresses: Addresses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSSHEAD_ADMIN_URL", "postgresql://postgres@db/mosshead")
    show = "sh -c 'python -c \"import sys; print(sys.prefix)\"; env; sleep 60'"
    log = addresses.data_dir / "logs" / "show.log"
    with processes(addresses, to_logs=True, procfile=procfile(addresses.data_dir, {"show": show})):
        wait_until(lambda: "PATH=" in "".join(lines_of(log)), timeout=60, what="the process")
    said = lines_of(log)
    assert {f"{name}={value}" for name, value in addresses.environment().items()} <= set(said)
    assert not [line for line in said if line.startswith("MOSSHEAD_ADMIN_URL")]
    assert Path(sys.prefix).samefile(said[0])


def test_process_that_dies_is_restarted(addresses: Addresses) -> None:
    twice = "sh -c 'echo born; test -e died && exec sleep 60; touch died; exit 3'"
    file = procfile(addresses.data_dir, {"frail": twice})
    log = addresses.data_dir / "logs" / "frail.log"
    with processes(addresses, to_logs=True, procfile=file, also={"well": "sleep 60"}) as running:
        well = running.pids()["well"]
        started = time.monotonic()
        wait_until(lambda: len(lines_of(log)) == 2, timeout=60, what="a second life")
        assert time.monotonic() - started > 1.0
        assert running.deaths() == {"frail": 1, "well": 0}
        assert running.pids()["well"] == well or well is None


def test_process_that_cannot_be_recorded_is_kept_and_still_stopped(addresses: Addresses) -> None:
    """The disk may be full when the process is restarted, or its folder of records may be gone."""
    file = procfile(addresses.data_dir, {"steady": "sleep 61"})
    with processes(addresses, to_logs=True, procfile=file) as running:
        wait_until(lambda: bool(running.pids()["steady"]), timeout=60, what="the process")
        first = running.pids()["steady"]
        shutil.rmtree(addresses.data_dir / "run")
        assert first
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: running.pids()["steady"] != first, timeout=60, what="a second life")
        second = running.pids()["steady"]
        assert second
    try:
        assert born(second) is None
    finally:
        with suppress(ProcessLookupError):
            os.kill(second, signal.SIGKILL)


def test_children_of_a_dead_process_are_ended_with_it(addresses: Addresses) -> None:
    family = "sh -c 'sleep 61 & echo $! > child; wait'"
    child = addresses.data_dir / "child"
    with processes(addresses, to_logs=True, procfile=procfile(addresses.data_dir, {"family": family})) as running:
        wait_until(lambda: bool(lines_of(child) and running.pids()["family"]), timeout=60, what="the child")
        number, family_pid = int(child.read_text()), running.pids()["family"]
        assert family_pid, "to kill process 0 is to kill ourselves"
        os.kill(family_pid, signal.SIGKILL)
        wait_until(lambda: born(number) is None, timeout=30, what="the child's end")


def test_process_that_ignores_signals_is_killed(addresses: Addresses) -> None:
    deaf = "python -c 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1); time.sleep(60)'"
    log = addresses.data_dir / "logs" / "deaf.log"
    file = procfile(addresses.data_dir, {"deaf": deaf, "polite": "sleep 60"})
    with processes(addresses, to_logs=True, procfile=file, grace=0.5) as running:
        wait_until(lambda: bool(lines_of(log)), timeout=60, what="the process")
        pids = running.pids()
        started = time.monotonic()
    assert 0.5 <= time.monotonic() - started < 30
    assert [born(pid) for pid in pids.values() if pid] == [None, None]


def test_only_the_leader_is_asked_to_stop_since_it_manages_its_children(addresses: Addresses) -> None:
    told = addresses.data_dir / "told"
    script = addresses.data_dir / "family.sh"
    script.write_text(
        "(trap 'touch told' TERM; echo; while :; do sleep 0.05; done) &\ntrap 'sleep 0.3; exit' TERM\nwait\n"
    )
    log = addresses.data_dir / "logs" / "family.log"
    with processes(addresses, to_logs=True, procfile=procfile(addresses.data_dir, {"family": "sh family.sh"})):
        wait_until(lambda: bool(lines_of(log)), timeout=60, what="the family")
    assert not told.exists()


def test_console_lines_begin_with_the_name_of_the_process(
    addresses: Addresses, capsys: pytest.CaptureFixture[str]
) -> None:
    file = procfile(
        addresses.data_dir, {"one": "sh -c 'echo hello; sleep 60'", "longer": "sh -c 'echo grüezi; sleep 60'"}
    )
    shown = ""

    def both() -> bool:
        nonlocal shown
        shown += capsys.readouterr().out
        return "one    | hello\n" in shown and "longer | grüezi\n" in shown

    with processes(addresses, procfile=file):
        wait_until(both, timeout=60, what="the lines")
    assert "\033" not in shown


def test_missing_program_is_tried_again(addresses: Addresses) -> None:
    file = procfile(addresses.data_dir, {"missing": "no-such-program-anywhere"})
    with processes(addresses, to_logs=True, procfile=file) as running:
        wait_until(lambda: running.deaths()["missing"] >= 1, timeout=60, what="the failure")


def test_delay_doubles_up_to_half_a_minute() -> None:
    assert [restart_delay(deaths) for deaths in (1, 2, 3, 5, 6, 1000)] == [1, 2, 4, 16, 30, 30]


def test_waiting_names_the_condition() -> None:
    with pytest.raises(WaitTimeout, match=r"the moon was not ready after 0\.1 s"):
        wait_until(lambda: False, timeout=0.1, what="the moon")


def test_projects_procfile_names_its_four_processes() -> None:
    commands = parse_procfile(PROCFILE.read_text()).processes
    assert list(commands) == ["intake", "scheduler", "worker", "flower"]
    assert "127.0.0.1" in commands["flower"]
    assert "auth" not in commands["flower"]
