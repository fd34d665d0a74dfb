"""Starting points for tests: events, and rows written as the service writes them."""

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, cast
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray
from redis import Redis
from sqlalchemy import Connection, Engine, create_engine, text

from config.settings import Settings
from db import decisions, entities, inbox, lanes, leases, memories
from db.decisions import Stamp
from db.keys import BatchRef, LaneRef
from db.lanes import Claim
from db.leases import Lease
from db.memories import NewMemory
from mosshead.embeddings import CachedEmbedder, MiniLM
from mosshead.events import parse_event
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.paths import NamespacePath
from mosshead.store.connection import tenant_transaction
from mosshead.urls import sqlalchemy_url
from workers import scheduler
from workers.cli.indexing import index_scopes

Vector = NDArray[np.float32]

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NONE = timedelta(0)
LONG = timedelta(hours=1)
SOON = timedelta(milliseconds=1)
MINILM = CachedEmbedder(MiniLM(), size=20_000)
"""The local model. It embeds each text once for all tests."""

MODEL = MINILM.name


def event(path: Sequence[str] = ("acme", "sarah"), **given: Any) -> dict[str, Any]:
    """Return a valid message event as JSON, with some fields given."""
    fields: dict[str, Any] = {
        "type": "message",
        "version": 1,
        "event_id": str(uuid4()),
        "namespace": list(path),
        "publisher": str(uuid4()),
        "publisher_sequence": 1,
        "occurred_at": "2026-03-02T12:00:00+00:00",
        "role": "user",
        "content": "I like coffee",
    }
    return {**fields, **given}


def direction(*components: float) -> Vector:
    """Return a unit vector of the model's length, pointing along its first components."""
    vector = np.zeros(384, np.float32)
    vector[: len(components)] = components
    return vector / np.float32(np.linalg.norm(vector))


class Publishing:
    """A publisher's events of a namespace, put into the inbox without the queue."""

    def __init__(self, engine: Engine, path: NamespacePath) -> None:
        self.id = uuid4()
        self.path = path
        self.lane = LaneRef(path.tenant_id, path.namespace_id)
        self._engine = engine
        self._next = 1

    def another(self) -> "Publishing":
        """Return another publisher for the same namespace."""
        return Publishing(self._engine, self.path)

    def message(self, content: Any = "I like coffee", **given: Any) -> dict[str, Any]:
        """Return this publisher's next message, without sending it."""
        number = given.pop("number", self._next)
        self._next = max(self._next, number + 1)
        return event(self.path.parts, content=content, publisher=str(self.id), publisher_sequence=number, **given)

    def send(self, *events: Mapping[str, Any], quiet: timedelta = NONE, most: timedelta = NONE) -> int:
        """Put events into the inbox; return how many were new."""
        checked = [parse_event(one).model_dump_json(exclude_none=True) for one in events]
        with self._engine.begin() as connection:
            return inbox.publish(connection, checked, quiet=quiet, most=most)

    def say(self, *contents: str) -> list[UUID]:
        """Send messages that are due at once; return their ids."""
        events = [self.message(content) for content in contents]
        self.send(*events)
        return [UUID(one["event_id"]) for one in events]


def claim(
    engine: Engine,
    lane: LaneRef,
    *,
    messages: int = 100,
    tokens: int = 100_000,
    gap: timedelta = timedelta(hours=1),
) -> BatchRef | None:
    """Claim a lane as the scheduler does."""
    limits = {"batch_messages": messages, "batch_tokens": tokens, "gap_seconds": gap.total_seconds()}
    settings = _settings().model_copy(update=limits)
    with engine.begin() as connection:
        return next((batch for batch, _ in scheduler.claim(connection, [lane], settings)), None)


@cache
def _settings() -> Settings:
    return Settings()


def claimed(engine: Engine, lane: LaneRef, **limits: Any) -> BatchRef:
    """Claim a batch of a lane that is known to be due."""
    batch = claim(engine, lane, **limits)
    assert batch is not None
    return batch


def under_way(engine: Engine, lane: LaneRef) -> BatchRef:
    """Claim a batch without events, such as one for a profile."""
    batch = BatchRef(lane, uuid4())
    with engine.begin() as connection:
        lanes.claim(connection, [Claim(batch, lanes.STAGES[-1])], gap=NONE)
    return batch


def contents_of(engine: Engine, batch: BatchRef) -> list[Any]:
    """Return the contents of a batch's messages, in order."""
    with tenant_transaction(engine, batch.lane.tenant_id) as connection:
        return [payload["content"] for payload in inbox.events_of_batch(connection, batch)]


class Worker:
    """A worker's view of a lane; each call is a transaction."""

    def __init__(self, engine: Engine, lane: LaneRef) -> None:
        self.engine = engine
        self.lane = lane

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction of the lane's tenant."""
        with tenant_transaction(self.engine, self.lane.tenant_id) as connection:
            yield connection

    def lease(
        self, batch: BatchRef, stage: str = "extract", *, owner: str = "a task", lasting: timedelta = LONG
    ) -> Lease | None:
        """Take the lease of a stage, if possible."""
        with self.transaction() as connection:
            return leases.take(connection, batch, stage, owner=owner, lasting=lasting)

    def leased(self, batch: BatchRef, stage: str = "extract", **given: Any) -> Lease:
        """Take the lease of a stage that is known to be due."""
        lease = self.lease(batch, stage, **given)
        assert lease is not None
        return lease

    def holds(self, lease: Lease) -> bool:
        """Whether a lease still allows storing a result."""
        with self.transaction() as connection:
            return leases.holds(connection, lease)

    def advance(self, lease: Lease) -> str:
        """End a stage successfully; return the next."""
        with self.transaction() as connection:
            return leases.advance(connection, lease)

    def put_off(self, lease: Lease, delay: timedelta = NONE, *, counts: bool = False) -> None:
        """Put a stage off for a retry."""
        with self.transaction() as connection:
            leases.put_off(connection, lease, error="ValueError", delay=delay, counts=counts)

    def crash(self, batch: BatchRef, stage: str = "extract") -> Lease:
        """Take a lease and let it lapse."""
        return self.leased(batch, stage, lasting=-SOON)

    def finish(self, batch: BatchRef) -> None:
        """Complete every stage of a batch, so that its events take effect."""
        stage = lanes.STAGES[0]
        while stage != lanes.DONE:
            with self.transaction() as connection:
                lease = leases.take(connection, batch, stage, owner="a task", lasting=LONG)
                assert lease is not None
                if stage == "consolidate":
                    inbox.mark_done(connection, batch)
                stage = leases.advance(connection, lease)

    def owe_profiles(self) -> None:
        """Make a profile of the lane due."""
        with self.transaction() as connection:
            entities.put_off_profiles(connection, self.lane, pause=NONE)

    def split(self, batch: BatchRef) -> None:
        """Split a batch that crashed too often: return its events to the lane, each to be taken alone."""
        with self.transaction() as connection:
            lease = leases.take(connection, batch, "extract", owner="a task", lasting=LONG)
            assert lease is not None
            inbox.give_back(connection, batch)
            leases.end(connection, lease, "split", error="ended its worker 2 times")


class Remembering:
    """Writes memories and entities with the service's own statements."""

    def __init__(self, engine: Engine, lane: LaneRef) -> None:
        self._engine = engine
        self.lane = lane

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction of the namespace's tenant."""
        with tenant_transaction(self._engine, self.lane.tenant_id) as connection:
            yield connection

    @contextmanager
    def stamped(self) -> Iterator[tuple[Connection, Stamp]]:
        """Open a transaction of the namespace's tenant, with the mark of a decision made in it."""
        with self.transaction() as connection:
            (stamp,) = decisions.stamps(connection, 1)
            yield connection, stamp

    def memory(
        self,
        content: str,
        vector: Vector | None = None,
        *,
        about: Mapping[UUID, tuple[str, str]] | None = None,
        **given: Any,
    ) -> UUID:
        """Store a memory, linked to its entities (entity: role, certainty)."""
        new = new_memory(content, **given)
        with self.stamped() as (connection, stamp):
            memories.add(connection, self.lane, new, stamp)
            if vector is not None:
                memories.set_vectors(connection, self.lane, MODEL, "memory", {new.memory_id: vector})
            memories.link(connection, self.lane, new.memory_id, about or {}, stamp)
            entities.touch_profiles(connection, self.lane, list(about or {}))
        return new.memory_id

    def memories(
        self,
        contents: Sequence[str],
        vectors: Sequence[Vector] | None = None,
        *,
        about: Mapping[UUID, tuple[str, str]] | None = None,
        **given: Any,
    ) -> list[UUID]:
        """Store several memories about the same entities, in a few statements."""
        new = [new_memory(content, **given) for content in contents]
        ids = [one.memory_id for one in new]
        with self.stamped() as (connection, stamp):
            memories.add_all(connection, self.lane, [(one, stamp) for one in new])
            if vectors is not None:
                by_id = dict(zip(ids, vectors, strict=True))
                memories.set_vectors(connection, self.lane, MODEL, "memory", by_id)
            if about:
                links = [((memory_id, whom, *how), stamp) for memory_id in ids for whom, how in about.items()]
                memories.link_all(connection, self.lane, links)
                entities.touch_profiles(connection, self.lane, list(about))
        return ids

    def entity(self, name: str, **given: Any) -> UUID:
        """Store an entity."""
        new = registered(name, **given)
        with self.stamped() as (connection, stamp):
            entities.save(connection, self.lane, [new], stamp)
        return new.entity_id


def registered(name: str, **given: Any) -> RegisteredEntity:
    """Return an entity of the registry; by default, a person."""
    fields: dict[str, Any] = {"entity_id": uuid4(), "name": name, "entity_type": EntityType.PERSON}
    return RegisteredEntity(**{**fields, **given})


def new_memory(content: str, **given: Any) -> NewMemory:
    """Return a plain fact, said at noon, with some columns given."""
    fields: dict[str, Any] = {
        "memory_id": uuid4(),
        "kind": "fact",
        "content": content,
        "salience": 5.0,
        "factors": {},
        "confidence": 0.9,
        "tier": "solid",
        "attribute": None,
        "value": None,
        "occurred_from": None,
        "occurred_to": None,
        "granularity": None,
        "valid_from": NOON,
    }
    return NewMemory(**{**fields, **given})


@dataclass(frozen=True)
class Hint:
    """A task's message waiting in Redis. text: all of it, decoded."""

    task: str
    arguments: tuple[str, ...]
    text: str


def waiting_hints(broker: Redis) -> list[Hint]:
    """Return the hints that no worker has taken."""
    found = []
    for queue in ("extract", "score", "embed", "consolidate", "profile", "reflect"):
        for message in reversed(cast("list[bytes]", broker.lrange(f"mosshead:tasks:{queue}", 0, -1))):
            envelope = json.loads(message)
            body = base64.b64decode(envelope["body"]).decode()
            found.append(Hint(envelope["headers"]["task"], tuple(json.loads(body)[0]), f"{envelope['headers']}{body}"))
    return found


def as_text(one: Mapping[str, Any]) -> str:
    """Return an event as it is sent."""
    return json.dumps(one)


def generic_plan(connection: Connection, statement: str) -> dict[str, Any]:
    """Return the generic plan of a statement: the topmost node, with its children as ``Plans``."""
    numbers: dict[str, int] = {}
    numbered = re.sub(r"%\((\w+)\)s", lambda one: f"${numbers.setdefault(one[1], len(numbers) + 1)}", statement)
    rows = connection.exec_driver_sql(
        f"explain (generic_plan, verbose, costs off, format json) {numbered.replace('%%', '%')}"
    )
    plan: dict[str, Any] = rows.scalar_one()[0]["Plan"]
    return plan


def workers_with(engine: Engine, slots: int, *, seen_ago: timedelta = NONE, name: str = "a worker") -> None:
    """Register live workers with some slots, as seen by dispatching."""
    with engine.begin() as connection:
        connection.execute(
            text("""
                insert into mosshead.workers (worker, slots, seen_at) values (:name, :slots, now() - cast(:ago as interval))
                on conflict (worker) do update set slots = excluded.slots, seen_at = excluded.seen_at
            """),
            {"name": name, "slots": slots, "ago": seen_ago},
        )


def nothing_at_work(engine: Engine) -> None:
    """Reset what earlier tests left: no due lanes, waiting events, open batches, live workers, or providers down."""
    with engine.begin() as connection:
        connection.exec_driver_sql("""
            update mosshead.lanes
            set ready_at = null, lease_until = null, lease_owner = null, erase_due_at = null, pending = 0, batch_id = null
            where pending > 0 or num_nonnulls(ready_at, lease_until, lease_owner, erase_due_at, batch_id) > 0
        """)
        connection.exec_driver_sql(
            "update mosshead.batches set stage = 'done', finished_at = now() where finished_at is null"
        )
        connection.exec_driver_sql("delete from mosshead.workers")
        connection.exec_driver_sql("delete from mosshead.breakers")


def until_logged(logs: Sequence[Mapping[str, Any]], event: str, *, within: float = 30.0) -> Callable[[], bool]:
    """Return a stop condition for a process of the service: an event is in its log, or a time has passed. Thread-safe."""
    end = time.monotonic() + within
    return lambda: time.monotonic() > end or any(one["event"] == event for one in logs)


def until_blocked(engine: Engine, table: str, *, count: int = 1) -> None:
    """Wait until this many statements that name a table are blocked by another transaction's lock."""
    deadline = time.monotonic() + 30
    statement = text("""
        select count(*) from pg_stat_activity
        where wait_event_type = 'Lock' and query like :named and datname = current_database()
    """)
    while True:
        with engine.connect() as connection:
            if connection.execute(statement, {"named": f"%{table}%"}).scalar_one() >= count:
                return
        assert time.monotonic() < deadline, f"nothing waits for {table}"
        time.sleep(0.01)


def terminate_blocked(engine: Engine, statement: str) -> None:
    """Terminate the connections on which such a statement waits for a lock, as a crashing database would."""
    with engine.begin() as connection:
        connection.execute(
            text("""
                select pg_terminate_backend(pid) from pg_stat_activity
                where wait_event_type = 'Lock' and query like :part and datname = current_database()
            """),
            {"part": f"%{statement}%"},
        )


def index_own(admin_url: str, tenant_id: UUID, *, outgrown: int) -> None:
    """Index what a tenant has more than this many rows of, but not other tests' namespaces, which would take long."""
    others = text("update mosshead.scopes set memories = -memories, turns = -turns where tenant_id <> :tenant_id")
    engine = create_engine(sqlalchemy_url(admin_url, "MOSSHEAD_ADMIN_URL"))

    def turn_others() -> None:
        with engine.begin() as connection:
            connection.execute(others, {"tenant_id": tenant_id})

    turn_others()
    try:
        index_scopes(admin_url, outgrown=outgrown, shrunk=outgrown)
    finally:
        turn_others()
        engine.dispose()
