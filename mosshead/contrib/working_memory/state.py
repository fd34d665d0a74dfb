"""The state of a session: references to things, never the things themselves. A value that converts to JSON and back."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

RECENT = 5
"""How many references are shown to a model, and kept when a conversation is summarized."""

RESULTS = 5
"""How many tool results are kept."""

SUMMARY_TURNS = 10
"""Under the policy "summary", the number of turns after which older references are dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference to a thing: its type, the app's id, and a label.

    at: when it was last added, which determines recency. used: when it was last added, looked up or referred to.
    accesses: how often that happened.
    """

    type: str
    id: str
    label: str
    at: datetime
    used: datetime
    accesses: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A tool's result, by reference. entities: type and id of each thing in it, in the result's order."""

    tool: str
    reference: str
    label: str
    at: datetime
    entities: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of one session.

    entities, results: oldest first. turns: of the user, since the last summary. touched: time of the last access. added, evicted:
    how many references were added, and how many were evicted.
    """

    entities: tuple[Reference, ...] = ()
    results: tuple[ToolResult, ...] = ()
    task: str | None = None
    user_name: str | None = None
    turns: int = 0
    touched: datetime | None = None
    added: int = 0
    evicted: int = 0

    def find(self, entity_type: str, entity_id: str) -> Reference | None:
        """Return the reference with this type and id."""
        return next((one for one in self.entities if one.id == entity_id and one.type == entity_type), None)

    def to_json(self) -> str:
        """Convert to JSON text; `from_json` restores it."""
        return _adapter().dump_json((_FORMAT, self)).decode()

    @classmethod
    def from_json(cls, written: str | bytes) -> "State":
        """Restore the result of `to_json`; an empty state for anything else, such as another version's: it is volatile anyway."""
        try:
            return _adapter().validate_json(written)[1]
        except ValidationError:
            return cls()


_FORMAT: Literal[4] = 4
"""Increase it whenever the form or meaning of the state changes."""


@cache
def _adapter() -> TypeAdapter[tuple[Literal[4], State]]:
    return TypeAdapter(tuple[Literal[4], State])


Policy = Literal["fifo", "relevance", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The limits of a session. capacity: number of references. ttl: how long a reference is kept after its last use."""

    capacity: int
    ttl: timedelta
    policy: Policy

    def __post_init__(self) -> None:
        """Raises ValueError, which names the argument and its range."""
        if type(self.capacity) is not int or not 10 <= self.capacity <= 50:
            raise ValueError(f"capacity: a number of references from 10 to 50, got {self.capacity!r}")
        if not isinstance(self.ttl, timedelta) or not timedelta(minutes=5) <= self.ttl <= timedelta(minutes=10):
            raise ValueError(f"ttl: a timedelta from 5 to 10 minutes, got {self.ttl!r}")
        if self.policy not in get_args(Policy):
            raise ValueError(f"policy: one of {', '.join(get_args(Policy))}, got {self.policy!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A thing to add or refresh. at: when; now if missing or in the future."""

    type: str
    id: str
    label: str
    at: datetime | None = None


def add(state: State, added: Added, now: datetime, rules: Rules) -> State:
    """Return the state with a reference inserted by time; if the session is full, another is evicted."""
    before, at = state.find(added.type, added.id), min(added.at or now, now)
    one = Reference(
        type=added.type,
        id=added.id,
        label=added.label,
        at=max(at, before.at) if before else at,
        used=max(at, before.used) if before else at,
        accesses=before.accesses + 1 if before else 1,
    )
    others = [other for other in state.entities if other is not before]
    evicted = 0
    while len(others) >= rules.capacity:
        del others[least_relevant(others, now) if rules.policy == "relevance" else 0]
        evicted += 1
    others.insert(bisect_right(others, one.at, key=lambda other: other.at), one)
    return replace(state, entities=tuple(others), added=state.added + 1, evicted=state.evicted + evicted)


def add_result(state: State, result: ToolResult, things: Sequence[Added], rules: Rules) -> State:
    """Return the state with a tool's result and its things, in order; the first becomes the most recent."""
    listed = things[: rules.capacity]
    for one in reversed(listed):
        state = add(state, one, result.at, rules)
    result = replace(result, entities=tuple((one.type, one.id) for one in listed))
    return replace(state, results=(*state.results, result)[-RESULTS:])


def use(state: State, found: Reference | None, now: datetime) -> tuple[State, Reference | None]:
    """Return the state after the use of a reference, if it exists, and the updated reference."""
    before = found and state.find(found.type, found.id)
    if before is None:
        return state, None
    used = replace(before, used=max(before.used, now), accesses=before.accesses + 1)
    return replace(state, entities=tuple(used if one is before else one for one in state.entities)), used


def take_turn(state: State, rules: Rules) -> State:
    """Return the state after another user turn. Under the policy "summary" the tenth leaves the 5 most recent references."""
    if rules.policy == "summary" and state.turns + 1 >= SUMMARY_TURNS:
        return replace(state, turns=0, entities=state.entities[-RECENT:])
    return replace(state, turns=state.turns + 1)


def alive(state: State, now: datetime, ttl: timedelta) -> State:
    """Return the state without expired references; a session idle for that long becomes empty."""
    if state.touched is not None and now - state.touched >= ttl:
        return State()
    since = now - ttl
    if all(one.used > since for one in state.entities) and all(one.at > since for one in state.results):
        return state
    return replace(
        state,
        entities=tuple(one for one in state.entities if one.used > since),
        results=tuple(one for one in state.results if one.at > since),
    )


def least_relevant(references: Sequence[Reference], now: datetime) -> int:
    """Return the index of the reference with the lowest relevance; the oldest among equals."""
    return min(range(len(references)), key=lambda place: relevance(references[place], now))


def relevance(reference: Reference, now: datetime) -> float:
    """Return 0.6·recency + 0.4·frequency, from 0 to 1.

    Recency is exp(−0.1·minutes since its last use), or 1 if another machine's clock is ahead; frequency is min(accesses/10, 1).
    """
    minutes = max((now - reference.used).total_seconds() / 60, 0.0)
    return 0.6 * math.exp(-0.1 * minutes) + 0.4 * min(reference.accesses / 10, 1.0)
