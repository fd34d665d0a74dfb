"""The spool's SQLite tables and statements, and steps that several of its methods share."""

import sqlite3

from mosshead.ids import uuid7

VERSION = 2
LARGE_LOG_BYTES = 16 * 2**20

PRAGMAS = (
    "pragma auto_vacuum = incremental",  # must be set before the first table is created
    "pragma journal_mode = wal",
    "pragma synchronous = normal",
    "pragma secure_delete = on",
    # The shipper does the checkpoints, so that no publish waits for the disk; this is a fallback.
    "pragma wal_autocheckpoint = 10000",
    # SQLite reuses a checkpointed log without shrinking it, so `trim` would consider it large forever.
    f"pragma journal_size_limit = {LARGE_LOG_BYTES // 16}",
)

TABLES = (
    # point: The number of appends. bytes: The size of the events' bodies.
    "create table spool (publisher text not null, identity text not null, point integer default 0, bytes integer default 0)",
    # changed: The point of its newest event.
    """create table namespaces (
        key integer primary key, name text not null unique,
        newest integer not null default 0, received_up_to integer not null default 0, cut_up_to integer not null default 0,
        changed integer not null default 0
    )""",
    "create index namespaces_changed on namespaces (changed)",
    "create index namespaces_kept on namespaces (key) where received_up_to > cut_up_to",
    # at: When the spool learned that the events up to a number are received, in Unix time.
    """create table received (
        namespace integer not null references namespaces, up_to integer not null, at real not null,
        primary key (namespace, up_to)
    ) without rowid""",
    "create index received_at on received (at)",
    """create table events (
        namespace integer not null references namespaces, number integer not null, body blob not null, spooled_at real not null,
        primary key (namespace, number)
    ) without rowid""",
    f"pragma user_version = {VERSION}",
)

COUNTERS = "select point, bytes, key, coalesce(newest, 0) from spool left join namespaces on name = ?"
ADD_NAMESPACE = "insert into namespaces (name) values (?)"
ADD = "insert into events (namespace, number, body, spooled_at) values (?, ?, ?, ?)"
MOVE_NAMESPACE = "update namespaces set newest = ?, changed = ? where key = ?"
MOVE_SPOOL = "update spool set point = ?, bytes = ?"
NEWEST = "select publisher, coalesce(newest, 0) from spool left join namespaces on name = ?"
POINT = "select publisher, point from spool"
CHANGED = """
    select key, name, received_up_to, newest from namespaces where changed > ? and newest > received_up_to order by changed
"""
# A future time was noted before the clock was set back.
KEPT = """
    select key, name, received_up_to,
           (select max(up_to) from received where namespace = key and at not between ? and ?) as due_up_to
    from namespaces indexed by namespaces_kept where received_up_to > cut_up_to and key > ? order by key limit ?
"""
COUNTED = "select received_up_to, newest from namespaces where key = ? and (select publisher from spool) = ?"
MOVE_RECEIVED = "update namespaces set received_up_to = ? where key = ?"
NOTE_RECEIVED = "insert into received (namespace, up_to, at) values (?, ?, ?)"
# The remaining events were received with the lost ones, and are due at the same time.
NOTE_REMAINDER = """
    insert or ignore into received (namespace, up_to, at)
    select key, received_up_to, min(at) from namespaces join received on namespace = key and up_to > received_up_to where key = ?
"""
FORGET_RECEIVED = (
    "delete from received where namespace = ?1 and up_to > (select received_up_to from namespaces where key = ?1)"
)
FIRST_RECEIVED = "select namespace, up_to from received order by at, up_to limit 1"
TAKE_BACK = """
    update namespaces set received_up_to = max(:up_to, cut_up_to), changed = (select point + 1 from spool)
    where key = :key and received_up_to > max(:up_to, cut_up_to) and (select publisher from spool) = :publisher
"""
READ = """
    select number, body from events
    where (select publisher from spool) = ? and namespace = ? and number between ? and ? order by number
"""
SIZES = "select length(body) from events where namespace = ? and number between ? and ? order by number"
WAITING_ERASURES = """
    select number, body from events join namespaces on key = namespace
    where key = ? and number > received_up_to and (select publisher from spool) = ?
      and instr(cast(body as text), '"type":"erase"') > 0 order by number
"""
# Replace them with empty imports under the same ids, so that no number is missing.
EMPTY = """
    update events set body = (
        select cast(json_object('version', 1, 'event_id', json_extract(text, '$.event_id'),
                                'namespace', json_extract(text, '$.namespace'),
                                'occurred_at', json_extract(text, '$.occurred_at'), 'type', 'import') as blob)
        from (select cast(body as text) as text))
    where namespace = :key and number < :before and instr(cast(body as text), '"type":"erase"') = 0 and (
        :everything or json_extract(cast(body as text), '$.conversation') = :conversation
        or json_extract(cast(body as text), '$.event_id') in (select value from json_each(:ids)))
"""
CUT_UP_TO = "select cut_up_to, received_up_to from namespaces where key = ? and (select publisher from spool) = ?"
SIZE = "select coalesce(sum(length(body)), 0) from events where namespace = ? and number <= ?"
HELD_OLDEST = """
    select count(*) filter (where number <= received_up_to), min(spooled_at) filter (where number > received_up_to)
    from events join namespaces on namespaces.key = events.namespace
"""
HELD = """
    select namespaces.name, count(*) as waiting from events join namespaces on namespaces.key = events.namespace
    where number > received_up_to group by namespaces.key order by waiting desc, namespaces.name
"""


def take_new_publisher(connection: sqlite3.Connection) -> None:
    """Renumber all events from 1 under a new publisher; kept ones wait again. Events that arrive under both publishers are
    stored once, by their id."""
    connection.execute("update events set number = number - (select cut_up_to from namespaces where key = namespace)")
    connection.execute("update namespaces set newest = newest - cut_up_to, cut_up_to = 0, received_up_to = 0")
    connection.execute("delete from received")
    connection.execute("update spool set publisher = ?", [str(uuid7())])


def cut(connection: sqlite3.Connection, key: int, up_to: int) -> int:
    """Remove a namespace's events up to a number, and return their size."""
    size = int(connection.execute(SIZE, [key, up_to]).fetchone()[0])
    connection.execute("delete from events where namespace = ? and number <= ?", [key, up_to])
    connection.execute("delete from received where namespace = ? and up_to <= ?", [key, up_to])
    connection.execute("update namespaces set cut_up_to = ? where key = ?", [up_to, key])
    connection.execute("update spool set bytes = bytes - ?", [size])
    return size


def give_room(connection: sqlite3.Connection, wanted: int) -> int:
    """Remove the events received first until ``wanted`` bytes are free or none is kept. Return the bytes freed."""
    freed = 0
    while freed < wanted and (first := connection.execute(FIRST_RECEIVED).fetchone()):
        freed += cut(connection, *first)
    return freed
