"""What linking is given and what it gives: links that are sure, mentions that are held until somebody answers, and news."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from mosshead.entities.disambiguation import Evidence, Telling
from mosshead.models.entities import RegisteredEntity
from pipeline.models import Fact

Vector = NDArray[np.float32]
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


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A fact is about somebody, and it is open which of some entities that is, or whether it is one of them. Best first."""

    candidates: tuple[UUID, ...]
    role: Role


@dataclass(frozen=True, slots=True)
class ToLink:
    """A fact, its vector, the messages that it was taken from, of which conversation, and the turns just before, oldest first."""

    fact: Fact
    vector: Vector
    said: str
    before: tuple[str, ...] = ()
    conversation: str | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """What was said around a mention, and what is known of those that it may mean.

    vector: of the telling's text. evidence: by candidate, of what was known before the
    batch; nothing of those that are new with it.
    """

    asked: Telling
    vector: Vector
    evidence: Mapping[UUID, Evidence]


LookAround = Callable[[int, str, Sequence[UUID]], Around]
"""For a fact's number, a name, and whom it may mean. Asked only where a name alone does not settle it."""


@dataclass(frozen=True, slots=True)
class LinkedFacts:
    """All by fact number. links, held: by name as the fact mentions it. learned: the entities that are new with the fact, or of
    which more is known. refused: how many things said of entities were not taken over, by reason. entities: all that a fact is or
    may be about, as they are after the batch, by id."""

    links: Mapping[int, Mapping[str, Link]]
    held: Mapping[int, Mapping[str, OpenMention]]
    learned: Mapping[int, tuple[RegisteredEntity, ...]]
    refused: Mapping[int, Mapping[RefusedClaim, int]] = field(default_factory=dict)
    entities: Mapping[UUID, RegisteredEntity] = field(default_factory=dict)

    def is_about(self, number: int) -> frozenset[UUID]:
        """Whom a fact is surely about."""
        return frozenset(link.entity_id for link in self.links.get(number, {}).values())

    def may_be_about(self, number: int) -> frozenset[UUID]:
        """Whom a fact may be about, as long as that is open."""
        return frozenset(key for held in self.held.get(number, {}).values() for key in held.candidates)

    def subjects(self, number: int) -> frozenset[UUID]:
        """The entities that a fact describes, or may describe."""
        sure = {link.entity_id for link in self.links.get(number, {}).values() if link.role == "subject"}
        held = (one.candidates for one in self.held.get(number, {}).values() if one.role == "subject")
        return frozenset(sure.union(*held))

    def all_refused(self) -> Counter[str]:
        """How many things said of entities were not taken over, by reason."""
        return sum((Counter({str(reason): n for reason, n in one.items()}) for one in self.refused.values()), Counter())
