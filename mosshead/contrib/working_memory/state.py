"""What a session has at hand: references to things, and never the things themselves. A value that goes to JSON and back."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

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
        return _adapter().dump_json(_WrittenState(format=_FORMAT, state=self)).decode()

    @classmethod
    def from_json(cls, written: str | bytes) -> "State":
        """What `to_json` wrote; an empty state where it is something else, such as another version's: it is volatile anyway."""
        try:
            return _adapter().validate_json(written).state
        except ValidationError:
            return cls()


_FORMAT: Literal[3] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _WrittenState:
    """A state as a store keeps it. format: goes up whenever the state changes its form or its meaning."""

    format: Literal[3]
    state: State


@cache
def _adapter() -> TypeAdapter[_WrittenState]:
    return TypeAdapter(_WrittenState)


Policy = Literal["fifo", "relevance", "summary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How much a session keeps. capacity: references. ttl: for how long after a reference was last used."""

    capacity: int
    ttl: timedelta
    policy: Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Something came up, or came up again. at: when; now where it does not say, or says a later time."""

    type: str
    id: str
    label: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accessed:
    """A reference was looked up, or meant by words."""

    type: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A tool gave a result. entities: what is in it, in its order; the first becomes the most recent."""

    tool: str
    reference: str
    label: str
    entities: tuple[Added, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNow:
    """The active task, or the user's name, is known now; or, with None, no longer."""

    what: Literal["task", "user_name"]
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaken:
    """The user had another turn."""


Change = Added | Accessed | Reported | KnownNow | TurnTaken


def apply(state: State, change: Change, now: datetime, rules: Rules) -> State:
    """What a session has at hand after a change."""
    state = replace(alive(state, now, rules.ttl), touched=now)
    match change:
        case Added():
            return _with(state, change, now, rules)
        case Accessed(type=kind, id=key):
            return replace(state, entities=tuple(_used(one, kind, key, now) for one in state.entities))
        case Reported():
            listed = change.entities[: rules.capacity]
            for one in reversed(listed):
                state = _with(state, one, now, rules)
            keys = tuple((one.type, one.id) for one in listed)
            result = ToolResult(tool=change.tool, reference=change.reference, label=change.label, at=now, entities=keys)
            return replace(state, results=(*state.results, result)[-RESULTS:])
        case KnownNow(what="task", text=text):
            return replace(state, task=text)
        case KnownNow(text=text):
            return replace(state, user_name=text)
        case TurnTaken():
            last = rules.policy == "summary" and state.turns + 1 >= SUMMARY_TURNS
            kept = state.entities[-RECENT:] if last else state.entities
            return replace(state, turns=0 if last else state.turns + 1, entities=kept)


def _with(state: State, added: Added, now: datetime, rules: Rules) -> State:
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


def _used(one: Reference, kind: str, key: str, now: datetime) -> Reference:
    if (one.type, one.id) != (kind, key):
        return one
    return replace(one, used=max(one.used, now), accesses=one.accesses + 1)


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
