"""Values passed between the stages: messages, facts and decisions.

Facts are pydantic models, because they are stored as JSON between two stages and validate an LLM's answers. They have no
behaviour.
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
"""The user's name in facts, before and after the real name is known."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the current batch.

    number: its position in the batch, from 1; the only identifier that an LLM sees.
    occurred_at: when it was said, in the speaker's time zone: "yesterday" means the day before.
    injected: the memories in this turn's prompt, which the message may echo.
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
    """What an extractor needs to recognise an entity's name."""

    name: str
    entity_type: EntityType
    aliases: tuple[str, ...] = ()
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class RecordSchema:
    """A schema by the app for facts of a namespace: its name and JSON Schema."""

    name: str
    schema: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Background:
    """What is known before a batch is extracted.

    entities: those named in the batch, and in the latest messages.
    earlier: the messages just before the batch, oldest first; context only, not extracted again.
    speakers: the names of users who spoke before the batch, further back than ``earlier``.
    instructions: what the app wants remembered in this namespace. schemas: the records it asks for.
    """

    entities: tuple[KnownEntity, ...] = ()
    earlier: tuple[Message, ...] = ()
    speakers: frozenset[str] = frozenset()
    instructions: str = ""
    schemas: tuple[RecordSchema, ...] = ()


class FactMention(FrozenValue):
    """An entity that a fact is about, as the messages name it.

    role: "subject" for what the fact describes, "object" for what that is related to, "about" for the rest.
    aliases: other names given in the messages ("also known as").
    parent: the name of the firm, project or place it belongs to, if stated.
    description: what distinguishes it from namesakes ("the user's brother", "writer"), if stated.
    renamed: its new name, if stated.
    """

    name: str = Field(min_length=1)
    entity_type: EntityType
    role: Literal["subject", "object", "about"] = "about"
    aliases: tuple[str, ...] = ()
    parent: str | None = None
    description: str | None = None
    renamed: str | None = None


class Relation(FrozenValue):
    """A directed edge between two entities of one fact; the predicate is in snake case: "works_at"."""

    subject: str
    predicate: str
    object: str


class FactRecord(FrozenValue):
    """A fact in the app's own form: the name of a schema of the namespace, and data that fits it."""

    name: str
    data: dict[str, Any]


class Fact(FrozenValue):
    """One thing worth remembering, in the third person ("User likes coffee").

    sources: the numbers of the messages it was taken from.
    quote: the source words that state it.
    quoted: the number of that message, and where the quote begins and ends.
    covered: the share of the proposed quote's words found there.
    doubts: why it is not stated, although the model says so.
    attribute, value: for what has one value at a time ("lives_in", "Seattle"), where a later value replaces an earlier one of the
        same subject. None for what can be true many times over ("likes").
    stated: said plainly by the user; False for a guess or inference, which stays a hypothesis.
    marked: the user asked to remember it.
    corrects: it corrects something said earlier ("Actually, I meant …").
    puts_right: the messages it corrects, unless they are sources.
    dated_by: who determined its time: the model, the rules of `mosshead.language.dates`, or both.
    record: the fact in the app's own form.
    suspicion: why it must not become a memory, such as being an instruction to the assistant.
    ends: the attribute whose value no longer holds ("works_at" for "User quit User's job").
    retracts: the speaker asks to forget it; it becomes no memory, and closes the memory that says it.
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
    """A memory, or an earlier fact of the batch, that a fact is compared with.

    number: local, from 1, among everything the batch is compared with.
    subject_ids: the entities it describes; about_ids: all it is surely about, including those.
    earlier_fact: its number, if it is a fact of the same batch rather than a memory.
    said_by: the speaker, None if unknown.
    injected: it was recently in this conversation's prompt, so a repetition is an echo.
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
    """A candidate fact, and what it is compared with.

    near: most similar first, each with its cosine. subject_ids, about_ids: as in `Known`.
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

    target: what it updates, supersedes, contradicts, repeats or forgets; None for an add, a quarantine, a fact not worth a
        memory, and an unknown thing to forget.
    content: the merged text of an update.
    decided_by: "rules", or the model's name; prompt_version: of the prompt used.
    reinforces: a "none" counts as a repetition of its target; not so an echo, or a fact that a later statement overtook.
    refused: why the model's proposal was refused and the rules decided; None if it was accepted, or not asked for.
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
