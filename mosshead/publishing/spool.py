"""The spool: what was published and is not known to be in the inbox yet, in a local SQLite file. All of its SQL is here.

One spool is one publisher, however many processes use it. It numbers the events of each namespace from 1 without gaps; the
counters stay when the events are cut.
"""

import json
import socket
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from mosshead.errors import SpoolFull, SpoolUnavailable
from mosshead.ids import uuid7
from mosshead.namespaces import NamespacePath
from mosshead.publishing.spool_file import SpoolFile

_VERSION = 1
_LARGE_LOG_BYTES = 16 * 2**20
_CUT_AT_ONCE = 100
_PAGES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Waiting:
    """A namespace with events in the spool: those after cut_up_to, up to newest. key: the spool's own name for it."""

    key: int
    path: NamespacePath
    cut_up_to: int
    newest: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The namespaces that were published to since a point of the spool's time, and the point that it has come to."""

    publisher: UUID
    point: int
    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What a spool holds. oldest: when its oldest was published, in Unix seconds. namespaces: events of each, most first."""

    events: int
    bytes: int
    oldest: float | None
    namespaces: tuple[tuple[NamespacePath, int], ...]


class Spool:
    """A spool in a file, for this process and others; safe to share between threads and usable on both sides of a fork.

    Every method raises SpoolUnavailable where the file cannot be used; nothing is half done then.
    """

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        self.path = path
        self._most_bytes = most_bytes
        self._file = SpoolFile(path, self._prepare)

    def exists(self) -> bool:
        """Whether the file was made yet; the first append does that."""
        return self._file.exists()

    def append(self, path: NamespacePath, bodies: Sequence[str]) -> None:
        """Store events of a namespace (JSON text without their numbers) and number them, all or none.

        Raises SpoolFull where they would make it larger than it may be.
        """
        rows = [body.encode() for body in bodies]
        size = sum(map(len, rows))
        with self._file.writing() as connection:
            point, held, key, newest = connection.execute(_COUNTERS, [_name(path)]).fetchone()
            if held + size > self._most_bytes:
                raise self._full(held)
            if key is None:
                key = connection.execute(_ADD_NAMESPACE, [_name(path)]).lastrowid
            now = time.time()
            connection.executemany(_ADD, [(key, newest + place, row, now) for place, row in enumerate(rows, 1)])
            connection.execute(_MOVE_NAMESPACE, [newest + len(rows), point + 1, key])
            connection.execute(_MOVE_SPOOL, [point + 1, held + size])

    def newest(self, path: NamespacePath) -> tuple[UUID, int]:
        """The publisher, and the newest number that it gave in a namespace; 0 for none."""
        with self._file.reading() as connection:
            publisher, newest = connection.execute(_NEWEST, [_name(path)]).fetchone()
        return UUID(publisher), newest

    def changes(self, since: int) -> Changes:
        """The namespaces with events that were published to after a point, 0 for all."""
        with self._file.reading() as connection:
            publisher, point = connection.execute(_POINT).fetchone()
            rows = connection.execute(_CHANGED, [since]).fetchall() if point > since else []
        waiting = tuple(Waiting(key, _path(name), cut_up_to, newest) for key, name, cut_up_to, newest in rows)
        return Changes(UUID(publisher), point, waiting)

    def read(self, publisher: UUID, key: int, first: int, last: int) -> list[tuple[int, str]]:
        """Some of a namespace's events with their numbers, in order; none where the spool has another publisher by now."""
        with self._file.reading() as connection:
            rows = connection.execute(_READ, [str(publisher), key, first, last]).fetchall()
        return [(number, body.decode()) for number, body in rows]

    def sizes(self, key: int, first: int, last: int) -> list[int]:
        """The bytes of some of a namespace's events, in order."""
        with self._file.reading() as connection:
            return [size for (size,) in connection.execute(_SIZES, [key, first, last])]

    def cut(self, publisher: UUID, key: int, up_to: int) -> None:
        """Remove a namespace's events up to a number: the inbox has them. Nothing where the spool has another publisher by now.

        A number that this spool has not given yet was given by a copy of it, under the same name. What waits then gets another
        publisher's numbers, or it would be taken for received.
        """
        while self._cut_some(publisher, key, up_to):
            pass  # between two of them a publish may have its turn

    def _cut_some(self, publisher: UUID, key: int, up_to: int) -> bool:
        with self._file.writing() as connection:
            found = connection.execute(_CUT_UP_TO, [key, str(publisher)]).fetchone()
            cut_up_to, newest = found or (up_to, up_to)
            if up_to > newest:
                _take_new_publisher(connection)
                return False
            last = min(up_to, cut_up_to + _CUT_AT_ONCE)
            if last > cut_up_to:
                size = connection.execute(_SIZE, [key, last]).fetchone()[0]
                connection.execute(_CUT, [key, last])
                connection.execute(_MOVE_CUT, [last, key])
                connection.execute(_SHRINK, [size])
        return last < up_to

    def begin_anew(self, publisher: UUID) -> None:
        """Number what waits anew, as another publisher; nothing where the spool has another by now.

        What was cut and is in no inbox any more will never come. Under the old name, the inbox would wait for it before it said
        that it has what follows.
        """
        with self._file.writing() as connection:
            if connection.execute(_POINT).fetchone()[0] == str(publisher):
                _take_new_publisher(connection)

    def trim(self) -> None:
        """Checkpoint where the write-ahead log has grown large; nobody waits for it."""
        if self._file.log_bytes() > _LARGE_LOG_BYTES:
            self._file.checkpoint(emptying=False)

    def tidy(self) -> None:
        """For an idle hour, when nothing waits: give space back, and leave no text behind in the write-ahead log."""
        free = 1
        while free:  # little by little, for a publish may come
            with self._file.reading() as connection:
                connection.execute(_VACUUM).fetchall()
                free = connection.execute("pragma freelist_count").fetchone()[0]
        if self._file.log_bytes():
            self._file.checkpoint(emptying=False)  # the long part, while others go on
            self._file.checkpoint(emptying=True)

    def held(self) -> Held:
        """What is in it."""
        if not self.exists():
            return Held(0, 0, None, ())
        with self._file.reading() as connection:
            size = connection.execute("select bytes from spool").fetchone()[0]
            oldest = connection.execute("select min(spooled_at) from events").fetchone()[0]
            rows = connection.execute(_HELD).fetchall()
        namespaces = tuple((_path(name), events) for name, events in rows)
        return Held(sum(events for _, events in namespaces), size, oldest, namespaces)

    def others(self) -> list[Path]:
        """The other spools of its folder: of another broker or database, or of one whose address was changed."""
        return sorted(path for path in self.path.parent.glob(f"*{self.path.suffix}") if path != self.path)

    def close(self) -> None:
        """Close the file; what is in it stays."""
        self._file.close()

    def rest(self) -> None:
        """Close the file until it is needed again."""
        self._file.rest()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("pragma user_version").fetchone()[0]
        if version > _VERSION:
            raise SpoolUnavailable(
                f"MOSSHEAD_SPOOL_DIR: the spool {self.path} was written by a newer version; use that one, or another folder"
            )
        identity = f"{_machine()}:{self.path.resolve()}:{self.path.stat().st_ino}"
        connection.execute("begin immediate")
        if version == 0:
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute("insert into spool (publisher, identity) values (?, ?)", [str(uuid7()), identity])
        elif connection.execute("select identity from spool").fetchone()[0] != identity:
            # A copy, or the machine was off. The original may be at work, or the last numbers before a power cut may be gone from
            # here and not from the inbox: what arrived under them must not count for what waits here.
            _take_new_publisher(connection)
            connection.execute("update spool set identity = ?", [identity])
        connection.execute("commit")

    def _full(self, held: int) -> SpoolFull:
        return SpoolFull(
            f"MOSSHEAD_SPOOL_BYTES: the spool {self.path} holds {held:,} of at most {self._most_bytes:,} bytes, and has no room "
            "for this; check that Redis and the intake run ('mosshead spool' says what waits), publish less at once, or raise it"
        )


def _take_new_publisher(connection: sqlite3.Connection) -> None:
    """Number what waits from 1 again, under a new name. What arrives under both is harmless, by the ids of the events."""
    connection.execute("update events set number = number - (select cut_up_to from namespaces where key = namespace)")
    connection.execute("update namespaces set newest = newest - cut_up_to, cut_up_to = 0")
    connection.execute("update spool set publisher = ?", [str(uuid7())])


def _machine() -> str:
    """This machine, since it was last started."""
    with suppress(OSError):
        return f"{socket.gethostname()}:{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}"
    return socket.gethostname()


def _name(path: NamespacePath) -> str:
    return json.dumps(path.parts, ensure_ascii=False)


def _path(name: str) -> NamespacePath:
    return NamespacePath(tuple(json.loads(name)))


_TABLES = (
    # point: counts the appends. bytes: of the events' bodies.
    "create table spool (publisher text not null, identity text not null, point integer default 0, bytes integer default 0)",
    # changed: the point of its newest event.
    """create table namespaces (
        key integer primary key, name text not null unique,
        newest integer not null default 0, cut_up_to integer not null default 0, changed integer not null default 0
    )""",
    "create index namespaces_changed on namespaces (changed)",
    """create table events (
        namespace integer not null references namespaces, number integer not null, body blob not null, spooled_at real not null,
        primary key (namespace, number)
    ) without rowid""",
    f"pragma user_version = {_VERSION}",
)

_COUNTERS = """
    select spool.point, spool.bytes, namespaces.key, coalesce(namespaces.newest, 0)
    from spool left join namespaces on namespaces.name = ?
"""
_ADD_NAMESPACE = "insert into namespaces (name) values (?)"
_ADD = "insert into events (namespace, number, body, spooled_at) values (?, ?, ?, ?)"
_MOVE_NAMESPACE = "update namespaces set newest = ?, changed = ? where key = ?"
_MOVE_SPOOL = "update spool set point = ?, bytes = ?"

_NEWEST = (
    "select spool.publisher, coalesce(namespaces.newest, 0) from spool left join namespaces on namespaces.name = ?"
)

_POINT = "select publisher, point from spool"
_CHANGED = (
    "select key, name, cut_up_to, newest from namespaces where changed > ? and newest > cut_up_to order by changed"
)
_READ = """
    select number, body from events
    where (select publisher from spool) = ? and namespace = ? and number between ? and ? order by number
"""

_SIZES = "select length(body) from events where namespace = ? and number between ? and ? order by number"

_CUT_UP_TO = "select cut_up_to, newest from namespaces where key = ? and (select publisher from spool) = ?"
_SIZE = "select coalesce(sum(length(body)), 0) from events where namespace = ? and number <= ?"
_CUT = "delete from events where namespace = ? and number <= ?"
_MOVE_CUT = "update namespaces set cut_up_to = ? where key = ?"
_SHRINK = "update spool set bytes = bytes - ?"
_VACUUM = f"pragma incremental_vacuum({_PAGES_AT_ONCE})"

_HELD = """
    select namespaces.name, count(*) as waiting from events join namespaces on namespaces.key = events.namespace
    group by namespaces.key order by waiting desc, namespaces.name
"""
