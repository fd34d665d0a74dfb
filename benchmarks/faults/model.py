"""What should become of a lane, in a model so small that it can be believed. Pure; the database has to agree with it.

`benchmarks.faults.machine` does to both whatever can happen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID, uuid4


class Event(NamedTuple):
    """An event, by its publisher's place in the model and its number there."""

    publisher: int
    number: int


@dataclass(slots=True)
class Model:
    """What should be so. passed: up to which number of a publisher nobody waits any longer. reached: the last that was over."""

    made: dict[Event, UUID] = field(default_factory=dict)
    arrived: set[Event] = field(default_factory=set)
    passed: dict[int, int] = field(default_factory=dict)
    reached: dict[int, int] = field(default_factory=dict)
    suspect: set[Event] = field(default_factory=set)
    applied: list[Event] = field(default_factory=list)
    dead: set[Event] = field(default_factory=set)
    batch: list[Event] = field(default_factory=list)
    leased: bool = False
    crashes: int = 0

    def make(self, publisher: int) -> Event:
        """A new event of a publisher."""
        number = 1 + max((one.number for one in self.made if one.publisher == publisher), default=0)
        made = Event(publisher, number)
        self.made[made] = uuid4()
        return made

    def event_of(self, event_id: UUID) -> Event:
        """The event with this id."""
        return next(one for one, its in self.made.items() if its == event_id)

    def waiting(self) -> set[Event]:
        """What was received and neither took effect nor died."""
        return self.arrived - set(self.applied) - self.dead

    def watermark(self, publisher: int) -> int:
        """The longest run of a publisher's numbers that arrived: what it may forget."""
        return self._run(publisher, 0)

    def passable(self, publisher: int) -> int:
        """As far as a publisher's events may be taken: past a gap, where it was waited for in vain."""
        return max(self.watermark(publisher), self._run(publisher, self.passed.get(publisher, 0)))

    def take(self, events: Sequence[Event], *, patient: bool) -> None:
        """These events were claimed as a batch. Where a gap came before one, its numbers are waited for no more."""
        self.batch, self.crashes = [], 0
        for one in events:
            if one.number > self.passable(one.publisher):
                assert not patient, f"{one} was taken from behind a gap"
                self.passed[one.publisher] = one.number
            waiting = self.waiting() - set(self.batch)
            overtaken = [other for other in waiting if other.publisher == one.publisher and other.number < one.number]
            assert not overtaken, f"{one} was taken before {overtaken}"
            self.batch.append(one)

    def apply(self) -> None:
        """The batch took effect."""
        for one in self.batch:
            assert one not in self.applied, f"{one} took effect twice"
            self.applied.append(one)
        self._over()

    def bury(self) -> None:
        """The batch was given up."""
        self.dead.update(self.batch)
        self._over()

    def _run(self, publisher: int, up_to: int) -> int:
        numbers = {one.number for one in self.arrived if one.publisher == publisher}
        while up_to + 1 in numbers:
            up_to += 1
        return up_to

    def _over(self) -> None:
        for one in self.batch:
            self.reached[one.publisher] = max(one.number, self.reached.get(one.publisher, 0))
