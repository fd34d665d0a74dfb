"""What a session has at hand: references to things, and never the things themselves. A value that goes to JSON and back."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, get_args

from pydantic import TypeAdapter, ValidationError

RECENT = 5
"""So many references are shown to a model, and are kept when a conversation is summed up."""

RESULTS = 5
"""So many results of tools are kept."""

SUMMARY_TURNS = 10
"""Under the policy "summary" the older references go after so many turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Something that came up: what sort of thing, the app's id of it, and what to call it.

    at: when it was last added, which is what "recent" goes by. used: when it was last added, looked up or meant by words.
    accesses: how often that was.
    """

    type: str
    id: str
    label: str
    at: datetime
    used: datetime
    accesses: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave, by reference. entities: type and id of each thing in it, in the result's order."""

    tool: str
    reference: str
    label: str
    at: datetime
    entities: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Of one session.

    entities, results: oldest first. turns: of the user, since the conversation was last summed up. touched: when anything was
    last done. added, evicted: how many references were added, and how many of them had to make room.
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
        """The reference with this type and id."""
        return next((one for one in self.entities if one.id == entity_id and one.type == entity_type), None)

    def to_json(self) -> str:
        """As text; `from_json` takes it back."""
        return _adapter().dump_json((_FORMAT, self)).decode()

    @classmethod
    def from_json(cls, written: str | bytes) -> "State":
        """What `to_json` wrote; an empty state where it is something else, such as another version's: it is volatile anyway."""
        try:
            return _adapter().validate_json(written)[1]
        except ValidationError:
            return cls()


_FORMAT: Literal[4] = 4
"""It goes up whenever the state changes its form or its meaning."""


@cache
def _adapter() -> TypeAdapter[tuple[Literal[4], State]]:
    return TypeAdapter(tuple[Literal[4], State])


Policy = Literal["fifo", "relevance", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How much a session keeps. capacity: references. ttl: for how long after a reference was last used."""

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
    """Something came up, or came up again. at: when; now where it does not say, or says a later time."""

    type: str
    id: str
    label: str
    at: datetime | None = None


def add(state: State, added: Added, now: datetime, rules: Rules) -> State:
    """With a reference at its place in time; where there is no room, another goes."""
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
    """With what a tool gave, and the things in it, in its order; the first becomes the most recent."""
    listed = things[: rules.capacity]
    for one in reversed(listed):
        state = add(state, one, result.at, rules)
    result = replace(result, entities=tuple((one.type, one.id) for one in listed))
    return replace(state, results=(*state.results, result)[-RESULTS:])


def use(state: State, found: Reference | None, now: datetime) -> tuple[State, Reference | None]:
    """The state after a reference was looked up, or meant by words, if there is one; and the reference as it is then."""
    before = found and state.find(found.type, found.id)
    if before is None:
        return state, None
    used = replace(before, used=max(before.used, now), accesses=before.accesses + 1)
    return replace(state, entities=tuple(used if one is before else one for one in state.entities)), used


def take_turn(state: State, rules: Rules) -> State:
    """After another turn of the user. Under the policy "summary" the tenth leaves the 5 most recent references."""
    if rules.policy == "summary" and state.turns + 1 >= SUMMARY_TURNS:
        return replace(state, turns=0, entities=state.entities[-RECENT:])
    return replace(state, turns=state.turns + 1)


def alive(state: State, now: datetime, ttl: timedelta) -> State:
    """The state without what has expired; nothing is left of a session in which nothing was done for so long."""
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
    """The place of the one of the lowest relevance; of several the oldest."""
    return min(range(len(references)), key=lambda place: relevance(references[place], now))


def relevance(reference: Reference, now: datetime) -> float:
    """0.6·recency + 0.4·frequency, from 0 to 1.

    Recency is exp(−0.1·minutes since its last use), and 1 where a clock elsewhere runs ahead; frequency is min(accesses/10, 1).
    """
    minutes = max((now - reference.used).total_seconds() / 60, 0.0)
    return 0.6 * math.exp(-0.1 * minutes) + 0.4 * min(reference.accesses / 10, 1.0)
