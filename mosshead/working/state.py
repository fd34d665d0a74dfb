"""What a session has at hand: references to things, and never the things themselves. A value that goes to JSON and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

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
class Written:
    """A state as text. pieces: the text of each of its references and results, by their identity while the state is kept."""

    state: State
    text: str
    pieces: Mapping[int, str]


def written(state: State, before: Written | None = None) -> Written:
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
    return Written(
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
