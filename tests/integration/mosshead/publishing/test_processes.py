"""Apps as real processes: forked, killed, ended, several on one spool. Nothing that `publish` took is lost or doubled."""

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
    """The one that the apps find by themselves."""
    return spool_path(tmp_path, broker_url=addresses.broker_url, database_url=addresses.database_url)


@pytest.fixture
def app(addresses: Addresses, tmp_path: Path, fresh_namespace: NamespacePath) -> Iterator[App]:
    """Starts an app that does what it is told, on a spool that all of a test's apps share."""
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
    """What an app printed until it ended well."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out


def reads_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


Received = Callable[[int], list[dict[str, Any]]]


@pytest.fixture
def received(around: Around, open_spooled: OpenPublisher) -> Received:
    """The events that came, each once and in the order of their numbers, when the spool is cut to nothing by a new process."""

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


def test_one_that_is_killed_right_after_publish_loses_nothing(app: App, received: Received) -> None:
    for dying in [app("publish_and_die") for _ in range(2)]:
        assert dying.wait(60) == -signal.SIGKILL
    assert contents(received(2)) == ["said before the end"] * 2


def test_one_that_is_killed_while_redis_is_full_loses_nothing(app: App, around: Around, received: Received) -> None:
    around.broker.config_set("maxmemory", "1")  # it refuses every event
    try:
        dying = app("publish_and_die")
        assert dying.wait(60) == -signal.SIGKILL
    finally:
        around.broker.config_set("maxmemory", "0")
    assert (around.queued(), around.waiting()) == (0, 1)
    assert contents(received(1)) == ["said before the end"]


def test_one_that_just_ends_sends_what_it_published(app: App, around: Around) -> None:
    ends(app("publish_and_exit"))
    found = contents(around.taken())  # a slow one sends some of them twice
    assert list(dict.fromkeys(found)) == list(map(str, range(200)))


def test_what_is_published_after_the_end_of_shipping_is_kept_for_the_next_process(
    app: App, around: Around, received: Received
) -> None:
    ends(app("publish_when_all_ended"))
    assert set(contents(around.taken())) == {"first"}
    assert contents(received(2)) == ["first", "last"]


def test_a_signal_handler_closes_while_its_own_thread_publishes(app: App, around: Around) -> None:
    for closing in [app("close_by_a_signal") for _ in range(2)]:
        said, published, _refused = ends(closing).split()
        assert said == "closed"
        assert int(published) > 0


def test_a_namespace_publishes_though_nobody_keeps_its_memory(app: App, received: Received) -> None:
    ends(app("publish_from_a_namespace_alone"))
    assert contents(received(2)) == ["a", "b"]


def test_several_processes_share_a_spool_and_its_numbers(app: App, received: Received) -> None:
    for one in [app("publish_in_turns") for _ in range(3)]:
        ends(one)
    found = [content.split() for content in contents(received(120))]
    for name in {name for name, _ in found}:
        assert [number for one, number in found if one == name] == list(map(str, range(40)))


def test_when_the_one_that_ships_is_killed_another_takes_over(app: App, around: Around) -> None:
    first = app("publish_and_wait")
    assert reads_line(first) == "published"
    assert len(around.taken(1)) == 1
    second = app("publish_and_wait")
    assert reads_line(second) == "published"
    first.kill()
    first.wait(60)
    around.eventually(lambda: (around.take_in(), around.waiting())[1] == 0, "the second ships and cuts for both")


def test_a_fork_in_the_midst_of_it_harms_neither_side(app: App, around: Around, received: Received) -> None:
    said = ends(app("fork_while_busy"))
    assert said.split() == ["children", *"000"]
    found = Counter(content.rpartition(" ")[0] for content in contents(received(around.waiting())))
    assert all(found[f"child{number}"] == 20 for number in range(3))
    assert found["the parent goes"] == 1


def test_a_fork_amid_the_first_publish_leaves_a_sound_child(app: App, around: Around, received: Received) -> None:
    assert ends(app("fork_amid_the_first_publish")).split() == ["child", "0"]
    assert len(received(around.waiting())) == 21


def test_a_child_ships_when_its_parent_has_ended(app: App, around: Around) -> None:
    parent = app("fork_and_let_the_child_ship")
    assert reads_line(parent) == "closed"
    found = contents(around.taken())  # the first may have gone twice: by the parent, too
    assert list(dict.fromkeys(found)) == ["by the parent", "by the child"]


def test_an_idle_child_does_not_hold_on_to_its_parents_lock(app: App, around: Around) -> None:
    parent = app("fork_a_child_that_idles")
    assert reads_line(parent) == "published"
    assert len(around.taken(1)) == 1
    parent.kill()
    parent.wait(60)
    other = app("publish_and_wait")
    assert reads_line(other) == "published"
    around.eventually(lambda: (around.take_in(), around.waiting())[1] == 0, "another ships and cuts")


def test_a_pool_of_processes_publishes(app: App, received: Received) -> None:
    ends(app("work_in_a_pool"))
    assert Counter(contents(received(41))) == Counter(map(str, range(41)))


def test_a_fork_that_python_is_not_told_of_is_refused_before_it_does_harm(app: App, received: Received) -> None:
    said, _ = app("fork_behind_pythons_back").communicate(timeout=60)  # Python itself complains of it
    assert "call Memory.connect after the fork" in said
    assert contents(received(1)) == ["by the parent"]
