"""What the registry and the memories say to one message: the names in it, whom it is near, and what there is to know of these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from mosshead.genders import Gender
from mosshead.kinds import EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. by_user: what others say brings entities up, and moves no layer."""

    text: str
    by_user: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEntity:
    """What tracking needs to know of an entity.

    gender: which pronoun its memories, a word for relatives or its first name give it, where they tell.
    parent_id: what it belongs to. homes: the organisations, projects and places that share memories with it, its ancestors among
    them. kin: all that shares a memory or a relation with it.
    names: its name and aliases, in lower case.
    """

    entity_id: UUID
    entity_type: EntityType
    names: tuple[str, ...] = ()
    gender: Gender | None = None
    parent_id: UUID | None = None
    homes: frozenset[UUID] = frozenset()
    kin: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A name in the message: its characters, and who may bear it."""

    start: int
    end: int
    entity_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known to one message.

    entities: by id, all that is named below, and all that the state may refer back to.
    near: by entity, the cosine of the message with the nearest memory surely about it, of those nearest to the message.
    described: the same for each description in the message, by what is sought (`phrases.Phrase.sought`).
    bearers: the same for whoever bears a name of the message that fits several, whatever else is nearer.
    """

    entities: Mapping[UUID, KnownEntity] = field(default_factory=dict)
    names: tuple[Named, ...] = ()
    near: Mapping[UUID, float] = field(default_factory=dict)
    described: Mapping[str, Mapping[UUID, float]] = field(default_factory=dict)
    bearers: Mapping[UUID, float] = field(default_factory=dict)
