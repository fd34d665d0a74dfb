"""The focus of a conversation: the layers, and who was mentioned when. A value that converts to JSON and back."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any
from uuid import UUID

from pydantic import TypeAdapter, ValidationError

from mosshead.language.wordlists import Gender
from mosshead.serialization import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerEntry:
    """An entity in a layer.

    fit: how surely it was meant, 0 to 1; age: user turns since then; score: the decayed fit, 0 to 1.
    """

    entity_id: UUID
    fit: float
    score: float
    age: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A mentioned entity.

    message: the number of the latest message that mentions it. prominence: of the mention, 0 to 1 (centering). gender: of the
    pronoun used for it.
    """

    entity_id: UUID
    message: int
    prominence: float
    gender: Gender | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedReference:
    """Words of a message and the entities they mean. text: in lower case; start: its first character."""

    text: str
    start: int
    entity_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusState:
    """The state of one conversation after its latest message.

    scene: its setting, until that changes. topic: what it is about. mentions: other entities of the user's latest turn. seen:
    mentioned entities, latest first. references: those of the user's latest turn. messages: their number so far.
    """

    scene: tuple[LayerEntry, ...] = ()
    topic: tuple[LayerEntry, ...] = ()
    mentions: tuple[LayerEntry, ...] = ()
    seen: tuple[Seen, ...] = ()
    references: tuple[ResolvedReference, ...] = ()
    messages: int = 0

    def to_json(self) -> dict[str, Any]:
        """Convert to a JSON object; `from_json` restores it."""
        written: dict[str, Any] = to_json(self)
        return written

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> "FocusState":
        """Restore the result of `to_json`. Raises ValueError if it is something else."""
        names = (one.name for one in fields(cls))
        try:
            return _adapter().validate_python({**dict.fromkeys(names), **written})
        except (TypeError, ValidationError):
            raise ValueError("state: not what State.to_json wrote; omit it to start afresh") from None

    def of(self, known: Collection[UUID]) -> "FocusState":
        """Return the state without entities that no longer exist: merged or undone since the state was written."""
        left: dict[str, Any] = {
            name: tuple(one for one in getattr(self, name) if one.entity_id in known)
            for name in ("scene", "topic", "mentions", "seen")
        }
        return replace(self, **left)

    @property
    def entity_ids(self) -> frozenset[UUID]:
        """Return all entities that the next message may refer back to."""
        held = {one.entity_id for one in (*self.scene, *self.topic, *self.mentions)}
        return frozenset(held | {one.entity_id for one in self.seen})


@cache
def _adapter() -> TypeAdapter[FocusState]:
    return TypeAdapter(FocusState)
