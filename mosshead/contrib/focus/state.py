"""What a conversation has in focus: the layers, and who was spoken of and when. A value that goes to JSON and back."""

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

    fit: how surely it was meant, 0 to 1; age: user turns since then; score: 0 to 1, what is left of the fit.
    """

    entity_id: UUID
    fit: float
    score: float
    age: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An entity that was spoken of.

    message: the number of the latest message that did. prominence: how, 0 to 1 (centering). gender: the pronoun it was given.
    """

    entity_id: UUID
    message: int
    prominence: float
    gender: Gender | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedReference:
    """Words of a message and whom they mean, one or several. text: in lower case; start: its first character."""

    text: str
    start: int
    entity_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusState:
    """Of one conversation, after its latest message.

    scene: where the talk happens, until that changes. topic: what it is about. mentions: what else the user's latest turn spoke
    of. seen: who was spoken of, latest first. references: those of the user's latest turn. messages: how many there were.
    """

    scene: tuple[LayerEntry, ...] = ()
    topic: tuple[LayerEntry, ...] = ()
    mentions: tuple[LayerEntry, ...] = ()
    seen: tuple[Seen, ...] = ()
    references: tuple[ResolvedReference, ...] = ()
    messages: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON has it; `from_json` takes it back."""
        written: dict[str, Any] = to_json(self)
        return written

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> "FocusState":
        """What `to_json` wrote. Raises ValueError where it is something else."""
        names = (one.name for one in fields(cls))
        try:
            return _adapter().validate_python({**dict.fromkeys(names), **written})
        except (TypeError, ValidationError):
            raise ValueError("state: not what State.to_json wrote; leave it out to begin anew") from None

    def of(self, known: Collection[UUID]) -> "FocusState":
        """Without those who are known no more: merged into another, or taken back, since the state was written."""
        left: dict[str, Any] = {
            name: tuple(one for one in getattr(self, name) if one.entity_id in known)
            for name in ("scene", "topic", "mentions", "seen")
        }
        return replace(self, **left)

    @property
    def entity_ids(self) -> frozenset[UUID]:
        """All that the next message may refer back to."""
        held = {one.entity_id for one in (*self.scene, *self.topic, *self.mentions)}
        return frozenset(held | {one.entity_id for one in self.seen})


@cache
def _adapter() -> TypeAdapter[FocusState]:
    return TypeAdapter(FocusState)
