"""The spool: a local SQLite file of published events, with all of its SQL.

Events wait here until the inbox has them. Received events are kept for a while, in case the database loses them in a failover.
One spool is one publisher, however many processes use it. It numbers the events of each namespace from 1 without gaps; the
counters stay when events are removed.
"""

import fcntl
import hashlib
import json
import logging
import os
import socket
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from uuid import UUID

from mosshead import fork_safety
from mosshead.errors import ConfigurationError, SpoolFull, SpoolUnavailable
from mosshead.fork_safety import Forkable, InUse
from mosshead.ids import uuid7
from mosshead.paths import NamespacePath
from mosshead.publishing import spool_statements as statements
from mosshead.publishing.address import parse_broker_url
from mosshead.urls import parse_url

_CUT_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class UnsentEvents:
    """A namespace with waiting events, from ``received_up_to`` (exclusive) to ``newest``. key: The spool's id for it."""

    key: int
    path: NamespacePath
    received_up_to: int
    newest: int


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """A namespace with received events that are kept. due_up_to: The last number that was kept for long enough, or None."""

    key: int
    path: NamespacePath
    received_up_to: int
    due_up_to: int | None


@dataclass(frozen=True, slots=True)
class SpooledErasure:
    """An erasure among events that are appended: its place among them, and what it covers of the earlier events."""

    place: int
    everything: bool
    conversation: str | None
    event_ids: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class Changes:
    """The namespaces published to since a point, and the current point. Points count appends to the spool."""

    publisher: UUID
    point: int
    waiting: tuple[UnsentEvents, ...]


@dataclass(frozen=True, slots=True)
class SpoolContents:
    """The contents of a spool.

    events: Number of waiting events. kept: Number of received events. bytes: Of both. oldest: Unix time of the oldest waiting
    event. namespaces: Number of waiting events of each, most first.
    """

    events: int
    kept: int
    bytes: int
    oldest: float | None
    namespaces: tuple[tuple[NamespacePath, int], ...]


_BUSY_SECONDS = 10.0
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600  # it contains conversation text

_FIXES = (
    ("full", "free some space there"),
    ("readonly", "set it to a folder that this process may write to"),
    ("locked", "another process has locked it; if none should, find and end that process"),
    ("not a database", "move the file away; its waiting events cannot be read"),
    ("malformed", "move the file away; its waiting events can no longer be read"),
    ("", "set it to a writable folder on a local disk"),
)

_log = logging.getLogger("mosshead")


class Spool(Forkable):
    """A spool in a file, which several processes may share. It is thread-safe and fork-safe.

    Every method except `published` raises SpoolUnavailable if the file cannot be used, and then changes nothing. Each process
    has one SQLite connection, with a lock around every use.

    keep_seconds: How long received events are kept.
    """

    def __init__(self, path: Path, *, most_bytes: int, keep_seconds: float = 0.0) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self.keep_seconds = keep_seconds
        self._in_use = InUse(SpoolUnavailable)
        self._tidying = Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, tuple[int, int]] | None = None  # the process that opened it, and the file's identity
        self._closed = False
        fork_safety.watch(self)

    def exists(self) -> bool:
        """Return whether the file exists; the first append creates it. True if this process may not look; its use raises."""
        try:
            return self.path.exists()
        except OSError:
            return True

    def append(self, path: NamespacePath, bodies: Sequence[str], erasures: Sequence[SpooledErasure] = ()) -> None:
        """Number and store events of a namespace (JSON text without numbers), all or none. Raises SpoolFull.

        erasures: Those among the events. Events that they cover lose their content here, too, but keep their number and id.
        """
        rows = [body.encode() for body in bodies]
        size = sum(map(len, rows))
        with self._writing() as connection:
            point, held, key, newest = connection.execute(statements.COUNTERS, [_name(path)]).fetchone()
            held -= statements.give_room(connection, held + size - self._most_bytes)
            if held + size > self._most_bytes:
                raise SpoolFull(
                    f"MOSSHEAD_SPOOL_BYTES: the spool {self.path} holds {held:,} of at most {self._most_bytes:,} bytes, and has "
                    "no room for this; check that the broker and the intake run ('mosshead spool' shows what waits), publish "
                    "less at once, or raise the limit"
                )
            if key is None:
                key = connection.execute(statements.ADD_NAMESPACE, [_name(path)]).lastrowid
            now = time.time()
            connection.executemany(
                statements.ADD, [(key, newest + place, row, now) for place, row in enumerate(rows, 1)]
            )
            connection.execute(statements.MOVE_NAMESPACE, [newest + len(rows), point + 1, key])
            connection.execute(statements.MOVE_SPOOL, [point + 1, held + size])
            for erasure in erasures:
                ids = json.dumps([str(one) for one in erasure.event_ids])
                covered = {"everything": erasure.everything, "conversation": erasure.conversation, "ids": ids}
                connection.execute(statements.EMPTY, {**covered, "key": key, "before": newest + 1 + erasure.place})
            if erasures:
                connection.execute("update spool set bytes = (select sum(length(body)) from events)")

    def newest(self, path: NamespacePath) -> tuple[UUID, int]:
        """Return the publisher, and its newest number in a namespace, or 0."""
        with self._reading() as connection:
            publisher, newest = connection.execute(statements.NEWEST, [_name(path)]).fetchone()
        return UUID(publisher), newest

    def published(self, path: NamespacePath) -> dict[UUID, int]:
        """Return the newest number of this spool in a namespace, by publisher; empty if the file cannot be used."""
        if not self.exists():
            return {}
        try:
            publisher, newest = self.newest(path)
        except SpoolUnavailable as error:
            _log.warning("reading continues without the spool: %s", error)  # only a publish fails without it
            return {}
        return {publisher: newest} if newest else {}

    def changes(self, since: int) -> Changes:
        """Return the namespaces with waiting events that were published to after a point; 0 for all."""
        with self._reading() as connection:
            publisher, point = connection.execute(statements.POINT).fetchone()
            rows = connection.execute(statements.CHANGED, [since]).fetchall() if point > since else []
        waiting = tuple(UnsentEvents(key, _path(name), received, newest) for key, name, received, newest in rows)
        return Changes(UUID(publisher), point, waiting)

    def kept(self, after: int, most: int) -> list[KeptEvents]:
        """Return at most ``most`` namespaces with received events that are kept, by key, from a key on (exclusive)."""
        now = time.time()
        with self._reading() as connection:
            rows = connection.execute(statements.KEPT, [now - self.keep_seconds, now, after, most]).fetchall()
        return [KeptEvents(key, _path(name), received, due) for key, name, received, due in rows]

    def read(self, publisher: UUID, key: int, first: int, last: int) -> list[tuple[int, str]]:
        """Return some of a namespace's events with their numbers, in order; none if the spool has a new publisher."""
        with self._reading() as connection:
            rows = connection.execute(statements.READ, [str(publisher), key, first, last]).fetchall()
        return [(number, body.decode()) for number, body in rows]

    def sizes(self, key: int, first: int, last: int) -> list[int]:
        """Return the sizes in bytes of some of a namespace's events, in order."""
        with self._reading() as connection:
            return [size for (size,) in connection.execute(statements.SIZES, [key, first, last])]

    def receive(self, publisher: UUID, key: int, up_to: int) -> None:
        """Note that the inbox has a namespace's events up to a number. Do nothing if the spool has a new publisher.

        They are kept for ``keep_seconds``. A number that this spool never gave comes from a copy of it. Waiting events are then
        renumbered under a new publisher; otherwise they would count as received.
        """
        with self._writing() as connection:
            received, newest = connection.execute(statements.COUNTED, [key, str(publisher)]).fetchone() or (
                up_to,
                up_to,
            )
            if up_to > newest:
                statements.take_new_publisher(connection)
            elif up_to > received:
                connection.execute(statements.MOVE_RECEIVED, [up_to, key])
                connection.execute(statements.NOTE_RECEIVED, [key, up_to, time.time()])
        if not self.keep_seconds:
            self.cut(publisher, key, up_to)

    def take_back(self, publisher: UUID, key: int, received_up_to: int) -> bool:
        """Let kept events that the database has lost wait again, and return whether there were any.

        received_up_to: The number up to which the database still has a namespace's events.
        """
        with self._writing() as connection:
            taken = connection.execute(
                statements.TAKE_BACK, {"key": key, "up_to": received_up_to, "publisher": str(publisher)}
            )
            if taken.rowcount:
                connection.execute(statements.NOTE_REMAINDER, [key])
                connection.execute(statements.FORGET_RECEIVED, [key])
                connection.execute("update spool set point = point + 1")
        return taken.rowcount > 0

    def waiting_erasures(self, publisher: UUID, key: int) -> list[tuple[int, str]]:
        """Return a namespace's waiting erasures with their numbers, in order; none if the spool has a new publisher."""
        with self._reading() as connection:
            rows = connection.execute(statements.WAITING_ERASURES, [key, str(publisher)]).fetchall()
        return [(number, body.decode()) for number, body in rows]

    def cut(self, publisher: UUID, key: int, up_to: int) -> None:
        """Remove a namespace's received events up to a number. Do nothing if the spool has a new publisher."""
        while self._cut_some(publisher, key, up_to):
            pass  # let a publish run in between

    def _cut_some(self, publisher: UUID, key: int, up_to: int) -> bool:
        with self._writing() as connection:
            found = connection.execute(statements.CUT_UP_TO, [key, str(publisher)]).fetchone()
            last = min(up_to, found[1], found[0] + _CUT_AT_ONCE) if found else up_to
            if found and last > found[0]:
                statements.cut(connection, key, last)
        return last < min(up_to, found[1]) if found else False

    def begin_anew(self, publisher: UUID) -> None:
        """Renumber waiting events under a new publisher. Do nothing if the spool already has a new one.

        Under the old publisher, the inbox would wait forever for the removed events and never acknowledge later ones.
        """
        with self._writing() as connection:
            if connection.execute(statements.POINT).fetchone()[0] == str(publisher):
                statements.take_new_publisher(connection)

    def trim(self) -> None:
        """Checkpoint if the write-ahead log has grown large; no publish waits for it."""
        if self._log_bytes() > statements.LARGE_LOG_BYTES:
            self._checkpoint(emptying=False)

    def tidy(self) -> None:
        """Free disk space, and remove all text from the write-ahead log; for idle times."""
        free = 1
        while free:  # in small steps, so that a publish can run in between
            with self._reading() as connection:
                connection.execute("pragma incremental_vacuum(100)").fetchall()
                free = connection.execute("pragma freelist_count").fetchone()[0]
        if self._log_bytes():
            self._checkpoint(emptying=False)  # the long part, which blocks nobody
            self._checkpoint(emptying=True)

    def held(self) -> SpoolContents:
        """Return the contents of the spool."""
        if not self.exists():
            return SpoolContents(0, 0, 0, None, ())
        with self._reading() as connection:
            size = connection.execute("select bytes from spool").fetchone()[0]
            kept, oldest = connection.execute(statements.HELD_OLDEST).fetchone()
            rows = connection.execute(statements.HELD).fetchall()
        namespaces = tuple((_path(name), events) for name, events in rows)
        return SpoolContents(sum(events for _, events in namespaces), kept, size, oldest, namespaces)

    def others(self) -> list[Path]:
        """Return the other spools in its folder, which belong to another or an earlier broker or database address."""
        return sorted(path for path in self.path.parent.glob(f"*{self.path.suffix}") if path != self.path)

    def close(self) -> None:
        self._closed = True
        self.rest()

    def rest(self) -> None:
        """Close the connection until it is needed again, unless a signal handler has interrupted its use."""
        with self._in_use.between() as interrupted:
            if not interrupted:
                self._disconnect()

    def before_fork(self) -> None:
        """Wait for running operations, and close the connection."""
        self._tidying.acquire()
        self._in_use.before_fork()
        self._disconnect()

    def after_fork_in_parent(self) -> None:
        """Continue. The next use opens a new connection."""
        self._in_use.after_fork()
        self._tidying.release()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for reading. Raises SpoolUnavailable."""
        self._check_process()
        with self._in_use.use(), self._translated():
            yield self._open()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open an exclusive transaction on the file. Raises SpoolUnavailable."""
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

    def _check_process(self) -> None:
        """Detect an unnoticed fork. Call before taking the lock, which a thread of the parent may hold forever."""
        if self._connection is not None and self._opened is not None and self._opened[0] != os.getpid():
            raise SpoolUnavailable(
                "this process was forked without Python's fork hooks; call Memory.connect after the fork"
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
                # Never open an existing file here: closing it would drop all locks that this process has on it.
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE_FILE))
            connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
            )
            try:
                for pragma in statements.PRAGMAS:
                    connection.execute(pragma)
                self._prepare(connection)
                self._opened = os.getpid(), _identity(self.path)
            except BaseException:
                connection.close()
                raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file, or check an existing one, while no other process opens a spool in the folder."""
        version = connection.execute("pragma user_version").fetchone()[0]
        if version not in {0, statements.VERSION}:
            age = "a newer" if version > statements.VERSION else "an older"
            raise SpoolUnavailable(
                f"MOSSHEAD_SPOOL_DIR: the spool {self.path} was written by {age} version; use that one, or another folder"
            )
        started = ""
        with suppress(OSError):
            started = f":{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}"
        identity = f"{socket.gethostname()}{started}:{self.path.resolve()}:{self.path.stat().st_ino}"
        connection.execute("begin immediate")
        if version == 0:
            for statement in statements.TABLES:
                connection.execute(statement)
            connection.execute("insert into spool (publisher, identity) values (?, ?)", [str(uuid7()), identity])
        elif connection.execute("select identity from spool").fetchone()[0] != identity:
            # A copied file or a reboot: numbers already received must not count for the events that wait here.
            statements.take_new_publisher(connection)
            connection.execute("update spool set identity = ?", [identity])
        connection.execute("commit")

    def _forget_removed(self) -> None:
        """Disconnect from a removed file, since events written to it would be lost with this process."""
        if self._connection is None or self._opened is None:
            return
        with suppress(FileNotFoundError):
            if _identity(self.path) == self._opened[1]:
                return
        _log.warning("MOSSHEAD_SPOOL_DIR: the spool %s was removed while in use; creating a new one", self.path)
        self._disconnect()

    def _disconnect(self) -> None:
        # Keep this order: an interrupt may come in between.
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
        fix = next(fix for sign, fix in _FIXES if sign in reason)
        raise SpoolUnavailable(f"MOSSHEAD_SPOOL_DIR: the spool {self.path} cannot be used ({reason}); {fix}") from None

    def _checkpoint(self, *, emptying: bool) -> None:
        """Checkpoint the write-ahead log without blocking others. emptying: Also truncate it, if it is not in use."""
        with self._tidying, suppress(sqlite3.OperationalError):  # busy; try another time
            # mode=rw: do not recreate a removed file.
            connection = sqlite3.connect(f"{self.path.as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0)
            try:
                connection.execute(f"pragma wal_checkpoint({'truncate' if emptying else 'passive'})")
            finally:
                connection.close()

    def _log_bytes(self) -> int:
        with suppress(OSError):
            return self.path.with_name(f"{self.path.name}-wal").stat().st_size
        return 0


def _identity(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock a folder: SQLite does not wait for other processes when it switches a file to write-ahead mode."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _name(path: NamespacePath) -> str:
    return json.dumps(path.parts, ensure_ascii=False)


def _path(name: str) -> NamespacePath:
    return NamespacePath(tuple(json.loads(name)))


def spool_path(folder: Path, *, broker_url: str, database_url: str) -> Path:
    """Return the path of the spool's file. It does not depend on logins, so that a changed password keeps the same file.

    Raises ConfigurationError if an address is not a URL, or if the folder is in a home folder that does not exist.
    """
    broker = parse_broker_url(broker_url)
    places = "\n".join([*sorted(broker.hosts), broker.path, broker.master or "", _place(database_url)])
    try:
        whole = folder.expanduser().absolute()
    except RuntimeError:  # a container with an arbitrary user id
        raise ConfigurationError(
            f"MOSSHEAD_SPOOL_DIR: {folder} is in a home folder, but this user has none; set it to the absolute path of a "
            "folder on a persistent disk"
        ) from None
    return whole / f"{hashlib.sha256(places.encode()).hexdigest()[:16]}.spool"


def _place(url: str) -> str:
    try:
        parsed = parse_url(url)
    except ValueError:
        raise ConfigurationError(
            "MOSSHEAD_DATABASE_URL: not a URL; a / or @ in its password is written %2F, %40"
        ) from None
    hosts = [str(parsed.query.get(name, "")) for name in ("host", "port")]  # of a socket's folder, or of several hosts
    return "\n".join(map(str, (parsed.host, parsed.port, *hosts, parsed.database)))
