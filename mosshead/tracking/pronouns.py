"""Whom a pronoun means: somebody of its gender who was prominent just before, or nobody.

Centering (Grosz, Joshi and Weinstein, "Centering: a framework for modeling the local coherence of discourse", 1995): what was the
subject is spoken of again sooner than an object, and that sooner than the rest.
"""

from collections.abc import Collection
from itertools import pairwise
from uuid import UUID

from mosshead.genders import PRONOUNS, Gender
from mosshead.kinds import EntityType
from mosshead.patterns import lazy_pattern
from mosshead.tracking import vocabulary as english
from mosshead.tracking.choosing import LEAST, PRONOUN, Choice, Features
from mosshead.tracking.descriptions import described
from mosshead.tracking.discourse import Discourse
from mosshead.tracking.phrases import Phrase

_PROCESSES = frozenset({EntityType.PROCESS})
_THINGS = frozenset(EntityType) - {EntityType.PERSON, EntityType.ORG}
_ORGS = frozenset({EntityType.ORG})
_GROUPS = _ORGS | _PROCESSES
_OF_WHAT_IS_MEANT = english.POINTING | {"they"}
"""These may stand for what has no word of its own in a message: Otto can do "that", which the turn before only implied."""
_JOINED = lazy_pattern(r"\s*(?:,|and|&|, and)\s*")


def meant_by_pronoun(phrase: Phrase, discourse: Discourse) -> list[Choice]:
    """Whom a pronoun means, with how surely; several for a plural, none where it means nobody that is known."""
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


def _person(phrase: Phrase, gender: Gender, discourse: Discourse) -> Choice | None:
    features: dict[UUID, Features] = {}
    for key, prominence in discourse.spoken_of(phrase.place).items():
        known = discourse.gender_of(key)
        if discourse.type_of(key) is EntityType.PERSON and known in {None, gender}:
            features[key] = {**discourse.coherence(key, prominence), "gender": float(known is gender)}
    return discourse.decide(phrase.form, phrase.place.start).choose(features, PRONOUN, LEAST["pronoun"])


def _thing(phrase: Phrase, kinds: Collection[EntityType], discourse: Discourse) -> Choice | None:
    """A thing that is spoken of just now; else silence, for "it" is mostly the weather and "them" what stands on the table."""
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
    return discourse.decide(phrase.form, phrase.place.start).choose(features, PRONOUN, LEAST["pronoun"])


def _joined(discourse: Discourse) -> list[Choice]:
    """The people that this message named in one breath: "Ann and Bob", whom "they" are."""
    people: list[Choice] = []
    named = [(one, one.place) for one in discourse.mentions if one.place and one.how in {"name", "description"}]
    for (one, before), (other, place) in pairwise(named):
        joined = _JOINED.fullmatch(discourse.layout.text, before.end, place.start)
        if joined and one.entity_id != other.entity_id:
            people += [(one.entity_id, one.fit), (other.entity_id, other.fit)]
    return list(dict.fromkeys(people))
