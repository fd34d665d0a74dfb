"""What was sent and is not acknowledged: what may go next, what goes again, and when. Pure; times are seconds of one clock.

Like TCP's window. Numbers go out in each namespace's order, and the inbox acknowledges all up to a number. What is not
acknowledged in time goes again from there on. At most WINDOW events are under way, so that the queue stays small while nobody
takes from it.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from recollect.namespaces import NamespacePath
from recollect.publishing.spool import Waiting
from recollect.publishing.turns import Turns

WINDOW = 250
"""Events under way at most: about what the intake takes at once. More would delay who comes next, and help nobody."""

EACH_TURN = 40
"""Events of a namespace at most before it is the next one's turn: as many as a batch holds, or an import makes small ones."""

SUSPECT_WINDOW = 10
"""Events under way at most of a namespace that was sent twice more for nothing: the inbox may well refuse them."""

_LOST_SECONDS, _SLOW_SECONDS, _MOST_SECONDS = 2.0, 10.0, 300.0


@dataclass(frozen=True, slots=True)
class Turn:
    """Some events of a namespace, from first to last, that go out together."""

    key: int
    first: int
    last: int


@dataclass(slots=True)
class Flow:
    """One namespace's events on their way.

    received: all up to it are in the inbox. sent: all up to it are under way. following: the next to go; up to ``sent`` it goes
    again. runs: the last number of each turn that went, and when, oldest first. resends: in a row, without progress.
    """

    path: NamespacePath
    received: int
    sent: int
    newest: int
    following: int
    runs: deque[tuple[int, float]] = field(default_factory=deque)
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
    """All namespaces' events on their way, by the spool's keys of the namespaces."""

    def __init__(self) -> None:
        self._flows: dict[int, Flow] = {}
        self._under_way: dict[int, Flow] = {}
        self._fresh, self._again = Turns(), Turns()
        self.events_under_way = 0

    @property
    def empty(self) -> bool:
        """Whether all that is known of is in the inbox."""
        return not self._flows

    @property
    def full(self) -> bool:
        """Whether nothing may go that never went."""
        return self.events_under_way >= WINDOW

    @property
    def unsent(self) -> bool:
        """Whether something waits that never went out."""
        return any(flow.sent < flow.newest for flow in self._flows.values())

    def to_ask_about(self, most: int) -> dict[int, NamespacePath]:
        """Some of the namespaces whose events are under way: those that were not asked about for longest."""
        keys = list(islice(self._under_way, most))
        for key in keys:
            self._under_way[key] = self._under_way.pop(key)
        return {key: self._under_way[key].path for key in keys}

    def learn(self, waiting: Iterable[Waiting]) -> None:
        """Take up namespaces that were published to."""
        for one in waiting:
            flow = self._flows.setdefault(
                one.key, Flow(one.path, one.cut_up_to, one.cut_up_to, one.newest, one.cut_up_to + 1)
            )
            flow.newest = max(flow.newest, one.newest)
            self._line_up(one.key, flow)

    def next_turns(self, most: int) -> list[Turn]:
        """What goes out next, at most so many events; what goes again goes first. Tell `went` or `failed` of them."""
        turns: list[Turn] = []
        while most > 0 and (turn := self._next_again(most) or self._next_fresh(most)):
            turns.append(turn)
            most -= turn.last - turn.first + 1
        return turns

    def went(self, turns: Iterable[Turn], now: float) -> None:
        """They went out."""
        for turn in turns:
            if flow := self._flows.get(turn.key):
                flow.runs.append((turn.last, now))

    def failed(self, turns: Iterable[Turn]) -> None:
        """Nobody knows whether they went out: they go again, in their turn."""
        for turn in turns:
            if flow := self._flows.get(turn.key):
                flow.following = min(flow.following, turn.first)
                self._line_up(turn.key, flow)

    def news(self, received: Mapping[int, int]) -> dict[int, int]:
        """Of what the inbox has, by namespace the highest number, that which was not known yet."""
        return {key: up_to for key, up_to in received.items() if up_to > self._flows[key].received}

    def has_less(self, received: Mapping[int, int], asked: Iterable[int]) -> bool:
        """Whether the inbox has less of one than it once had, and nothing helps: an earlier state of it was put back.

        Not at the first answer of that kind: servers that repeat another one may be a little behind it.
        """
        flows = ((key, self._flows[key]) for key in asked)
        return any(flow.suspect and received.get(key, 0) < flow.received for key, flow in flows)

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

        Lost, in all likelihood, is what the queue no longer holds. While it holds anything, what was overtaken by something that
        went later may still be in it: an acknowledgement does not tell a first copy from a second.
        """
        enough = [
            (key, flow)
            for key, flow in self._under_way.items()
            if _waits(flow, now) >= patience(flow.resends, lost=queue_empty)
        ]
        for key, flow in enough:
            self._go_back(key, flow, lost=queue_empty)
        return len(enough)

    def reconnected(self) -> None:
        """The queue was away and is back, perhaps empty: what was lost by that is no sign of what the inbox refuses."""
        for key, flow in self._flows.items():
            flow.resends = 0
            self._line_up(key, flow)

    def _next_again(self, most: int) -> Turn | None:
        while (key := self._again.take()) is not None:
            flow = self._flows.get(key)
            if flow is not None and flow.following <= min(flow.sent, flow.limit):
                return self._turn(key, flow, min(flow.sent, flow.following + min(most, EACH_TURN) - 1))
        return None

    def _next_fresh(self, most: int) -> Turn | None:
        room = min(most, EACH_TURN, WINDOW - self.events_under_way)
        while room > 0 and (key := self._fresh.take()) is not None:
            flow = self._flows.get(key)
            if flow is not None and flow.sent < flow.following <= flow.limit:
                return self._turn(key, flow, flow.following + room - 1)
        return None

    def _turn(self, key: int, flow: Flow, last: int) -> Turn:
        turn = Turn(key, flow.following, min(last, flow.limit))
        self.events_under_way += max(0, turn.last - flow.sent)
        flow.following, flow.sent = turn.last + 1, max(flow.sent, turn.last)
        self._under_way[key] = flow
        self._line_up(key, flow)
        return turn

    def _go_back(self, key: int, flow: Flow, *, lost: bool) -> None:
        flow.resends += 1
        flow.following = flow.received + 1
        flow.runs.clear()
        if lost:
            self.events_under_way -= flow.sent - flow.received
            flow.sent = flow.received
            del self._under_way[key]
        self._line_up(key, flow)

    def _line_up(self, key: int, flow: Flow) -> None:
        if flow.following <= flow.limit:
            (self._again if flow.following <= flow.sent else self._fresh).add(flow.path.parts[0], key)


def _waits(flow: Flow, now: float) -> float:
    """Seconds since the oldest of a flow's events under way went; 0 where it is about to go again."""
    return now - flow.runs[0][1] if flow.runs else 0.0
