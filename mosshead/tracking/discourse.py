"""What has been said so far: the conversation before a message and, word by word, the message itself. What words may refer to."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from mosshead.genders import Gender
from mosshead.kinds import EntityType
from mosshead.patterns import lazy_pattern
from mosshead.tracking.choosing import Choice, Decision, DecisionKind, Features, OnPair
from mosshead.tracking.known import Known, KnownEntity
from mosshead.tracking.phrases import Form
from mosshead.tracking.places import Layout, Part, Place
from mosshead.tracking.state import Referred, State

LESS_EACH_MESSAGE = 0.75
_PROMINENCE = {Part.SUBJECT: 1.0, Part.OBJECT: 0.8, Part.OWNER: 0.8, Part.OTHER: 0.6}
_UNSPOKEN = 0.5

_ASKS_HOW = lazy_pattern(
    r"\bhow (?:do|did|should|would|can|could|must) (?:i|we|you|they|one)\b|\bwhat (?:do|should|must) (?:i|we|you) do\b"
    r"|\bwhat to do\b",
    re.IGNORECASE,
)

Fits = Callable[[KnownEntity], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An entity that a message means. how: a feature of `choosing.TOPIC`; place: None where no word stands for it.

    gender: which pronoun it was given.
    """

    entity_id: UUID
    how: str
    fit: float
    place: Place | None = None
    gender: Gender | None = None

    @property
    def prominence(self) -> float:
        """How soon it will be spoken of again, 0 to 1."""
        return _PROMINENCE[self.place.part] if self.place else _UNSPOKEN


@dataclass(slots=True, kw_only=True)
class Discourse:
    """A message while it is read. mentions, references: what was found in it up to here."""

    layout: Layout
    state: State
    known: Known
    on_pair: OnPair | None = None
    mentions: list[Mention] = field(default_factory=list)
    references: list[Referred] = field(default_factory=list)

    @property
    def scenes(self) -> set[UUID]:
        """Where the talk happens: the scene so far, and the organisations that this message names."""
        named = {name.entity_ids[0] for name in self.known.names if len(name.entity_ids) == 1}
        return {held.entity_id for held in self.state.scene} | {
            key for key in named if self.type_of(key) is EntityType.ORG
        }

    @property
    def topics(self) -> set[UUID]:
        """What the latest turn of the user was about."""
        return {held.entity_id for held in self.state.topic if held.age == 0}

    @property
    def asks_how(self) -> bool:
        """Whether the message asks how a thing is done."""
        return _ASKS_HOW.search(self.layout.text) is not None

    @property
    def spoken_here(self) -> list[UUID]:
        """What this message has words for, in order."""
        return [one.entity_id for one in self.mentions if one.place]

    def spoken_of(self, place: Place | None = None) -> dict[UUID, float]:
        """What may be meant at a place, with its prominence: of this message the latest first, then of the messages before."""
        found: dict[UUID, float] = {}
        for one in reversed(self.mentions):
            found.setdefault(one.entity_id, one.prominence)
        for seen in self.state.seen:
            messages = self.state.messages - seen.message - 1
            found.setdefault(seen.entity_id, seen.prominence * LESS_EACH_MESSAGE**messages)
        bound = {one.entity_id for one in self.mentions if place and one.place and _bound(one.place, place)}
        return {key: prominence for key, prominence in found.items() if key not in bound}

    def latest(self, fits: Fits) -> Choice | None:
        """The latest that is of some kind, with its prominence."""
        for key, prominence in self.spoken_of().items():
            entity = self.known.entities.get(key)
            if entity and fits(entity):
                return key, prominence
        return None

    def coherence(self, key: UUID, prominence: float) -> Features:
        """How well it fits that a message speaks of an entity again."""
        return {
            "here": float(any(one.entity_id == key for one in self.mentions)),
            "prominence": prominence,
            "topic": float(key in self.topics),
            "near": self.known.near.get(key, 0.0),
            "home": float(self.at_home(key)),
        }

    def at_home(self, key: UUID) -> bool:
        """Whether an entity belongs to the scene."""
        entity = self.known.entities.get(key)
        scenes = [self.known.entities[key] for key in self.scenes if key in self.known.entities]
        around = self.scenes | {scene.parent_id for scene in scenes if scene.parent_id}
        return entity is not None and not around.isdisjoint(entity.homes)

    def type_of(self, key: UUID) -> EntityType | None:
        """The type of an entity; None where nothing is known of it."""
        entity = self.known.entities.get(key)
        return entity.entity_type if entity else None

    def gender_of(self, key: UUID) -> Gender | None:
        """Which pronoun a person was given in this conversation, else the one that is known."""
        given = [one.gender for one in self.mentions if one.entity_id == key]
        given += [one.gender for one in self.state.seen if one.entity_id == key]
        entity = self.known.entities.get(key)
        return next((gender for gender in given if gender), entity.gender if entity else None)

    def decide(self, form: Form | None, start: int = -1) -> Decision:
        """A decision about words of this message."""
        kind: DecisionKind = "pronoun" if form is Form.PRONOUN else "description"
        return Decision(kind=kind, message=self.state.messages, start=start, on_pair=self.on_pair)


def _bound(one: Place, place: Place) -> bool:
    """Whether a pronoun cannot mean what stands before it in its own clause: in "Ann calls her", "her" is not Ann."""
    return one.clause == place.clause and one.part is not Part.OWNER and place.part in {Part.OBJECT, Part.OTHER}
