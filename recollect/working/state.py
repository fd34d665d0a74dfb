"""What a session has at hand: references to things, and never the things themselves. A value that goes to JSON and back."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

RECENT = 5
"""So many references are shown to a model, and are kept when a conversation is summed up."""

RESULTS = 5
"""So many results of tools are kept."""

_FORMAT = 1


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
        return json.dumps(
            {
                "format": _FORMAT,
                "entities": [
                    [one.type, one.id, one.label, one.at.isoformat(), one.used.isoformat(), one.accesses]
                    for one in self.entities
                ],
                "results": [
                    [one.tool, one.reference, one.label, one.at.isoformat(), one.entities] for one in self.results
                ],
                "task": self.task,
                "user_name": self.user_name,
                "turns": self.turns,
                "touched": self.touched.isoformat() if self.touched else None,
                "added": self.added,
                "evicted": self.evicted,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, written: str | bytes) -> "State":
        """What `to_json` wrote; an empty state where it is something else, such as another version's: it is volatile anyway."""
        try:
            return _read(json.loads(written))
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls()


def _read(written: dict[str, Any]) -> State:
    if written["format"] != _FORMAT:
        return State()
    moment = datetime.fromisoformat
    return State(
        entities=tuple(
            Reference(type=kind, id=key, label=label, at=moment(at), used=moment(used), accesses=accesses)
            for kind, key, label, at, used, accesses in written["entities"]
        ),
        results=tuple(
            ToolResult(
                tool=tool,
                reference=reference,
                label=label,
                at=moment(at),
                entities=tuple((kind, key) for kind, key in entities),
            )
            for tool, reference, label, at, entities in written["results"]
        ),
        task=written["task"],
        user_name=written["user_name"],
        turns=written["turns"],
        touched=moment(written["touched"]) if written["touched"] else None,
        added=written["added"],
        evicted=written["evicted"],
    )
