"""One session in its store: where the clock is read, a change is computed, and the time that it took is counted."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from mosshead.working.changes import Change, Rules, alive, apply
from mosshead.working.state import State
from mosshead.working.stores import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session by the key that its store has it under. clock: what time it is, with a time zone."""

    store: Store
    key: str
    rules: Rules
    clock: Callable[[], datetime]

    def state(self) -> State:
        """What is at hand."""
        return self.step(lambda state, _: (state, state))

    def change(self, change: Change) -> State:
        """What is at hand after a change."""

        def decide(state: State, now: datetime) -> tuple[State, State]:
            after = apply(state, change, now, self.rules)
            return after, after

        return self.step(decide)

    def step(self, decide: Callable[[State, datetime], tuple[State, T]]) -> T:
        """One access. decide: given what is alive, says what is at hand after it, and an answer; pure."""
        started = time.perf_counter()

        def changing(stored: State) -> tuple[State, tuple[State, State, T]]:
            now = self._now()
            before = alive(stored, now, self.rules.ttl)
            after, answer = decide(before, now)
            return stored if after is before else after, (before, after, answer)

        before, after, answer = self.store.change(self.key, changing, self.rules.ttl)
        self.store.meter.accessed(
            time.perf_counter() - started,
            fill=len(after.entities) / self.rules.capacity,
            added=after.added - before.added,
            evicted=after.evicted - before.evicted,
        )
        return answer

    def _now(self) -> datetime:
        now = self.clock()
        if now.tzinfo is None:
            raise ValueError("clock: gives a time without a zone; give an aware one, such as datetime.now(UTC)")
        return now.astimezone(UTC)
