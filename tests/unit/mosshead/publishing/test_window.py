"""What is sent next and what is resent, over a network that loses and delays, driven by hypothesis."""

from collections import defaultdict, deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mosshead.paths import NamespacePath
from mosshead.publishing.queue import (
    CROWDED_BYTES,
    CROWDED_WINDOW,
    EACH_TURN,
    EACH_TURN_BYTES,
    SUSPECT_WINDOW,
    WINDOW,
    WINDOW_BYTES,
    EventRun,
    Sizes,
    Window,
    patience,
)
from mosshead.publishing.spool import UnsentEvents

NAMESPACES = {key: NamespacePath.of((f"tenant-{key % 3}", f"user-{key}")) for key in range(300)}


def waiting(key: int, newest: int, cut_up_to: int = 0) -> UnsentEvents:
    return UnsentEvents(key, NAMESPACES[key], cut_up_to, newest)


LARGEST = 500_000


def small(_: int, first: int, last: int) -> list[int]:
    """Events so small that only their number counts."""
    return [100] * (last - first + 1)


def large(_: int, first: int, last: int) -> list[int]:
    return [LARGEST] * (last - first + 1)


def mixed(key: int, first: int, last: int) -> list[int]:
    """Small events, and an occasional large one."""
    return [(100, 600, LARGEST, 2_000, 90_000)[(key + number) % 5] for number in range(first, last + 1)]


class Shipping(RuleBasedStateMachine):
    """A shipper that loses, fails and repeats, and an inbox that keeps its events and knows its longest run."""

    def __init__(self) -> None:
        super().__init__()
        self.window = Window(mixed)
        self.now = 0.0
        self.newest: defaultdict[int, int] = defaultdict(int)
        self.queue: list[tuple[int, int]] = []
        self.inbox: defaultdict[int, set[int]] = defaultdict(set)
        self.up_to: defaultdict[int, int] = defaultdict(int)
        self.offered_up_to: defaultdict[int, int] = defaultdict(int)

    @rule(key=st.integers(0, 5), events=st.integers(1, 400))
    def publish(self, key: int, events: int) -> None:
        self.newest[key] += events
        self.window.learn([waiting(key, self.newest[key], self.received(key))])

    @rule(
        most=st.integers(1, 50), fate=st.sampled_from(["arrives", "arrives", "is lost", "fails"]), crowded=st.booleans()
    )
    def send(self, most: int, fate: str, *, crowded: bool = False) -> None:
        turns = self.window.next_turns(most, crowded=crowded)
        assert sum(turn.last - turn.first + 1 for turn in turns) <= most
        for turn in turns:
            self.check(turn)
        if fate == "fails":
            self.window.failed(turns)
            for turn in turns:
                self.offered_up_to[turn.key] = min(self.offered_up_to[turn.key], turn.first - 1)
            return
        self.window.went(turns, self.now)
        if fate == "arrives":
            self.queue += [(turn.key, number) for turn in turns for number in range(turn.first, turn.last + 1)]

    @rule(most=st.integers(1, 2000))
    def take_in(self, most: int) -> None:
        for key, number in self.queue[:most]:
            self.inbox[key].add(number)
        del self.queue[:most]

    @rule(key=st.integers(0, 5), events=st.integers(1, 400))
    def lose_what_was_received(self, key: int, events: int) -> None:
        """The inbox is set back, as in a failover, and the spool has kept the lost events."""
        left = max(0, self.received(key) - events)
        self.inbox[key] = {number for number in self.inbox[key] if number <= left}
        self.up_to[key] = left
        self.offered_up_to[key] = min(self.offered_up_to[key], left)
        self.window.forget(key)
        if self.newest[key] > left:
            self.window.learn([waiting(key, self.newest[key], left)])

    @rule()
    def empty_the_queue(self) -> None:
        self.queue.clear()
        self.window.reconnected()

    @rule(seconds=st.floats(0.1, 400))
    def ask(self, seconds: float) -> None:
        self.now += seconds
        asked = self.window.to_ask_about(3)
        received = {key: self.received(key) for key in asked}
        for key, up_to in self.window.news(received).items():
            self.window.received(key, up_to)
        self.window.send_again(self.now, queue_empty=not self.queue)

    @invariant()
    def no_more_is_under_way_than_may_be(self) -> None:
        assert 0 <= self.window.events_under_way <= WINDOW
        assert 0 <= self.window.bytes_under_way < WINDOW_BYTES + LARGEST

    def teardown(self) -> None:
        """Once the network stops losing events, all arrive, and the window reports that."""
        for _ in range(5000):
            if self.window.empty:
                break
            self.send(50, "arrives")
            self.take_in(2000)
            self.ask(301)
        assert self.window.empty
        assert {key: self.received(key) for key in self.newest} == dict(self.newest)
        assert (self.window.events_under_way, self.window.bytes_under_way, self.window.next_turns(9)) == (0, 0, [])

    def received(self, key: int) -> int:
        while self.up_to[key] + 1 in self.inbox[key]:
            self.up_to[key] += 1
        return self.up_to[key]

    def check(self, turn: EventRun) -> None:
        assert 1 <= turn.last - turn.first + 1 <= EACH_TURN
        assert turn.size == sum(mixed(turn.key, turn.first, turn.last)) < EACH_TURN_BYTES + LARGEST
        known = max(self.offered_up_to[turn.key], self.received(turn.key))
        assert turn.first <= known + 1, "a number was passed over"
        assert turn.last <= self.newest[turn.key]
        self.offered_up_to[turn.key] = max(known, turn.last)


TestShipping = Shipping.TestCase
TestShipping.settings = settings(stateful_step_count=40)


def sent(window: Window, now: float, events: int = 50) -> list[EventRun]:
    turns = window.next_turns(events)
    window.went(turns, now)
    return turns


def events_of(turns: list[EventRun]) -> list[tuple[int, int]]:
    return [(turn.key, number) for turn in turns for number in range(turn.first, turn.last + 1)]


def test_import_leaves_every_other_turn_to_a_chat() -> None:
    window = Window(small)
    window.learn([waiting(0, 1_000_000), waiting(1, 2)])
    assert [turn.key for turn in sent(window, 0.0, 3 * EACH_TURN)] == [0, 1, 0, 0]


def test_large_events_are_limited_by_their_bytes() -> None:
    window = Window(large)
    window.learn([waiting(0, 200)])
    assert len(events_of(sent(window, 0.0))) == 1 + WINDOW_BYTES // LARGEST
    assert window.full
    assert sent(window, 0.0) == []
    window.received(0, 1)
    assert len(events_of(sent(window, 0.0))) == 1


def test_large_events_leave_every_other_turn_to_a_chat() -> None:
    window = Window(large)
    window.learn([waiting(0, 200), waiting(1, 1)])
    assert [(turn.key, turn.last) for turn in sent(window, 0.0)] == [(0, 1), (1, 1), (0, 2)]


def test_large_events_are_resent_a_few_at_a_time() -> None:
    window = Window(large)
    window.learn([waiting(key, 1) for key in range(3)])
    sent(window, 0.0)
    window.failed([EventRun(key, 1, 1, LARGEST) for key in range(3)])
    window.send_again(10.0, queue_empty=False)
    assert sum(turn.size for turn in sent(window, 10.0)) < WINDOW_BYTES + LARGEST


@pytest.mark.parametrize(("sizes", "events"), [(small, CROWDED_WINDOW), (large, 1)])
def test_few_events_are_sent_to_a_crowded_queue(sizes: Sizes, events: int) -> None:
    window = Window(sizes)
    window.learn([waiting(0, 200)])
    turns = window.next_turns(50, crowded=True)
    window.went(turns, 0.0)
    assert len(events_of(turns)) == events
    assert window.bytes_under_way < CROWDED_BYTES + LARGEST
    assert window.next_turns(50, crowded=True) == []
    window.received(0, 1)
    assert len(events_of(window.next_turns(50, crowded=True))) == 1
    assert window.next_turns(50) != [], "it is crowded no more"


def test_failed_events_are_resent_before_new_ones() -> None:
    window = Window(small)
    window.learn([waiting(0, 8)])
    turns = window.next_turns(4)
    window.failed(turns)
    assert events_of(window.next_turns(4)) == events_of(turns) == [(0, 1), (0, 2), (0, 3), (0, 4)]


def test_events_missing_from_an_empty_queue_are_resent_after_two_seconds() -> None:
    window = Window(small)
    window.learn([waiting(0, 2)])
    sent(window, 0.0)
    assert (window.overdue(1.9), window.send_again(1.9, queue_empty=True)) == (False, 0)
    assert (window.overdue(2.0), window.send_again(2.0, queue_empty=True)) == (True, 1)
    assert events_of(sent(window, 2.0)) == [(0, 1), (0, 2)]


def test_events_that_may_still_be_queued_are_resent_after_ten_seconds() -> None:
    window = Window(small)
    window.learn([waiting(0, 2)])
    sent(window, 0.0)
    assert window.send_again(9.9, queue_empty=False) == 0
    assert window.send_again(10.0, queue_empty=False) == 1
    assert window.events_under_way == 2, "it is still in the queue"
    assert events_of(sent(window, 10.0)) == [(0, 1), (0, 2)]


def test_overtaken_event_is_not_resent_early_while_the_queue_is_not_empty() -> None:
    window = Window(small)
    window.learn([waiting(0, 1)])
    sent(window, 0.0)
    window.learn([waiting(1, 1)])
    sent(window, 0.5)
    window.received(1, 1)
    assert window.send_again(9.9, queue_empty=False) == 0


@pytest.mark.parametrize("taken_each_second", [50, 100, 1000])
def test_few_events_are_resent_to_a_slow_intake_that_loses_nothing(taken_each_second: int) -> None:
    """An import to many namespaces, a queue that keeps its order, and acknowledgements for some at a time."""
    window, queue, inbox = Window(small), deque[tuple[int, int]](), dict.fromkeys(range(300), 0)
    window.learn([waiting(key, 8) for key in inbox])
    went = most = 0
    for tick in range(100_000):
        now = tick / 10
        if window.empty:
            break
        for turn in sent(window, now, 40):
            queue.extend((turn.key, number) for number in range(turn.first, turn.last + 1))
            went += turn.last - turn.first + 1
        most = max(most, len(queue))
        for _ in range(min(len(queue), taken_each_second // 10)):
            key, number = queue.popleft()
            inbox[key] = max(inbox[key], number)
        for key, up_to in window.news({key: inbox[key] for key in window.to_ask_about(50)}).items():
            window.received(key, up_to)
        window.send_again(now, queue_empty=not queue)
    assert window.empty
    assert (went <= 1.1 * 300 * 8, most <= 2 * WINDOW) == (True, True), (went, most)


def test_only_missing_events_are_resent() -> None:
    window = Window(small)
    window.learn([waiting(0, 9)])
    sent(window, 0.0)
    window.received(0, 5)
    window.send_again(2.0, queue_empty=True)
    assert events_of(sent(window, 2.0)) == [(0, number) for number in range(6, 10)]


def test_namespace_that_is_refused_repeatedly_takes_little_room() -> None:
    window = Window(small)
    window.learn([waiting(0, 5000)])
    now = 0.0
    for _ in range(2):
        while sent(window, now, 2000):
            pass
        assert window.full
        now += 300
        window.send_again(now, queue_empty=True)
    window.learn([waiting(1, 5000)])
    while turns := sent(window, now, 2000):
        assert turns
    asked = window.to_ask_about(2)
    assert set(asked) == {0, 1}
    assert window.events_under_way == WINDOW
    window.received(1, WINDOW - SUSPECT_WINDOW)
    assert window.events_under_way == SUSPECT_WINDOW, "all the rest was the other's"


def test_no_namespace_is_suspect_after_the_queue_was_unavailable() -> None:
    window = Window(small)
    window.learn([waiting(0, 100)])
    for now in (0.0, 300.0, 600.0):
        sent(window, now, 200)
        window.send_again(now + 300, queue_empty=True)
    window.reconnected()
    assert len(events_of(sent(window, 900.0, 200))) == 100


@given(st.integers(0, 50), st.booleans())
def test_patience_grows_up_to_five_minutes(resends: int, lost: bool) -> None:
    assert patience(resends, lost=lost) <= patience(resends + 1, lost=lost) <= 300
    assert patience(resends, lost=True) <= patience(resends, lost=False)
    assert (patience(0, lost=True), patience(0, lost=False), patience(1, lost=False)) == (2, 10, 20)


def test_new_window_starts_from_the_spools_state() -> None:
    window = Window(small)
    window.learn([waiting(0, 9, cut_up_to=7)])
    assert events_of(sent(window, 0.0)) == [(0, 8), (0, 9)]
    window.received(0, 9)
    assert window.empty


def test_inbox_that_lost_received_events_counts_as_restored() -> None:
    window = Window(small)
    window.learn([waiting(0, 100, cut_up_to=90), waiting(1, 100)])
    for now in (0.0, 300.0):
        sent(window, now, 200)
        assert not window.has_less({0: 80}, [0, 1]), "a server that repeats another may be behind it for a moment"
        window.send_again(now + 300, queue_empty=True)
    sent(window, 600.0, 200)
    assert window.has_less({0: 80}, [0, 1])
    assert window.has_less({}, [0, 1])
    assert not window.has_less({0: 90}, [0, 1])


def test_progress_ends_the_suspicion() -> None:
    window = Window(small)
    window.learn([waiting(0, 100)])
    for now in (0.0, 300.0):
        sent(window, now, 200)
        window.send_again(now + 300, queue_empty=True)
    assert len(events_of(sent(window, 600.0, 200))) == SUSPECT_WINDOW
    window.received(0, 1)
    assert len(events_of(sent(window, 601.0, 200))) == 100 - SUSPECT_WINDOW
