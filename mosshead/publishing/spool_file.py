"""The spool's SQLite file: opened when it is first needed, shared between threads, never carried over a fork.

A connection that a fork copies leaves the child with locks that it does not hold, and in the end with a corrupt file. So it is
closed before, and opened anew on both sides.
"""

import fcntl
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from mosshead.errors import SpoolUnavailable
from mosshead.publishing import forking
from mosshead.publishing.in_use import InUse

_BUSY_SECONDS = 10.0
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600  # it holds what was said
_PRAGMAS = (
    "pragma auto_vacuum = incremental",  # first: it must be there before the first table
    "pragma journal_mode = wal",
    "pragma synchronous = normal",
    "pragma secure_delete = on",
    # The shipper makes the checkpoints, so that no publish waits for the disk; this is for when it cannot.
    "pragma wal_autocheckpoint = 10000",
)
_FIXES = (
    ("full", "free some space there"),
    ("readonly", "set it to a folder that this process may write to"),
    ("locked", "another process holds it; if none should, find out which and end it"),
    ("not a database", "move the file away; what waits in it cannot be read"),
    ("malformed", "move the file away; what waits in it can no longer be read"),
)

_log = logging.getLogger("mosshead")


class SpoolFile:
    """One SQLite connection to a file, for one process at a time, with a lock around every use.

    prepare: makes the tables of a file that has none, and looks through one that has; called with each new connection, while no
    other process opens a file of the folder.
    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection], None]) -> None:
        self.path = path
        self._prepare = prepare
        self._in_use = InUse(SpoolUnavailable)
        self._tidying = Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, tuple[int, int]] | None = None  # by which process, and which file
        self._closed = False
        forking.watch(self)

    def exists(self) -> bool:
        """Whether the file was made yet, or this process may not look; whoever uses it then is told so."""
        try:
            return self.path.exists()
        except OSError:
            return True

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that write nothing. Raises SpoolUnavailable."""
        self._check_process()
        with self._in_use.use(), self._translated():
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that has the file for itself; all of it or nothing. Raises SpoolUnavailable."""
        self._check_process()
        with self._in_use.use(), self._translated():
            self._forget_removed()
            connection = self._open()
            try:
                connection.execute("begin immediate")
                yield connection
                connection.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("rollback")
                raise

    def checkpoint(self, *, emptying: bool) -> None:
        """Move what is in the write-ahead log into the file, while readers and writers go on.

        emptying: also cut the log to nothing, where nobody uses it at this moment.
        """
        with self._tidying, suppress(sqlite3.OperationalError):  # somebody else is at it; another time
            # Never made anew, should somebody have removed it.
            connection = sqlite3.connect(f"{self.path.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0)
            try:
                connection.execute(f"pragma wal_checkpoint({'truncate' if emptying else 'passive'})")
            finally:
                connection.close()

    def log_bytes(self) -> int:
        """The size of the write-ahead log."""
        with suppress(OSError):
            return self.path.with_name(f"{self.path.name}-wal").stat().st_size
        return 0

    def close(self) -> None:
        """Close the connection; there is none after it."""
        self._closed = True
        self.rest()

    def rest(self) -> None:
        """Close the connection until it is needed again. One that a signal handler interrupted the use of is left to that."""
        with self._in_use.between() as interrupted:
            if not interrupted:
                self._disconnect()

    def before_fork(self) -> None:
        """Wait for what is under way, and close."""
        self._tidying.acquire()
        self._in_use.before_fork()
        self._disconnect()

    def after_fork_in_parent(self) -> None:
        """Go on; the next use opens again."""
        self._in_use.after_fork()
        self._tidying.release()

    def after_fork_in_child(self) -> None:
        """Go on; the next use opens the child's own connection."""
        self.after_fork_in_parent()

    def _check_process(self) -> None:
        """Before the lock, which may be held by a thread that this process does not have."""
        if self._connection is not None and self._opened is not None and self._opened[0] != os.getpid():
            raise SpoolUnavailable(
                "this process was forked by a server that does not tell Python so; call Memory.connect after the fork"
            )

    def _open(self) -> sqlite3.Connection:
        if self._closed:
            raise SpoolUnavailable("the memory is closed; connect again with Memory.connect")
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        folder = self.path.parent
        folder.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        with _held(folder):
            with suppress(FileExistsError):
                # Never opened where it is there: to close a file again drops all locks that this process has on it.
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
            )
            try:
                for pragma in _PRAGMAS:
                    connection.execute(pragma)
                self._prepare(connection)
                self._opened = os.getpid(), _identity(self.path)
            except BaseException:
                connection.close()
                raise
        return connection

    def _forget_removed(self) -> None:
        """Somebody removed the file: what is written to it from now on would be gone with this process."""
        if self._connection is None or self._opened is None:
            return
        with suppress(FileNotFoundError):
            if _identity(self.path) == self._opened[1]:
                return
        _log.warning("MOSSHEAD_SPOOL_DIR: the spool %s was removed while it was in use; a new one is made", self.path)
        self._disconnect()

    def _disconnect(self) -> None:
        # In this order: an interrupt may come in between.
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self._disconnect()
            reason = str(error)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            return
        fix = next(
            (fix for sign, fix in _FIXES if sign in reason), "set it to a folder on a local disk that can be written to"
        )
        raise SpoolUnavailable(f"MOSSHEAD_SPOOL_DIR: the spool {self.path} cannot be used ({reason}); {fix}") from None


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """One process at a time: SQLite does not wait for its turn when a file becomes a write-ahead one."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
