"""A state machine of the promise across a failover: a spool that ships to a database which a lagging replica may replace.

The spool and the shipper are the library's own. The queue and the inbox are lists, and the clock moves when the machine says so.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from sqlalchemy import create_engine

from benchmarks.faults.checker import check
from benchmarks.faults.history import Effect, Sent
from mosshead.paths import NamespacePath
from mosshead.publishing import shipper, spool
from mosshead.publishing.publishers import check_events
from mosshead.publishing.queue import EventQueue

PEOPLE = (NamespacePath.of(("acme", "ann")), NamespacePath.of(("acme", "bob")))
KEEP_SECONDS = 60
MOST_LAG = 30
"""The replica lags less than the spool keeps what was received."""

_ROUNDS = 60
_STEP_SECONDS = 2.5


class Inbox:
    """What arrived, and when. It takes effect in the order of its numbers, as far as none is missing.

    arrived: by publisher and person, the events by number. A number under which a known event comes again counts as received.
    """

    def __init__(self) -> None:
        self.arrived: dict[tuple[str, str], dict[int, tuple[float, str]]] = defaultdict(dict)
        self.first: dict[str, tuple[str, str]] = {}

    def take(self, event: dict[str, Any], now: float) -> None:
        """Store an event, or count its number where it is there already."""
        line = event["publisher"], event["namespace"][-1]
        self.first.setdefault(event["event_id"], line)
        self.arrived[line].setdefault(event["publisher_sequence"], (now, event["event_id"]))

    def forget_since(self, moment: float) -> None:
        """Become the replica that never heard of what came later."""
        for line, numbered in self.arrived.items():
            self.arrived[line] = {number: one for number, one in numbered.items() if one[0] <= moment}
        left = {event_id for numbered in self.arrived.values() for _, event_id in numbered.values()}
        self.first = {event_id: line for event_id, line in self.first.items() if event_id in left}

    def received(self, line: tuple[str, str]) -> int:
        """Up to which number nothing is missing."""
        numbered = self.arrived.get(line, {})
        return next(number for number in range(len(numbered) + 1) if number + 1 not in numbered)

    def effects(self, now: float) -> list[Effect]:
        """What may take effect, each event where it came first."""
        return [
            Effect(UUID(event_id), UUID(line[0]), number, now)
            for line, numbered in self.arrived.items()
            for number in range(1, self.received(line) + 1)
            if self.first[event_id := numbered[number][1]] == line
        ]


class Resending(RuleBasedStateMachine):
    """Publish, ship, take in, let time pass and fail over; in the end each event took effect once and in order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000.0
        self.folder = TemporaryDirectory()
        clock = SimpleNamespace(time=lambda: self.now, monotonic=lambda: self.now)
        self.patches: list[Any] = [
            mock.patch.object(spool, "time", clock),
            mock.patch.object(shipper, "time", clock),
            mock.patch.object(shipper, "_received", self.received),
        ]
        for patch in self.patches:
            patch.start()
        self.spool = spool.Spool(Path(self.folder.name) / "one.spool", most_bytes=10**7, keep_seconds=KEEP_SECONDS)
        self.queue: list[dict[str, Any]] = []
        self.inbox = Inbox()
        self.sent: list[Sent] = []
        self.shipment = self.begin()

    def begin(self) -> shipper.Shipment:
        """A shipper that knows nothing but what the spool holds."""
        engine = create_engine("sqlite://")
        return shipper.Shipment(self.spool, cast("EventQueue", _Queue(self.queue)), engine, None)

    @rule(person=st.sampled_from(PEOPLE), count=st.integers(1, 4))
    def publish(self, person: NamespacePath, count: int) -> None:
        """Some messages of one person."""
        ids = [uuid4() for _ in range(count)]
        events = [{"type": "message", "role": "user", "content": "hello", "event_id": one} for one in ids]
        self.spool.append(person, [one.body for one in check_events(person, events)])
        before = sum(one.namespace == person.parts[-1] for one in self.sent)
        for number, event_id in enumerate(ids, before + 1):
            self.sent.append(Sent(event_id, person.parts[-1], "spool", number, self.now, self.now))

    @rule(most=st.integers(0, 6), seconds=st.sampled_from([0.5, 3.0, 25.0]))
    def ship(self, most: int, seconds: float) -> None:
        """The shipper does a step, the intake stores some of the queue, and time passes until the next step."""
        self.shipment.step()
        self.take_in(most)
        self.now += seconds
        self.shipment.step()

    def take_in(self, most: int) -> None:
        """The intake stores some of the queue."""
        for event in self.queue[:most]:
            self.inbox.take(event, self.now)
        del self.queue[:most]

    @rule()
    def restart(self) -> None:
        """Another process ships from here on."""
        self.shipment = self.begin()

    @rule(lag=st.integers(1, MOST_LAG))
    def fail_over(self, lag: int) -> None:
        """The primary dies, and a replica takes its place that lags some seconds behind."""
        self.inbox.forget_since(self.now - lag)

    def teardown(self) -> None:
        """When nothing else fails, all takes effect."""
        try:
            for _ in range(_ROUNDS):
                self.ship(len(self.queue), _STEP_SECONDS)
            verdict = check(self.sent, self.inbox.effects(self.now))
            assert verdict.sound, verdict
        finally:
            self.spool.close()
            for patch in self.patches:
                patch.stop()
            self.folder.cleanup()

    def received(self, _engine: object, publisher: UUID, namespaces: Mapping[int, NamespacePath]) -> dict[int, int]:
        """What the inbox answers a shipper."""
        return {key: self.inbox.received((str(publisher), path.parts[-1])) for key, path in namespaces.items()}


class _Queue:
    """An event queue that loses nothing."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self._events = events

    def publish(self, events: Sequence[str]) -> None:
        self._events.extend(map(json.loads, events))

    def length(self) -> int:
        return len(self._events)

    bytes: Callable[["_Queue"], int] = length
