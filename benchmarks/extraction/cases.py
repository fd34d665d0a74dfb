"""The cases: conversations with what is worth remembering of them, as tests/data/extraction/README.md describes the format."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role

Action = Literal["add", "update", "supersede", "contradict", "none"]
Id = Annotated[str, Field(pattern=r"^\S+$")]
Text = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Part):
    """A message. at: when it was said, in the zone of who said it."""

    role: Role
    content: Text
    at: AwareDatetime
    speaker: Text | None = None


class GoldMention(_Part):
    """Whom or what a fact is about; in the file a list: name, type, role and, where needed, an object with the rest."""

    name: Text
    entity_type: EntityType
    role: Literal["subject", "object", "about"]
    aliases: tuple[str, ...] = ()
    parent: str | None = None
    description: str | None = None


def _mention(given: Any) -> Any:
    if not isinstance(given, list) or len(given) not in (3, 4):
        raise ValueError("a list of name, type, role and, where needed, an object with the rest")
    name, entity_type, role, *rest = given
    return {"name": name, "entity_type": entity_type, "role": role, **(rest[0] if rest else {})}


class GoldFact(_Part):
    """A fact worth remembering, and what becomes of it.

    sources: numbers of messages of its session, from 1. match: what a proposed content must hold to count as this fact.
    target: the earlier fact that an action other than add is about. merged: what an update leaves.
    optional: fine to find, and no fault to miss.
    """

    id: Id
    content: Text
    kind: MemoryKind
    sources: tuple[int, ...] = Field(alias="from", min_length=1)
    quote: Text
    occurred: tuple[AwareDatetime, AwareDatetime, Granularity] | None = None
    mentions: tuple[Annotated[GoldMention, BeforeValidator(_mention)], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()
    attribute: Text | None = None
    value: Text | None = None
    stated: bool = True
    marked: bool = False
    corrects: bool = False
    action: Action = "add"
    target: Id | None = None
    merged: Text | None = None
    match: tuple[Text, ...] = Field(min_length=1)
    optional: bool = False

    def is_said_by(self, content: str) -> bool:
        """Whether a text holds every pattern of the fact."""
        return all(re.search(pattern, content, re.IGNORECASE) for pattern in self.match)


class Session(_Part):
    """One batch of one conversation, and what is worth remembering of it, in the order of being said."""

    conversation: Text
    messages: tuple[Said, ...] = Field(min_length=1)
    facts: tuple[GoldFact, ...]


class Case(_Part):
    """Sessions of one namespace, what is remembered after the last, and what no memory may ever hold (patterns)."""

    id: Id
    tags: tuple[str, ...]
    sessions: tuple[Session, ...] = Field(min_length=1)
    store: tuple[str, ...]
    never: tuple[Text, ...] = ()

    @property
    def facts(self) -> Iterator[GoldFact]:
        """Those of all sessions, in order."""
        for session in self.sessions:
            yield from session.facts


class GoldStore:
    """What is remembered at some point of a case, if all before was done right.

    contents: by the id of the fact that made each memory. memory_of: the memory that each fact went into.
    """

    def __init__(self) -> None:
        self.contents: dict[str, str] = {}
        self.memory_of: dict[str, str] = {}

    def take(self, fact: GoldFact) -> None:
        """Do what becomes of a fact. Raises ValueError where its target is not remembered."""
        if fact.action == "add":
            self._add(fact)
            return
        memory = self.memory_of.get(fact.target or "")
        if memory not in self.contents:
            raise ValueError(f"target: {fact.target} is not remembered when {fact.id} is said")
        if fact.action == "contradict":
            self._add(fact)
        elif fact.action == "supersede":
            del self.contents[memory]
            self._add(fact)
        else:
            self.memory_of[fact.id] = memory
            if fact.action == "update":
                self.contents[memory] = fact.merged or fact.content

    def same_memory(self, fact_id: str) -> frozenset[str]:
        """The facts that went into the same memory as a fact, itself among them."""
        memory = self.memory_of[fact_id]
        return frozenset(one for one, held in self.memory_of.items() if held == memory)

    def _add(self, fact: GoldFact) -> None:
        self.contents[fact.id] = fact.content
        self.memory_of[fact.id] = fact.id


def store_before(case: Case, fact_id: str | None = None) -> GoldStore:
    """What is remembered when a fact is said; at the end of the case, where none is named. Raises ValueError."""
    store = GoldStore()
    for fact in case.facts:
        if fact.id == fact_id:
            break
        store.take(fact)
    return store


def minute(moment: datetime) -> datetime:
    """A time to the minute, for comparison."""
    return moment.replace(second=0, microsecond=0)
