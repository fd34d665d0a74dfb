"""The registry as a batch finds and changes it: who bears a name, whom it introduces, and what it learns of whom.

It stays sane whatever is said.
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
"""As of every name that is kept; an alias is a part of an index's entry, which has a limit."""

_FIRMS = frozenset({EntityType.ORG, EntityType.PROJECT})
_SHORTEST_FOLDED = 5
_SMALL = frozenset("a an and at by de der for in la le of on the to und van von".split())

Role = Literal["subject", "object", "about"]


class RefusedClaim(StrEnum):
    """What was said of an entity and was not taken over."""

    TYPE = "type"
    ALIAS = "alias_of_another"
    OWN_PARENT = "own_parent"
    PARENT_CYCLE = "parent_cycle"
    PARENT_UNCLEAR = "parent_unclear"


@dataclass(frozen=True, slots=True)
class Link:
    """A fact is about an entity, for sure, in a role."""

    entity_id: UUID
    role: Role


class BatchRegistry:
    """The entities that a batch may speak of. parents: by entity, what it belongs to, of these and all above them."""

    def __init__(
        self, known: Sequence[RegisteredEntity], parents: Mapping[UUID, UUID], new_id: Callable[[], UUID]
    ) -> None:
        self.entities = {entity.entity_id: entity for entity in known}
        self._before = dict(self.entities)
        self._parents = dict(parents)
        self._new_id = new_id
        self._refused: Counter[RefusedClaim] = Counter()

    def news(self) -> tuple[RegisteredEntity, ...]:
        """The entities that are not as they were when this was asked last."""
        changed = tuple(entity for key, entity in self.entities.items() if entity != self._before.get(key))
        self._before = dict(self.entities)
        return changed

    def refused(self) -> Counter[RefusedClaim]:
        """What was not taken over since this was asked last."""
        refused, self._refused = self._refused, Counter()
        return refused

    def refuse(self, reason: RefusedClaim) -> None:
        """Count what is not taken over."""
        self._refused[reason] += 1

    def user(self) -> RegisteredEntity:
        """The namespace's user, of whom there is but one."""
        user = next((entity for entity in self.entities.values() if entity.is_user), None)
        return user or self._add(
            RegisteredEntity(entity_id=self._new_id(), name=USER, entity_type=EntityType.PERSON, is_user=True)
        )

    def introduce(self, mention: FactMention) -> RegisteredEntity:
        """Somebody new of a mention's name and type."""
        return self._add(RegisteredEntity(entity_id=self._new_id(), name=mention.name, entity_type=mention.entity_type))

    def learn(self, entity: RegisteredEntity, mention: FactMention, links: Mapping[str, Link]) -> None:
        """What a mention says of its bearer; what is known already is not written over. links: the fact's own, so far."""
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
        """From now on somebody has another name, and the one before is an alias. A name that another bears is not taken over."""
        entity = self.entities[entity_id]
        if any(folded(name) in names(other) for key, other in self.entities.items() if key != entity_id):
            self.refuse(RefusedClaim.ALIAS)
        elif not entity.is_user and folded(name) and len(name) <= _NAME_CHARACTERS:
            aliases = dict.fromkeys((*entity.aliases, entity.name))
            self.entities[entity_id] = replace(entity, name=name, aliases=tuple(one for one in aliases if one != name))

    def learn_name(self, fact: Fact) -> None:
        """ "User's name is Sarah": from now on Sarah is the user."""
        user = self.user()
        if fact.value and len(fact.value) <= _NAME_CHARACTERS and folded(fact.value) and fact.value not in user.aliases:
            self.entities[user.entity_id] = replace(user, aliases=(*user.aliases, fact.value))

    def _add(self, entity: RegisteredEntity) -> RegisteredEntity:
        self.entities[entity.entity_id] = entity
        return entity

    def _aliases(self, entity: RegisteredEntity, mention: FactMention) -> list[str]:
        # One word of a person's own name is not his alone, and found without being learned.
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
    """An entity that a mention may mean. how: the mention gives its whole name, a part of it, or that and more."""

    entity: RegisteredEntity
    how: How


def bearers(mention: FactMention, registry: Iterable[RegisteredEntity]) -> list[Bearer]:
    """Those that bear a mention's name; where nobody bears the whole of it, those that bear another name that it gives."""
    known = list(registry)
    found = [Bearer(entity, how) for entity in known if (how := _how(mention, entity))]
    if any(bearer.how == "whole" for bearer in found):
        return found
    aliases = {folded(alias) for alias in mention.aliases}
    return [Bearer(entity, "whole") for entity in known if aliases & names(entity)] or found


@remembered
def folded(name: str) -> str:
    """A name as it is compared: without case, accents, article and title; "Mueller" is "Müller", and "Joe" is not "Jo"."""
    words = spelled_out(normalise(name)).split()
    return " ".join(name_key(word) if len(word) >= _SHORTEST_FOLDED else word for word in words)


def names(entity: RegisteredEntity) -> set[str]:
    """All names of an entity, folded."""
    return {folded(name) for name in (entity.name, *entity.aliases)}


def same_sort(one: EntityType, other: EntityType) -> bool:
    """What is a firm to one sentence is a project or a system to the next; a person stays a person."""
    return (one is EntityType.PERSON) == (other is EntityType.PERSON)


def differ(mention: FactMention, entity: RegisteredEntity) -> bool:
    """Whether what is said of the bearer rules the entity out: another relative or friend of one person, or of another firm."""
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
    """ "Haas" and "Peter" for "Peter Haas"; "Brightleaf" for the firm "Brightleaf Tea", and its initials. Of a place called
    "London Bridge" London is no part."""
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
    """ "Peter Haas" may be the Peter that is known, unless that one has another surname."""
    given = folded(mention.name).split()
    more = mention.entity_type is EntityType.PERSON and len(given) > 1
    return more and all(len(name) == 1 for name in whole) and given[:1] in whole


def _whose(description: str) -> str | None:
    """Whose relative or friend: "User's brother" and "User's dentist" are two people, "User's brother" and "Tom's father" may be
    one, and "writer" is one of many things that the same person can be."""
    owner, possessive, _ = description.casefold().replace("’", "'").partition("'s ")
    return owner if possessive else None


def _relation(description: str) -> str:
    """ "User's brother, a baker" is User's brother."""
    return normalise(description.partition(",")[0])


@dataclass(frozen=True, slots=True)
class Replaced:
    """Whom the memory that is replaced is surely about, in which role."""

    entity_id: UUID
    entity_type: EntityType
    role: Role


def named_again(
    links: Mapping[str, Link],
    mentions: Sequence[FactMention],
    bearers: Mapping[str, Collection[UUID]],
    before: Sequence[Replaced],
) -> dict[str, Link]:
    """The links of the new memory, by name; a name that one of those before bears means that one, whatever else it may mean.

    bearers: whom each name may mean.
    """
    known = {one.entity_id for one in before}
    again = {one.name: (one.role, known.intersection(bearers.get(one.name, ()))) for one in mentions}
    return {**links, **{name: Link(same.pop(), role) for name, (role, same) in again.items() if len(same) == 1}}


def with_the_subject(
    links: Sequence[Link], mentions: Sequence[FactMention], before: Sequence[Replaced]
) -> tuple[Link, ...]:
    """The links with the subject of before, where the new memory names nobody of its sort: "Likes coffee", "Moved to Hull"."""
    sorts = {one.entity_type for one in mentions}
    kept = tuple(
        Link(one.entity_id, "subject") for one in before if one.role == "subject" and one.entity_type not in sorts
    )
    return (*kept, *(replace(link, role="about") for link in links)) if kept else tuple(links)
