"""Which entities a batch's facts are about: those of the registry that bear the name and fit, else new ones.

Names are not unique. Among several bearers the text decides, as `recollect.resolution` does; a link that it does not settle is
kept as unsure rather than guessed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from pipeline.facts import USER, Fact, Mention
from recollect.kinds import EntityType
from recollect.names import normalise
from recollect.registry import RegisteredEntity
from recollect.resolution import resolve

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Link:
    """A fact is about an entity, in a role, and how certain that is."""

    entity_id: UUID
    role: Literal["subject", "object", "about"]
    certainty: Literal["sure", "unsure"]


@dataclass(frozen=True, slots=True)
class LinkedFacts:
    """links: by fact number and name. learned: by fact number, the entities that are new with it, or of which more is known."""

    links: Mapping[int, Mapping[str, Link]]
    learned: Mapping[int, tuple[RegisteredEntity, ...]]


def link_entities(
    facts: Mapping[int, tuple[Fact, Vector]],
    registry: Sequence[RegisteredEntity],
    around: Callable[[int, str], Vector],
    new_id: Callable[[], UUID],
) -> LinkedFacts:
    """Link the mentions of facts, in the order of their numbers, so that a later fact finds what an earlier one introduced.

    facts: by number, each with its embedding. registry: the bearers of the names in them, and the user.
    around: for a fact's number and a name, the vector of what was said around that name; asked only where several bear it.
    """
    linker = _Linker(registry, around, new_id)
    links: dict[int, Mapping[str, Link]] = {}
    learned: dict[int, tuple[RegisteredEntity, ...]] = {}
    for number, (fact, vector) in sorted(facts.items()):
        links[number] = linker.link(number, fact, vector)
        learned[number] = linker.news()
    return LinkedFacts(links, learned)


class _Linker:
    def __init__(
        self, registry: Sequence[RegisteredEntity], around: Callable[[int, str], Vector], new_id: Callable[[], UUID]
    ) -> None:
        self._entities = {entity.entity_id: entity for entity in registry}
        self._before = dict(self._entities)
        self._around = around
        self._new_id = new_id

    def news(self) -> tuple[RegisteredEntity, ...]:
        """The entities that are not as they were when this was asked last."""
        changed = tuple(entity for key, entity in self._entities.items() if entity != self._before.get(key))
        self._before = dict(self._entities)
        return changed

    def link(self, number: int, fact: Fact, vector: Vector) -> dict[str, Link]:
        # Parents first: a person's firm is often introduced by the same sentence.
        parents = {mention.parent for mention in fact.mentions}
        ordered = sorted(fact.mentions, key=lambda mention: mention.name not in parents)
        links: dict[str, Link] = {}
        for mention in ordered:
            links.setdefault(mention.name, self._link(number, _own_name_is_user(fact, mention), vector))
        self._learn_name(fact)
        return links

    def _link(self, number: int, mention: Mention, vector: Vector) -> Link:
        if mention.name == USER:
            return Link(self._user().entity_id, mention.role, "sure")
        entity, certainty = self._find(number, mention)
        entity = entity or self._introduce(mention)
        if certainty == "sure":
            # Of one who is perhaps another, nothing is learned: an alias on the wrong Peter would misguide for good.
            learned = self._with_news(entity, mention)
            self._entities[entity.entity_id] = replace(learned, vectors=(*learned.vectors, vector))
        return Link(entity.entity_id, mention.role, certainty)

    def _find(self, number: int, mention: Mention) -> tuple[RegisteredEntity | None, Literal["sure", "unsure"]]:
        names = {normalise(name) for name in (mention.name, *mention.aliases)}
        fitting = [
            entity
            for entity in self._entities.values()
            if names & _names(entity)
            and _same_sort(entity.entity_type, mention.entity_type)
            and not _differ(mention, entity)
        ]
        described = [entity for entity in fitting if mention.description and entity.description == mention.description]
        candidates = described or fitting
        if len(candidates) <= 1:
            one = candidates[0] if candidates else None
            return one, "unsure" if one and _described_otherwise(mention, one) else "sure"
        known = {entity.entity_id: _stacked(entity.vectors) for entity in candidates}
        resolution = resolve(self._around(number, mention.name)[None, :], known)
        best = self._entities[resolution.scores[0][0]]
        return best, "sure" if resolution.status == "resolved" else "unsure"

    def _introduce(self, mention: Mention) -> RegisteredEntity:
        return RegisteredEntity(entity_id=self._new_id(), name=mention.name, entity_type=mention.entity_type)

    def _with_news(self, entity: RegisteredEntity, mention: Mention) -> RegisteredEntity:
        aliases = dict.fromkeys(
            (*entity.aliases, *(name for name in (mention.name, *mention.aliases) if name != entity.name))
        )
        parent = self._parent(mention) if entity.parent_id is None else None
        return replace(
            entity,
            aliases=tuple(aliases),
            description=entity.description or mention.description,
            parent_id=entity.parent_id or (parent.entity_id if parent else None),
            parent=entity.parent or (parent.name if parent else None),
        )

    def _parent(self, mention: Mention) -> RegisteredEntity | None:
        if mention.parent is None or normalise(mention.parent) == normalise(mention.name):
            return None
        wanted = normalise(mention.parent)
        found = (entity for entity in self._entities.values() if not _is_person(entity) and wanted in _names(entity))
        return next(found, None)

    def _user(self) -> RegisteredEntity:
        user = next((entity for entity in self._entities.values() if entity.is_user), None)
        if user is None:
            user = RegisteredEntity(entity_id=self._new_id(), name=USER, entity_type=EntityType.PERSON, is_user=True)
            self._entities[user.entity_id] = user
        return user

    def _learn_name(self, fact: Fact) -> None:
        # "User's name is Sarah": from now on Sarah is the user.
        if not _names_user(fact):
            return
        user = self._user()
        if fact.value and fact.value not in user.aliases:
            self._entities[user.entity_id] = replace(user, aliases=(*user.aliases, fact.value))


def _names_user(fact: Fact) -> bool:
    about_user = any(mention.name == USER and mention.role == "subject" for mention in fact.mentions)
    return fact.attribute == "name" and bool(fact.value) and about_user


def _own_name_is_user(fact: Fact, mention: Mention) -> Mention:
    """In "User's name is Sarah", Sarah is no second person."""
    own = _names_user(fact) and normalise(mention.name) == normalise(fact.value or "")
    return mention.model_copy(update={"name": USER}) if own else mention


def _names(entity: RegisteredEntity) -> set[str]:
    return {normalise(name) for name in (entity.name, *entity.aliases)}


def _is_person(entity: RegisteredEntity) -> bool:
    return entity.entity_type is EntityType.PERSON


def _same_sort(one: EntityType, other: EntityType) -> bool:
    # What is a firm to one sentence is a project or a system to the next; a person stays a person.
    return (one is EntityType.PERSON) == (other is EntityType.PERSON)


def _described_otherwise(mention: Mention, entity: RegisteredEntity) -> bool:
    """Whether somebody called something else than what the entity was called, so that it may be a namesake."""
    said, known = set(normalise(mention.description or "").split()), set(normalise(entity.description or "").split())
    return _is_person(entity) and bool(said and known) and not said & known


def _differ(mention: Mention, entity: RegisteredEntity) -> bool:
    """Whether what is said of the bearer rules the entity out: another relative or friend of one person, or of another firm."""
    if mention.entity_type is not EntityType.PERSON or entity.is_user:
        return False
    said, known = mention.description or "", entity.description or ""
    of_one_person = _whose(said) and _whose(said) == _whose(known)
    if of_one_person and _relation(said) != _relation(known):
        return True
    if (_whose(said) and entity.parent) or (_whose(known) and mention.parent):
        return True
    return bool(mention.parent and entity.parent and normalise(mention.parent) != normalise(entity.parent))


def _whose(description: str) -> str | None:
    """Whose relative or friend: "User's brother" and "User's dentist" are two people, "User's brother" and "Tom's father" may be
    one, and "writer" is one of many things that the same person can be."""
    owner, possessive, _ = description.casefold().replace("’", "'").partition("'s ")
    return owner if possessive else None


def _relation(description: str) -> str:
    """ "User's brother, a baker" is User's brother."""
    return normalise(description.partition(",")[0])


def _stacked(vectors: Sequence[Vector]) -> Vector:
    return np.stack(vectors) if vectors else np.empty((0, 0), np.float32)
