"""Order a lane's events, and choose its next batch."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from uuid import UUID


@dataclass(frozen=True, slots=True)
class WaitingEvent:
    """An event waiting in its lane, without its text.

    number: its position among its publisher's events in the namespace.
    sequence: the app's own, within the conversation.
    position: the order of arrival.
    tokens: the approximate length of its text.
    suspect: it was in a batch that crashed or failed permanently, so it must be processed alone.
    command: it is an action, such as an undo, rather than a message.
    """

    event_id: UUID
    publisher_id: UUID
    number: int
    conversation: str | None
    sequence: int | None
    occurred_at: datetime
    position: int
    tokens: int = 0
    suspect: bool = False
    command: bool = False

    @property
    def alone(self) -> bool:
        return self.suspect or self.command


def order_events(waiting: Iterable[WaitingEvent]) -> list[WaitingEvent]:
    """Return the events in the order in which they take effect.

    A publisher's events always follow its numbers. Across publishers, events of one conversation follow the app's sequence if
    both have one. The time of occurrence, then arrival, decides the rest. A sequence that contradicts a publisher's order is
    ignored. (A topological sort, Kahn 1962, with the time as priority.)
    """
    events = sorted(waiting, key=lambda event: (event.occurred_at, event.position))
    rank = {event.event_id: place for place, event in enumerate(events)}
    chains = _chains(events, of=lambda event: event.publisher_id, by=lambda event: event.number)
    told = [event for event in events if event.conversation is not None and event.sequence is not None]
    sequences = _chains(told, of=lambda event: event.conversation, by=lambda event: event.sequence or 0)
    followers, held_by = _edges(chains + sequences)
    ready = [rank[event.event_id] for event in events if not held_by[event.event_id]]
    ordered: dict[UUID, WaitingEvent] = {}
    while len(ordered) < len(events):
        if not ready:
            held = [chain for chain in chains if chain[-1].event_id not in ordered]
            ready = [min(next(rank[one.event_id] for one in chain if one.event_id not in ordered) for chain in held)]
        event = events[heapq.heappop(ready)]
        if event.event_id in ordered:  # already released against a sequence, whose event has now come too
            continue
        ordered[event.event_id] = event
        for follower in followers[event.event_id]:
            held_by[follower] -= 1
            if not held_by[follower]:
                heapq.heappush(ready, rank[follower])
    return list(ordered.values())


def next_batch(ordered: Sequence[WaitingEvent], *, messages: int, tokens: int) -> Sequence[WaitingEvent]:
    """Return the first events that form a batch, within these limits but at least one.

    A suspect event is a batch of its own, so that a crash affects nothing else. So is a command, which takes effect after
    everything said before it and before everything said after.
    """
    if not ordered or ordered[0].alone:
        return ordered[:1]
    size = 0
    for place, event in enumerate(ordered[:messages]):
        size += event.tokens
        if place and (event.alone or size > tokens):
            return ordered[:place]
    return ordered[:messages]


Chain = Sequence[WaitingEvent]


def _chains(
    events: Iterable[WaitingEvent], *, of: Callable[[WaitingEvent], Hashable], by: Callable[[WaitingEvent], int]
) -> list[Chain]:
    """Group events by publisher or conversation, each group in its own order."""
    chains: defaultdict[Hashable, list[WaitingEvent]] = defaultdict(list)
    for event in events:
        chains[of(event)].append(event)
    return [sorted(chain, key=by) for chain in chains.values()]


def _edges(chains: Iterable[Chain]) -> tuple[Mapping[UUID, Sequence[UUID]], dict[UUID, int]]:
    """Return, by event, the events that wait for it, and the number of events it waits for."""
    followers: defaultdict[UUID, list[UUID]] = defaultdict(list)
    held_by: defaultdict[UUID, int] = defaultdict(int)
    for chain in chains:
        for earlier, later in pairwise(chain):
            followers[earlier.event_id].append(later.event_id)
            held_by[later.event_id] += 1
    return followers, held_by
