"""Publish through the spool: `publish` appends to a local file, and the shipper, a thread, sends the events to the queue.

The shipper removes events that the inbox has had for a while, and resends those that the inbox has lost since, as in a failover.
One process ships for all processes on a spool; if it dies, another takes over.
The shipper may wait for Redis, Postgres and the disk; `publish` never waits for the shipper.
"""

import fcntl
import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread, current_thread
from uuid import UUID
from weakref import finalize

from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.exc import DBAPIError

from mosshead import fork_safety
from mosshead.errors import QueueUnavailable, SpoolUnavailable, StoreUnavailable
from mosshead.paths import NamespacePath
from mosshead.publishing.publishers import CheckedEvent, numbered
from mosshead.publishing.queue import EventQueue, Window
from mosshead.publishing.signing import SigningKey, sign
from mosshead.publishing.spool import Spool, SpooledErasure
from mosshead.store import memories
from mosshead.store.connection import tenant_transaction
from mosshead.urls import NOT_PREPARED, primary_of

_LAST_CALL_SECONDS = 2.0
_STAND_BY_SECONDS = 0.5
_HAND_OVER_SECONDS = 0.2  # the shipping process may be about to end, too
_LOOK_SECONDS = 0.1  # events of other processes do not wake this thread
_BREATH_SECONDS = 0.01  # collect a burst, and leave the interpreter to the app's threads


class SpoolPublisher:
    """Publishes through a spool, which other processes may share. It is thread-safe and fork-safe.

    spool: Knows what was published (`Spool.published`).
    """

    def __init__(
        self, *, spool: Spool, queue: EventQueue, database_url: URL, key: SigningKey | None, prepared: bool = True
    ) -> None:
        self.spool = spool
        self._shipper = Shipper(spool, queue, database_url, key, prepared=prepared)
        # Both also run on garbage collection, the later one first. At interpreter exit only shipping ends: events that the app
        # publishes from its own `atexit` functions are stored for the next process.
        self._close = finalize(self, spool.close)
        self._close.atexit = False
        self._end = finalize(self, _end, self._shipper, spool)
        if spool.exists():
            self._shipper.notice()  # a process that died may have left events

    def publish(self, path: NamespacePath, events: Sequence[CheckedEvent]) -> None:
        """Store events of one namespace in order, all or none. Raises SpoolFull and SpoolUnavailable."""
        self.spool.append(path, [event.body for event in events], erasures_among(events))
        self._shipper.notice()

    def close(self) -> None:
        """Ship unsent events for at most two seconds, and stop. Events left over stay for the next process on the spool."""
        self._end()
        self._close()


def erasures_among(events: Sequence[CheckedEvent]) -> list[SpooledErasure]:
    """Return the erasures among events that are published together."""
    return [
        SpooledErasure(place, one.everything, one.conversation, one.single_events)
        for place, event in enumerate(events)
        if (one := event.erasure)
    ]


def _end(shipper: "Shipper", spool: Spool) -> None:
    if shipper.stop(_LAST_CALL_SECONDS):
        spool.rest()


@dataclass(slots=True)
class Peer:
    """The availability of a peer, and when to try it next, by the monotonic clock."""

    name: str
    due: float = 0.0
    away: bool = False
    _pause: float = 0.1

    def answered(self) -> bool:
        """Record an answer, and return whether the peer was unavailable before."""
        was_away, self.away, self._pause = self.away, False, 0.1
        if was_away:
            _log.info("%s is available again", self.name)
        return was_away

    def failed(self, reason: str) -> None:
        """Record a failure, and log the first one. Retry after 0.1 seconds, then 0.2 and so on up to 1."""
        if not self.away:
            _log.warning("%s is unavailable; retrying: %s", self.name, reason)
        self.away = True
        self.due = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, 1.0)


class Shipper(fork_safety.Forkable):
    """Ships in its own thread, which each process starts on first use.

    database_url: Of a reader's login; of several hosts, it asks the primary. prepared: Whether its connection prepares
    statements. key: Signs events when they are shipped, so that correcting a wrong key also fixes events already spooled.
    """

    def __init__(
        self, spool: Spool, queue: EventQueue, database_url: URL, key: SigningKey | None, *, prepared: bool
    ) -> None:
        self._spool, self._queue = spool, queue
        self._engine = create_engine(
            primary_of(database_url),
            pool_size=1,
            max_overflow=0,
            hide_parameters=True,
            connect_args=_CONNECT_ARGS | ({} if prepared else NOT_PREPARED),
        )
        fork_safety.watch_engine(self._engine)
        self._ship = partial(Shipment, spool, queue, self._engine, key)
        self._ours = ShippingLock(spool.path)
        self._begin()
        fork_safety.watch(self)

    def _begin(self) -> None:
        self._starting = Lock()
        self._thread: Thread | None = None
        self._published = Event()
        self._waking = False
        self._stopping = Event()
        self._stop_by = self._hand_over_by = 0.0
        self._shipment: Shipment | None = None

    def notice(self) -> None:
        """Start the thread if this process has none, or wake it, after something was published."""
        if self._thread is None:
            started = Thread(target=self._run, name="mosshead-shipper", daemon=True)
            # Call nothing while holding the lock: a signal handler that publishes would deadlock.
            with self._starting:
                chosen = self._thread is None
                if chosen:
                    self._thread = started
            if chosen:
                try:
                    started.start()
                except (
                    RuntimeError
                ):  # no thread can be started: the event is in the file, and the next publish tries again
                    self._thread = None
        self._wake()

    def stop(self, patience: float) -> bool:
        """Ship unsent events for at most ``patience`` seconds, and stop. Unacknowledged events stay in the spool.

        Return False if called in the thread itself, as by garbage collection; it cannot join itself and closes the spool later.
        """
        now = time.monotonic()
        self._stop_by, self._hand_over_by = now + patience, now + min(patience, _HAND_OVER_SECONDS)
        self._stopping.set()
        self._wake()
        thread = self._thread
        if thread is current_thread():
            return False
        if thread is not None:
            with suppress(RuntimeError):  # not started yet, if a signal handler came in between; it will end at once
                thread.join(patience)
        return True

    def after_fork_in_child(self) -> None:
        """Start afresh: the thread belongs to the parent; the child starts its own with its first publish."""
        self._begin()

    def _run(self) -> None:
        disk = Peer("the spool")
        over = False
        while not over:
            asked_to_stop = (
                self._stopping.is_set()
            )  # check before the round, so that it sees everything published until then
            more = self._round(disk)
            over = asked_to_stop and self._over()
            if not over:
                self._rest(more=more)
        self._ours.give_back()
        self._engine.dispose()
        self._queue.close()
        self._spool.rest()

    def _round(self, disk: Peer) -> bool:
        """Do one step if this process is the one that ships. Return whether there is more to do at once."""
        if time.monotonic() < disk.due or self._too_late():
            return False
        try:
            if self._shipment is None and self._ours.take():
                self._shipment = self._ship()
            if self._shipment is None:
                self._spool.trim()
            more = self._shipment is not None and self._shipment.step()
        except SpoolUnavailable as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - the edge of a thread; the error may contain conversation text
            reason = type(error).__name__
        else:
            disk.answered()
            return more
        self._shipment = None  # the next one starts from the state of the file
        if not self._too_late():  # the app has closed the spool since
            disk.failed(reason)
        return False

    def _too_late(self) -> bool:
        return self._stopping.is_set() and time.monotonic() >= self._stop_by

    def _over(self) -> bool:
        if self._shipment is None:
            return time.monotonic() >= self._hand_over_by
        return not self._shipment.unsent or time.monotonic() >= self._stop_by

    def _rest(self, *, more: bool) -> None:
        if more or self._stopping.is_set():
            time.sleep(_BREATH_SECONDS)
        elif self._shipment is None:
            self._stopping.wait(_STAND_BY_SECONDS)
        elif not self._shipment.can_send:
            self._stopping.wait(_LOOK_SECONDS)
        elif self._published.wait(_LOOK_SECONDS):
            self._published.clear()
            time.sleep(_BREATH_SECONDS)

    def _wake(self) -> None:
        """Wake the thread now; it would look by itself soon."""
        if self._waking:  # maybe this is a signal handler that interrupted a wake-up; taking its lock would deadlock
            return
        self._waking = True
        try:
            self._published.set()
        finally:
            self._waking = False


# Notice a server that disappeared silently after about ten seconds instead of hours.
_CONNECT_ARGS = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "mosshead-shipper",
}

_log = logging.getLogger("mosshead")
_AT_ONCE = 40  # events per step
_NAMESPACES_TO_ASK = 50
_LEAST_POLL, _MOST_POLL = 0.1, 1.0
_ACKNOWLEDGED_SECONDS = 0.25
_CHECK_SECONDS, _CHECK_SHARE = 2.0, 0.25  # the minimum pause between rounds, and their maximum share of its time
_IDLE_SECONDS = 5.0

_CROWDED_BYTES = 64 * 2**20
"""Queue size above which the shipper slows down: a few seconds of an intake's work, an eighth of Redis's memory under docker
compose."""


class Shipment:
    """Sends waiting events, removes received ones after a while and resends those that seem lost."""

    def __init__(self, spool: Spool, queue: EventQueue, engine: Engine, key: SigningKey | None) -> None:
        self._spool, self._queue, self._engine, self._key = spool, queue, engine, key
        self._broker, self._store = Peer("the event queue"), Peer("Postgres")
        self._publisher = UUID(int=0)  # unknown until the first look at the spool
        self._point = 0
        self._window = Window(spool.sizes)
        self._crowded = False
        self._look_at, self._poll = 0.0, _LEAST_POLL
        self._busy_at, self._tidy = time.monotonic(), False
        self._first: list[str] = []  # erasures that Postgres lost; send them before the events they cover
        self._checked_up_to, self._check_took, self._check_at = 0, 0.0, 0.0

    @property
    def can_send(self) -> bool:
        """Whether an event published now could be sent at once."""
        return not (self._broker.away or self._crowded or self._window.full)

    @property
    def unsent(self) -> bool:
        """Whether there are unsent events that could be sent now."""
        return self.can_send and self._window.unsent

    def step(self) -> bool:
        """Do a small part of the work, and return whether there is more to do at once. Raises SpoolUnavailable."""
        now = time.monotonic()
        self._learn()
        self._look(now)
        sent = self._send(now)
        self._acknowledge(now)
        self._check_kept(now)
        self._tidy_up(now)
        return sent

    def _learn(self) -> None:
        changes = self._spool.changes(self._point)
        if changes.publisher != self._publisher:
            self._publisher, self._window = changes.publisher, Window(self._spool.sizes)
            changes = self._spool.changes(0)
        self._point = changes.point
        self._window.learn(changes.waiting)

    def _look(self, now: float) -> None:
        """Check whether the queue is crowded by all publishers together, since none sees the others' windows."""
        if self._window.empty or now < max(self._look_at, self._broker.due):
            return
        try:
            self._crowded = self._queue.bytes() >= _CROWDED_BYTES
        except QueueUnavailable as error:
            self._broker.failed(str(error))
            return
        self._look_at = now + _ACKNOWLEDGED_SECONDS

    def _send(self, now: float) -> bool:
        may = now >= self._broker.due
        turns = self._window.next_turns(_AT_ONCE, crowded=self._crowded) if may else []
        if not turns:
            return False
        events = self._first + [
            numbered(body, self._publisher, number)
            for turn in turns
            for number, body in self._spool.read(self._publisher, turn.key, turn.first, turn.last)
        ]
        try:
            self._queue.publish([sign(event, self._key) for event in events] if self._key else events)
        except QueueUnavailable as error:
            self._window.failed(turns)
            self._broker.failed(str(error))
            return False
        self._first = []
        self._broker_answered()
        self._window.went(turns, now)
        if not self._store.away:
            self._poll, self._store.due = _LEAST_POLL, min(self._store.due, now + _LEAST_POLL)
        return True

    def _acknowledge(self, now: float) -> None:
        asked = self._window.to_ask_about(_NAMESPACES_TO_ASK) if now >= self._store.due else {}
        if not asked:
            return
        try:
            received = _received(self._engine, self._publisher, asked)
        except StoreUnavailable as error:
            self._store.failed(str(error))
            return
        if self._store.answered():
            self._check_at = now  # it may be a different server
        taken = [self._take_back(key, received.get(key, 0)) for key in self._window.behind(received, asked)]
        if any(taken):
            return
        if self._window.has_less(received, asked):
            self._spool.begin_anew(self._publisher)
            _log.warning(
                "Postgres lost events that it had received from the spool %s, as after restoring a backup; they are no longer in "
                "the spool either. Waiting events are renumbered",
                self._spool.path,
            )
            return
        news = self._window.news(received)
        for key, up_to in news.items():
            self._spool.receive(self._publisher, key, up_to)
            self._window.received(key, up_to)
        self._poll = _LEAST_POLL if news else min(1.5 * self._poll, _MOST_POLL)
        self._store.due = now + self._poll
        if self._window.overdue(now) and not self._crowded:  # in a crowded queue it most likely still waits
            self._send_again(now)

    def _check_kept(self, now: float) -> None:
        """Check that Postgres still has the kept events: some namespaces in each step, and all every few seconds."""
        if now < self._check_at or (self._store.away and now < self._store.due):
            return
        began = time.monotonic()
        kept = self._spool.kept(self._checked_up_to, _NAMESPACES_TO_ASK)
        try:
            received = _received(self._engine, self._publisher, {one.key: one.path for one in kept})
        except StoreUnavailable as error:
            self._store.failed(str(error))
            return
        if kept:
            self._store.answered()
        for one in kept:
            if received.get(one.key, 0) < one.received_up_to:
                self._take_back(one.key, received.get(one.key, 0))
            elif one.due_up_to is not None:
                self._spool.cut(self._publisher, one.key, one.due_up_to)
                self._busy_at, self._tidy = now, False
        self._check_took += time.monotonic() - began
        self._checked_up_to = kept[-1].key if kept else 0
        if not kept:  # the end of a round
            self._check_at, self._check_took = now + max(_CHECK_SECONDS, self._check_took / _CHECK_SHARE), 0.0

    def _take_back(self, key: int, received_up_to: int) -> bool:
        """Schedule kept events that Postgres has lost, and return whether there were any."""
        taken = self._spool.take_back(self._publisher, key, received_up_to)
        if taken:
            self._window.forget(key)
            erasures = self._spool.waiting_erasures(self._publisher, key)
            self._first += [numbered(body, self._publisher, number) for number, body in erasures]
            _log.warning(
                "Postgres lost events that it had received from the spool %s, as in a failover; they are sent again",
                self._spool.path,
            )
        return taken

    def _send_again(self, now: float) -> None:
        try:
            length = self._queue.length()
        except QueueUnavailable as error:
            self._broker.failed(str(error))
            return
        self._broker_answered()
        self._window.send_again(now, queue_empty=length == 0)

    def _broker_answered(self) -> None:
        if self._broker.answered():
            self._window.reconnected()

    def _tidy_up(self, now: float) -> None:
        if not self._window.empty:
            self._busy_at, self._tidy = now, False
            self._spool.trim()
        elif not self._tidy and now - self._busy_at >= _IDLE_SECONDS:
            self._tidy = True
            self._spool.tidy()
            self._engine.dispose()


def _received(engine: Engine, publisher: UUID, namespaces: Mapping[int, NamespacePath]) -> dict[int, int]:
    """Return by key the number up to which all of a namespace's events are in the inbox. Raises StoreUnavailable."""
    by_tenant: dict[UUID, dict[UUID, int]] = {}
    for key, path in namespaces.items():
        by_tenant.setdefault(path.tenant_id, {})[path.namespace_id] = key
    received: dict[int, int] = {}
    try:
        for tenant_id, keys in by_tenant.items():
            with tenant_transaction(engine, tenant_id) as connection:
                found = memories.received(connection, tenant_id, list(keys), publisher)
            received |= {keys[namespace_id]: up_to for namespace_id, up_to in found.items()}
    except DBAPIError as error:
        raise StoreUnavailable(f"MOSSHEAD_DATABASE_URL: Postgres did not answer ({type(error).__name__})") from None
    return received


class ShippingLock(fork_safety.Forkable):
    """A lock file beside a spool, held by one process at a time. The kernel releases it when the process dies."""

    def __init__(self, spool: Path) -> None:
        self._path = spool.with_suffix(".lock")
        self._descriptor: int | None = None
        self._changing = Lock()
        fork_safety.watch(self)

    def take(self) -> bool:
        """Try to take the lock, and return whether this process holds it. Raises OSError if the file cannot be created."""
        with self._changing:
            if self._descriptor is not None:
                return True
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._descriptor = descriptor
            return True

    def give_back(self) -> None:
        with self._changing:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                os.close(descriptor)

    def before_fork(self) -> None:
        """Wait until a descriptor is stored or closed; a child's unknown copy of it would keep the lock."""
        self._changing.acquire()

    def after_fork_in_parent(self) -> None:
        self._changing.release()

    def after_fork_in_child(self) -> None:
        """Close the child's copy of the descriptor. This does not release the parent's lock, and the child cannot keep it."""
        self._changing.release()
        with suppress(OSError):
            self.give_back()
