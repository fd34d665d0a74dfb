"""How an app finds the same user's service on this machine, and which services it ignores."""

import json
import logging
import os
import stat
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from mosshead import Memory
from mosshead.announcement import Announcement, announced, find_announcement, user_folder
from mosshead.api.settings import client_settings
from mosshead.errors import ConfigurationError

HERE = {"MOSSHEAD_DATABASE_URL": "postgresql://reader@/here", "MOSSHEAD_BROKER_URL": "redis://:s3cret@127.0.0.1:1/0"}
ELSEWHERE = "postgresql://reader:pw@elsewhere/mosshead"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def running(data_dir: str = "/data") -> AbstractContextManager[None]:
    """Return this user's service as its announcement describes it."""
    return announced(user_folder(), Path(data_dir), HERE)


def test_service_is_found_as_long_as_it_is_announced() -> None:
    with running():
        assert find_announcement(user_folder()) == Announcement(os.getpid(), Path("/data"), HERE)
    assert find_announcement(user_folder()) is None
    assert list(user_folder().iterdir()) == []


def test_announcement_is_readable_only_by_its_owner() -> None:
    with running():
        (file,) = user_folder().iterdir()
        assert [stat.S_IMODE(one.stat().st_mode) for one in (file, file.parent)] == [0o600, 0o700]


def test_announcement_of_a_killed_writer_is_ignored() -> None:
    with running():
        (file,) = user_folder().iterdir()
        content = file.read_bytes()
    file.write_bytes(content)
    file.chmod(0o600)
    assert find_announcement(user_folder()) is None


def test_announcement_of_another_user_is_ignored_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running():
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        with pytest.raises(ConfigurationError, match="MOSSHEAD_DATABASE_URL is not set"):
            client_settings()
    assert "is ignored: it, or its folder, belongs to another user" in caplog.text


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_announcement_writable_by_others_is_ignored_with_a_warning(mode: int, caplog: pytest.LogCaptureFixture) -> None:
    with running():
        (file,) = user_folder().iterdir()
        file.chmod(mode)
        assert find_announcement(user_folder()) is None
    assert "can be written by one" in caplog.text


def test_later_service_replaces_an_earlier_one_and_outlasts_it() -> None:
    with ExitStack() as first:
        first.enter_context(running("/first"))
        with running("/second"):
            first.close()
            found = find_announcement(user_folder())
            assert found is not None
            assert found.data_dir == Path("/second")


def test_service_with_an_unwritable_folder_runs_without_an_announcement(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mosshead").write_text("a file where a folder should be")
    with running():
        assert find_announcement(user_folder()) is None
    assert "apps cannot find this service by themselves" in caplog.text


def test_app_that_names_no_server_uses_the_local_service_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with running():
        found = client_settings()
    assert (found.database_url, found.broker_url) == tuple(HERE.values())
    assert caplog.messages == ["memory: using the local service in /data"]


def test_arguments_go_before_the_environment_and_both_before_a_local_service(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with running():
        assert client_settings(database_url=ELSEWHERE).database_url == ELSEWHERE
        monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "postgresql://of-the-environment/mosshead")
        assert client_settings(database_url=ELSEWHERE).database_url == ELSEWHERE
        found = client_settings()
    assert (found.database_url, found.broker_url) == ("postgresql://of-the-environment/mosshead", None)
    assert [one.removeprefix("memory: using the server from ") for one in caplog.messages] == [
        *["database_url="] * 2,
        "MOSSHEAD_DATABASE_URL",
    ]
    assert "pw" not in json.dumps(caplog.messages)


@pytest.mark.parametrize("named", ["argument", "environment"])
def test_broker_alone_counts_as_a_named_server(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if named == "environment":
        monkeypatch.setenv("MOSSHEAD_BROKER_URL", "redis://elsewhere")
    with running(), pytest.raises(ConfigurationError, match="MOSSHEAD_DATABASE_URL is not set"):
        client_settings(broker_url="redis://elsewhere" if named == "argument" else None)


def test_wrong_address_is_an_error_even_if_a_service_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSSHEAD_DATABASE_URL", "no address")
    with running(), pytest.raises(ConfigurationError, match="MOSSHEAD_DATABASE_URL"):
        Memory.connect()
