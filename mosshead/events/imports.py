"""What an import event holds: entities and memories brought from elsewhere, under the app's own names for them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from mosshead.events.envelope import EventPart
from mosshead.language.names import normalise
from mosshead.models.kinds import EntityType, Granularity, MemoryKind
from mosshead.timestamps import Moment

MAX_ALIASES = 500
MAX_ABOUT = 500
"""Of each more than merges and years of talk make: an export is to fit into another namespace, whatever it holds."""


def _holding_a_word(name: str) -> str:
    if not normalise(name):
        raise ValueError("holds no word; give the name that people use")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200)]
NameOfEntity = Annotated[Name, AfterValidator(_holding_a_word)]


class ImportedEntity(EventPart):
    """Somebody or something that memories from elsewhere are about. key: the app's own name for it; parent: the key of another.

    is_user: it is the namespace's own user, whatever that one's key is here.
    """

    key: Name
    name: NameOfEntity
    entity_type: EntityType
    aliases: list[Name] = Field(default_factory=list, max_length=MAX_ALIASES)
    parent: Name | None = None
    description: str | None = Field(None, min_length=1, max_length=500)
    is_user: bool = False

    @model_validator(mode="after")
    def _check_parent(self) -> "ImportedEntity":
        if self.parent == self.key:
            raise ValueError("parent: is the entity itself; name another, or leave it out")
        return self


class ImportedOccurrence(EventPart):
    """When what a memory from elsewhere speaks of happened: a half-open interval, and how precisely that is known."""

    start: Moment
    end: Moment
    granularity: Granularity

    @model_validator(mode="after")
    def _check_order(self) -> "ImportedOccurrence":
        if self.start > self.end:
            raise ValueError("end: lies before start; give the time at which it was over")
        return self


class ImportedMemory(EventPart):
    """A memory from elsewhere. id: the app's own name for it; about: the keys of entities, the memory's subject first.

    roles: of each in about its role and how certain that is; by default the first is surely the subject, and the rest surely what
        it is about besides.
    occurred_at: when it was said; the event's by default. occurred: when what it speaks of happened.
    salience (0 to 10), confidence (0 to 1), attribute, value, said_by, marked: as a memory has them; what is left out is as of a
        fact that was said plainly.
    """

    id: Name
    content: str = Field(min_length=1, max_length=8_000)
    about: list[Name] = Field(default_factory=list, max_length=MAX_ABOUT)
    roles: list[tuple[Literal["subject", "object", "about"], Literal["sure", "unsure"]]] | None = None
    kind: MemoryKind = MemoryKind.FACT
    occurred_at: Moment | None = None
    occurred: ImportedOccurrence | None = None
    salience: float | None = Field(None, ge=0, le=10)
    confidence: float | None = Field(None, ge=0, le=1)
    attribute: Name | None = None
    value: str | None = Field(None, min_length=1, max_length=1_000)
    said_by: Name | None = None
    marked: bool = False

    @field_validator("content")
    @classmethod
    def _check_content(cls, content: str) -> str:
        if not content.strip():
            raise ValueError("holds no word; leave the memory out")
        return content

    @model_validator(mode="after")
    def _check_roles(self) -> "ImportedMemory":
        if self.roles is not None and len(self.roles) != len(self.about):
            raise ValueError(f"roles: {len(self.roles)} for {len(self.about)} in about; give one for each")
        if len(set(self.about)) < len(self.about):
            raise ValueError("about: names an entity twice; name it once")
        return self
