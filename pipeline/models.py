"""Values that travel between the stages: messages, facts and decisions.

Facts are pydantic models because they are stored as JSON between two stages and because the answer of an LLM is checked against
them; they hold no behaviour.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from pydantic import Field

from mosshead.models import entities
from mosshead.models.kinds import EntityType, MemoryKind, Role
from mosshead.models.occurrence import FactOccurrence, FrozenValue

USER = entities.USER
"""The name under which facts speak of the namespace's own user, until that name is known and after."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the batch at hand.

    number: its place in the batch, from 1; the only name of it that an LLM sees.
    occurred_at: when it was said, with the zone of who said it: "yesterday" means the day before this one.
    injected: the memories that were in the prompt of this turn, and so may come back in it.
    """

    number: int
    event_id: UUID
    conversation: str | None
    role: Role
    speaker: str | None
    content: str
    occurred_at: datetime
    injected: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An entity of the namespace, as much of it as an extractor needs to recognise its name."""

    name: str
    entity_type: EntityType
    aliases: tuple[str, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """A shape of the app's own in which facts of a namespace are kept: its name, and what it is as JSON Schema."""

    name: str
    schema: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Background:
    """What the namespace knows already when a batch is extracted.

    entities: the entities whose names occur in the batch, and those of the latest messages.
    earlier: the messages just before the batch, oldest first; they explain, and are not extracted again.
    speakers: the names under which users spoke before the batch, further back than ``earlier`` reaches.
    instructions: what the app wants of this namespace's memories, in its own words. schemas: the records that it asks for.
    """

    entities: tuple[KnownEntity, ...] = ()
    earlier: tuple[Message, ...] = ()
    speakers: frozenset[str] = frozenset()
    instructions: str = ""
    schemas: tuple[RecordSchema, ...] = ()


class FactMention(FrozenValue):
    """An entity that a fact is about, as the messages name it.

    role: "subject" for whom or what the fact describes, "object" for what it relates that to, "about" for the rest.
    aliases: other names that the messages give it ("also known as").
    parent: the name of the firm, project or place that it belongs to, where the messages say so.
    description: what tells it from its namesakes ("the user's brother", "writer"), where the messages say so.
    renamed: the name that it has from now on, where the messages say so.
    """

    name: str = Field(min_length=1)
    entity_type: EntityType
    role: Literal["subject", "object", "about"] = "about"
    aliases: tuple[str, ...] = ()
    parent: str | None = None
    description: str | None = None
    renamed: str | None = None


class Relation(FrozenValue):
    """A directed edge between two entities that the same fact mentions; predicate in snake case: "works_at"."""

    subject: str
    predicate: str
    object: str


class FactRecord(FrozenValue):
    """A fact in a shape of the app's own: the name of one of the namespace's schemas, and data that fits it."""

    name: str
    data: dict[str, Any]


class Fact(FrozenValue):
    """One thing worth remembering, in the third person ("User likes coffee").

    sources: numbers of the messages that it was taken from.
    quote: the words of a source message that carry it.
    quoted: the number of that message, and where the quote begins and ends. covered: the share of the given quote's words that
        were found there.
    doubts: why it is not stated, though its model says so.
    attribute, value: for what can only have one value at a time ("lives_in", "Seattle"); a later value replaces an earlier one
        of the same subject. None for everything that can be true many times over ("likes").
    stated: said plainly by the user; False for a guess or an inference, which stays a hypothesis.
    marked: the user asked to remember it.
    corrects: it puts something said earlier right ("Actually, I meant …"). puts_right: the messages in which that was said,
        where they are no sources.
    dated_by: who says when it occurred: the model, the rules of `mosshead.language.dates`, or both alike.
    record: the fact in a shape of the app's own.
    suspicion: why it must not become a memory, as an instruction to the assistant must not.
    ends: the attribute whose value holds no more ("works_at" of "User quit User's job").
    retracts: whoever said it asks for it to be forgotten; it becomes no memory, and ends the one that says it.
    """

    kind: MemoryKind
    content: str = Field(min_length=1)
    sources: tuple[int, ...] = Field(min_length=1)
    quote: str
    occurred: FactOccurrence | None = None
    mentions: tuple[FactMention, ...] = ()
    relations: tuple[Relation, ...] = ()
    attribute: str | None = None
    value: str | None = None
    stated: bool = True
    quoted: tuple[int, int, int] | None = None
    covered: float = 1.0
    doubts: tuple[str, ...] = ()
    marked: bool = False
    corrects: bool = False
    puts_right: tuple[int, ...] = ()
    dated_by: Literal["model", "rules", "both"] | None = None
    record: FactRecord | None = None
    suspicion: str | None = None
    retracts: bool = False
    ends: str | None = None


RULES: Final = "rules"

Action = Literal["add", "update", "supersede", "contradict", "none", "quarantine", "forget"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a fact may be held against.

    number: local, from 1: its place among all that the batch is held against. subject_ids: the entities that it describes;
        about_ids: those that it is surely about, its subjects among them.
    earlier_fact: its number, where it is no memory yet but a fact of the same batch.
    said_by: who said it, None where that is not known. injected: it was in the prompt of this conversation lately, so that
        what repeats it is its echo.
    """

    number: int
    content: str
    attribute: str | None
    value: str | None
    said_at: datetime
    subject_ids: frozenset[UUID]
    earlier_fact: int | None = None
    occurred: FactOccurrence | None = None
    said_by: str | None = None
    kind: MemoryKind = MemoryKind.FACT
    injected: bool = False
    about_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class NewFact:
    """A candidate fact, by whom it was said, and what it is held against: near, most similar first, each with its cosine.

    subject_ids, about_ids: as those of what is known.
    """

    number: int
    fact: Fact
    said_at: datetime
    subject_ids: frozenset[UUID]
    near: tuple[tuple[Known, float], ...]
    said_by: str | None = None
    about_ids: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class FactOutcome:
    """What happens to one fact.

    target: what it updates, supersedes, contradicts, repeats or has forgotten; None for an add, a quarantine, a fact not
        worth one, and what is to be forgotten and is not known.
    content: the merged statement of an update.
    decided_by: "rules", or the model's name; prompt_version: of the prompt it was asked with.
    reinforces: a "none" counts as its target said again; not so an echo, nor what a later statement overtook.
    refused: why the model's proposal for this fact was not taken, so that the rules decided; None where it was, or not asked.
    """

    fact_number: int
    action: Action
    target: Known | None
    reason: str
    content: str | None = None
    decided_by: str = RULES
    prompt_version: int | None = None
    reinforces: bool = True
    refused: str | None = None
