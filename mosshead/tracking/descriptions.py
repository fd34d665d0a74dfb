"""Whom a description means ("the baker", "her husband"), and what a message is near to without a word for it."""

from collections.abc import Mapping
from uuid import UUID

from mosshead.genders import gender_of
from mosshead.kinds import EntityType
from mosshead.tracking import vocabulary as english
from mosshead.tracking.choosing import DESCRIPTION, LEAST, Choice, Features
from mosshead.tracking.discourse import Discourse
from mosshead.tracking.known import KnownEntity
from mosshead.tracking.phrases import Form, Phrase
from mosshead.tracking.words import content_words, shared

_IMPLIED = frozenset({EntityType.PROCESS, EntityType.PROJECT, EntityType.SYSTEM, EntityType.CONCEPT})


def meant_by_description(phrase: Phrase, discourse: Discourse) -> list[Choice]:
    """Whom a description means, with how surely; several for a plural, none where it means nobody that is known."""
    for one in discourse.mentions:
        if one.how == "name" and one.place and one.place.end == phrase.place.end:
            return [(one.entity_id, one.fit)]  # "my own Kit", or an alias such as "my stepdad"
    match phrase.form:
        case Form.BOTH:
            return _two(discourse)
        case Form.OTHER_ONE:
            found = _other(phrase, discourse)
        case Form.THAT_ONE:
            found = discourse.latest(lambda one: one.entity_type is not EntityType.PERSON)
        case Form.BEFORE | Form.USUAL:
            found = discourse.latest(lambda one: one.entity_type is EntityType.PROCESS) or _usual(phrase, discourse)
        case _:
            found = described(phrase, discourse)
    return [found] if found else []


def described(phrase: Phrase, discourse: Discourse) -> Choice | None:
    """Who fits a description best, by the memories nearest to it; of somebody's kin where it says whose."""
    owner = _owner(phrase, discourse)
    features: dict[UUID, Features] = {}
    for key, fit in _candidates(phrase, owner, discourse).items():
        entity = discourse.known.entities.get(key)
        if entity and key != owner and _agrees(entity, phrase, discourse):
            features[key] = {
                "fit": fit,
                "seen": float(key in discourse.state.entity_ids),
                "home": float(discourse.at_home(key)),
                "kin": float(owner is not None),
                "called": float(_called(entity, phrase)),
            }
    least = LEAST["thing" if phrase.form is Form.THING or phrase.bare else "person"]
    return discourse.decide(phrase.form, phrase.place.start).choose(features, DESCRIPTION, least)


def implied(discourse: Discourse) -> Choice | None:
    """What a message is about without a word for it: "Can she be hauled out today?" speaks of how boats are."""
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
    return discourse.decide(None).choose(features, DESCRIPTION, LEAST["implied"])


def _usual(phrase: Phrase, discourse: Discourse) -> Choice | None:
    """Where no process was spoken of: "the usual drill" is the one of the scene that the message is nearest to."""
    near = [
        (key, cosine)
        for key, cosine in discourse.known.near.items()
        if discourse.type_of(key) is EntityType.PROCESS and discourse.at_home(key)
    ]
    told = phrase.form is Form.USUAL and phrase.head in english.PROCEDURES
    return max(near, key=lambda pair: pair[1], default=None) if told else None


def _candidates(phrase: Phrase, owner: UUID | None, discourse: Discourse) -> Mapping[UUID, float]:
    near = discourse.known.described.get(phrase.sought, {})
    if owner is None:
        return near
    return {key: near.get(key, 0.0) for key in discourse.known.entities[owner].kin}


def _owner(phrase: Phrase, discourse: Discourse) -> UUID | None:
    """Whose husband: the one that the determiner means, which was settled just before."""
    if phrase.whose not in english.OWNERS:
        return None
    settled = [one.entity_ids[0] for one in discourse.references if one.start == phrase.place.start]
    return next((key for key in settled if key in discourse.known.entities), None)


def _other(phrase: Phrase, discourse: Discourse) -> Choice | None:
    """Not who is spoken of just now, but who was before."""
    now = {key for key in discourse.spoken_here if discourse.type_of(key) is EntityType.PERSON} or discourse.topics

    def fits(one: KnownEntity) -> bool:
        return one.entity_id not in now and (_called(one, phrase) or _agrees(one, phrase, discourse))

    return discourse.latest(lambda one: one.entity_type is EntityType.PERSON and fits(one))


def _two(discourse: Discourse) -> list[Choice]:
    people = [(key, 1.0) for key in discourse.spoken_of() if discourse.type_of(key) is EntityType.PERSON]
    return people[:2] if len(people) > 1 else []


def _called(entity: KnownEntity, phrase: Phrase) -> bool:
    """Whether the noun of a description is in one of its names: "the bridge" is Heron Bridge, "the other Kit" a Kit."""
    return any(phrase.head in name.split() for name in entity.names)


def _agrees(entity: KnownEntity, phrase: Phrase, discourse: Discourse) -> bool:
    if phrase.form is Form.THING:
        elsewhere = bool(discourse.scenes) and not discourse.at_home(entity.entity_id) and not _called(entity, phrase)
        return not (elsewhere or entity.entity_type is EntityType.PERSON or entity.entity_id in discourse.scenes)
    gender = gender_of(None, phrase.head)
    known = discourse.gender_of(entity.entity_id)
    return entity.entity_type is EntityType.PERSON and (gender is None or known in {None, gender})
