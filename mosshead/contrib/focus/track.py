"""Track the focus of a conversation after each message, with the knowledge of a namespace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from mosshead.api.session import Session
from mosshead.arguments import checked_conversation
from mosshead.contrib.focus.coreference import (
    OnPair,
    next_mentions,
    next_scene,
    next_seen,
    next_topic,
    refer,
    scene_of_topic,
)
from mosshead.contrib.focus.knowledge import (
    FocusKnowledge,
    FocusTurn,
    by_kind,
    known_entities,
    known_to,
    latest_turns,
    named,
    statement_for,
)
from mosshead.contrib.focus.state import FocusState, LayerEntry
from mosshead.entities import lookup
from mosshead.events.transcripts import turns
from mosshead.fencing import strip_fences
from mosshead.language.name_spans import keys_of
from mosshead.language.references import Layout, phrases
from mosshead.models.kinds import SPEAKING, Role
from mosshead.models.memories import Entity
from mosshead.redaction import redact
from mosshead.search.vectors import whether_indexed
from mosshead.store.connection import in_one_trip
from mosshead.store.memories import entity_of
from mosshead.text import text_of

if TYPE_CHECKING:
    from mosshead.api.namespace import Namespace


def track_conversation(
    namespace: "Namespace",
    history: Sequence[Mapping[str, Any]] = (),
    *,
    conversation: str | None = None,
    state: FocusState | Mapping[str, Any] | None = None,
    tracker: "Tracker | None" = None,
    pairs: OnPair | None = None,
) -> "Tracked":
    """Track the focus of a conversation after each user turn, and resolve its pronouns and descriptions.

    Args:
        namespace: the namespace that knows the entities.
        history: the turns so far, oldest first, as ``{role, content}``; the latest 50 count, and 4,000 characters of each. If
            only the conversation is given, its latest stored messages are used.
        conversation: the conversation's name.
        state: the ``state`` of an earlier result, or its JSON; the history then holds only later turns.
        tracker: another tracker in place of the heuristic (docs/how-to/working-memory.md).
        pairs: called with each candidate of each decision, to train a tracker.

    Raises:
        InvalidEvent: a turn is invalid.
        ValueError: the state is invalid.
    """
    if not isinstance(state, FocusState):
        state = FocusState() if state is None else FocusState.from_json(state)
    name, session = checked_conversation(conversation), namespace.session
    path, embedder = session.path, session.embedder
    said = _said([(turn.role, turn.content) for turn in turns(list(history))])
    if name is not None and not history:
        said = _said(session.fetch(latest_turns, name, MOST_TURNS))
    texts = [turn.text for _, turn in said]
    sought = [[phrase.sought for phrase in phrases(Layout(text)) if phrase.sought] for text in texts]
    numbers = {words: number for number, words in enumerate(dict.fromkeys(chain(*sought)), len(texts))}
    matches, indexed = _named(session, texts)
    names = [named(match for match in matches if match.text == number) for number in range(len(texts))]
    asked = statement_for(
        path,
        model=embedder.name,
        vectors=embedder.embed([*texts, *numbers]),
        bearers=[
            (number, key)
            for number, here in enumerate(names)
            for name in here
            if len(name.entity_ids) > 1
            for key in name.entity_ids
        ],
        entity_ids={match.entity.entity_id for match in matches} | state.entity_ids,
        indexed=indexed,
    )
    rows = by_kind(*in_one_trip(session.engine, path.tenant_id, [asked]))
    told = rows.get(("entity", None), ())
    entities = known_entities(told)
    shown = {row.entity_id: entity_of(row) for row in told}
    state = state.of(entities)
    after: list[TrackedTurn] = []
    for number, (place, turn) in enumerate(said):
        known = known_to(number, {words: numbers[words] for words in sought[number]}, names[number], rows, entities)
        state = (tracker or track)(state, turn, known, on_pair=pairs)
        if turn.by_user:
            after.append(TrackedTurn(place=place, **_layers(state, shown)))
    return Tracked(turns=tuple(after), state=state, **_layers(state, shown))


def track(state: FocusState, turn: FocusTurn, known: FocusKnowledge, *, on_pair: OnPair | None = None) -> FocusState:
    """Return the state after one more message. Pure, except for calls of on_pair."""
    read = refer(turn.text, state, known, on_pair)
    seen = next_seen(read)
    if not turn.by_user:
        return replace(state, seen=seen, messages=state.messages + 1)
    scene = next_scene(read)
    topic = next_topic(read, {held.entity_id for held in scene})
    scene = scene or scene_of_topic(read, topic)
    others = {held.entity_id for held in (*scene, *topic)}
    return FocusState(
        scene=scene,
        topic=topic,
        mentions=next_mentions(read.mentions, others),
        seen=seen,
        references=tuple(read.references),
        messages=state.messages + 1,
    )


MOST_TURNS = 50
_MOST_CHARACTERS = 4_000


class Tracker(Protocol):
    """A tracker: `mosshead.contrib.focus.track`, or a trained model instead."""

    def __call__(
        self, state: FocusState, turn: FocusTurn, known: FocusKnowledge, *, on_pair: OnPair | None = None
    ) -> FocusState:
        """Return the state after one more message. on_pair: called with each candidate of each decision, for training."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InFocus:
    """An entity in focus. score: how present it still is, 0 to 1."""

    entity: Entity
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Referring:
    """Words that refer without a name, and the entities they mean: one, or several for a plural.

    text: in lower case, as in the message ("he", "the other one"); start: its first character.
    """

    text: str
    start: int
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedTurn:
    """The focus after one user turn. place: of the turn in the history, from 0.

    scene: the setting, until that changes. topic: what it is about. mentions: other entities of the turn.
    references: its resolved pronouns and descriptions.
    """

    place: int
    scene: tuple[InFocus, ...] = ()
    topic: tuple[InFocus, ...] = ()
    mentions: tuple[InFocus, ...] = ()
    references: tuple[Referring, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """The focus of a conversation after its last turn, and after each user turn.

    state: pass it back with the following turns, so that earlier ones are not read again; `State.to_json` makes it JSON.
    """

    scene: tuple[InFocus, ...]
    topic: tuple[InFocus, ...]
    mentions: tuple[InFocus, ...]
    references: tuple[Referring, ...]
    turns: tuple[TrackedTurn, ...]
    state: FocusState


def _said(spoken: Sequence[tuple[str, Any]]) -> list[tuple[int, FocusTurn]]:
    """Return the latest user and assistant turns with their places; tool results refer to nobody."""
    return [
        # Notes that an app puts into a turn are not part of what was said.
        (place, FocusTurn(text=redact(strip_fences(said))[:_MOST_CHARACTERS], by_user=role == Role.USER))
        for place, (role, content) in enumerate(spoken)
        if role in SPEAKING and (said := text_of(content)) is not None
    ][-MOST_TURNS:]


def _named(session: Session, texts: Sequence[str]) -> tuple[list[lookup.NameMatch], bool]:
    """Return the names in the texts, and whether the namespace has a vector index."""
    path, model = session.path, session.embedder.name
    asked = [lookup.statement_for(path, keys_of(texts)), whether_indexed(path, model)]
    rows, scopes = in_one_trip(session.engine, path.tenant_id, asked)
    return lookup.matches(texts, rows), any(scope.indexed for scope in scopes)


def _layers(state: FocusState, entities: Mapping[UUID, Entity]) -> dict[str, Any]:
    references = (
        Referring(
            text=one.text, start=one.start, entities=tuple(entities[key] for key in one.entity_ids if key in entities)
        )
        for one in state.references
    )
    return {
        "scene": _in_focus(state.scene, entities),
        "topic": _in_focus(state.topic, entities),
        "mentions": _in_focus(state.mentions, entities),
        "references": tuple(one for one in references if one.entities),
    }


def _in_focus(layer: Sequence[LayerEntry], entities: Mapping[UUID, Entity]) -> tuple[InFocus, ...]:
    return tuple(
        InFocus(entity=entities[held.entity_id], score=round(held.score, 4))
        for held in layer
        if held.entity_id in entities
    )
