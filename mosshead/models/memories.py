"""Frozen values that reads return, independent of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, overload
from uuid import UUID

from mosshead.fencing import fenced
from mosshead.models.kinds import EntityType, Granularity, MemoryKind, Role
from mosshead.models.notes import memory_note

_TIMES_OF_DAY = frozenset({Granularity.MINUTE, Granularity.HOUR, Granularity.PART_OF_DAY})
_A_QUARTER, _AN_HOUR, _A_DAY = timedelta(minutes=15), timedelta(hours=1), timedelta(days=1)
_FROM_MIDNIGHT = timedelta(hours=13)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

State = Literal["active", "superseded", "withdrawn"]
"""Whether a memory is valid, was replaced, or was withdrawn by a forget or an undo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """When something happened or will happen: a half-open interval, and how precisely it is known."""

    start: datetime
    end: datetime
    granularity: Granularity

    @property
    def day(self) -> date:
        """The calendar day on which it begins, where it was said.

        Whole days whose start is not midnight were stored without their zone. Midnight anywhere from Honolulu to Auckland (in
        summer) belongs to the UTC day 13 hours later.
        """
        start, length = self.start, self.end - self.start
        # Clock changes make a day an hour longer or shorter. In every zone, midnight is on a UTC quarter-hour.
        of_days = length > _AN_HOUR and (length + _AN_HOUR) % _A_DAY <= 2 * _AN_HOUR
        elsewhere = of_days and start.time() != time() and not (start - _EPOCH) % _A_QUARTER
        from_midnight = elsewhere and self.granularity not in _TIMES_OF_DAY
        return (start.astimezone(UTC) + _FROM_MIDNIGHT if from_midnight else start).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A message that supports or disputes a memory, and the words in it that do so.

    stance: "against" if someone else contradicted the memory. role, speaker, said_at: Of the message, if they were published.
    """

    message_id: UUID
    quote: str
    stance: Literal["for", "against"] = "for"
    role: Role | None = None
    speaker: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """A memory, as it is known now or was known at a past time.

    Attributes:
        salience: 0 to 10.
        confidence: 0 to 1.
        tier: "solid" for plain statements, "hypothesis" for guesses.
        said_at: When it was said, in the zone of the message.
        said_by: Who said it, if several people speak.
        disputed_by: Who contradicts it.
        marked: The user asked to remember it.
        occurred: When the event it describes happened, if known.
        about: Names of the entities it is about, the subject first.
        state: "active", "superseded" (see ``superseded_by``) or "withdrawn" by a forget or an undo.
        record_name, record: Structured data in one of the app's own schemas, and the schema's name.
        key: The app's own id, if it was imported.
        sources: Messages that support or dispute it; only set by `Namespace.get`.
        pending: This process wrote or closed it and the service has not applied that yet. Its salience, confidence and
            linked entities are not known yet.
    """

    id: UUID
    version: int
    kind: MemoryKind
    content: str
    salience: float
    confidence: float
    tier: Literal["hypothesis", "solid"]
    said_at: datetime
    occurred: Occurrence | None = None
    about: tuple[str, ...] = ()
    state: State = "active"
    superseded_by: UUID | None = None
    said_by: str | None = None
    disputed_by: tuple[str, ...] = ()
    marked: bool = False
    record_name: str | None = None
    record: Mapping[str, Any] | None = field(default=None, hash=False)
    key: str | None = None
    sources: tuple[Source, ...] = ()
    pending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(StoredMemory):
    """A memory found by a query.

    similarity: Cosine with the query, -1 to 1. For memories expanded by an LLM, matching words of the expansion add up to 0.3.
    """

    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many of a namespace's events were received and consolidated at the time of a read.

    Attributes:
        pending: Number of events received but not consolidated.
        at_work: Events are being processed, or profiles refreshed.
        published: By publisher, the number of the newest event in this app's spool. Other spools are not counted.
        received: By publisher, the number of the newest event in the inbox without a gap before it.
        consolidated: By publisher, the number of the newest consolidated event.
        behind_seconds: If a replica answered, the seconds since the last commit that it knows of; it lacks nothing older. None
            from a primary.
    """

    pending: int = 0
    at_work: bool = False
    published: dict[UUID, int] = field(default_factory=dict)
    received: dict[UUID, int] = field(default_factory=dict)
    consolidated: dict[UUID, int] = field(default_factory=dict)
    behind_seconds: float | None = None

    @property
    def not_received(self) -> int:
        """Number of events published here that are not in the inbox yet."""
        return sum(max(0, newest - self.received.get(publisher, 0)) for publisher, newest in self.published.items())

    @property
    def partial(self) -> bool:
        """Whether some published events are not consolidated yet."""
        return self.pending > 0 or self.not_received > 0


@dataclass(frozen=True, slots=True)
class Hits(Sequence[Hit]):
    """The memories found by a query, most similar first, with the progress of the namespace's events.

    reason: Set if the read timed out; there are no hits then.
    """

    hits: tuple[Hit, ...]
    progress: Progress
    reason: str | None = None

    @property
    def partial(self) -> bool:
        """Whether some published events are not consolidated yet, so that a later query may find more, or the read timed out."""
        return self.reason is not None or self.progress.partial

    @property
    def text(self) -> str:
        """``- content`` lines, with dates where needed. In a prompt, use `as_system_message`."""
        return "\n".join(f"- {memory_note(hit)}" for hit in self.hits)

    def as_system_message(self) -> dict[str, str]:
        """Return the text, fenced as data, as a system message to place before the turns."""
        return {"role": "system", "content": fenced(map(memory_note, self.hits))}

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Hit, ...]: ...

    def __getitem__(self, place: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[place]

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A person or thing that memories are about. Ids are unique; names are not.

    description: What distinguishes it from its namesakes, if known. memories: Number of memories about it. key: The app's own
    id, if it was imported.
    """

    id: UUID
    name: str
    entity_type: EntityType
    description: str | None = None
    aliases: tuple[str, ...] = ()
    parent: str | None = None
    is_user: bool = False
    memories: int = 0
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A summary of an entity in a few sentences. refreshed_at: None until the first memory about it is consolidated."""

    entity: Entity
    summary: str
    refreshed_at: datetime | None


Action = Literal[
    "add",
    "update",
    "supersede",
    "contradict",
    "none",
    "quarantine",
    "refuse",
    "undo",
    "clarify",
    "merge",
    "split",
    "forget",
    "document",
    "set_prompt",
    "roll_back_prompt",
    "optimize_prompt",
    "erase",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCandidate:
    """A memory that a fact was compared with, at the version read. similarity: Their cosine."""

    memory_id: UUID
    version: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An entry of the decision log.

    Attributes:
        action: "add" created a memory, "update" made one more precise, "supersede" replaced one, "contradict" recorded a
            contradiction, "none" found the fact already known, "quarantine" kept it from becoming a memory, "refuse" rejected
            it; "undo" reverted a decision; "clarify" resolved a mention, "merge" joined two entities, "split" divided one;
            "forget" closed memories; "document" changed its target document; "set_prompt", "roll_back_prompt" and
            "optimize_prompt" created a version of a prompt; "erase" deleted data, also from earlier decisions.
        memory_id: The memory created, changed or found.
        target_id, target_version: The memory that the fact was compared with.
        fact: The extracted fact as JSON: content, kind, quote, occurred, mentions, …; for a clarify, merge or split the app's
            arguments, for a document the patch; empty for an undo.
        candidates: Similar memories that were considered.
        extracted_by, decided_by: "rules" or a model's name. Commands of the app have "app" and no ``extracted_by``.
        prompt_version: The version of the LLM prompt.
        undoes: The decision that this one reverts.
        in_effect: False if it was undone or refused.
        refused: Why it was not carried out.
    """

    id: UUID
    action: Action
    reason: str
    decided_at: datetime
    decided_by: str
    extracted_by: str | None = None
    prompt_version: int | None = None
    memory_id: UUID | None = None
    target_id: UUID | None = None
    target_version: int | None = None
    fact: Mapping[str, Any] = field(default_factory=dict, hash=False)
    candidates: tuple[DecisionCandidate, ...] = ()
    undoes: UUID | None = None
    in_effect: bool = True
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """A relation of a memory to another one.

    kind: "similar" (weight: the cosine), "contradicts" (in either direction), "replaces", "replaced_by", "shares_entity"
        (weight: number of shared entities), or "summary" (memory_id is None; the profile of entity_id summarises it).
    """

    kind: Literal["similar", "contradicts", "replaces", "replaced_by", "shares_entity", "summary"]
    memory_id: UUID | None = None
    entity_id: UUID | None = None
    weight: float | None = None
