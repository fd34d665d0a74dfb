"""What a read gives back: frozen values, with nothing of the database about them."""

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
"""Whether a memory holds, was replaced, or was taken back by an undo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """When something happened or will: a half-open interval, and how precisely that is known."""

    start: datetime
    end: datetime
    granularity: Granularity

    @property
    def day(self) -> date:
        """The day on which it begins, as the calendar had it where it was said.

        Whole days that begin at no midnight do so at that of a zone which was not kept. A midnight from Honolulu's to that of
        Auckland's summer is of the day that UTC has 13 hours later.
        """
        start, length = self.start, self.end - self.start
        # Where clocks are changed, days are an hour longer or shorter. No zone has midnight between two quarters of an hour.
        of_days = length > _AN_HOUR and (length + _AN_HOUR) % _A_DAY <= 2 * _AN_HOUR
        elsewhere = of_days and start.time() != time() and not (start - _EPOCH) % _A_QUARTER
        from_midnight = elsewhere and self.granularity not in _TIMES_OF_DAY
        return (start.astimezone(UTC) + _FROM_MIDNIGHT if from_midnight else start).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A message that a memory was taken from, and the words in it that carry the memory.

    stance: "against" for what somebody else said otherwise. role, speaker, said_at: of the message, where the app published it.
    """

    message_id: UUID
    quote: str
    stance: Literal["for", "against"] = "for"
    role: Role | None = None
    speaker: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMemory:
    """One memory, as it is known now, or was at a time.

    salience: 0 to 10. confidence: 0 to 1; tier is "solid" for what was said plainly, "hypothesis" for guesses.
    said_at: when it was said, in the zone of where; said_by: by whom, where several people speak; disputed_by: who says
        otherwise. marked: the user asked to remember it.
    occurred: when what it speaks of happened, where that was said.
    about: the names of the entities that it is about, its subject first.
    state, superseded_by: a memory that was replaced stays, and points to what replaced it; one that an undo took back is
        "withdrawn".
    record_name, record: the data in a shape of the app's own, and the name of that shape.
    key: the app's own name for it, where it was imported.
    sources: what it was taken from, and what speaks against it; of memories that `Namespace.get` returns.
    pending: this process remembered or closed it, and the service has not taken that up yet; what only the service knows
        (salience, confidence, whom it is about) is not known of it.
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
    """A memory that a query found.

    similarity: the cosine with the query, -1 to 1; of a memory that an LLM expanded also what words of that add, at most 0.3.
    """

    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far the namespace's events have come when a read was made.

    pending: received, and not yet in effect. at_work: some are on their way through the stages, or profiles are being refreshed.
    published: by publisher, the number of the newest event that this app's spool took; of apps elsewhere nothing is known.
    received, consolidated: by publisher, the number of the newest of its events in the inbox without a gap, and in effect.
    """

    pending: int = 0
    at_work: bool = False
    published: dict[UUID, int] = field(default_factory=dict)
    received: dict[UUID, int] = field(default_factory=dict)
    consolidated: dict[UUID, int] = field(default_factory=dict)

    @property
    def not_received(self) -> int:
        """How many events were published here and are not in the inbox yet."""
        return sum(max(0, newest - self.received.get(publisher, 0)) for publisher, newest in self.published.items())

    @property
    def partial(self) -> bool:
        """Whether something that was published is not yet in effect."""
        return self.pending > 0 or self.not_received > 0


@dataclass(frozen=True, slots=True)
class Hits(Sequence[Hit]):
    """Hits, most similar first, with how fresh they are.

    partial: events are still on their way, so that a later query may find more; or the read did not end in time, and nothing was
    found for that reason.
    """

    hits: tuple[Hit, ...]
    progress: Progress
    reason: str | None = None

    @property
    def partial(self) -> bool:
        """Whether something that was published is not yet in effect, or the read did not end in time."""
        return self.reason is not None or self.progress.partial

    @property
    def text(self) -> str:
        """``- content`` lines, with the dates that a reader needs. For a prompt, take `as_system_message`."""
        return "\n".join(f"- {memory_note(hit)}" for hit in self.hits)

    def as_system_message(self) -> dict[str, str]:
        """The same as ``{"role": "system", "content": …}``, to stand before the turns: data inside a fence."""
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
    """Somebody or something that memories are about. Names are not unique; ids are.

    description: what tells it from its namesakes, where somebody said so.
    memories: how many memories are about it. key: the app's own name for it, where it was imported.
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
    """What is known of an entity, in a few sentences. refreshed_at: None until the first memory about it is consolidated."""

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
    """A memory that a fact was held against, at the version that was read. similarity: cosine of the two."""

    memory_id: UUID
    version: int
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One thing that was decided.

    action: "add" made a memory, "update" made one more precise, "supersede" replaced one, "contradict" set one against another,
        "none" found it known already, "quarantine" kept it from becoming a memory, "refuse" did not take it for a fact;
        "undo" took a decision back;
        "clarify" answered whom a mention means, "merge" made two entities one, "split" one two; "forget" closed memories;
        "document" changed a document, which is its target;
        "set_prompt", "roll_back_prompt" and "optimize_prompt" made a version of a prompt;
        "erase" deleted for good, and took what it saw out of the decisions before it.
    memory_id: what it made, changed or found. target_id, target_version: what the fact was held against.
    fact: what was extracted, as JSON: content, kind, quote, occurred, mentions, …; of a clarify, merge or split what the app
        named, of a document the patch; empty for an undo. candidates: what was near.
    extracted_by, decided_by: "rules", or the model's name; what the app told is decided by "app", and extracted by nobody.
    prompt_version: of the prompt.
    undoes: the decision that it takes back. in_effect: False where it was taken back, or was refused.
    refused: why what the model proposed, or the app told, was not carried out.
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
    """How another memory stands to one.

    kind: "similar" (weight: the cosine), "contradicts" (either way), "replaces" and "replaced_by", "shares_entity" (weight: how
        many of them), "summary" (memory_id is None: entity_id has a profile that sums it up).
    """

    kind: Literal["similar", "contradicts", "replaces", "replaced_by", "shares_entity", "summary"]
    memory_id: UUID | None = None
    entity_id: UUID | None = None
    weight: float | None = None
