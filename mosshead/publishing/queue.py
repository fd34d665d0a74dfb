"""The event queue's client, and the window that limits how many of a spool's events are in flight.

The broker's client is imported with the first event, in the shipper's thread; processes that only read never import it.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from mosshead import fork_safety
from mosshead.errors import QueueUnavailable
from mosshead.fork_safety import Forkable, InUse
from mosshead.paths import NamespacePath
from mosshead.publishing.address import parse_broker_url

if TYPE_CHECKING:
    from kombu.connection import Connection

    from mosshead.publishing.broker import Outbox
    from mosshead.publishing.spool import UnsentEvents


class EventQueue(Forkable):
    """Publishes events. Use one per process; it is thread-safe."""

    def __init__(self, broker_url: str) -> None:
        """Does not connect yet. Raises ConfigurationError if the URL is not a broker's."""
        parse_broker_url(broker_url)
        self._url = broker_url
        self._connection: Connection | None = None
        self._outbox: Outbox | None = None
        self._in_use = InUse(QueueUnavailable)
        fork_safety.watch(self)

    def publish(self, events: Sequence[str]) -> None:
        """Send events, each as JSON text, in order with one round trip. On QueueUnavailable, some may have arrived."""
        with self._connected() as outbox:
            outbox.send(events)

    def length(self) -> int:
        """Return how many events no intake has taken yet. Raises QueueUnavailable."""
        with self._connected() as outbox:
            return outbox.length()

    def bytes(self) -> int:
        """Return about how many bytes those events take in the broker's memory. Raises QueueUnavailable."""
        with self._connected() as outbox:
            return outbox.bytes()

    def close(self) -> None:
        """Close the connection, unless a signal handler has interrupted its use."""
        with self._in_use.between() as interrupted:
            if not interrupted:
                self._forget_connection()

    def before_fork(self) -> None:
        """Wait for a running send; otherwise the child would wait forever for its lock."""
        self._in_use.before_fork()

    def after_fork_in_parent(self) -> None:
        self._in_use.after_fork()

    def after_fork_in_child(self) -> None:
        """Drop the parent's connection without closing it, since the parent still uses it."""
        self._outbox = self._connection = None
        self._in_use.after_fork()

    @contextmanager
    def _connected(self) -> "Iterator[Outbox]":
        with self._in_use.use():  # a fork must wait for the imports, too
            from mosshead.publishing.broker import BROKER_ERRORS, broker_at

            broker = broker_at(self._url)
            connection = self._connection = self._connection or broker.open(seconds=1.0)
            try:
                outbox = self._outbox = self._outbox or broker.outbox(connection)
                yield outbox
            except BROKER_ERRORS as error:
                self._forget_connection()
                raise QueueUnavailable(
                    f"MOSSHEAD_BROKER_URL: {broker.address} did not accept the event ({type(error).__name__}); "
                    "check that the broker is running there and that the login is right"
                ) from None

    def _forget_connection(self) -> None:
        connection, self._connection, self._outbox = self._connection, None, None
        if connection is not None:
            connection.release()  # it does not reconnect; the next use opens another


WINDOW, WINDOW_BYTES = 250, 2**20
"""Maximum events and bytes in flight: about what the intake takes at once. 250 chat events are about 150 KB. Without the limit in
bytes, three spools of the largest events could fill a Redis of 512 MB."""

EACH_TURN, EACH_TURN_BYTES = 40, WINDOW_BYTES // 4
"""Maximum events and bytes of a namespace per turn: as many as a batch holds."""

SUSPECT_WINDOW = 10
"""Maximum events in flight of a namespace that was resent twice without progress; the inbox may be rejecting them."""

CROWDED_WINDOW, CROWDED_BYTES = 10, 64 * 2**10
"""Maximum events and bytes in flight while the queue is crowded: few, since there may be many spools, but enough to progress."""

Sizes = Callable[[int, int, int], Sequence[int]]
"""Returns the sizes in bytes of a namespace's events, by its key, the first number and the last."""

_LOST_SECONDS, _SLOW_SECONDS, _MOST_SECONDS = 2.0, 10.0, 300.0


@dataclass(frozen=True, slots=True)
class EventRun:
    """Events of a namespace that are sent together. size: In bytes."""

    key: int
    first: int
    last: int
    size: int


@dataclass(slots=True)
class Flow:
    """The state of one namespace's events.

    Attributes:
        received: The inbox has all events up to this number.
        sent: The events up to this number have been sent.
        following: The next number to send; up to ``sent`` it is a resend.
        runs: The last number and the time of each run sent.
        sizes: The number and size of each event in flight.
        resends: Consecutive resends without progress.
    """

    path: NamespacePath
    received: int
    sent: int
    newest: int
    following: int
    runs: deque[tuple[int, float]] = field(default_factory=deque)
    sizes: deque[tuple[int, int]] = field(default_factory=deque)
    resends: int = 0

    @property
    def suspect(self) -> bool:
        """Whether it was resent twice without progress."""
        return self.resends >= 2

    @property
    def limit(self) -> int:
        """The highest number that may be sent."""
        return min(self.newest, self.received + SUSPECT_WINDOW) if self.suspect else self.newest


def patience(resends: int, *, lost: bool) -> float:
    """Return the seconds to wait for an acknowledgement: 2, 4, 8, … if events seem lost, else 10, 20, 40, …, at most 300."""
    return float(min((_LOST_SECONDS if lost else _SLOW_SECONDS) * 2 ** min(resends, 10), _MOST_SECONDS))


class Window:
    """A sliding window like TCP's: what to send next, what to resend, and when. Pure; times are seconds of one clock.

    Each namespace is sent in order, and the inbox acknowledges all events up to a number. Events not acknowledged in time are
    resent from there. The limits keep the queue small while nothing consumes it. Namespaces are identified by the spool's keys.
    """

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._flows: dict[int, Flow] = {}
        self._under_way: dict[int, Flow] = {}
        self._fresh, self._again = Turns(), Turns()
        self.events_under_way = 0
        self.bytes_under_way = 0

    @property
    def empty(self) -> bool:
        """Whether all known events are in the inbox."""
        return not self._flows

    @property
    def full(self) -> bool:
        """Whether no new event may be sent."""
        return self.events_under_way >= WINDOW or self.bytes_under_way >= WINDOW_BYTES

    @property
    def unsent(self) -> bool:
        """Whether any event was never sent."""
        return any(flow.sent < flow.newest for flow in self._flows.values())

    def to_ask_about(self, most: int) -> dict[int, NamespacePath]:
        """Return namespaces with events in flight, least recently asked about first."""
        keys = list(islice(self._under_way, most))
        for key in keys:
            self._under_way[key] = self._under_way.pop(key)
        return {key: self._under_way[key].path for key in keys}

    def learn(self, waiting: "Iterable[UnsentEvents]") -> None:
        for one in waiting:
            flow = self._flows.setdefault(
                one.key, Flow(one.path, one.received_up_to, one.received_up_to, one.newest, one.received_up_to + 1)
            )
            flow.newest = max(flow.newest, one.newest)
            self._line_up(one.key, flow)

    def next_turns(self, most: int, *, crowded: bool = False) -> list[EventRun]:
        """Return the runs to send next, resends first. Report the outcome with `went` or `failed`.

        crowded: Whether the queue, filled by any publisher, is over its limit.
        """
        turns: list[EventRun] = []
        room = WINDOW_BYTES
        while most > 0 and room > 0 and (turn := self._next_again(most) or self._next_fresh(most, crowded=crowded)):
            turns.append(turn)
            most -= turn.last - turn.first + 1
            room -= turn.size
        return turns

    def went(self, turns: Iterable[EventRun], now: float) -> None:
        for turn in turns:
            if flow := self._flows.get(turn.key):
                flow.runs.append((turn.last, now))

    def failed(self, turns: Iterable[EventRun]) -> None:
        """Schedule runs again that may or may not have been sent."""
        for turn in turns:
            if flow := self._flows.get(turn.key):
                flow.following = min(flow.following, turn.first)
                self._line_up(turn.key, flow)

    def news(self, received: Mapping[int, int]) -> dict[int, int]:
        """Return the received numbers that are higher than those known so far, by namespace."""
        return {key: up_to for key, up_to in received.items() if up_to > self._flows[key].received}

    def has_less(self, received: Mapping[int, int], asked: Iterable[int]) -> bool:
        """Return whether the inbox lost events it once had and resending does not help: a backup was restored.

        The first such answer does not count, since a replica may lag behind.
        """
        return any(self._flows[key].suspect for key in self.behind(received, asked))

    def behind(self, received: Mapping[int, int], asked: Iterable[int]) -> list[int]:
        """Return the namespaces of which the inbox has fewer events than it once had."""
        return [key for key in asked if received.get(key, 0) < self._flows[key].received]

    def forget(self, key: int) -> None:
        """Drop the state of a namespace, which is to be learned anew."""
        if flow := self._flows.pop(key, None):
            self.events_under_way -= flow.sent - flow.received
            self.bytes_under_way -= sum(size for _, size in flow.sizes)
            self._under_way.pop(key, None)

    def received(self, key: int, up_to: int) -> None:
        """Record that the inbox has all of a namespace's events up to a number."""
        flow = self._flows.get(key)
        if flow is None or up_to <= flow.received:
            return
        self.events_under_way -= min(up_to, flow.sent) - flow.received
        flow.received, flow.sent = up_to, max(flow.sent, up_to)
        flow.following = max(flow.following, up_to + 1)
        flow.resends = 0
        while flow.runs and flow.runs[0][0] <= up_to:
            flow.runs.popleft()
        while flow.sizes and flow.sizes[0][0] <= up_to:
            self.bytes_under_way -= flow.sizes.popleft()[1]
        if flow.sent == up_to:
            self._under_way.pop(key, None)
        if flow.newest <= up_to:
            del self._flows[key]
        else:
            self._line_up(key, flow)

    def overdue(self, now: float) -> bool:
        """Return whether any event has been unacknowledged long enough to be lost."""
        return any(_waits(flow, now) >= patience(flow.resends, lost=True) for flow in self._under_way.values())

    def send_again(self, now: float, *, queue_empty: bool) -> int:
        """Schedule overdue events again, and return for how many namespaces. queue_empty: Whether the queue is empty.

        If the queue is empty, overdue events are most likely lost. Otherwise they may still be in it: an acknowledgement does
        not tell a first copy from a second.
        """
        lost = queue_empty
        overdue = {
            key: flow for key, flow in self._under_way.items() if _waits(flow, now) >= patience(flow.resends, lost=lost)
        }
        for key, flow in overdue.items():
            flow.resends += 1
            flow.following = flow.received + 1
            flow.runs.clear()
            if lost:
                self.events_under_way -= flow.sent - flow.received
                self.bytes_under_way -= sum(size for _, size in flow.sizes)
                flow.sizes.clear()
                flow.sent = flow.received
                del self._under_way[key]
            self._line_up(key, flow)
        return len(overdue)

    def reconnected(self) -> None:
        """Reset the resend counters: events lost by a restarted queue do not mean that the inbox rejects them."""
        for key, flow in self._flows.items():
            flow.resends = 0
            self._line_up(key, flow)

    def _next_again(self, most: int) -> EventRun | None:
        while (key := self._again.take()) is not None:
            flow = self._flows.get(key)
            if flow is not None and flow.following <= min(flow.sent, flow.limit):
                return self._turn(key, flow, min(flow.sent, flow.following + min(most, EACH_TURN) - 1), EACH_TURN_BYTES)
        return None

    def _next_fresh(self, most: int, *, crowded: bool) -> EventRun | None:
        events, size = (CROWDED_WINDOW, CROWDED_BYTES) if crowded else (WINDOW, WINDOW_BYTES)
        room = min(most, EACH_TURN, events - self.events_under_way)
        room_bytes = min(EACH_TURN_BYTES, size - self.bytes_under_way)
        while room > 0 and room_bytes > 0 and (key := self._fresh.take()) is not None:
            flow = self._flows.get(key)
            if flow is not None and flow.sent < flow.following <= flow.limit:
                return self._turn(key, flow, flow.following + room - 1, room_bytes)
        return None

    def _turn(self, key: int, flow: Flow, last: int, most_bytes: int) -> EventRun:
        first = flow.following
        sizes = _within(self._sizes(key, first, min(last, flow.limit)) or [0], most_bytes)
        turn = EventRun(key, first, first + len(sizes) - 1, sum(sizes))
        fresh = [(number, size) for number, size in enumerate(sizes, first) if number > flow.sent]
        flow.sizes.extend(fresh)
        self.events_under_way += len(fresh)
        self.bytes_under_way += sum(size for _, size in fresh)
        flow.following, flow.sent = turn.last + 1, max(flow.sent, turn.last)
        self._under_way[key] = flow
        self._line_up(key, flow)
        return turn

    def _line_up(self, key: int, flow: Flow) -> None:
        if flow.following <= flow.limit:
            (self._again if flow.following <= flow.sent else self._fresh).add(flow.path.parts[0], key)


def _within(sizes: Sequence[int], most_bytes: int) -> Sequence[int]:
    """Return the sizes up to the first total of ``most_bytes``; at least one, or a larger event would never be sent."""
    sums = accumulate(sizes)
    return sizes[: next((count for count, total in enumerate(sums, 1) if total >= most_bytes), len(sizes))]


def _waits(flow: Flow, now: float) -> float:
    """Return the seconds since a flow's oldest event in flight was sent; 0 if it is about to be resent."""
    return now - flow.runs[0][1] if flow.runs else 0.0


class Turns:
    """A fair queue of namespaces, round-robin by tenant and then by namespace. An import thus delays others by only one turn."""

    def __init__(self) -> None:
        self._tenants: OrderedDict[str, OrderedDict[int, None]] = OrderedDict()

    def add(self, tenant: str, key: int) -> None:
        """Add a namespace; one that is already waiting keeps its place."""
        self._tenants.setdefault(tenant, OrderedDict()).setdefault(key)

    def take(self) -> int | None:
        """Remove and return the next namespace, or None if none is waiting."""
        if not self._tenants:
            return None
        tenant, keys = self._tenants.popitem(last=False)
        key, _ = keys.popitem(last=False)
        if keys:
            self._tenants[tenant] = keys  # last in the line
        return key
