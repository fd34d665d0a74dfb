"""The spool's path: the same file for the same broker and database, whatever the login."""

from pathlib import Path

import pytest

from mosshead.announcement import state_folder
from mosshead.errors import ConfigurationError
from mosshead.publishing.spool import spool_path

FOLDER = Path("/state")
BROKER, DATABASE = "redis://:s3cret@cache:6379/0", "postgresql://reader:s3cret@db:5432/memory"


def place(broker_url: str = BROKER, database_url: str = DATABASE) -> Path:
    return spool_path(FOLDER, broker_url=broker_url, database_url=database_url)


def test_login_does_not_change_the_path() -> None:
    assert place("redis://app:other@cache:6379/0", "postgresql://app:other@db:5432/memory") == place()


@pytest.mark.parametrize(
    "other",
    [
        {"broker_url": "redis://cache2:6379/0"},
        {"broker_url": "redis://cache:6380/0"},
        {"broker_url": "redis://cache:6379/1"},
        {"broker_url": "sentinel://cache:6379/0?master=one"},
        {"broker_url": "sentinel://cache:6379,cache2:6379/0?master=one"},
        {"database_url": "postgresql://reader@db2:5432/memory"},
        {"database_url": "postgresql://reader@db:5433/memory"},
        {"database_url": "postgresql://reader@db:5432/other"},
        {"database_url": "postgresql://reader@/memory?host=/run/postgres"},
        {"database_url": "postgresql://reader@db:5432,db2:5432/memory"},
    ],
)
def test_different_server_or_database_has_a_different_spool(other: dict[str, str]) -> None:
    assert place(**other) != place()


def test_order_of_sentinels_does_not_change_the_path() -> None:
    one, other = (place(f"sentinel://:s3cret@{hosts}/0?master=one") for hosts in ("a:1,b:2", "b:2,a:1"))
    assert one == other


def test_different_socket_folders_have_different_spools() -> None:
    here, there = (place(database_url=f"postgresql://reader@/memory?host=/{folder}") for folder in ("here", "there"))
    assert here != there


def test_file_name_reveals_no_part_of_the_urls() -> None:
    assert not any(word in place().name for word in ("s3cret", "cache", "memory", "reader"))
    assert place().parent == FOLDER


def test_default_folder_is_the_users_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert state_folder() == Path("/somewhere/mosshead")
    for unset in ("", "relative/is/no/place"):
        monkeypatch.setenv("XDG_STATE_HOME", unset)
        assert state_folder() == Path.home() / ".local" / "state" / "mosshead"


def test_spool_in_a_home_that_does_not_exist_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(_path: str) -> str:
        return "~"  # as `os.path.expanduser` leaves it

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", no_home)
    for folder in (state_folder(), Path("~/spools")):
        with pytest.raises(
            ConfigurationError, match=r"^MOSSHEAD_SPOOL_DIR: ~.* is in a home folder, but this user has none"
        ):
            spool_path(folder, broker_url=BROKER, database_url=DATABASE)


def test_relative_folder_does_not_move_with_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert spool_path(Path("spool"), broker_url=BROKER, database_url=DATABASE).parent == tmp_path / "spool"


@pytest.mark.parametrize("url", ["redis://:s3cret@cache:port/0", "redis:/cache", "cache"])
def test_error_for_an_invalid_url_shows_no_password(url: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^MOSSHEAD_BROKER_URL: not a broker's URL.* is written %2F"
    ) as caught:
        place(url)
    assert "s3" not in str(caught.value)
