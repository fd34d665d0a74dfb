"""Apps as real processes: forked, killed, ended, several on one spool. No published event is lost or doubled."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mosshead.paths import NamespacePath
from mosshead.publishing.spool import spool_path
from tests.integration.mosshead.publishing.conftest import Around, OpenPublisher
from workers.local import Addresses

App = Callable[..., "subprocess.Popen[str]"]
HERE = Path(__file__).parent
ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def spool_file(tmp_path: Path, addresses: Addresses) -> Path:
    """The spool that the apps find by themselves."""
    return spool_path(tmp_path, broker_url=addresses.broker_url, database_url=addresses.database_url)


@pytest.fixture
def app(addresses: Addresses, tmp_path: Path, fresh_namespace: NamespacePath) -> Iterator[App]:
    """Return a function that starts an app with a task, on a spool that all of a test's apps share."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("MOSSHEAD_")},
        "MOSSHEAD_DATABASE_URL": addresses.database_url,
        "MOSSHEAD_BROKER_URL": addresses.broker_url,
        "MOSSHEAD_SPOOL_DIR": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    started: list[subprocess.Popen[str]] = []

    def start(does: str, **variables: str) -> "subprocess.Popen[str]":
        command = [
            sys.executable,
            "-W",
            "ignore::DeprecationWarning",
            str(HERE / "app.py"),
            does,
            fresh_namespace.parts[0],
        ]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env={**environment, **variables}, start_new_session=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # its children hold its pipes open
        process.communicate()


def ends(process: "subprocess.Popen[str]") -> str:
    """Wait until an app has ended successfully, and return its output."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out


def reads_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


Received = Callable[[int], list[dict[str, Any]]]


@pytest.fixture
def received(around: Around, open_spooled: OpenPublisher) -> Received:
    """Empty the spool with a new process, and return the events, each once and in the order of their numbers."""

    def all_of(count: int) -> list[dict[str, Any]]:
        open_spooled()
        events: dict[str, dict[str, Any]] = {}
        deadline = time.monotonic() + 60
        while around.waiting():
            events |= {event["event_id"]: event for event in around.take_in()}
            assert time.monotonic() < deadline, f"{len(events)} of {count} came, {around.waiting()} wait"
        found = sorted(events.values(), key=lambda event: int(event["publisher_sequence"]))
        assert [event["publisher_sequence"] for event in found] == list(range(1, count + 1))
        assert len({event["publisher"] for event in found}) == 1
        return found

    return all_of


def contents(events: list[dict[str, Any]]) -> list[str]:
    return [event["content"] for event in events]


def test_app_killed_right_after_publish_loses_nothing(app: App, received: Received) -> None:
    for dying in [app("publish_and_die") for _ in range(2)]:
        assert dying.wait(60) == -signal.SIGKILL
    assert contents(received(2)) == ["said before the end"] * 2


def test_app_killed_while_redis_is_full_loses_nothing(app: App, around: Around, received: Received) -> None:
    around.broker.config_set("maxmemory", "1")  # Redis refuses every event
    try:
        dying = app("publish_and_die")
        assert dying.wait(60) == -signal.SIGKILL
    finally:
        around.broker.config_set("maxmemory", "0")
    assert (around.queued(), around.waiting()) == (0, 1)
    assert contents(received(1)) == ["said before the end"]


def test_app_that_ends_without_closing_sends_its_events(app: App, around: Around) -> None:
    ends(app("publish_and_exit"))
    found = contents(around.taken())  # a slow app sends some twice
    assert list(dict.fromkeys(found)) == list(map(str, range(200)))


def test_events_published_after_shipping_ended_are_kept_for_the_next_process(
    app: App, around: Around, received: Received
) -> None:
    ends(app("publish_when_all_ended"))
    assert set(contents(around.taken())) == {"first"}
    assert contents(received(2)) == ["first", "last"]


def test_signal_handler_closes_while_its_own_thread_publishes(app: App, around: Around) -> None:
    for closing in [app("close_by_a_signal") for _ in range(2)]:
        said, published, _refused = ends(closing).split()
        assert said == "closed"
        assert int(published) > 0


def test_namespace_publishes_without_a_reference_to_its_memory(app: App, received: Received) -> None:
    ends(app("publish_from_a_namespace_alone"))
    assert contents(received(2)) == ["a", "b"]


def test_several_processes_share_a_spool_and_its_numbers(app: App, received: Received) -> None:
    for one in [app("publish_in_turns") for _ in range(3)]:
        ends(one)
    found = [content.split() for content in contents(received(120))]
    for name in {name for name, _ in found}:
        assert [number for one, number in found if one == name] == list(map(str, range(40)))


def test_another_process_takes_over_when_the_shipping_one_is_killed(app: App, around: Around) -> None:
    first = app("publish_and_wait")
    assert reads_line(first) == "published"
    assert len(around.taken(1)) == 1
    second = app("publish_and_wait")
    assert reads_line(second) == "published"
    first.kill()
    first.wait(60)
    around.eventually(lambda: (around.take_in(), around.waiting())[1] == 0, "the second ships and cuts for both")


def test_fork_during_publishing_harms_neither_side(app: App, around: Around, received: Received) -> None:
    said = ends(app("fork_while_busy"))
    assert said.split() == ["children", *"000"]
    found = Counter(content.rpartition(" ")[0] for content in contents(received(around.waiting())))
    assert all(found[f"child{number}"] == 20 for number in range(3))
    assert found["the parent goes"] == 1


def test_fork_during_the_first_publish_leaves_a_working_child(app: App, around: Around, received: Received) -> None:
    assert ends(app("fork_amid_the_first_publish")).split() == ["child", "0"]
    assert len(received(around.waiting())) == 21


def test_child_ships_after_its_parent_has_ended(app: App, around: Around) -> None:
    parent = app("fork_and_let_the_child_ship")
    assert reads_line(parent) == "closed"
    found = contents(around.taken())  # the parent may have sent the first, too
    assert list(dict.fromkeys(found)) == ["by the parent", "by the child"]


def test_idle_child_does_not_keep_its_parents_lock(app: App, around: Around) -> None:
    parent = app("fork_a_child_that_idles")
    assert reads_line(parent) == "published"
    assert len(around.taken(1)) == 1
    parent.kill()
    parent.wait(60)
    other = app("publish_and_wait")
    assert reads_line(other) == "published"
    around.eventually(lambda: (around.take_in(), around.waiting())[1] == 0, "another ships and cuts")


def test_pool_of_processes_publishes(app: App, received: Received) -> None:
    ends(app("work_in_a_pool"))
    assert Counter(contents(received(41))) == Counter(map(str, range(41)))


def test_fork_without_pythons_hooks_is_refused_before_it_does_harm(app: App, received: Received) -> None:
    said, _ = app("fork_behind_pythons_back").communicate(timeout=60)  # Python itself warns about it
    assert "call Memory.connect after the fork" in said
    assert contents(received(1)) == ["by the parent"]
