"""The shipping of one spool: what its shipper does while the lock is its own. For one thread."""

import logging
import time
from uuid import UUID

from mosshead.errors import QueueUnavailable, StoreUnavailable
from mosshead.publishing.acknowledgements import Acknowledgements
from mosshead.publishing.checking import numbered
from mosshead.publishing.peer import Peer
from mosshead.publishing.spool import Spool
from mosshead.publishing.window import Turn, Window
from mosshead.queue import EventQueue
from mosshead.signing import SigningKey, sign

_AT_ONCE = 40  # events between two rests
_NAMESPACES_TO_ASK = 50
_LEAST_POLL, _MOST_POLL = 0.1, 1.0
_ACKNOWLEDGED_SECONDS = 0.25
_IDLE_SECONDS = 5.0

_CROWDED_BYTES = 64 * 2**20
"""What the queue may take of Redis's memory before little is sent: some seconds' work of an intake, and an eighth of the 512 MB
that Redis has under docker compose. The rest is for the windows of many spools, and for the workers' hints."""

_log = logging.getLogger("mosshead")


class Shipment:
    """Sends what waits, cuts what was received, sends again what seems lost. Redis and Postgres may be away at any time."""

    def __init__(
        self, *, spool: Spool, queue: EventQueue, acknowledgements: Acknowledgements, key: SigningKey | None
    ) -> None:
        self._spool = spool
        self._queue = queue
        self._acknowledgements = acknowledgements
        self._key = key
        self._broker, self._store = Peer("the event queue"), Peer("Postgres")
        self._publisher = UUID(int=0)  # nobody; the first look at the spool tells
        self._point = 0
        self._window = Window(spool.sizes)
        self._crowded = False
        self._look_at = 0.0
        self._poll = _LEAST_POLL
        self._busy_at = time.monotonic()
        self._tidy = False

    @property
    def can_send(self) -> bool:
        """Whether what is published now could go out at once."""
        return not (self._broker.away or self._crowded or self._window.full)

    @property
    def unsent(self) -> bool:
        """Whether something that never went out could."""
        return self.can_send and self._window.unsent

    def step(self) -> bool:
        """Do a little of what there is to do; returns whether there is more of it at once. Raises SpoolUnavailable."""
        now = time.monotonic()
        self._learn()
        self._look(now)
        sent = self._send(now)
        self._acknowledge(now)
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
        """Whether the queue is crowded, by all who publish together: none of them sees the others' windows."""
        if self._window.empty or now < max(self._look_at, self._broker.due):
            return
        try:
            self._crowded = self._queue.bytes() >= _CROWDED_BYTES
        except QueueUnavailable as error:
            self._broker.failed(time.monotonic(), str(error))
            return
        self._look_at = now + _ACKNOWLEDGED_SECONDS

    def _send(self, now: float) -> bool:
        may = now >= self._broker.due
        turns = self._window.next_turns(_AT_ONCE, crowded=self._crowded) if may else []
        if not turns:
            return False
        events = [event for turn in turns for event in self._events(turn)]
        try:
            self._queue.publish_together(events)
        except QueueUnavailable as error:
            self._window.failed(turns)
            self._broker.failed(time.monotonic(), str(error))
            return False
        self._broker_answered()
        self._window.went(turns, now)
        if not self._store.away:
            self._poll, self._store.due = _LEAST_POLL, min(self._store.due, now + _LEAST_POLL)
        return True

    def _events(self, turn: Turn) -> list[str]:
        events = [
            numbered(body, self._publisher, number)
            for number, body in self._spool.read(self._publisher, turn.key, turn.first, turn.last)
        ]
        return [sign(event, self._key) for event in events] if self._key else events

    def _acknowledge(self, now: float) -> None:
        asked = self._window.to_ask_about(_NAMESPACES_TO_ASK) if now >= self._store.due else {}
        if not asked:
            return
        try:
            received = self._acknowledgements.read(self._publisher, asked)
        except StoreUnavailable as error:
            self._store.failed(time.monotonic(), str(error))
            return
        self._store.answered()
        if self._window.has_less(received, asked):
            self._spool.begin_anew(self._publisher)
            _log.warning(
                "Postgres lacks what it had of the spool %s, as after a backup was put back: that is gone from here, too; what "
                "waits is numbered anew",
                self._spool.path,
            )
            return
        news = self._window.news(received)
        for key, up_to in news.items():
            self._spool.cut(self._publisher, key, up_to)
            self._window.received(key, up_to)
        self._poll = _LEAST_POLL if news else min(1.5 * self._poll, _MOST_POLL)
        self._store.due = now + self._poll
        if self._window.overdue(now) and not self._crowded:  # it is behind the crowd, in all likelihood
            self._send_again(now)

    def _send_again(self, now: float) -> None:
        try:
            length = self._queue.length()
        except QueueUnavailable as error:
            self._broker.failed(time.monotonic(), str(error))
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
            self._acknowledgements.close()
