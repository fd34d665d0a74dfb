"""The layers of a conversation: where it happens, what it is about, what was touched on; and how each fades."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from uuid import UUID

from mosshead.kinds import EntityType
from mosshead.tracking.choosing import LEAST, TOPIC, Decision, Features
from mosshead.tracking.discourse import Mention
from mosshead.tracking.known import Known
from mosshead.tracking.places import Part, Place
from mosshead.tracking.state import Held, Seen, State

SCENE_SCORES = (0.99, 0.92, 0.89, 0.85, 0.82)
TOPIC_SCORES = (0.99, 0.95, 0.6, 0.3)
_SCENE_LATER = 0.97
_MENTIONED = 0.9
_AT_HOME = 0.8
_REMEMBERED = 24
_HOMES = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.PLACE})


def scene_score(age: int) -> float:
    """How present a scene is, so many turns of the user after it was last named, 0 to 1; it never falls to nothing."""
    last = len(SCENE_SCORES) - 1
    return SCENE_SCORES[age] if age <= last else SCENE_SCORES[last] * _SCENE_LATER ** (age - last)


def topic_score(age: int) -> float:
    """How present a topic is, so many turns of the user after it was last spoken of, 0 to 1; 0 once it is over."""
    return TOPIC_SCORES[age] if age < len(TOPIC_SCORES) else 0.0


def next_scene(state: State, mentions: Sequence[Mention], known: Known) -> tuple[Held, ...]:
    """The scene that was, unless the message names another."""
    named = [one for one in mentions if one.how == "name" and _type(known, one.entity_id) is EntityType.ORG]
    if named:
        chosen = named[-1].entity_id
        return (Held(entity_id=chosen, fit=1.0, score=scene_score(0)),)
    spoken = {one.entity_id for one in mentions}
    return tuple(_aged(held, 0 if held.entity_id in spoken else held.age + 1, scene_score) for held in state.scene)


def scene_of_topic(state: State, topic: Sequence[Held], known: Known) -> tuple[Held, ...]:
    """Where there is no scene yet: the home of the topic, if it has one."""
    home = _home(known, topic[0].entity_id, opening=not state.seen) if topic else None
    return (Held(entity_id=home, fit=_AT_HOME, score=_AT_HOME * scene_score(0)),) if home else ()


def next_topic(state: State, mentions: Sequence[Mention], scenes: set[UUID], decision: Decision) -> tuple[Held, ...]:
    """What the message is about: the most prominent of what it speaks of; what was, fading, where nothing is more prominent."""
    candidates: dict[UUID, Features] = {held.entity_id: {"kept": topic_score(held.age)} for held in state.topic}
    before = {held.entity_id for held in state.topic if held.age == 0}
    subjects = [one.place for one in mentions if one.place and one.place.part is Part.SUBJECT]
    closing = max(subjects, key=lambda place: place.start, default=None)
    for key in dict.fromkeys(one.entity_id for one in mentions):
        candidates[key] = _focus([one for one in mentions if one.entity_id == key], before, scenes, closing)
    chosen = decision.choose(candidates, TOPIC, LEAST["topic"])
    if chosen is None or "kept" in candidates[chosen[0]]:
        faded = (_aged(held, held.age + 1, topic_score) for held in state.topic)
        return tuple(held for held in faded if held.score > 0)
    words = {one.place for one in mentions if one.entity_id == chosen[0] and one.place}
    plural = {one.entity_id: one.fit for one in mentions if one.entity_id == chosen[0] or one.place in words}
    return tuple(Held(entity_id=key, fit=fit, score=fit * topic_score(0)) for key, fit in plural.items())


def next_mentions(mentions: Sequence[Mention], others: set[UUID]) -> tuple[Held, ...]:
    """What else the message speaks of; gone with the next turn of the user that does not."""
    fits = {one.entity_id: one.fit for one in mentions if one.entity_id not in others and one.place}
    return tuple(Held(entity_id=key, fit=fit, score=fit * _MENTIONED) for key, fit in fits.items())


def next_seen(state: State, mentions: Sequence[Mention]) -> tuple[Seen, ...]:
    """Who was spoken of, latest first: of one message the most prominent first."""
    genders = {seen.entity_id: seen.gender for seen in state.seen}
    genders |= {one.entity_id: one.gender for one in mentions if one.gender}
    latest: dict[UUID, float] = {}
    for one in mentions:
        latest[one.entity_id] = max(one.prominence, latest.get(one.entity_id, 0.0))
    now = [
        Seen(entity_id=key, message=state.messages, prominence=value, gender=genders.get(key))
        for key, value in sorted(latest.items(), key=lambda pair: -pair[1])
    ]
    return tuple([*now, *(seen for seen in state.seen if seen.entity_id not in latest)][:_REMEMBERED])


def _focus(mentions: Sequence[Mention], before: set[UUID], scenes: set[UUID], closing: Place | None) -> Features:
    """The features of an entity by all mentions of it in a message. closing: of the last subject in the message."""
    key, places = mentions[0].entity_id, [one.place for one in mentions if one.place]
    headed = any(
        one.how == "name" and one.place and one.place.part is Part.SUBJECT and one.place.sentence == 0
        for one in mentions
    )
    return {
        max((one.how for one in mentions), key=lambda how: TOPIC[how]): 1.0,
        "fit": max((one.fit for one in mentions if not one.place), default=0.0),
        "last": float(any(place.sentence == 0 for place in places)),
        "closing": float(any(place == closing for place in places)),
        "other": float(all(place.part is Part.OTHER for place in places)),
        "reports": float(bool(places) and places[-1].reports),
        "scene": float(key in scenes and not headed),
        "topic": float(key in before),
    }


def _aged(held: Held, age: int, curve: Callable[[int], float]) -> Held:
    return replace(held, age=age, score=held.fit * curve(age))


def _home(known: Known, key: UUID, *, opening: bool) -> UUID | None:
    """Where talk of an entity happens: in a project that opens the conversation, else in what the entity belongs to."""
    entity = known.entities.get(key)
    if entity is None or entity.entity_type is EntityType.PERSON or (entity.entity_type not in _HOMES and not opening):
        return None
    if opening and entity.entity_type is EntityType.PROJECT:
        return key
    return entity.parent_id


def _type(known: Known, key: UUID) -> EntityType | None:
    entity = known.entities.get(key)
    return entity.entity_type if entity else None
