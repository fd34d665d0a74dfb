"""What can happen in a session, and what it then has at hand: ``apply(state, change, now, rules)``. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from mosshead.working.policies import EVICT, SUMMARY_TURNS, Policy
from mosshead.working.state import RECENT, RESULTS, Reference, State, ToolResult


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
class Told:
    """The active task, or the user's name, is known now; or, with None, no longer."""

    what: Literal["task", "user_name"]
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaken:
    """The user had another turn."""


Change = Added | Accessed | Reported | Told | TurnTaken


def apply(state: State, change: Change, now: datetime, rules: Rules) -> State:
    """What a session has at hand after a change."""
    return replace(_changed(alive(state, now, rules.ttl), change, now, rules), touched=now)


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


def _changed(state: State, change: Change, now: datetime, rules: Rules) -> State:
    match change:
        case Added():
            return _added(state, change, now, rules)
        case Accessed():
            return _accessed(state, change, now)
        case Reported():
            return _reported(state, change, now, rules)
        case Told(what="task"):
            return replace(state, task=change.text)
        case Told():
            return replace(state, user_name=change.text)
        case TurnTaken():
            return _turn_taken(state, rules)


def _added(state: State, change: Added, now: datetime, rules: Rules) -> State:
    before, at = state.find(change.type, change.id), min(change.at or now, now)
    one = Reference(
        type=change.type,
        id=change.id,
        label=change.label,
        at=max(at, before.at) if before else at,
        used=max(at, before.used) if before else at,
        accesses=before.accesses + 1 if before else 1,
    )
    others = tuple(other for other in state.entities if other is not before)
    evicted = 0
    while len(others) >= rules.capacity:
        place = EVICT[rules.policy](others, now)
        others = (*others[:place], *others[place + 1 :])
        evicted += 1
    place = len(others)
    while place and others[place - 1].at > one.at:
        place -= 1
    return replace(
        state,
        entities=(*others[:place], one, *others[place:]),
        added=state.added + 1,
        evicted=state.evicted + evicted,
    )


def _accessed(state: State, change: Accessed, now: datetime) -> State:
    one = state.find(change.type, change.id)
    if one is None:
        return state
    place = state.entities.index(one)
    after = replace(one, used=max(one.used, now), accesses=one.accesses + 1)
    return replace(state, entities=(*state.entities[:place], after, *state.entities[place + 1 :]))


def _reported(state: State, change: Reported, now: datetime, rules: Rules) -> State:
    listed = change.entities[: rules.capacity]
    for one in reversed(listed):
        state = _added(state, one, now, rules)
    result = ToolResult(
        tool=change.tool,
        reference=change.reference,
        label=change.label,
        at=now,
        entities=tuple((one.type, one.id) for one in listed),
    )
    return replace(state, results=(*state.results, result)[-RESULTS:])


def _turn_taken(state: State, rules: Rules) -> State:
    if rules.policy != "summary" or state.turns + 1 < SUMMARY_TURNS:
        return replace(state, turns=state.turns + 1)
    return replace(state, turns=0, entities=state.entities[-RECENT:])
