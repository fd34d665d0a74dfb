"""What a session has at hand: references to things, and never the things themselves. A value that goes to JSON and back."""

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

RECENT = 5
"""So many references are shown to a model, and are kept when a conversation is summed up."""

RESULTS = 5
"""So many results of tools are kept."""

_FORMAT = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


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
        return written(self).text

    @classmethod
    def from_json(cls, written: str | bytes) -> "State":
        """What `to_json` wrote; an empty state where it is something else, such as another version's: it is volatile anyway."""
        try:
            return _read(json.loads(written))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            return cls()


@dataclass(frozen=True, slots=True)
class WrittenState:
    """A state as text. pieces: the text of each of its references and results, by their identity while the state is kept."""

    state: State
    text: str
    pieces: Mapping[int, str]


def written(state: State, before: WrittenState | None = None) -> WrittenState:
    """A state as text. before: an earlier one of the same session; what stayed from there is not put into words again."""
    known = before.pieces if before else {}
    entities = [known.get(id(one)) or _reference(one) for one in state.entities]
    results = [known.get(id(one)) or _result(one) for one in state.results]
    rest = {
        "task": state.task,
        "user_name": state.user_name,
        "turns": state.turns,
        "touched": _stamp(state.touched) if state.touched else None,
        "added": state.added,
        "evicted": state.evicted,
    }
    lists = f'"entities":[{",".join(entities)}],"results":[{",".join(results)}]'
    return WrittenState(
        state=state,
        text=f'{{"format":{_FORMAT},{lists},{_json(rest)[1:]}',
        pieces=dict(zip(map(id, (*state.entities, *state.results)), (*entities, *results), strict=True)),
    )


def _reference(one: Reference) -> str:
    return _json([one.type, one.id, one.label, _stamp(one.at), _stamp(one.used), one.accesses])


def _result(one: ToolResult) -> str:
    return _json([one.tool, one.reference, one.label, _stamp(one.at), one.entities])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _stamp(moment: datetime) -> int:
    """Microseconds since 1970: half as long as in words, and all of a full session is sent with each change."""
    return (moment - _EPOCH) // _MICROSECOND


def _moment(stamp: int) -> datetime:
    return _EPOCH + timedelta(microseconds=stamp)


def _read(written: dict[str, Any]) -> State:
    if written["format"] != _FORMAT:
        return State()
    return State(
        entities=tuple(
            Reference(type=kind, id=key, label=label, at=_moment(at), used=_moment(used), accesses=accesses)
            for kind, key, label, at, used, accesses in written["entities"]
        ),
        results=tuple(
            ToolResult(
                tool=tool,
                reference=reference,
                label=label,
                at=_moment(at),
                entities=tuple((kind, key) for kind, key in entities),
            )
            for tool, reference, label, at, entities in written["results"]
        ),
        task=written["task"],
        user_name=written["user_name"],
        turns=written["turns"],
        touched=_moment(written["touched"]) if written["touched"] else None,
        added=written["added"],
        evicted=written["evicted"],
    )


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

    def after(self, state: State, now: datetime, rules: Rules) -> State:
        """With the reference at its place in time; where there is no room, another goes."""
        before, at = state.find(self.type, self.id), min(self.at or now, now)
        one = Reference(
            type=self.type,
            id=self.id,
            label=self.label,
            at=max(at, before.at) if before else at,
            used=max(at, before.used) if before else at,
            accesses=before.accesses + 1 if before else 1,
        )
        others = [other for other in state.entities if other is not before]
        evicted = 0
        while len(others) >= rules.capacity:
            del others[EVICT[rules.policy](others, now)]
            evicted += 1
        others.insert(bisect_right(others, one.at, key=lambda other: other.at), one)
        return replace(state, entities=tuple(others), added=state.added + 1, evicted=state.evicted + evicted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accessed:
    """A reference was looked up, or meant by words."""

    type: str
    id: str

    def after(self, state: State, now: datetime, rules: Rules) -> State:  # noqa: ARG002 - as every change
        """With one use more of the reference."""
        known = state.find(self.type, self.id)
        used = (
            replace(one, used=max(one.used, now), accesses=one.accesses + 1) if one is known else one
            for one in state.entities
        )
        return replace(state, entities=tuple(used))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A tool gave a result. entities: what is in it, in its order; the first becomes the most recent."""

    tool: str
    reference: str
    label: str
    entities: tuple[Added, ...] = ()

    def after(self, state: State, now: datetime, rules: Rules) -> State:
        """With the result, and what is in it."""
        listed = self.entities[: rules.capacity]
        for one in reversed(listed):
            state = one.after(state, now, rules)
        keys = tuple((one.type, one.id) for one in listed)
        result = ToolResult(tool=self.tool, reference=self.reference, label=self.label, at=now, entities=keys)
        return replace(state, results=(*state.results, result)[-RESULTS:])


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownNow:
    """The active task, or the user's name, is known now; or, with None, no longer."""

    what: Literal["task", "user_name"]
    text: str | None

    def after(self, state: State, now: datetime, rules: Rules) -> State:  # noqa: ARG002 - as every change
        """With what is known."""
        return replace(state, task=self.text) if self.what == "task" else replace(state, user_name=self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaken:
    """The user had another turn."""

    def after(self, state: State, now: datetime, rules: Rules) -> State:  # noqa: ARG002 - as every change
        """With one turn more; where it is the last before a summary, with the most recent references alone."""
        if rules.policy != "summary" or state.turns + 1 < SUMMARY_TURNS:
            return replace(state, turns=state.turns + 1)
        return replace(state, turns=0, entities=state.entities[-RECENT:])


Change = Added | Accessed | Reported | KnownNow | TurnTaken


def apply(state: State, change: Change, now: datetime, rules: Rules) -> State:
    """What a session has at hand after a change."""
    return replace(change.after(alive(state, now, rules.ttl), now, rules), touched=now)


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


Evict = Callable[[Sequence[Reference], datetime], int]
"""The place of the one that goes; there is at least one."""

SUMMARY_TURNS = 10
"""Under the policy "summary" the older references go after so many turns."""


def oldest(references: Sequence[Reference], now: datetime) -> int:
    """A sliding window: whatever was added first."""
    del references, now
    return 0


def least_relevant(references: Sequence[Reference], now: datetime) -> int:
    """The one of the lowest relevance; of several the oldest."""
    return min(range(len(references)), key=lambda place: relevance(references[place], now))


def relevance(reference: Reference, now: datetime) -> float:
    """0.6·recency + 0.4·frequency, from 0 to 1."""
    return 0.6 * recency(reference, now) + 0.4 * frequency(reference)


def recency(reference: Reference, now: datetime) -> float:
    """exp(−0.1·age), the age in minutes since it was last used; 1 where a clock elsewhere runs ahead."""
    return math.exp(-0.1 * max((now - reference.used).total_seconds() / 60, 0.0))


def frequency(reference: Reference) -> float:
    """min(accesses/10, 1)."""
    return min(reference.accesses / 10, 1.0)


EVICT: Mapping[Policy, Evict] = {"fifo": oldest, "relevance": least_relevant, "summary": oldest}
