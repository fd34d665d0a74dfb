"""The registry as a batch finds and changes it: whom it introduces, and what it learns of whom; sane whatever is said."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from mosshead.kinds import EntityType
from mosshead.registry import RegisteredEntity
from pipeline.facts import USER, Fact, Mention
from pipeline.linking.bearers import folded, names
from pipeline.linking.values import Link, Refusal

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
        self._refused: Counter[Refusal] = Counter()

    def news(self) -> tuple[RegisteredEntity, ...]:
        """The entities that are not as they were when this was asked last."""
        changed = tuple(entity for key, entity in self.entities.items() if entity != self._before.get(key))
        self._before = dict(self.entities)
        return changed

    def refused(self) -> Counter[Refusal]:
        """What was not taken over since this was asked last."""
        refused, self._refused = self._refused, Counter()
        return refused

    def refuse(self, reason: Refusal) -> None:
        """Count what is not taken over."""
        self._refused[reason] += 1

    def user(self) -> RegisteredEntity:
        """The namespace's user, of whom there is but one."""
        user = next((entity for entity in self.entities.values() if entity.is_user), None)
        return user or self._add(
            RegisteredEntity(entity_id=self._new_id(), name=USER, entity_type=EntityType.PERSON, is_user=True)
        )

    def introduce(self, mention: Mention) -> RegisteredEntity:
        """Somebody new of a mention's name and type."""
        return self._add(RegisteredEntity(entity_id=self._new_id(), name=mention.name, entity_type=mention.entity_type))

    def learn(self, entity: RegisteredEntity, mention: Mention, links: Mapping[str, Link]) -> None:
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

    def _aliases(self, entity: RegisteredEntity, mention: Mention) -> list[str]:
        given = (mention.name, *mention.aliases)
        new = [name for name in given if folded(name) not in {"", *names(entity)} and not _is_part(name, entity)]
        taken = [name for name in new if self._is_of_another(name, entity)]
        for _ in taken:
            self.refuse(Refusal.ALIAS)
        return [name for name in new if name not in taken]

    def _is_of_another(self, name: str, entity: RegisteredEntity) -> bool:
        """Whether only somebody of another name bears it: namesakes may share an alias."""
        return any(
            folded(name) in names(other) and not names(other) & names(entity) for other in self.entities.values()
        )

    def _parent(self, entity: RegisteredEntity, mention: Mention, links: Mapping[str, Link]) -> RegisteredEntity | None:
        wanted = folded(mention.parent or "")
        of_fact = {folded(name): link.entity_id for name, link in links.items()}
        found = [one for one in self.entities.values() if not _is_person(one) and wanted in names(one)]
        found = [one for one in found if one.entity_id == of_fact.get(wanted)] or found
        own = names(entity) | {folded(name) for name in (mention.name, *mention.aliases)}
        if not wanted or (not found and wanted not in own):
            return None
        reason = self._why_not(entity, found, is_own=wanted in own)
        if reason is not None:
            self.refuse(reason)
        return None if reason else found[0]

    def _why_not(self, entity: RegisteredEntity, found: Sequence[RegisteredEntity], *, is_own: bool) -> Refusal | None:
        if is_own:
            return Refusal.OWN_PARENT
        if len(found) > 1:
            return Refusal.PARENT_UNCLEAR
        return Refusal.PARENT_CYCLE if entity.entity_id in self._above(found[0].entity_id) else None

    def _above(self, entity_id: UUID) -> list[UUID]:
        chain = [entity_id]
        while (parent := self._parents.get(chain[-1])) is not None and parent not in chain:
            chain.append(parent)
        return chain


def _is_person(entity: RegisteredEntity) -> bool:
    return entity.entity_type is EntityType.PERSON


def _is_part(name: str, person: RegisteredEntity) -> bool:
    """Whether a name is one word of a person's own: not his alone, and found without being learned."""
    return _is_person(person) and folded(name) in folded(person.name).split()
