"""The registry as a batch finds and changes it: whom it introduces, and what it learns of whom; sane whatever is said."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from mosshead.entities.disambiguation import Evidence
from mosshead.language.names import possible_names
from mosshead.models.entities import RegisteredEntity
from mosshead.models.kinds import EntityType
from pipeline.consolidation.comparison import telling
from pipeline.linking.candidates import folded, names
from pipeline.linking.models import Around, Link, RefusedClaim, Role, ToLink, Vector
from pipeline.models import USER, Fact, FactMention

_NAME_CHARACTERS = 200
"""As of every name that is kept; an alias is a part of an index's entry, which has a limit."""


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


@dataclass(slots=True)
class _Said:
    """Of one entity: the vectors and the words of the facts about it, and whom else they are about."""

    vectors: list[Vector] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    others: set[UUID] = field(default_factory=set)


class BatchEvidence:
    """Grows with each link that is sure, and adds to what was known before."""

    def __init__(self) -> None:
        self._said: defaultdict[UUID, _Said] = defaultdict(_Said)

    def note(self, entity_id: UUID, *, content: str, vector: Vector, others: set[UUID]) -> None:
        """A fact is surely about an entity. others: whom it is about beside."""
        said = self._said[entity_id]
        said.vectors.append(vector)
        said.words |= telling(content)
        said.others |= others

    def weighed(
        self,
        candidates: Sequence[RegisteredEntity],
        to_link: ToLink,
        around: Around,
        registry: Mapping[UUID, RegisteredEntity],
    ) -> dict[UUID, Evidence]:
        """By candidate, what speaks for it: what was known before the batch, and what the batch's facts say."""
        return {one.entity_id: self._of(one, to_link, around, registry) for one in candidates}

    def _of(
        self, candidate: RegisteredEntity, to_link: ToLink, around: Around, registry: Mapping[UUID, RegisteredEntity]
    ) -> Evidence:
        known = around.evidence.get(candidate.entity_id, Evidence(nearest=0.0))
        said = self._said.get(candidate.entity_id, _Said())
        parent = {candidate.parent_id} if candidate.parent_id else set()
        words = said.words | telling(f"{candidate.description or ''} {candidate.parent or ''}")
        return replace(
            known,
            nearest=max((known.nearest, *(float(around.vector @ vector) for vector in said.vectors))),
            words=known.words
            | {word for word in (*around.asked.words, *around.asked.scene_words) if telling(word) & words},
            named=known.named | _named(said.others | parent, candidate, to_link.said, registry),
            scene_named=known.scene_named | _named(said.others | parent, candidate, " ".join(to_link.before), registry),
        )


def _named(
    others: set[UUID], candidate: RegisteredEntity, said: str, registry: Mapping[UUID, RegisteredEntity]
) -> set[UUID]:
    """Those of the others that a text names; the user and namesakes tell nobody apart."""
    if not others:
        return set()
    spoken = {folded(name) for name in possible_names(said)}
    telling_apart = (registry[key] for key in others if key in registry and not registry[key].is_user)
    return {one.entity_id for one in telling_apart if names(one) & spoken and not names(one) & names(candidate)}


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
