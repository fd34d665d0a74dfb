"""What `Namespace.track` gives back: frozen values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from mosshead.results import Entity
from mosshead.tracking.state import Held, State


@dataclass(frozen=True, slots=True, kw_only=True)
class InFocus:
    """An entity that a conversation has in focus. score: 0 to 1, how present it still is."""

    entity: Entity
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Referring:
    """Words that refer without a name, and whom they mean: one, or several where they are a plural.

    text: in lower case, as it stands in the message ("he", "the other one"); start: its first character.
    """

    text: str
    start: int
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedTurn:
    """What is in focus after one turn of the user. place: of the turn in the history, from 0.

    scene: where the talk happens, until that changes. topic: what it is about. mentions: what else the turn spoke of.
    references: its pronouns and descriptions; what means nothing that is known is left out.
    """

    place: int
    scene: tuple[InFocus, ...] = ()
    topic: tuple[InFocus, ...] = ()
    mentions: tuple[InFocus, ...] = ()
    references: tuple[Referring, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """What a conversation has in focus after its last turn, and after each turn of the user.

    state: to hand back with the turns that follow, so that these are not read again; `State.to_json` makes it JSON.
    """

    scene: tuple[InFocus, ...]
    topic: tuple[InFocus, ...]
    mentions: tuple[InFocus, ...]
    references: tuple[Referring, ...]
    turns: tuple[TrackedTurn, ...]
    state: State


def tracked(states: Sequence[tuple[int, State]], last: State, entities: Mapping[UUID, Entity]) -> Tracked:
    """From the states after each turn of the user, each with its place in the history, and the state at the end."""
    turns = tuple(_turn(place, state, entities) for place, state in states)
    now = _turn(-1, last, entities)
    return Tracked(
        scene=now.scene,
        topic=now.topic,
        mentions=now.mentions,
        references=now.references,
        turns=turns,
        state=last,
    )


def _turn(place: int, state: State, entities: Mapping[UUID, Entity]) -> TrackedTurn:
    return TrackedTurn(
        place=place,
        scene=_in_focus(state.scene, entities),
        topic=_in_focus(state.topic, entities),
        mentions=_in_focus(state.mentions, entities),
        references=tuple(
            Referring(
                text=one.text,
                start=one.start,
                entities=tuple(entities[key] for key in one.entity_ids if key in entities),
            )
            for one in state.references
            if any(key in entities for key in one.entity_ids)
        ),
    )


def _in_focus(layer: Sequence[Held], entities: Mapping[UUID, Entity]) -> tuple[InFocus, ...]:
    return tuple(
        InFocus(entity=entities[held.entity_id], score=round(held.score, 4))
        for held in layer
        if held.entity_id in entities
    )
