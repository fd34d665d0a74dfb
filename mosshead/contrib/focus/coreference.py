"""Resolve the names, pronouns and descriptions of a message, in the order in which they end."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Literal
from uuid import UUID

from mosshead.contrib.focus.knowledge import FocusKnowledge, NameInMessage, TrackedEntity
from mosshead.contrib.focus.state import FocusState, LayerEntry, ResolvedReference, Seen
from mosshead.language import references as english
from mosshead.language.references import (
    GrammaticalRole,
    Layout,
    Phrase,
    PhrasePlace,
    ReferenceForm,
    content_words,
    phrases,
    shared,
)
from mosshead.language.wordlists import PRONOUNS, Gender, gender_of
from mosshead.models.kinds import EntityType
from mosshead.patterns import lazy_pattern

_LEAD = 0.05
DecisionKind = Literal["pronoun", "description", "topic"]

Features = Mapping[str, float]
"""Feature values by name, each from 0 to 1 (a cosine may be negative)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A candidate of a decision, as training data.

    decision: its kind: the meaning of words, or the topic. message: its number in the conversation, from 0.
    start: the first character of the words; -1 without words. chosen: by this tracker, so it is a label only if correct.
    """

    decision: DecisionKind
    message: int
    start: int
    entity_id: UUID
    features: Features
    chosen: bool


OnPair = Callable[[Pair], object]
Choice = tuple[UUID, float]
"""An entity and its score."""

Fits = Callable[[TrackedEntity], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusMention:
    """An entity that a message means. how: a feature of `TOPIC`; place: None if no word means it.

    gender: of the pronoun used for it.
    """

    entity_id: UUID
    how: str
    fit: float
    place: PhrasePlace | None = None
    gender: Gender | None = None

    @property
    def prominence(self) -> float:
        """How likely it is to be mentioned again soon, 0 to 1."""
        return _PROMINENCE[self.place.part] if self.place else _UNSPOKEN


@dataclass(slots=True, kw_only=True)
class MessageReading:
    """A message being read. mentions, references: those found so far."""

    layout: Layout
    state: FocusState
    known: FocusKnowledge
    on_pair: OnPair | None = None
    mentions: list[FocusMention] = field(default_factory=list)
    references: list[ResolvedReference] = field(default_factory=list)

    @property
    def scenes(self) -> set[UUID]:
        """The scenes: the current one, and the organisations that this message names."""
        named = {name.entity_ids[0] for name in self.known.names if len(name.entity_ids) == 1}
        return {held.entity_id for held in self.state.scene} | {
            key for key in named if self.type_of(key) is EntityType.ORG
        }

    @property
    def topics(self) -> set[UUID]:
        """The topics of the user's latest turn."""
        return {held.entity_id for held in self.state.topic if held.age == 0}

    @property
    def asks_how(self) -> bool:
        """Whether the message asks how something is done."""
        return _ASKS_HOW.search(self.layout.text) is not None

    @property
    def spoken_here(self) -> list[UUID]:
        """The entities that words of this message mean, in order."""
        return [one.entity_id for one in self.mentions if one.place]

    def spoken_of(self, place: PhrasePlace | None = None) -> dict[UUID, float]:
        """Return the entities that may be meant at a place, with prominence: first those of this message, latest first."""
        found: dict[UUID, float] = {}
        for one in reversed(self.mentions):
            found.setdefault(one.entity_id, one.prominence)
        for seen in self.state.seen:
            messages = self.state.messages - seen.message - 1
            found.setdefault(seen.entity_id, seen.prominence * LESS_EACH_MESSAGE**messages)
        bound = {one.entity_id for one in self.mentions if place and one.place and _bound(one.place, place)}
        return {key: prominence for key, prominence in found.items() if key not in bound}

    def latest(self, fits: Fits) -> Choice | None:
        """Return the latest entity that meets a condition, with its prominence."""
        for key, prominence in self.spoken_of().items():
            entity = self.known.entities.get(key)
            if entity and fits(entity):
                return key, prominence
        return None

    def coherence(self, key: UUID, prominence: float) -> Features:
        """Return the features that make it plausible that a message mentions an entity again."""
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
        """Return the type of an entity; None if it is unknown."""
        entity = self.known.entities.get(key)
        return entity.entity_type if entity else None

    def gender_of(self, key: UUID) -> Gender | None:
        """Return a person's gender from the pronouns of this conversation, or else as known."""
        given = [one.gender for one in self.mentions if one.entity_id == key]
        given += [one.gender for one in self.state.seen if one.entity_id == key]
        entity = self.known.entities.get(key)
        return next((gender for gender in given if gender), entity.gender if entity else None)

    def choose(
        self, kind: DecisionKind, candidates: Mapping[UUID, Features], weights: Features, least: float, start: int = -1
    ) -> Choice | None:
        """Return the candidate with the highest score, and the score; None if none reaches the minimum.

        Among equals the first wins, but a description that fits two equally well means neither. start: of the words, for the
        pairs.
        """
        scores = {key: score(features, weights) for key, features in candidates.items()}
        best = max(scores, key=lambda key: scores[key], default=None)
        told = kind != "description" or list(scores.values()).count(scores[best] if best else 0.0) == 1
        chosen = best if best is not None and scores[best] >= least and told else None
        if self.on_pair:
            decided = partial(Pair, decision=kind, message=self.state.messages, start=start)
            for key, features in candidates.items():
                self.on_pair(decided(entity_id=key, features=features, chosen=key == chosen))
        return None if chosen is None else (chosen, scores[chosen])


def refer(text: str, state: FocusState, known: FocusKnowledge, on_pair: OnPair | None = None) -> MessageReading:
    """Read a message: find its mentions and the meaning of its words."""
    discourse = MessageReading(layout=Layout(text), state=state, known=known, on_pair=on_pair)
    unspoken = implied(discourse)
    if unspoken:
        asked = discourse.asks_how and discourse.type_of(unspoken[0]) is EntityType.PROCESS
        how = "asked" if asked else "implied"
        discourse.mentions.append(FocusMention(entity_id=unspoken[0], how=how, fit=_surely(unspoken[1])))
    said = phrases(discourse.layout)
    words: list[NameInMessage | Phrase] = [*known.names, *said]
    # By the end of the words: "Kit" before "my own Kit", and "her" before "her husband".
    for word in sorted(words, key=lambda one: (one.place.end, 1) if isinstance(one, Phrase) else (one.end, 0)):
        if isinstance(word, NameInMessage):
            _name(word, said, discourse)
        else:
            _phrase(word, discourse)
    return discourse


def _name(name: NameInMessage, said: Sequence[Phrase], discourse: MessageReading) -> None:
    mine = next((one.sought for one in said if one.place.end == name.end and one.whose in english.MINE), None)
    bearer = _bearer(name, mine, discourse)
    if bearer:
        place = discourse.layout.place(name.start, name.end)
        discourse.mentions.append(FocusMention(entity_id=bearer, how="name", fit=1.0, place=place))


def _bearer(name: NameInMessage, mine: str | None, discourse: MessageReading) -> UUID | None:
    """Choose among namesakes: the user's own if so named, else the one mentioned before, the only one at the scene, or the best
    fit; None if none of these decides.
    """
    bearers = [key for key in name.entity_ids if key in discourse.known.entities]
    if len(bearers) < 2:
        return next(iter(bearers), None)
    if mine is not None:
        fits = discourse.known.described.get(mine, {})
        return max(bearers, key=lambda key: (fits.get(key, 0.0), str(key)))
    spoken = next((key for key in discourse.spoken_of() if key in bearers), None)
    if spoken:
        return spoken
    at_home = [key for key in bearers if discourse.at_home(key)]
    if len(at_home) == 1:
        return at_home[0]
    fits = discourse.known.bearers
    ranked = sorted(at_home or bearers, key=lambda key: (-fits.get(key, 0.0), key))
    return ranked[0] if fits.get(ranked[0], 0.0) - fits.get(ranked[1], 0.0) >= _LEAD else None


def _phrase(phrase: Phrase, discourse: MessageReading) -> None:
    pronoun = phrase.form is ReferenceForm.PRONOUN
    found = meant_by_pronoun(phrase, discourse) if pronoun else meant_by_description(phrase, discourse)
    if not found:
        return
    discourse.references.append(
        ResolvedReference(text=phrase.text, start=phrase.place.start, entity_ids=tuple(key for key, _ in found))
    )
    if phrase.form is ReferenceForm.PERSON:
        discourse.mentions = [_whose(one, phrase) for one in discourse.mentions]
    named = {one.entity_id for one in discourse.mentions if one.place and one.place.end == phrase.place.end}
    discourse.mentions += [_mention(phrase, one) for one in found if one[0] not in named]


def _whose(one: FocusMention, phrase: Phrase) -> FocusMention:
    """Return the owner in "her husband", which identifies the person but is not the topic."""
    owner = one.how == "owner" and one.place is not None and one.place.start == phrase.place.start
    return replace(one, how="whose") if owner else one


def _mention(phrase: Phrase, found: Choice) -> FocusMention:
    how = "description"
    if phrase.form is ReferenceForm.PRONOUN:
        how = "owner" if phrase.place.part is GrammaticalRole.OWNER else "pronoun"
    elif phrase.form in {ReferenceForm.THING, ReferenceForm.THAT_ONE, ReferenceForm.BEFORE, ReferenceForm.USUAL}:
        how = "thing"
    gender = PRONOUNS.get(phrase.text)
    return FocusMention(entity_id=found[0], how=how, fit=_surely(found[1]), place=phrase.place, gender=gender)


def _surely(score: float) -> float:
    return max(0.0, min(score, 1.0))


PRONOUN: Features = {"here": 0.9, "prominence": 1.0, "topic": 0.2, "gender": 0.2, "near": 0.6, "home": 0.1}

DESCRIPTION: Features = {
    "fit": 1.0,
    "seen": 0.1,
    "home": 0.1,
    "kin": 0.25,
    "called": 0.3,
    "process": 0.12,
    "asked": 0.25,
}

TOPIC: Features = {
    # how it is mentioned
    "name": 1.0, "description": 1.0, "pronoun": 0.8, "thing": 0.7, "owner": 0.6, "implied": 0.6, "asked": 1.2,
    "fit": 1.0, "whose": 0.2,
    # where in the message
    "last": 0.5, "closing": 0.2, "other": -0.2, "reports": -1.0,
    # its earlier role: the scene, the topic, or a topic that the message does not mention
    "scene": -0.7, "topic": 0.35, "kept": 0.75,
}  # fmt: skip

LEAST = {"pronoun": 0.4, "person": 0.4, "thing": 0.7, "implied": 0.5, "topic": 0.2}


def score(features: Features, weights: Features) -> float:
    """Return the weighted sum of a candidate's features."""
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


_IMPLIED = frozenset({EntityType.PROCESS, EntityType.PROJECT, EntityType.SYSTEM, EntityType.CONCEPT})


def meant_by_description(phrase: Phrase, discourse: MessageReading) -> list[Choice]:
    """Resolve a description to entities with scores; several for a plural, none if it means nobody known."""
    for one in discourse.mentions:
        if one.how == "name" and one.place and one.place.end == phrase.place.end:
            return [(one.entity_id, one.fit)]  # "my own Kit", or an alias such as "my stepdad"
    match phrase.form:
        case ReferenceForm.BOTH:
            people = [(key, 1.0) for key in discourse.spoken_of() if discourse.type_of(key) is EntityType.PERSON]
            return people[:2] if len(people) > 1 else []
        case ReferenceForm.OTHER_ONE:
            found = _other(phrase, discourse)
        case ReferenceForm.THAT_ONE:
            found = discourse.latest(lambda one: one.entity_type is not EntityType.PERSON)
        case ReferenceForm.BEFORE | ReferenceForm.USUAL:
            found = discourse.latest(lambda one: one.entity_type is EntityType.PROCESS) or _usual(phrase, discourse)
        case _:
            found = described(phrase, discourse)
    return [found] if found else []


def described(phrase: Phrase, discourse: MessageReading) -> Choice | None:
    """Find the entity that fits a description best, by the nearest memories; among the owner's kin if it names an owner."""
    owner, near = _owner(phrase, discourse), discourse.known.described.get(phrase.sought, {})
    features: dict[UUID, Features] = {}
    for key in near if owner is None else discourse.known.entities[owner].kin:
        entity = discourse.known.entities.get(key)
        if entity and key != owner and _agrees(entity, phrase, discourse):
            features[key] = {
                "fit": near.get(key, 0.0),
                "seen": float(key in discourse.state.entity_ids),
                "home": float(discourse.at_home(key)),
                "kin": float(owner is not None),
                "called": float(_called(entity, phrase)),
            }
    least = LEAST["thing" if phrase.form is ReferenceForm.THING or phrase.bare else "person"]
    kind: DecisionKind = "pronoun" if phrase.form is ReferenceForm.PRONOUN else "description"
    return discourse.choose(kind, features, DESCRIPTION, least, phrase.place.start)


def implied(discourse: MessageReading) -> Choice | None:
    """Find what a message is about without naming it: "Can she be hauled out today?" is about hauling out boats."""
    said = content_words(discourse.layout.text)
    features: dict[UUID, Features] = {}
    for key, cosine in discourse.known.near.items():
        entity = discourse.known.entities.get(key)
        elsewhere = bool(discourse.scenes) and not discourse.at_home(key)
        if entity and entity.entity_type in _IMPLIED and key not in discourse.scenes and not elsewhere:
            features[key] = {
                "fit": cosine,
                "home": float(discourse.at_home(key)),
                "called": max((shared(content_words(name), said) for name in entity.names), default=0.0),
                "process": float(entity.entity_type is EntityType.PROCESS),
                "asked": float(discourse.asks_how and entity.entity_type is EntityType.PROCESS),
            }
    return discourse.choose("description", features, DESCRIPTION, LEAST["implied"])


def _usual(phrase: Phrase, discourse: MessageReading) -> Choice | None:
    """If no process was mentioned, "the usual drill" is the one of the scene nearest to the message."""
    near = [
        (key, cosine)
        for key, cosine in discourse.known.near.items()
        if discourse.type_of(key) is EntityType.PROCESS and discourse.at_home(key)
    ]
    told = phrase.form is ReferenceForm.USUAL and phrase.head in english.PROCEDURES
    return max(near, key=lambda pair: pair[1], default=None) if told else None


def _owner(phrase: Phrase, discourse: MessageReading) -> UUID | None:
    """Return the owner, as in "her husband": the determiner was resolved just before."""
    if phrase.whose not in english.OWNERS:
        return None
    settled = [one.entity_ids[0] for one in discourse.references if one.start == phrase.place.start]
    return next((key for key in settled if key in discourse.known.entities), None)


def _other(phrase: Phrase, discourse: MessageReading) -> Choice | None:
    """Return not the entity just mentioned, but the one before it."""
    now = {key for key in discourse.spoken_here if discourse.type_of(key) is EntityType.PERSON} or discourse.topics

    def fits(one: TrackedEntity) -> bool:
        told = _called(one, phrase) or _agrees(one, phrase, discourse)
        return told and one.entity_type is EntityType.PERSON and one.entity_id not in now

    return discourse.latest(fits)


def _called(entity: TrackedEntity, phrase: Phrase) -> bool:
    """Whether an entity's name contains the noun of a description: "the bridge" is Heron Bridge, "the other Kit" a Kit."""
    return any(phrase.head in name.split() for name in entity.names)


def _agrees(entity: TrackedEntity, phrase: Phrase, discourse: MessageReading) -> bool:
    if phrase.form is ReferenceForm.THING:
        elsewhere = bool(discourse.scenes) and not discourse.at_home(entity.entity_id) and not _called(entity, phrase)
        return not (elsewhere or entity.entity_type is EntityType.PERSON or entity.entity_id in discourse.scenes)
    gender = gender_of(None, phrase.head)
    known = discourse.gender_of(entity.entity_id)
    return entity.entity_type is EntityType.PERSON and (gender is None or known in {None, gender})


LESS_EACH_MESSAGE = 0.75
_PROMINENCE = {
    GrammaticalRole.SUBJECT: 1.0,
    GrammaticalRole.OBJECT: 0.8,
    GrammaticalRole.OWNER: 0.8,
    GrammaticalRole.OTHER: 0.6,
}
_UNSPOKEN = 0.5

_ASKS_HOW = lazy_pattern(
    r"\bhow (?:do|did|should|would|can|could|must) (?:i|we|you|they|one)\b|\bwhat (?:do|should|must) (?:i|we|you) do\b"
    r"|\bwhat to do\b",
    re.IGNORECASE,
)


def _bound(one: PhrasePlace, place: PhrasePlace) -> bool:
    """Whether a pronoun cannot mean an earlier name in its own clause: in "Ann calls her", "her" is not Ann."""
    return (
        one.clause == place.clause
        and one.part is not GrammaticalRole.OWNER
        and place.part in {GrammaticalRole.OBJECT, GrammaticalRole.OTHER}
    )


SCENE_SCORES = (0.99, 0.92, 0.89, 0.85, 0.82)
TOPIC_SCORES = (0.99, 0.95, 0.6, 0.3)
_SCENE_LATER = 0.97
_MENTIONED = 0.9
_AT_HOME = 0.8
_REMEMBERED = 24
_HOMES = frozenset({EntityType.ORG, EntityType.PROJECT, EntityType.PLACE})


def scene_score(age: int) -> float:
    """Return how present a scene is, 0 to 1, a number of user turns after it was last named; it never reaches 0."""
    last = len(SCENE_SCORES) - 1
    return SCENE_SCORES[age] if age <= last else SCENE_SCORES[last] * _SCENE_LATER ** (age - last)


def topic_score(age: int) -> float:
    """Return how present a topic is, 0 to 1, a number of user turns after it was last mentioned; 0 once it is over."""
    return TOPIC_SCORES[age] if age < len(TOPIC_SCORES) else 0.0


def next_scene(read: MessageReading) -> tuple[LayerEntry, ...]:
    """Return the previous scene, unless the message names another."""
    names = [one.entity_id for one in read.mentions if one.how == "name"]
    named = [key for key in names if read.type_of(key) is EntityType.ORG]
    if named:
        return (LayerEntry(entity_id=named[-1], fit=1.0, score=scene_score(0)),)
    spoken = {one.entity_id for one in read.mentions}
    return tuple(_aged(held, 0 if held.entity_id in spoken else held.age + 1, scene_score) for held in read.state.scene)


def scene_of_topic(read: MessageReading, topic: Sequence[LayerEntry]) -> tuple[LayerEntry, ...]:
    """If there is no scene yet, return the home of the topic, if it has one."""
    home = _home(read.known, topic[0].entity_id, opening=not read.state.seen) if topic else None
    return (LayerEntry(entity_id=home, fit=_AT_HOME, score=_AT_HOME * scene_score(0)),) if home else ()


def next_topic(read: MessageReading, scenes: set[UUID]) -> tuple[LayerEntry, ...]:
    """Return the topic: the most prominent entity of the message, or the fading previous topic if nothing is more prominent."""
    state, mentions = read.state, read.mentions
    candidates: dict[UUID, Features] = {held.entity_id: {"kept": topic_score(held.age)} for held in state.topic}
    subjects = [one.place for one in mentions if one.place and one.place.part is GrammaticalRole.SUBJECT]
    closing = max(subjects, key=lambda place: place.start, default=None)
    for key in dict.fromkeys(one.entity_id for one in mentions):
        candidates[key] = _focus([one for one in mentions if one.entity_id == key], read.topics, scenes, closing)
    chosen = read.choose("topic", candidates, TOPIC, LEAST["topic"])
    if chosen is None or "kept" in candidates[chosen[0]]:
        faded = (_aged(held, held.age + 1, topic_score) for held in state.topic)
        return tuple(held for held in faded if held.score > 0)
    words = {one.place for one in mentions if one.entity_id == chosen[0] and one.place}
    plural = {one.entity_id: one.fit for one in mentions if one.entity_id == chosen[0] or one.place in words}
    return tuple(LayerEntry(entity_id=key, fit=fit, score=fit * topic_score(0)) for key, fit in plural.items())


def next_mentions(mentions: Sequence[FocusMention], others: set[UUID]) -> tuple[LayerEntry, ...]:
    """Return the other entities of the message; they are dropped after the next user turn without them."""
    fits = {one.entity_id: one.fit for one in mentions if one.entity_id not in others and one.place}
    return tuple(LayerEntry(entity_id=key, fit=fit, score=fit * _MENTIONED) for key, fit in fits.items())


def next_seen(read: MessageReading) -> tuple[Seen, ...]:
    """Return the mentioned entities, latest first, and within a message the most prominent first."""
    state, mentions = read.state, read.mentions
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


def _focus(
    mentions: Sequence[FocusMention], before: set[UUID], scenes: set[UUID], closing: PhrasePlace | None
) -> Features:
    """Return the features of an entity from all its mentions in a message. closing: of the last subject in the message."""
    key, places = mentions[0].entity_id, [one.place for one in mentions if one.place]
    headed = any(
        one.how == "name" and one.place and one.place.part is GrammaticalRole.SUBJECT and one.place.sentence == 0
        for one in mentions
    )
    return {
        max((one.how for one in mentions), key=lambda how: TOPIC[how]): 1.0,
        "fit": max((one.fit for one in mentions if not one.place), default=0.0),
        "last": float(any(place.sentence == 0 for place in places)),
        "closing": float(any(place == closing for place in places)),
        "other": float(all(place.part is GrammaticalRole.OTHER for place in places)),
        "reports": float(bool(places) and places[-1].reports),
        "scene": float(key in scenes and not headed),
        "topic": float(key in before),
    }


def _aged(held: LayerEntry, age: int, curve: Callable[[int], float]) -> LayerEntry:
    return replace(held, age=age, score=held.fit * curve(age))


def _home(known: FocusKnowledge, key: UUID, *, opening: bool) -> UUID | None:
    """Return an entity's scene: itself if it is a project that opens the conversation, else what it belongs to."""
    entity = known.entities.get(key)
    if entity is None or entity.entity_type is EntityType.PERSON or (entity.entity_type not in _HOMES and not opening):
        return None
    if opening and entity.entity_type is EntityType.PROJECT:
        return key
    return entity.parent_id


_PROCESSES = frozenset({EntityType.PROCESS})
_THINGS = frozenset(EntityType) - {EntityType.PERSON, EntityType.ORG}
_ORGS = frozenset({EntityType.ORG})
_GROUPS = _ORGS | _PROCESSES
_OF_WHAT_IS_MEANT = english.POINTING | {"they"}
"""Words that may mean something never named: Otto can do "that", which the previous turn only implied."""

_JOINED = lazy_pattern(r"\s*(?:,|and|&|, and)\s*")


def meant_by_pronoun(phrase: Phrase, discourse: MessageReading) -> list[Choice]:
    """Resolve a pronoun to entities with scores; several for a plural, none if it means nobody known."""
    gender = PRONOUNS.get(phrase.text.removesuffix("self"))
    if gender:
        found = (described(phrase, discourse) if phrase.sought else None) or _person(phrase, gender, discourse)
    elif phrase.text in english.THEY:
        people = _joined(discourse)
        if people:
            return people
        found = _thing(phrase, _GROUPS if phrase.text == "they" else _ORGS, discourse)
    else:
        found = _thing(phrase, _PROCESSES if phrase.text in english.POINTING else _THINGS, discourse)
    return [found] if found else []


def _person(phrase: Phrase, gender: Gender, discourse: MessageReading) -> Choice | None:
    features: dict[UUID, Features] = {}
    for key, prominence in discourse.spoken_of(phrase.place).items():
        known = discourse.gender_of(key)
        if discourse.type_of(key) is EntityType.PERSON and known in {None, gender}:
            features[key] = {**discourse.coherence(key, prominence), "gender": float(known is gender)}
    return discourse.choose("pronoun", features, PRONOUN, LEAST["pronoun"], phrase.place.start)


def _thing(phrase: Phrase, kinds: Collection[EntityType], discourse: MessageReading) -> Choice | None:
    """Return the thing just mentioned, or none: "it" is mostly the weather, and "them" are things on the table."""
    here, topics = set(discourse.spoken_here), discourse.topics
    if phrase.text in _OF_WHAT_IS_MEANT:
        here = {one.entity_id for one in discourse.mentions}
    scenes = {held.entity_id for held in discourse.state.scene} - here
    if phrase.text == "they":
        scenes -= topics
    features = {
        key: discourse.coherence(key, prominence)
        for key, prominence in discourse.spoken_of(phrase.place).items()
        if discourse.type_of(key) in kinds and key in here | topics and key not in scenes
    }
    return discourse.choose("pronoun", features, PRONOUN, LEAST["pronoun"], phrase.place.start)


def _joined(discourse: MessageReading) -> list[Choice]:
    """Return people that this message named together, such as "Ann and Bob", for "they"."""
    people: list[Choice] = []
    named = [(one, one.place) for one in discourse.mentions if one.place and one.how in {"name", "description"}]
    for (one, before), (other, place) in pairwise(named):
        joined = _JOINED.fullmatch(discourse.layout.text, before.end, place.start)
        if joined and one.entity_id != other.entity_id:
            people += [(one.entity_id, one.fit), (other.entity_id, other.fit)]
    return list(dict.fromkeys(people))
