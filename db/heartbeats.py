"""Heartbeats: which workers are alive, and how many tasks each can run at once. On the database's clock, across tenants."""

from datetime import timedelta

from sqlalchemy import Connection, text

ALIVE = timedelta(seconds=30)
"""How old a heartbeat may be for its worker to count; they come every few seconds."""


def beat(connection: Connection, worker: str, slots: int, model: str) -> None:
    """Note that a worker is alive.

    worker: its node name, which no other has. slots: how many tasks it can run at once. model: what it embeds with.
    """
    connection.execute(_BEAT, {"worker": worker, "slots": slots, "model": model})


def leave(connection: Connection, worker: str) -> None:
    """Note that a worker takes no more tasks, rather than have it counted until its last heartbeat is old."""
    connection.execute(_LEAVE, {"worker": worker})


_BEAT = text("""
    insert into mosshead.workers (worker, slots, model, seen_at) values (:worker, :slots, :model, now())
    on conflict (worker) do update set slots = excluded.slots, model = excluded.model, seen_at = excluded.seen_at
""")

_LEAVE = text("delete from mosshead.workers where worker = :worker")
