"""The event queue's publisher, and the window of what a spool may have under way in it.

What talks to Redis is loaded with the first event, in the shipper's thread: a process that only reads needs none of it.
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
from mosshead.urls import check_broker_url

if TYPE_CHECKING:
    from kombu.connection import Connection
    from kombu.messaging import Producer

    from mosshead.publishing.spool import UnsentEvents

_PRESUMED_BYTES = 1024
"""Of an event of a chat, with what kombu adds, where the login may not ask how large the queue is."""


class EventQueue(Forkable):
    """Publishes events; one for each process, and safe to share between its threads."""

    def __init__(self, broker_url: str) -> None:
        """Connect to nothing yet. Raises ConfigurationError where the URL names no broker."""
        self._url = check_broker_url(broker_url)
        self._connection: Connection | None = None
        self._producer: Producer | None = None
        self._in_use = InUse(QueueUnavailable)
        fork_safety.watch(self)

    def publish(self, events: Sequence[str]) -> None:
        """Send events, each as JSON text, in order with one round trip. On QueueUnavailable, some may have arrived."""
        with self._connected() as producer, producer.batch():
            from mosshead.publishing.broker import QUEUE_NAME

            for event in events:
                producer.publish(
                    event,
                    routing_key=QUEUE_NAME,
                    content_type="application/json",
                    content_encoding="utf-8",
                    retry=False,
                )

    def length(self) -> int:
        """How many events no intake has taken yet. Raises QueueUnavailable."""
        with self._connected() as producer:
            from mosshead.publishing.broker import QUEUE

            return int(QUEUE(producer.channel).queue_declare().message_count)

    def bytes(self) -> int:
        """About how much of the broker's memory those events take. Raises QueueUnavailable."""
        with self._connected() as producer, producer.channel.conn_or_acquire() as redis:
            from redis.exceptions import ResponseError

            from mosshead.publishing.broker import KEY_PREFIX, QUEUE_NAME

            try:
                return int(redis.memory_usage(KEY_PREFIX + QUEUE_NAME) or 0)
            except ResponseError:  # not permitted, or a command that this Redis has not
                return _PRESUMED_BYTES * int(redis.llen(QUEUE_NAME))

    def close(self) -> None:
        """Give the connection back; one that a signal handler interrupted the use of stays."""
        with self._in_use.between() as interrupted:
            if not interrupted:
                self._forget_connection()

    def before_fork(self) -> None:
        """Wait for a send that is under way: the child would wait for a lock that it holds, for ever."""
        self._in_use.before_fork()

    def after_fork_in_parent(self) -> None:
        self._in_use.after_fork()

    def after_fork_in_child(self) -> None:
        """Let go of the parent's connection, without a word to the broker: the parent goes on talking there."""
        self._producer = self._connection = None
        self._in_use.after_fork()

    @contextmanager
    def _connected(self) -> "Iterator[Producer]":
        with self._in_use.use():  # a fork waits for what is being loaded, too
            from kombu.messaging import Producer

            from mosshead.publishing.broker import BROKER_ERRORS, QUEUE, open_connection

            connection = self._connection = self._connection or open_connection(self._url, socket_timeout=1.0)
            try:
                if self._producer is None:
                    # Straight to the queue. By the exchange, kombu would look the binding up for every event, and in a Redis that
                    # was emptied it would find none and put the event where nobody looks. The default channel, for it is the one
                    # that heeds our number of retries.
                    self._producer = Producer(connection.default_channel, auto_declare=False)
                    QUEUE(self._producer.channel).declare()
                yield self._producer
            except BROKER_ERRORS as error:
                self._forget_connection()
                raise QueueUnavailable(
                    f"MOSSHEAD_BROKER_URL: {connection.as_uri()} did not take the event ({type(error).__name__}); "
                    "check that Redis runs there and that the login is right"
                ) from None

    def _forget_connection(self) -> None:
        connection, self._connection, self._producer = self._connection, None, None
        if connection is not None:
            connection.release()  # and never connects again: the next use opens another


WINDOW, WINDOW_BYTES = 250, 2**20
"""Events and bytes under way at most: about what the intake takes at once. By number alone, three spools of the largest events
could fill a Redis of 512 MB; a chat's 250 events are some 150 KB."""

EACH_TURN, EACH_TURN_BYTES = 40, WINDOW_BYTES // 4
"""Events and bytes of a namespace at most before it is the next one's turn: as many as a batch holds."""

SUSPECT_WINDOW = 10
"""Events under way of a namespace that was sent twice more for nothing: the inbox may well refuse them."""

CROWDED_WINDOW, CROWDED_BYTES = 10, 64 * 2**10
"""Events and bytes under way while the queue is crowded: few, as there may be many spools, and enough for a place in its line."""

Sizes = Callable[[int, int, int], Sequence[int]]
"""The bytes of each of a namespace's events, by its key, the first number and the last."""

_LOST_SECONDS, _SLOW_SECONDS, _MOST_SECONDS = 2.0, 10.0, 300.0


@dataclass(frozen=True, slots=True)
class EventRun:
    """Events of a namespace that go out together. size: their bytes."""

    key: int
    first: int
    last: int
    size: int


@dataclass(slots=True)
class Flow:
    """One namespace's events on their way: those up to received are in the inbox, those up to sent under way.

    following: the next to go; up to ``sent`` it goes again. runs: the last number of each turn that went, and when. sizes: the
    number and the bytes of each event under way. resends: in a row, without progress.
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
        """Whether it was sent twice more for nothing."""
        return self.resends >= 2

    @property
    def limit(self) -> int:
        """The highest number that may go."""
        return min(self.newest, self.received + SUSPECT_WINDOW) if self.suspect else self.newest


def patience(resends: int, *, lost: bool) -> float:
    """Seconds to wait for an acknowledgement: 2, 4, 8 … of what seems lost, 10, 20, 40 … of what may still be in the queue."""
    return float(min((_LOST_SECONDS if lost else _SLOW_SECONDS) * 2 ** min(resends, 10), _MOST_SECONDS))


class Window:
    """What may go next, what goes again, and when, as in TCP's window. Pure; times are seconds of one clock.

    Numbers go out in each namespace's order, and the inbox acknowledges all up to a number. What is not acknowledged in time goes
    again from there on. The limits keep the queue small while nobody takes from it. Namespaces go by the spool's keys of them.
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
        """Whether all that is known of is in the inbox."""
        return not self._flows

    @property
    def full(self) -> bool:
        """Whether nothing may go that never went."""
        return self.events_under_way >= WINDOW or self.bytes_under_way >= WINDOW_BYTES

    @property
    def unsent(self) -> bool:
        """Whether something waits that never went out."""
        return any(flow.sent < flow.newest for flow in self._flows.values())

    def to_ask_about(self, most: int) -> dict[int, NamespacePath]:
        """Namespaces with events under way: those that were not asked about for longest."""
        keys = list(islice(self._under_way, most))
        for key in keys:
            self._under_way[key] = self._under_way.pop(key)
        return {key: self._under_way[key].path for key in keys}

    def learn(self, waiting: "Iterable[UnsentEvents]") -> None:
        for one in waiting:
            flow = self._flows.setdefault(
                one.key, Flow(one.path, one.cut_up_to, one.cut_up_to, one.newest, one.cut_up_to + 1)
            )
            flow.newest = max(flow.newest, one.newest)
            self._line_up(one.key, flow)

    def next_turns(self, most: int, *, crowded: bool = False) -> list[EventRun]:
        """What goes out next; what goes again goes first. Tell `went` or `failed` of it.

        crowded: Whether the queue is over its limit, whoever filled it.
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
        """Nobody knows whether they went out: they go again, in their turn."""
        for turn in turns:
            if flow := self._flows.get(turn.key):
                flow.following = min(flow.following, turn.first)
                self._line_up(turn.key, flow)

    def news(self, received: Mapping[int, int]) -> dict[int, int]:
        """Of what the inbox has, by namespace the highest number, that which was not known yet."""
        return {key: up_to for key, up_to in received.items() if up_to > self._flows[key].received}

    def has_less(self, received: Mapping[int, int], asked: Iterable[int]) -> bool:
        """Whether the inbox lacks what it once had, and sending again does not help: an earlier state of it was put back.

        Not at the first such answer: a server that repeats another may be a little behind.
        """
        return any(self._flows[key].suspect and received.get(key, 0) < self._flows[key].received for key in asked)

    def received(self, key: int, up_to: int) -> None:
        """The inbox has all of a namespace's events up to a number."""
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
        """Whether something is unacknowledged for so long that it may be lost."""
        return any(_waits(flow, now) >= patience(flow.resends, lost=True) for flow in self._under_way.values())

    def send_again(self, now: float, *, queue_empty: bool) -> int:
        """Line up what is overdue once more; returns of how many namespaces. queue_empty: nothing waits for the intake.

        What the queue no longer holds is most likely lost. While it holds anything, what was overtaken may still be in it: an
        acknowledgement does not tell a first copy from a second.
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
        """The queue is back, perhaps empty: what it lost says nothing of what the inbox refuses."""
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
    """As many as it takes to reach so many bytes: one at least, or what is larger would never go."""
    sums = accumulate(sizes)
    return sizes[: next((count for count, total in enumerate(sums, 1) if total >= most_bytes), len(sizes))]


def _waits(flow: Flow, now: float) -> float:
    """Seconds since the oldest of a flow's events under way went; 0 where it is about to go again."""
    return now - flow.runs[0][1] if flow.runs else 0.0


class Turns:
    """Namespaces that wait to be served, by a key each.

    Between two turns of a tenant every other that waits has one, and so have its namespaces: an import holds others up by a turn.
    """

    def __init__(self) -> None:
        self._tenants: OrderedDict[str, OrderedDict[int, None]] = OrderedDict()

    def add(self, tenant: str, key: int) -> None:
        """A namespace waits; one that does already keeps its place."""
        self._tenants.setdefault(tenant, OrderedDict()).setdefault(key)

    def take(self) -> int | None:
        """The namespace whose turn it is, which waits no more; None where none does."""
        if not self._tenants:
            return None
        tenant, keys = self._tenants.popitem(last=False)
        key, _ = keys.popitem(last=False)
        if keys:
            self._tenants[tenant] = keys  # last in the line
        return key
