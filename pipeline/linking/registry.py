"""A batch's view of the entity registry: who bears a name, whom the batch introduces, and what it learns about them.

It stays consistent whatever the messages say.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal
from uuid import UUID

from mosshead.language.names import name_key, normalise, spelled_out
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from mosshead.patterns import remembered
from pipeline.models import USER, Fact, FactMention
from pipeline.rules_en.grammar import comparable

_NAME_CHARACTERS = 200
"""The limit for all stored names; an alias is part of an index entry, whose size is limited."""

_FIRMS = frozenset({EntityType.ORG, EntityType.PROJECT})
_SHORTEST_FOLDED = 5
_SMALL = frozenset("a an and at by de der for in la le of on the to und van von".split())

Role = Literal["subject", "object", "about"]


class RefusedClaim(StrEnum):
    """Why a claim about an entity was not accepted."""

    TYPE = "type"
    ALIAS = "alias_of_another"
    OWN_PARENT = "own_parent"
    PARENT_CYCLE = "parent_cycle"
    PARENT_UNCLEAR = "parent_unclear"


@dataclass(frozen=True, slots=True)
class Link:
    """A fact is surely about an entity, in a role."""

    entity_id: UUID
    role: Role


class BatchRegistry:
    """The entities a batch may mention. parents: each entity's parent, also for all ancestors."""

    def __init__(
        self, known: Sequence[RegisteredEntity], parents: Mapping[UUID, UUID], new_id: Callable[[], UUID]
    ) -> None:
        self.entities = {entity.entity_id: entity for entity in known}
        self._before = dict(self.entities)
        self._parents = dict(parents)
        self._new_id = new_id
        self._refused: Counter[RefusedClaim] = Counter()

    def news(self) -> tuple[RegisteredEntity, ...]:
        """Return the entities changed since the last call."""
        changed = tuple(entity for key, entity in self.entities.items() if entity != self._before.get(key))
        self._before = dict(self.entities)
        return changed

    def refused(self) -> Counter[RefusedClaim]:
        """Return the claims refused since the last call."""
        refused, self._refused = self._refused, Counter()
        return refused

    def refuse(self, reason: RefusedClaim) -> None:
        """Count a refused claim."""
        self._refused[reason] += 1

    def user(self) -> RegisteredEntity:
        """Return the namespace's only user, created if missing."""
        user = next((entity for entity in self.entities.values() if entity.is_user), None)
        return user or self._add(
            RegisteredEntity(entity_id=self._new_id(), name=USER, entity_type=EntityType.PERSON, is_user=True)
        )

    def introduce(self, mention: FactMention) -> RegisteredEntity:
        """Create an entity with a mention's name and type."""
        return self._add(RegisteredEntity(entity_id=self._new_id(), name=mention.name, entity_type=mention.entity_type))

    def learn(self, entity: RegisteredEntity, mention: FactMention, links: Mapping[str, Link]) -> None:
        """Record what a mention says about its entity, without overwriting known details. links: the fact's own, so far."""
        parent = self._parent(entity, mention, links) if entity.parent_id is None else None
        if parent is not None:
            self._parents[entity.entity_id] = parent.entity_id
        self.entities[entity.entity_id] = replace(
            entity,
            aliases=tuple(dict.fromkeys((*entity.aliases, *self._aliases(entity, mention)))),
            description=entity.description or mention.description,
            parent_id=entity.parent_id or (parent.entity_id if parent else None),
            parent=entity.parent or (parent.name if parent else None),
        )
        if mention.renamed:
            self._rename(entity.entity_id, mention.renamed)

    def _rename(self, entity_id: UUID, name: str) -> None:
        """Rename an entity and keep the old name as an alias. Refuse a name that another entity bears."""
        entity = self.entities[entity_id]
        if any(folded(name) in names(other) for key, other in self.entities.items() if key != entity_id):
            self.refuse(RefusedClaim.ALIAS)
        elif not entity.is_user and folded(name) and len(name) <= _NAME_CHARACTERS:
            aliases = dict.fromkeys((*entity.aliases, entity.name))
            self.entities[entity_id] = replace(entity, name=name, aliases=tuple(one for one in aliases if one != name))

    def learn_name(self, fact: Fact) -> None:
        """Record "User's name is Sarah": Sarah now means the user."""
        user = self.user()
        if fact.value and len(fact.value) <= _NAME_CHARACTERS and folded(fact.value) and fact.value not in user.aliases:
            self.entities[user.entity_id] = replace(user, aliases=(*user.aliases, fact.value))

    def _add(self, entity: RegisteredEntity) -> RegisteredEntity:
        self.entities[entity.entity_id] = entity
        return entity

    def _aliases(self, entity: RegisteredEntity, mention: FactMention) -> list[str]:
        # A single word of a person's name is not unique, and is matched without being an alias.
        known = {"", *names(entity), *(folded(entity.name).split() if _is_person(entity) else ())}
        new = [name for name in (mention.name, *mention.aliases) if folded(name) not in known]
        # Namesakes may share an alias.
        others = [names(other) for other in self.entities.values() if not names(other) & names(entity)]
        taken = [name for name in new if any(folded(name) in other for other in others)]
        for _ in taken:
            self.refuse(RefusedClaim.ALIAS)
        return [name for name in new if name not in taken]

    def _parent(
        self, entity: RegisteredEntity, mention: FactMention, links: Mapping[str, Link]
    ) -> RegisteredEntity | None:
        wanted = folded(mention.parent or "")
        if not wanted:
            return None
        of_fact = {folded(name): link.entity_id for name, link in links.items()}
        found = [one for one in self.entities.values() if not _is_person(one) and wanted in names(one)]
        found = [one for one in found if one.entity_id == of_fact.get(wanted)] or found
        own = names(entity) | {folded(name) for name in (mention.name, *mention.aliases)}
        if wanted in own:
            self.refuse(RefusedClaim.OWN_PARENT)
        elif len(found) > 1:
            self.refuse(RefusedClaim.PARENT_UNCLEAR)
        elif found and entity.entity_id in self._above(found[0].entity_id):
            self.refuse(RefusedClaim.PARENT_CYCLE)
        elif found:
            return found[0]
        return None

    def _above(self, entity_id: UUID) -> list[UUID]:
        chain = [entity_id]
        while (parent := self._parents.get(chain[-1])) is not None and parent not in chain:
            chain.append(parent)
        return chain


def _is_person(entity: RegisteredEntity) -> bool:
    return entity.entity_type is EntityType.PERSON


How = Literal["whole", "short", "longer"]


@dataclass(frozen=True, slots=True)
class Bearer:
    """An entity that a mention may mean. how: the mention gives its whole name, a part, or more than the whole."""

    entity: RegisteredEntity
    how: How


def bearers(mention: FactMention, registry: Iterable[RegisteredEntity]) -> list[Bearer]:
    """Return the entities with a mention's name; if none bears all of it, those with one of its other names."""
    known = list(registry)
    found = [Bearer(entity, how) for entity in known if (how := _how(mention, entity))]
    if any(bearer.how == "whole" for bearer in found):
        return found
    aliases = {folded(alias) for alias in mention.aliases}
    return [Bearer(entity, "whole") for entity in known if aliases & names(entity)] or found


@remembered
def folded(name: str) -> str:
    """Normalise a name without case, accents, article and title; "Mueller" equals "Müller", but "Joe" is not "Jo"."""
    words = spelled_out(normalise(name)).split()
    return " ".join(name_key(word) if len(word) >= _SHORTEST_FOLDED else word for word in words)


def names(entity: RegisteredEntity) -> set[str]:
    """Return all names of an entity, normalised."""
    return {folded(name) for name in (entity.name, *entity.aliases)}


def same_sort(one: EntityType, other: EntityType) -> bool:
    """Whether two types are compatible: a firm may also be called a project or system, but a person stays a person."""
    return (one is EntityType.PERSON) == (other is EntityType.PERSON)


def differ(mention: FactMention, entity: RegisteredEntity) -> bool:
    """Whether a description rules an entity out: a different relation to the same person, or a different firm."""
    if mention.entity_type is not EntityType.PERSON or entity.is_user:
        return False
    said, known = comparable(mention.description or "", entity.description or "")
    of_one_person = _whose(said) and _whose(said) == _whose(known)
    if of_one_person and _relation(said) != _relation(known):
        return True
    if (_whose(said) and entity.parent) or (_whose(known) and mention.parent):
        return True
    return bool(mention.parent and entity.parent and folded(mention.parent) != folded(entity.parent))


def _how(mention: FactMention, entity: RegisteredEntity) -> How | None:
    if folded(mention.name) in names(entity):
        return "whole"
    if entity.is_user:
        return None
    whole = [name.split() for name in names(entity)]
    if any(_is_short_for(mention, entity, name) for name in whole):
        return "short"
    return "longer" if _adds_to(mention, whole) else None


def _is_short_for(mention: FactMention, entity: RegisteredEntity, name: Sequence[str]) -> bool:
    """Match "Haas" and "Peter" with "Peter Haas", and "Brightleaf" or initials with the firm "Brightleaf Tea".

    "London" does not match the place "London Bridge".
    """
    part = folded(mention.name).split()
    if not part or len(part) >= len(name) or set(part) <= _SMALL:
        return _are_initials(mention, entity, name)
    begins, ends = list(name[: len(part)]) == part, list(name[-len(part) :]) == part
    if mention.entity_type is EntityType.PERSON:
        return begins or ends
    of_firms = {mention.entity_type, entity.entity_type} <= _FIRMS
    return (of_firms and begins) or _are_initials(mention, entity, name)


def _are_initials(mention: FactMention, entity: RegisteredEntity, name: Sequence[str]) -> bool:
    if not mention.name.isupper() or len(name) < 2 or EntityType.PERSON in (mention.entity_type, entity.entity_type):
        return False
    telling = [word for word in name if word not in _SMALL]
    return folded(mention.name) in {"".join(word[0] for word in some) for some in (name, telling) if len(some) > 1}


def _adds_to(mention: FactMention, whole: Sequence[Sequence[str]]) -> bool:
    """Whether a longer name fits: "Peter Haas" may be the known Peter, unless that one has another surname."""
    given = folded(mention.name).split()
    more = mention.entity_type is EntityType.PERSON and len(given) > 1
    return more and all(len(name) == 1 for name in whole) and given[:1] in whole


def _whose(description: str) -> str | None:
    """Return whose relative or friend a description means.

    "User's brother" and "User's dentist" are two people; "User's brother" and "Tom's father" may be one; "writer" excludes
    nothing.
    """
    owner, possessive, _ = description.casefold().replace("’", "'").partition("'s ")
    return owner if possessive else None


def _relation(description: str) -> str:
    """Return the relation in a description: "User's brother" for "User's brother, a baker"."""
    return normalise(description.partition(",")[0])


@dataclass(frozen=True, slots=True)
class Replaced:
    """An entity that the replaced memory is surely about, and its role."""

    entity_id: UUID
    entity_type: EntityType
    role: Role


def named_again(
    links: Mapping[str, Link],
    mentions: Sequence[FactMention],
    bearers: Mapping[str, Collection[UUID]],
    before: Sequence[Replaced],
) -> dict[str, Link]:
    """Return the new memory's links by name; a name borne by an entity of the replaced memory means that one.

    bearers: the candidates of each name.
    """
    known = {one.entity_id for one in before}
    again = {one.name: (one.role, known.intersection(bearers.get(one.name, ()))) for one in mentions}
    return {**links, **{name: Link(same.pop(), role) for name, (role, same) in again.items() if len(same) == 1}}


def with_the_subject(
    links: Sequence[Link], mentions: Sequence[FactMention], before: Sequence[Replaced]
) -> tuple[Link, ...]:
    """Add the old memory's subject if the new one names nobody of its type: "Likes coffee", "Moved to Hull"."""
    sorts = {one.entity_type for one in mentions}
    kept = tuple(
        Link(one.entity_id, "subject") for one in before if one.role == "subject" and one.entity_type not in sorts
    )
    return (*kept, *(replace(link, role="about") for link in links)) if kept else tuple(links)
